/* SPDX-License-Identifier: GPL-2.0-or-later */
/* long file: the hooks and what they note, which nothing else may look into. */
#include "mpj_prof_thread.h"

#include <stddef.h>
#include <string.h>

#include "hal_pmu.h"
#include "hal_sys.h"
#include "mpj_degree.h"
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

#define SPANS  8U
#define WAITS  4U
#define CACHED 4U /* waits of a thread whose entries are known */

/* Time in one state: what is left to be added up. */
struct span {
    uint64_t from, to;
    uint8_t state; /* enum state */
    uint8_t core;
    uint8_t wait; /* which of the record's waits it was + 1; 0: none */
};

/*
 * A switch costs what it touches, on the way of a thread that others wait for: so a switch, or the
 * end of a wait that the thread spent on its core, only notes what state ended when. What follows
 * from it is added up when there is time: while the thread waits the next time, or when there is no
 * room for another note.
 */
struct mpj_prof_rec {
    uint64_t since; /* of the present state, ticks */
    uint8_t state;  /* enum state */
    uint8_t core;
    bool exiting;
    bool waiting;
    uint8_t slot;  /* of wait[]: the present or last wait */
    uint8_t spans; /* noted */
    uint8_t open;  /* waits noted, by bits */
    uint32_t switches;
    uint32_t id;
    uint64_t ran, at_barrier; /* ticks, of what ended, added up or not */
    struct mpj_prof_sum sum[MPJ_PROF_PAIRS];
    uint64_t kernel; /* cycles */
    struct span span[SPANS];
    struct mpj_wait_key wait[WAITS];
    struct mpj_prof_rest *rest;
    struct mpj_prof_thread *owner; /* until it has ended */
} __attribute__((aligned(32)));

struct mpj_prof_rest {
    uint64_t core_run[MPJ_CORES_MAX];
    uint64_t block, sleep;
    struct mpj_wait_entry *waited[CACHED]; /* its last waits */
    uint32_t next_waited;
    uint64_t created;
    uint32_t parent, entry, flags;
    unsigned nest;
    uint32_t team_size[NEST_MAX];
    char name[NAME_MAX_BYTES];
    struct mpj_region_entry *region; /* it was in last */
    struct mpj_timeline timeline;
    struct mpj_usage entered[NEST_MAX];
    uint64_t fills[MPJ_CORES_MAX][MPJ_PROF_FILLS]; /* linefills, where the SCU counts them */
    struct mpj_slices slices;                      /* with rotation */
} __attribute__((aligned(32)));

static NOINIT struct mpj_prof_rec records[MPJ_PROF_THREADS];
static NOINIT struct mpj_prof_rest rests[MPJ_PROF_THREADS];
static NOINIT struct mpj_wait_entry wait_entries[MPJ_WAITS_MAX];
static NOINIT struct mpj_region_entry region_entries[MPJ_REGIONS_MAX];

/* One line a core. */
struct core {
    struct mpj_prof_rec *cur; /* record of the thread that runs */
    uint32_t kernel_since;    /* CCNT */
    bool kernel;
} __attribute__((aligned(32)));

static struct {
    bool on;
    bool rotates; /* events are counted in turn */
    uint8_t pairs;
    bool fills; /* the SCU's counts of the core's linefills are read */
    uint32_t used;
    uint32_t lost; /* threads without a record */
    uint32_t deep; /* executions of regions nested too deep */
    uint64_t begin;
    struct mpj_waits waits __attribute__((aligned(32)));
    struct mpj_regions regions;
    struct core core[MPJ_CORES_MAX];
} pt;

static void not_before(uint64_t *now, uint64_t then)
{
    if (*now < then)
        *now = then;
}

/* The lock: the caller has it, or it may be taken, or not even that: what needs it stays. */
enum settling { LOCKED, FREE, NO_LOCK };

/* The table's entry of one of the thread's last waits; NULL: another one. */
static struct mpj_wait_entry *known(const struct mpj_prof_rest *rest,
                                    const struct mpj_wait_key *key)
{
    for (unsigned i = 0; i < CACHED && rest->waited[i] != NULL; i++) {
        if (mpj_wait_key_same(&rest->waited[i]->key, key))
            return rest->waited[i];
    }
    return NULL;
}

static void count_wait(struct mpj_wait_entry *e, uint64_t ticks)
{
    e->count++;
    e->total += ticks;
    if (ticks > e->longest)
        e->longest = ticks;
}

