/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mpj_prof_thread.h"

#include <stddef.h>
#include <string.h>

#include "hal_pmu.h"
#include "hal_sys.h"
#include "mpj_out.h"
#include "mpj_prof.h"
#include "mpj_spread.h"
#include "mpj_tables.h"

#define NAME_MAX_BYTES 15U
#define NEST_MAX       2U /* regions a thread is in at a time that are accounted for */

/* Not part of .bss: nothing reads an entry that was not written, so nobody need zero it. */
#ifdef __arm__
#define NOINIT __attribute__((section(".noinit")))
#else
#define NOINIT
#endif

enum state { READY, RUN, BLOCK, SLEEP, ENDED };

struct mpj_prof_rec {
    /* One line: what a core touches that wakes a thread of another one. */
    uint64_t since; /* of the present state, ticks */
    uint64_t woken; /* when its wait ended; its own core sees to the rest */
    uint8_t state;  /* enum state */
    uint8_t core;
    bool exiting;
    bool waiting;
    bool ready; /* woken */
    uint32_t switches;
    uint32_t id;
    /* What every switch touches. */
    uint64_t core_run[MPJ_CORES_MAX];
    struct mpj_prof_sum sum[MPJ_PROF_PAIRS];
    uint64_t kernel; /* cycles */
    uint64_t block, sleep;
    struct mpj_wait_key wait;
    uint64_t wait_since;
    uint64_t barrier;
    uint64_t created;
    uint32_t parent, entry, flags;
    unsigned nest;
    uint32_t team_size[NEST_MAX];
    char name[NAME_MAX_BYTES];
    struct mpj_timeline timeline;
    struct mpj_usage entered[NEST_MAX];
    struct mpj_slices slices; /* with rotation */
} __attribute__((aligned(32)));

static NOINIT struct mpj_prof_rec records[MPJ_PROF_THREADS];
static NOINIT struct mpj_wait_entry wait_entries[MPJ_WAITS_MAX];
static NOINIT struct mpj_region_entry region_entries[MPJ_REGIONS_MAX];

/* One line a core. */
struct core {
    struct mpj_prof_rec *cur; /* record of the thread that runs */
    uint32_t kernel_since;    /* CCNT */
    bool busy;                /* runs a thread, with a record or without */
    bool kernel;
} __attribute__((aligned(32)));

static struct {
    bool on;
    bool rotates; /* events are counted in turn */
    uint32_t used;
    uint32_t lost; /* threads without a record */
    uint32_t deep; /* executions of regions nested too deep */
    uint64_t begin;
    /* Two lines that all cores write. */
    uint64_t now __attribute__((aligned(64))); /* the latest seen: time does not go back */
    uint64_t parallel_since;
    unsigned running;
    uint64_t parallel[MPJ_CORES_MAX + 1U];
    struct mpj_waits waits __attribute__((aligned(64)));
    struct mpj_regions regions;
    struct core core[MPJ_CORES_MAX];
} pt;

static uint64_t advance(uint64_t now)
{
    if (now > pt.now)
        pt.now = now;
    return pt.now;
}

static uint64_t now_locked(unsigned core)
{
    return advance(mpj_prof_ticks(core));
}

/* The time of the present state goes where it belongs. */
static void leave_state(struct mpj_prof_rec *r, uint64_t now)
{
    const uint64_t ticks = now - r->since;

    switch (r->state) {
    case RUN:
        r->core_run[r->core] += ticks;
        mpj_timeline_add(&r->timeline, r->since - pt.begin, now - pt.begin, false);
        break;
    case BLOCK:
        r->block += ticks;
        mpj_timeline_add(&r->timeline, r->since - pt.begin, now - pt.begin, true);
        break;
    case SLEEP:
        r->sleep += ticks;
        break;
    default:
        break;
    }
    r->since = now;
}

static void enter_state(struct mpj_prof_rec *r, enum state state, uint64_t now)
{
    leave_state(r, now);
    r->state = state;
}

static enum state state_of_wait(uint32_t kind)
{
    return kind == MPJ_WAIT_SLEEP || kind == MPJ_WAIT_HOST || kind == MPJ_WAIT_OMP_IDLE ? SLEEP
                                                                                        : BLOCK;
}

static void count_parallel(uint64_t now, int change)
{
    pt.parallel[pt.running] += now - pt.parallel_since;
    pt.parallel_since = now;
    pt.running += (unsigned)change;
}

static void charge(struct mpj_prof_rec *r, unsigned pair, const uint64_t step[HAL_PMU_COUNTERS])
{
    struct mpj_prof_sum *sum = &r->sum[pair];

    sum->cycles += step[HAL_PMU_CCNT];
    sum->event[0] += step[HAL_PMU_PMN0];
    sum->event[1] += step[HAL_PMU_PMN1];
    if (pt.rotates)
        mpj_slices_add(&r->slices, pair, mpj_prof_turn(), step);
}