static bool add_wait(const struct mpj_prof_rec *r, const struct mpj_wait_key *key, uint64_t ticks,
                     enum settling how)
{
    struct mpj_prof_rest *rest = r->rest;
    struct mpj_wait_entry *e = known(rest, key);
    hal_irq_state s = 0;

    /* The table is everybody's, an entry of it one thread's. */
    if (e == NULL) {
        if (how == NO_LOCK)
            return false;
        if (how == FREE)
            s = mpj_sched_lock();
        e = mpj_waits_get(&pt.waits, key);
        if (e == NULL)
            pt.waits.lost++;
        if (how == FREE)
            mpj_sched_unlock(s);
        if (e != NULL) {
            rest->waited[rest->next_waited] = e;
            rest->next_waited = (rest->next_waited + 1U) % CACHED;
        }
    }
    if (e != NULL)
        count_wait(e, ticks);
    if (key->kind == MPJ_WAIT_OMP_IDLE)
        rest->flags |= MPJ_THREAD_POOL;
    return true;
}

static void settle(struct mpj_prof_rec *r, enum settling how)
{
    struct mpj_prof_rest *rest = r->rest;
    unsigned i;

    for (i = 0; i < r->spans; i++) {
        const struct span *p = &r->span[i];
        const uint64_t ticks = p->to - p->from;

        if (p->wait != 0 && !add_wait(r, &r->wait[p->wait - 1U], ticks, how))
            break;
        if (p->state == RUN)
            rest->core_run[p->core] += ticks;
        else if (p->state == BLOCK)
            rest->block += ticks;
        else if (p->state == SLEEP)
            rest->sleep += ticks;
        if (p->state == RUN || p->state == BLOCK)
            mpj_timeline_add(&rest->timeline, p->from - pt.begin, p->to - pt.begin,
                             p->state == BLOCK);
    }
    if (i > 0)
        memmove(r->span, &r->span[i], (r->spans - i) * sizeof(r->span[0]));
    r->spans = (uint8_t)(r->spans - i);
    if (r->spans == 0)
        r->open = 0;
}

/* What is noted of the state that ends at `now`, added up at once: nothing waits to be before it,
 * and there is nothing to find or to begin for it. */
static bool add_now(struct mpj_prof_rec *r, uint64_t now, bool wait)
{
    struct mpj_prof_rest *rest = r->rest;
    const uint64_t ticks = now - r->since;
    struct mpj_wait_entry *e = NULL;

    if (r->spans != 0 || now - pt.begin > rest->timeline.end)
        return false;
    if (wait) {
        e = known(rest, &r->wait[r->slot]);
        if (e == NULL)
            return false;
        count_wait(e, ticks);
    }
    if (r->state == RUN) {
        rest->core_run[r->core] += ticks;
        rest->timeline.open_run += (uint32_t)ticks;
    } else if (r->state == BLOCK) {
        rest->block += ticks;
        rest->timeline.open_block += (uint32_t)ticks;
    } else if (r->state == SLEEP) {
        rest->sleep += ticks;
    }
    return true;
}

/* The present state ends at `now`, wait: and so does its wait. Lock held, unless there is room:
 * who will wait on its core has some (make_room()). */
static void note(struct mpj_prof_rec *r, uint64_t now, bool wait)
{
    not_before(&now, r->since);
    if (r->state == RUN)
        r->ran += now - r->since;
    if (wait && r->wait[r->slot].kind == MPJ_WAIT_OMP_BARRIER)
        r->at_barrier += now - r->since;
    if ((r->state != READY || wait) && !add_now(r, now, wait)) {
        if (r->spans == SPANS)
            settle(r, LOCKED);
        r->span[r->spans++] = (struct span){.from = r->since,
                                            .to = now,
                                            .state = r->state,
                                            .core = r->core,
                                            .wait = wait ? (uint8_t)(r->slot + 1U) : 0U};
        if (wait)
            r->open |= (uint8_t)(1U << r->slot);
    }
    r->since = now;
}

static void enter_state(struct mpj_prof_rec *r, enum state state, uint64_t now)
{
    note(r, now, false);
    r->state = state;
}

static enum state state_of_wait(uint32_t kind)
{
    return kind == MPJ_WAIT_SLEEP || kind == MPJ_WAIT_HOST || kind == MPJ_WAIT_OMP_IDLE ? SLEEP
                                                                                        : BLOCK;
}

/* Room for what is noted of a thread that waits on its core. */
static void make_room(struct mpj_prof_rec *r, enum settling how)
{
    if (r->spans > SPANS - 3U || (r->open & (1U << ((r->slot + 1U) % WAITS))) != 0)
        settle(r, how);
}

/*
 * The time of a switch. The cores' clocks differ a little, and in the emulator one core may be
 * ahead of another that it woke: nothing goes back for a thread.
 */
static uint64_t time_of_switch(uint64_t now, const struct mpj_prof_thread *from,
                               const struct mpj_prof_thread *to)
{
    if (from != NULL && from->rec != NULL)
        not_before(&now, from->rec->since);
    if (to != NULL && to->rec != NULL) {
        not_before(&now, to->rec->since);
        if (to->ready)
            not_before(&now, to->woken);
    }
    return now;
}

static inline void charge(struct mpj_prof_rec *r, unsigned pair,
                          const uint64_t step[HAL_PMU_COUNTERS])
{
    struct mpj_prof_sum *sum = &r->sum[pair];

    sum->cycles += step[HAL_PMU_CCNT];
    sum->event[0] += step[HAL_PMU_PMN0];
    sum->event[1] += step[HAL_PMU_PMN1];
    if (pt.rotates)
        mpj_slices_add(&r->rest->slices, pair, mpj_prof_turn(), step);
}

/* The core's linefills until now are the record's, or nobody's. */
static void charge_fills(struct mpj_prof_rec *r, unsigned core)
{
    uint64_t step[MPJ_PROF_FILLS];

    mpj_prof_core_fills(core, step);
    for (unsigned f = 0; r != NULL && f < MPJ_PROF_FILLS; f++)
        r->rest->fills[core][f] += step[f];
}

/* Its wait, which lasted as long as its present state, ended at `now`. */
static void end_wait(struct mpj_prof_rec *r, uint64_t now)
{
    note(r, now, true);
    r->waiting = false;
}

/* It was woken, and ready since then. */
static void come_back(struct mpj_prof_thread *p)
{
    end_wait(p->rec, p->woken);
    p->rec->state = READY;
    p->ready = false;
}

/* ---- hooks of the scheduler ---------------------------------------------------------- */

void mpj_prof_thread_init(struct mpj_prof_thread *p, uint32_t id, uint32_t parent,
                          const void *entry)
{
    struct mpj_prof_rec *r;
    struct mpj_prof_rest *rest;
    uint64_t now;

    p->id = id;
    p->rec = NULL;
    p->ready = false;
    p->settles = false;
    if (!pt.on)
        return;
    if (pt.used == MPJ_PROF_THREADS) {
        pt.lost++;
        return;
    }
    r = &records[pt.used];
    rest = &rests[pt.used++];
    now = mpj_prof_ticks(hal_cpu_id());
    memset(r, 0, offsetof(struct mpj_prof_rec, sum));
    memset(r->sum, 0, mpj_prof_pairs() * sizeof(r->sum[0]));
    memset(rest, 0, offsetof(struct mpj_prof_rest, timeline));
    memset(rest->fills, 0, sizeof(rest->fills));
    if (mpj_prof_rotates())
        mpj_slices_init(&rest->slices);
    r->kernel = 0;
    r->rest = rest;
    r->owner = p;
    r->id = id;
    r->state = READY;
    r->since = now;
    rest->parent = parent;
    rest->entry = (uint32_t)(uintptr_t)entry;
    rest->created = now;
    mpj_timeline_init(&rest->timeline, now - pt.begin);
    p->rec = r;
}

static void begin_wait(struct mpj_prof_rec *r, const struct mpj_wait_info *info)
{
    r->slot = (uint8_t)((r->slot + 1U) % WAITS);
    r->wait[r->slot] = (struct mpj_wait_key){
        .thread = r->id,
        .kind = info->kind,
        .object = (uint32_t)(uintptr_t)info->object,
        .owner = info->owner,
        .caller = (uint32_t)(uintptr_t)info->caller,
    };
    r->waiting = true;
}