static uint64_t run_of(const struct mpj_prof_rec *r)
{
    return r->core_run[0] + r->core_run[1] + r->core_run[2] + r->core_run[3];
}

static void end_wait(struct mpj_prof_rec *r, uint64_t now)
{
    const uint64_t ticks = now - r->wait_since;

    r->waiting = false;
    r->ready = false;
    mpj_waits_add(&pt.waits, &r->wait, ticks);
    if (r->wait.kind == MPJ_WAIT_OMP_BARRIER)
        r->barrier += ticks;
    else if (r->wait.kind == MPJ_WAIT_OMP_IDLE)
        r->flags |= MPJ_THREAD_POOL;
}

/* It was woken, and ready since then. */
static void come_back(struct mpj_prof_rec *r)
{
    enter_state(r, READY, r->woken);
    end_wait(r, r->woken);
}

/* ---- hooks of the scheduler ---------------------------------------------------------- */

void mpj_prof_thread_init(struct mpj_prof_thread *p, uint32_t id, uint32_t parent,
                          const void *entry)
{
    struct mpj_prof_rec *r;
    uint64_t now;

    p->id = id;
    p->rec = NULL;
    if (!pt.on)
        return;
    if (pt.used == MPJ_PROF_THREADS) {
        pt.lost++;
        return;
    }
    r = &records[pt.used++];
    memset(r, 0, offsetof(struct mpj_prof_rec, sum));
    memset(r->sum, 0, mpj_prof_pairs() * sizeof(r->sum[0]));
    memset(&r->kernel, 0,
           offsetof(struct mpj_prof_rec, timeline) - offsetof(struct mpj_prof_rec, kernel));
    if (mpj_prof_rotates())
        mpj_slices_init(&r->slices);
    now = now_locked(hal_cpu_id());
    r->id = id;
    r->parent = parent;
    r->entry = (uint32_t)(uintptr_t)entry;
    r->state = READY;
    r->created = now;
    r->since = now;
    mpj_timeline_init(&r->timeline, now - pt.begin);
    p->rec = r;
}

void mpj_prof_switch(unsigned core, struct mpj_prof_thread *from, struct mpj_prof_thread *to)
{
    struct core *c = &pt.core[core];
    struct mpj_prof_rec *r = from != NULL ? from->rec : NULL;
    uint64_t step[HAL_PMU_COUNTERS];
    uint32_t ccnt;
    unsigned pair = mpj_prof_core_switch(core, to != NULL ? to->id : 0U, step, &ccnt);
    uint64_t now;

    if (!pt.on)
        return;
    now = now_locked(core);
    if (r != NULL) {
        charge(r, pair, step);
        if (c->kernel)
            r->kernel += ccnt - c->kernel_since;
        if (r->exiting)
            enter_state(r, ENDED, now);
        else
            enter_state(r, r->waiting ? state_of_wait(r->wait.kind) : READY, now);
        if (r->waiting)
            r->wait_since = now;
    }
    c->kernel_since = ccnt;
    if (c->busy != (to != NULL))
        count_parallel(now, to != NULL ? 1 : -1);
    c->busy = to != NULL;
    r = to != NULL ? to->rec : NULL;
    c->cur = r;
    if (r != NULL) {
        if (r->ready)
            come_back(r);
        r->switches++;
        enter_state(r, RUN, now);
        r->core = (uint8_t)core;
    }
}

void mpj_prof_wait_begin(struct mpj_prof_thread *p, const struct mpj_wait_info *info)
{
    struct mpj_prof_rec *r = p->rec;

    if (r == NULL)
        return;
    if (r->ready)
        come_back(r);
    r->wait = (struct mpj_wait_key){
        .thread = r->id,
        .kind = info->kind,
        .object = (uint32_t)(uintptr_t)info->object,
        .owner = info->owner,
        .caller = (uint32_t)(uintptr_t)info->caller,
    };
    r->waiting = true;
    if (r->state == RUN)
        return; /* its time begins when it has left the core */
    r->wait_since = now_locked(hal_cpu_id());
    enter_state(r, state_of_wait(info->kind), r->wait_since);
}

void mpj_prof_wait_end(struct mpj_prof_thread *p)
{
    struct mpj_prof_rec *r = p->rec;

    if (r == NULL || !r->waiting)
        return;
    r->woken = now_locked(hal_cpu_id());
    r->ready = true;
}

void mpj_prof_thread_exit(struct mpj_prof_thread *p)
{
    if (p->rec != NULL)
        p->rec->exiting = true;
}

void mpj_prof_thread_name(struct mpj_prof_thread *p, const char *name)
{
    if (p->rec == NULL)
        return;
    memset(p->rec->name, 0, NAME_MAX_BYTES);
    memcpy(p->rec->name, name, strnlen(name, NAME_MAX_BYTES));
}

void mpj_prof_kernel_enter(unsigned core)
{
    struct core *c = &pt.core[core];

    c->kernel_since = hal_pmu_cycles();
    c->kernel = true;
}

void mpj_prof_kernel_leave(unsigned core)
{
    struct core *c = &pt.core[core];

    if (c->cur != NULL && c->kernel)
        c->cur->kernel += hal_pmu_cycles() - c->kernel_since;
    c->kernel = false;
}

/* ---- regions: thread context ------------------------------------------------------------ */

static void use_until(const struct mpj_prof_rec *r, uint64_t now, struct mpj_usage *u)
{
    u->time = now;
    u->run = run_of(r);
    u->barrier = r->barrier;
    memcpy(u->sum, r->sum, mpj_prof_pairs() * sizeof(u->sum[0]));
}

/* The calling thread's record, its time and counts up to date; NULL: none. Lock held. */
static struct mpj_prof_rec *here_and_now(uint64_t *now)
{
    struct mpj_prof_thread *self = mpj_sched_prof_self();

    if (!pt.on || self == NULL || self->rec == NULL || self->rec->state != RUN)
        return NULL;
    mpj_prof_threads_rest();
    *now = now_locked(hal_cpu_id());
    leave_state(self->rec, *now);
    return self->rec;
}

void mpj_rt_region_begin(const void *region, uint32_t team, unsigned num, unsigned size)
{
    hal_irq_state s;
    struct mpj_prof_rec *r;
    uint64_t now;

    (void)region;
    (void)team;
    (void)num;
    if (!pt.on)
        return;
    s = mpj_sched_lock();
    r = here_and_now(&now);
    if (r != NULL) {
        if (r->nest < NEST_MAX) {
            use_until(r, now, &r->entered[r->nest]);
            r->team_size[r->nest] = size;
        }
        r->nest++;
    }
    mpj_sched_unlock(s);
}

void mpj_rt_region_end(const void *region, uint32_t team, unsigned num, const void *caller)
{
    hal_irq_state s;
    struct mpj_prof_rec *r;
    struct mpj_region_entry *e;
    struct mpj_usage use;
    uint64_t now;

    (void)team;
    (void)num;
    if (!pt.on)
        return;
    s = mpj_sched_lock();
    r = here_and_now(&now);
    if (r != NULL && r->nest > 0 && --r->nest >= NEST_MAX) {
        pt.deep++;
    } else if (r != NULL) {
        e = mpj_regions_get(&pt.regions, (uint32_t)(uintptr_t)region, r->id);
        if (e != NULL) {
            use_until(r, now, &use);
            mpj_usage_add_difference(&e->use, &use, &r->entered[r->nest], mpj_prof_pairs());
            e->calls++;
            e->size = r->team_size[r->nest];
            e->caller = (uint32_t)(uintptr_t)caller;
        }
    }
    mpj_sched_unlock(s);
}

/* ---- start and end ------------------------------------------------------------------------ */

void mpj_prof_threads_reset(bool on)
{
    memset(&pt, 0, sizeof(pt));
    pt.on = on;
    pt.waits.entry = wait_entries;
    pt.regions.entry = region_entries;
}

void mpj_prof_threads_begin(uint64_t now)
{
    pt.begin = pt.now = pt.parallel_since = now;
    pt.rotates = mpj_prof_rotates();
    /* Threads that exist already (main) begin with the run. */
    for (uint32_t i = 0; i < pt.used; i++) {
        records[i].created = records[i].since = now;
        mpj_timeline_init(&records[i].timeline, 0);
    }
}

void mpj_prof_threads_rest(void)
{
    struct mpj_prof_rec *r = pt.core[hal_cpu_id()].cur;
    uint64_t step[HAL_PMU_COUNTERS];
    unsigned pair = mpj_prof_core_take(step);

    if (r != NULL)
        charge(r, pair, step);
}

void mpj_prof_threads_leave(void)
{
    const unsigned core = hal_cpu_id();
    struct mpj_prof_rec *r = pt.core[core].cur;
    uint64_t step[HAL_PMU_COUNTERS];
    uint32_t ccnt;
    const unsigned pair = mpj_prof_core_switch(core, 0U, step, &ccnt);

    if (r != NULL)
        charge(r, pair, step);
    pt.core[core].cur = NULL;
}

static int put_thread(struct mpj_writer *w, const void *rec)
{
    return mpj_thread_put(w, rec);
}

static int put_wait(struct mpj_writer *w, const void *rec)
{
    return mpj_wait_put(w, rec);
}

static int put_region(struct mpj_writer *w, const void *rec)
{
    return mpj_region_put(w, rec);
}