void mpj_prof_switch(unsigned core, struct mpj_prof_thread *from, struct mpj_prof_thread *to)
{
    struct core *c = &pt.core[core];
    struct mpj_prof_rec *r = from != NULL ? from->rec : NULL;
    uint64_t step[HAL_PMU_COUNTERS];
    uint32_t ccnt;
    unsigned pair = mpj_prof_core_switch(core, to != NULL ? to->id : 0U, step, &ccnt);
    uint64_t now, own;

    if (!pt.on)
        return;
    if (pt.fills)
        charge_fills(r, core);
    own = mpj_prof_ticks(core);
    now = time_of_switch(own, from, to);
    if (r != NULL) {
        charge(r, pair, step);
        if (c->kernel && r->state == RUN && (int32_t)(ccnt - c->kernel_since) > 0)
            r->kernel += ccnt - c->kernel_since;
        if (r->exiting)
            enter_state(r, ENDED, now);
        else if (r->state == RUN) /* else it waits already, in vain on its core */
            enter_state(r, r->waiting ? state_of_wait(r->wait[r->slot].kind) : READY, now);
    }
    c->kernel_since = ccnt;
    if (now != own) /* what it does until then is nobody's */
        c->kernel_since += (uint32_t)(now - own) * (hal_sys_clock_hz() / HAL_SYS_TIME_HZ + 1U);
    mpj_degree_edge(core, to != NULL, now);
    r = to != NULL ? to->rec : NULL;
    c->cur = r;
    if (r != NULL) {
        if (to->ready)
            come_back(to);
        r->switches++;
        enter_state(r, RUN, now);
        r->core = (uint8_t)core;
    }
}

static void stay(unsigned core, struct mpj_prof_rec *r, uint64_t now)
{
    not_before(&now, r->since);
    enter_state(r, state_of_wait(r->wait[r->slot].kind), now);
    mpj_degree_edge(core, false, now);
}

void mpj_prof_stay(unsigned core, struct mpj_prof_thread *p)
{
    if (p->rec != NULL && pt.on) {
        stay(core, p->rec, mpj_prof_ticks(core));
        if (p->rec->spans > 1U) /* rather here than with the lock held */
            settle(p->rec, NO_LOCK);
    }
    __atomic_store_n(&p->settles, false, __ATOMIC_RELEASE);
}

void mpj_prof_look(unsigned core, struct mpj_prof_thread *p, const struct mpj_wait_info *info,
                   uint32_t since)
{
    struct mpj_prof_rec *r = p->rec;

    if (r == NULL || !pt.on)
        return;
    if (r->spans != 0)
        settle(r, FREE);
    begin_wait(r, info);
    stay(core, r, mpj_prof_ticks_at(core, since));
}

void mpj_prof_settle(unsigned core, struct mpj_prof_thread *p)
{
    if (p->rec != NULL && pt.on) {
        settle(p->rec, p->settles ? NO_LOCK : FREE);
        mpj_degree_catch_up(core, mpj_prof_ticks(core));
    }
    __atomic_store_n(&p->settles, false, __ATOMIC_RELEASE);
}

void mpj_prof_more(unsigned core)
{
    if (pt.on)
        mpj_degree_catch_up(core, mpj_prof_ticks(core));
}

void mpj_prof_go_on(unsigned core, struct mpj_prof_thread *p)
{
    struct mpj_prof_rec *r = p->rec;
    uint64_t now;

    if (r == NULL || !pt.on)
        return;
    now = mpj_prof_ticks(core);
    not_before(&now, r->since);
    end_wait(r, now);
    r->state = RUN;
    mpj_degree_edge(core, true, now);
}

void mpj_prof_wait_begin(struct mpj_prof_thread *p, const struct mpj_wait_info *info)
{
    struct mpj_prof_rec *r = p->rec;

    if (r == NULL)
        return;
    while (p->settles) /* on its own core, for a moment */
        ;
    if (p->ready)
        come_back(p);
    make_room(r, LOCKED);
    begin_wait(r, info);
    if (r->state != RUN) /* else its time begins when it has left the core */
        enter_state(r, state_of_wait(info->kind), mpj_prof_ticks(hal_cpu_id()));
}

void mpj_prof_wait_end(struct mpj_prof_thread *p)
{
    if (p->rec == NULL)
        return;
    p->woken = mpj_prof_ticks(hal_cpu_id());
    p->ready = true;
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
    memset(p->rec->rest->name, 0, NAME_MAX_BYTES);
    memcpy(p->rec->rest->name, name, strnlen(name, NAME_MAX_BYTES));
}

static uint64_t ran(const struct mpj_prof_rec *r, uint64_t now)
{
    return r->ran + (r->state == RUN && now > r->since ? now - r->since : 0U);
}

bool mpj_prof_thread_ran(const struct mpj_prof_thread *p, uint64_t *ticks)
{
    if (!pt.on || p->rec == NULL)
        return false;
    *ticks = ran(p->rec, mpj_prof_ticks(hal_cpu_id()));
    return true;
}

bool mpj_prof_program_ran(uint64_t *ticks)
{
    static uint64_t latest; /* the cores' clocks differ a little */
    uint64_t now, sum = 0;

    if (!pt.on || pt.lost != 0)
        return false;
    now = mpj_prof_ticks(hal_cpu_id());
    for (uint32_t i = 0; i < pt.used; i++)
        sum += ran(&records[i], now);
    not_before(&sum, latest);
    *ticks = latest = sum;
    return true;
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
    const uint32_t cycles = hal_pmu_cycles() - c->kernel_since;

    if (c->cur != NULL && c->kernel && (int32_t)cycles > 0)
        c->cur->kernel += cycles;
    c->kernel = false;
}

/* ---- regions: thread context ------------------------------------------------------------ */

/* What the thread on the core, whose record it is, has used until now. IRQ masked: only the core a
 * thread runs on writes its record, so that no lock is needed. */
static void use_until_now(struct mpj_prof_rec *r, struct mpj_usage *u, unsigned core)
{
    uint32_t part[HAL_PMU_COUNTERS], ccnt;
    uint64_t step[HAL_PMU_COUNTERS];

    if (pt.pairs == 1U && mpj_prof_core_peek(core, part, &ccnt)) {
        u->time = mpj_prof_ticks_at(core, ccnt);
        u->sum[0].cycles = r->sum[0].cycles + part[HAL_PMU_CCNT];
        u->sum[0].event[0] = r->sum[0].event[0] + part[HAL_PMU_PMN0];
        u->sum[0].event[1] = r->sum[0].event[1] + part[HAL_PMU_PMN1];
    } else {
        charge(r, mpj_prof_core_take(step), step);
        u->time = mpj_prof_ticks(core);
        for (unsigned i = 0; i < pt.pairs; i++)
            u->sum[i] = r->sum[i];
    }
    not_before(&u->time, r->since);
    u->run = r->ran + u->time - r->since;
    u->barrier = r->at_barrier;
}

void mpj_rt_region_begin(const void *region, uint32_t team, unsigned num, unsigned size)
{
    hal_irq_state s;
    struct mpj_prof_rec *r;
    unsigned core;

    (void)region;
    (void)team;
    (void)num;
    if (!pt.on)
        return;
    s = hal_irq_save();
    core = hal_cpu_id();
    r = pt.core[core].cur;
    if (r != NULL) {
        struct mpj_prof_rest *rest = r->rest;
        if (rest->nest < NEST_MAX) {
            use_until_now(r, &rest->entered[rest->nest], core);
            rest->team_size[rest->nest] = size;
        }
        rest->nest++;
    }
    hal_irq_restore(s);
}

/* The entry of the region and the thread, which only this thread writes; NULL: no room. */
static struct mpj_region_entry *entry_of(const struct mpj_prof_rec *r, uint32_t fn)
{
    struct mpj_prof_rest *rest = r->rest;

    if (rest->region == NULL || rest->region->fn != fn) {
        hal_irq_state s = mpj_sched_lock();
        rest->region = mpj_regions_get(&pt.regions, fn, r->id);
        mpj_sched_unlock(s);
    }
    return rest->region;
}

void mpj_rt_region_end(const void *region, uint32_t team, unsigned num, const void *caller)
{
    hal_irq_state s;
    struct mpj_prof_rec *r;
    struct mpj_region_entry *e;
    struct mpj_usage use;
    unsigned core;

    (void)team;
    (void)num;
    if (!pt.on)
        return;
    s = hal_irq_save();
    core = hal_cpu_id();
    r = pt.core[core].cur;
    if (r != NULL && r->rest->nest > 0 && --r->rest->nest >= NEST_MAX) {
        __atomic_fetch_add(&pt.deep, 1U, __ATOMIC_RELAXED);
    } else if (r != NULL) {
        use_until_now(r, &use, core);
        e = entry_of(r, (uint32_t)(uintptr_t)region);
        if (e != NULL) {
            mpj_usage_add_difference(&e->use, &use, &r->rest->entered[r->rest->nest], pt.pairs);
            e->calls++;
            e->size = r->rest->team_size[r->rest->nest];
            e->caller = (uint32_t)(uintptr_t)caller;
        }
    }
    hal_irq_restore(s);
}