static int put_timeline(struct mpj_writer *w, const void *rec)
{
    return mpj_timeline_put(w, rec);
}

static int put_parallel(struct mpj_writer *w, const void *rec)
{
    return mpj_parallel_put(w, rec);
}

static uint64_t cycles_of(const struct mpj_prof_sum sum[MPJ_PROF_PAIRS])
{
    uint64_t cycles = 0;

    for (unsigned i = 0; i < mpj_prof_pairs(); i++)
        cycles += sum[i].cycles;
    return cycles;
}

static void send_thread(const struct mpj_prof_rec *r)
{
    static struct mpj_thread_rec t;

    t = (struct mpj_thread_rec){
        .id = r->id,
        .parent = r->parent,
        .flags = r->flags,
        .entry = r->entry,
        .created = r->created,
        .ended = r->since,
        .run = run_of(r),
        .block = r->block,
        .sleep = r->sleep,
        .kernel = r->kernel * HAL_SYS_TIME_HZ / hal_sys_clock_hz(),
        .switches = r->switches,
        .cycles = cycles_of(r->sum),
    };
    if (r->state != ENDED)
        t.flags |= MPJ_THREAD_ALIVE;
    if (r->id == 1U)
        t.flags |= MPJ_THREAD_MAIN;
    memcpy(t.core_run, r->core_run, sizeof(t.core_run));
    t.count = mpj_prof_values(r->sum, t.run, t.ev);
    t.name.p = (const uint8_t *)r->name;
    t.name.len = strnlen(r->name, NAME_MAX_BYTES);
    (void)mpj_out_record(put_thread, &t);
}

static void send_timeline(const struct mpj_prof_rec *r)
{
    static struct mpj_timeline_rec t;
    const struct mpj_timeline *line = &r->timeline;

    t.thread = r->id;
    t.width = line->width;
    for (uint32_t i = 0; i < line->used; i += t.count) {
        t.first = line->first + i;
        t.count = line->used - i < MPJ_TIMELINE_MAX ? line->used - i : MPJ_TIMELINE_MAX;
        for (uint32_t k = 0; k < t.count; k++) {
            t.bin[k].run = line->run[i + k];
            t.bin[k].block = line->block[i + k];
        }
        (void)mpj_out_record(put_timeline, &t);
    }
}

static void send_waits(void)
{
    for (uint32_t i = 0; i < pt.waits.used; i++) {
        const struct mpj_wait_entry *e = &wait_entries[i];
        const struct mpj_wait_rec w = {
            .thread = e->key.thread,
            .kind = e->key.kind,
            .object = e->key.object,
            .owner = e->key.owner,
            .caller = e->key.caller,
            .count = e->count,
            .total = e->total,
            .longest = e->longest,
        };

        (void)mpj_out_record(put_wait, &w);
    }
}

static void send_regions(void)
{
    static struct mpj_region_rec g;

    for (uint32_t i = 0; i < pt.regions.used; i++) {
        const struct mpj_region_entry *e = &region_entries[i];

        g = (struct mpj_region_rec){
            .fn = e->fn,
            .caller = e->caller,
            .thread = e->thread,
            .size = e->size,
            .calls = e->calls,
            .wall = e->use.time,
            .run = e->use.run,
            .barrier = e->use.barrier,
            .cycles = cycles_of(e->use.sum),
        };
        g.count = mpj_prof_values(e->use.sum, e->use.run, g.ev);
        (void)mpj_out_record(put_region, &g);
    }
}

void mpj_prof_threads_send(void)
{
    struct mpj_parallel_rec parallel;
    uint64_t end;

    if (!pt.on)
        return;
    pt.on = false;
    end = advance(mpj_prof_end_time());
    count_parallel(end, 0);
    for (uint32_t i = 0; i < pt.used; i++) {
        struct mpj_prof_rec *r = &records[i];

        if (r->state == ENDED)
            continue;
        if (r->ready)
            come_back(r);
        leave_state(r, end);
        if (r->waiting)
            end_wait(r, end); /* for what never came */
    }
    for (uint32_t i = 0; i < pt.used; i++) {
        send_thread(&records[i]);
        if (pt.rotates) {
            mpj_slices_end(&records[i].slices);
            mpj_spread_send(MPJ_SPREAD_THREAD, records[i].id, records[i].slices.spread);
        }
        send_timeline(&records[i]);
    }
    send_waits();
    send_regions();
    memcpy(parallel.ticks, pt.parallel, sizeof(parallel.ticks));
    (void)mpj_out_record(put_parallel, &parallel);
    mpj_out_dropped(MPJ_REC_THREAD, pt.lost);
    mpj_out_dropped(MPJ_REC_SYNC_WAIT, pt.waits.lost);
    mpj_out_dropped(MPJ_REC_REGION, pt.regions.lost + pt.deep);
}