/* ---- start and end ------------------------------------------------------------------------ */

void mpj_prof_threads_reset(bool on)
{
    memset(&pt, 0, sizeof(pt));
    mpj_degree_reset();
    pt.on = on;
    pt.waits.entry = wait_entries;
    pt.regions.entry = region_entries;
}

void mpj_prof_threads_begin(uint64_t now)
{
    pt.begin = now;
    mpj_degree_begin(now);
    pt.rotates = mpj_prof_rotates();
    pt.pairs = (uint8_t)mpj_prof_pairs();
    pt.fills = mpj_prof_reads_fills();
    /* Threads that exist already (main) begin with the run. */
    for (uint32_t i = 0; i < pt.used; i++) {
        records[i].since = rests[i].created = now;
        mpj_timeline_init(&rests[i].timeline, 0);
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
    if (pt.fills)
        charge_fills(r, core);
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

/* Linefills by core, as many as there is room for. Returns how many. */
static unsigned fill_values(const struct mpj_prof_rest *rest, uint64_t ticks,
                            struct mpj_event_value *out, unsigned room)
{
    static const uint16_t first[MPJ_PROF_FILLS] = {MPJ_EVENT_SCU_MISS_CPU0, MPJ_EVENT_SCU_C2C_CPU0};
    unsigned n = 0;

    for (unsigned core = 0; core < MPJ_CORES_MAX; core++) {
        for (unsigned f = 0; f < MPJ_PROF_FILLS && n < room; f++)
            out[n++] = (struct mpj_event_value){.event = MPJ_THREAD_SCU + first[f] + core,
                                                .value = rest->fills[core][f],
                                                .active = ticks};
    }
    return n;
}

static void send_thread(const struct mpj_prof_rec *r)
{
    static struct mpj_thread_rec t;
    const struct mpj_prof_rest *rest = r->rest;

    t = (struct mpj_thread_rec){
        .id = r->id,
        .parent = rest->parent,
        .flags = rest->flags,
        .entry = rest->entry,
        .created = rest->created,
        .ended = r->since,
        .run = r->ran,
        .block = rest->block,
        .sleep = rest->sleep,
        .kernel = r->kernel * HAL_SYS_TIME_HZ / hal_sys_clock_hz(),
        .switches = r->switches,
        .cycles = cycles_of(r->sum),
    };
    if (r->state != ENDED)
        t.flags |= MPJ_THREAD_ALIVE;
    if (r->id == 1U)
        t.flags |= MPJ_THREAD_MAIN;
    memcpy(t.core_run, rest->core_run, sizeof(t.core_run));
    t.count = mpj_prof_values(r->sum, t.run, t.ev);
    if (mpj_prof_counts_fills())
        t.count += fill_values(rest, t.run, &t.ev[t.count], MPJ_REC_EVENTS_MAX - t.count);
    t.name.p = (const uint8_t *)rest->name;
    t.name.len = strnlen(rest->name, NAME_MAX_BYTES);
    (void)mpj_out_record(put_thread, &t);
}

static void send_timeline(const struct mpj_prof_rec *r)
{
    static struct mpj_timeline_rec t;
    struct mpj_timeline *line = &r->rest->timeline;

    mpj_timeline_close(line);
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
    end = mpj_prof_end_time();
    for (uint32_t i = 0; i < pt.used; i++)
        not_before(&end, records[i].since);
    end = mpj_degree_end(end, parallel.ticks);
    for (uint32_t i = 0; i < pt.used; i++) {
        struct mpj_prof_rec *r = &records[i];

        if (r->state != ENDED && r->owner->ready)
            come_back(r->owner);
        if (r->state != ENDED)
            note(r, end, r->waiting); /* also for what never came */
        settle(r, LOCKED);
    }
    for (uint32_t i = 0; i < pt.used; i++) {
        send_thread(&records[i]);
        if (pt.rotates) {
            mpj_slices_end(&rests[i].slices);
            mpj_spread_send(MPJ_SPREAD_THREAD, records[i].id, rests[i].slices.spread);
        }
        send_timeline(&records[i]);
    }
    send_waits();
    send_regions();
    (void)mpj_out_record(put_parallel, &parallel);
    mpj_out_dropped(MPJ_REC_THREAD, pt.lost);
    mpj_out_dropped(MPJ_REC_SYNC_WAIT, pt.waits.lost);
    mpj_out_dropped(MPJ_REC_REGION, pt.regions.lost + pt.deep);
}
