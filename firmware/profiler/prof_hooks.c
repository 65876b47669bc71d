/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The hooks: events of threads are noted, and the notes are added up when there is time. */
#include <stddef.h>
#include <string.h>

#include "hal_hot.h"
#include "hal_pmu.h"
#include "hal_sys.h"
#include "mpj_degree.h"
#include "mpj_lock.h"
#include "mpj_noinit.h"
#include "mpj_trace_records.h"
#include "thread_int.h"

enum { READY = MPJ_PROF_READY, RUN, BLOCK, SLEEP, HOST, HOST_WAIT, ENDED };

MPJ_NOINIT struct mpj_prof_memory mpj_prof_memory;
MPJ_NOINIT struct mpj_prof_rest mpj_thread_rests[MPJ_PROF_THREADS];
MPJ_NOINIT struct mpj_prof_sum mpj_region_more[MPJ_REGIONS_MAX][MPJ_PROF_PAIRS - 1U];
MPJ_NOINIT uint64_t mpj_region_host[MPJ_REGIONS_MAX];

#define pt mpj_prof_threads
struct mpj_prof_threads pt;

static void not_before(uint64_t *now, uint64_t then)
{
    mpj_thread_not_before(now, then);
}

/* State of the lock: held, free to take, or not to be taken: then notes that need it stay. */
enum settling { LOCKED, FREE, NO_LOCK };

/* ---- known entries of a thread ------------------------------------------------------------ */

#define NUMBER 12U /* bits */

_Static_assert(MPJ_WAITS_MAX <= 1U << NUMBER && MPJ_REGIONS_MAX <= 1U << NUMBER,
               "an entry's number");

static mpj_known known_as(uint32_t number, uint32_t hash)
{
    return (mpj_known)(number | (hash % 8U + 8U) << NUMBER);
}

static bool may_be(mpj_known k, uint32_t hash)
{
    return k >> NUMBER == hash % 8U + 8U;
}

static uint32_t number_of(mpj_known k)
{
    return k & ((1U << NUMBER) - 1U);
}

static void get_to_know(mpj_known list[MPJ_PROF_KNOWN], mpj_known k)
{
    memmove(&list[1], &list[0], (MPJ_PROF_KNOWN - 1U) * sizeof(list[0]));
    list[0] = k;
}

static uint32_t hash_of_wait(const struct mpj_wait_key *key)
{
    return key->caller >> 2 ^ key->object >> 3 ^ key->owner ^ key->kind;
}

/* Returns the table's entry of one of the thread's last waits; NULL: another wait. */
HAL_HOT static struct mpj_wait_entry *known_wait(const struct mpj_prof_rec *r,
                                                 const struct mpj_wait_key *key)
{
    const uint32_t hash = hash_of_wait(key);

    for (unsigned i = 0; i < MPJ_PROF_KNOWN && r->wait_known[i] != 0; i++) {
        if (may_be(r->wait_known[i], hash)) {
            struct mpj_wait_entry *e = &mpj_prof_memory.wait[number_of(r->wait_known[i])];

            if (mpj_wait_key_same(&e->key, key))
                return e;
        }
    }
    return NULL;
}

HAL_HOT static bool add_wait(struct mpj_prof_rec *r, const struct mpj_wait_key *key, uint64_t ticks,
                             enum settling how)
{
    struct mpj_wait_entry *e = known_wait(r, key);
    struct mpj_wait_key k;
    hal_irq_state s = 0;

    /* The table is shared; each entry belongs to one thread. */
    if (e == NULL) {
        if (how == NO_LOCK)
            return false;
        if (how == FREE)
            s = mpj_sched_lock();
        k = *key;
        if (pt.crowd_from != 0 && k.owner >= pt.crowd_from)
            k.owner = 0; /* one of very many owners */
        e = mpj_waits_get(&pt.waits, &k);
        if (e == NULL)
            pt.waits.lost++;
        if (how == FREE)
            mpj_sched_unlock(s);
        if (e != NULL)
            get_to_know(r->wait_known,
                        known_as((uint32_t)(e - mpj_prof_memory.wait), hash_of_wait(key)));
        if (key->kind == MPJ_WAIT_OMP_IDLE)
            r->rest->flags |= MPJ_THREAD_POOL;
    }
    if (e != NULL)
        mpj_wait_count(e, ticks);
    return true;
}

/* ---- notes ---------------------------------------------------------------------------------- */

/* Returns the timeline's kind of a state; MPJ_BIN_KINDS: none. */
HAL_HOT static enum mpj_bin_kind kind_of(unsigned state)
{
    switch (state) {
    case RUN:
        return MPJ_BIN_RUN;
    case BLOCK:
        return MPJ_BIN_BLOCK;
    case HOST:
    case HOST_WAIT:
        return MPJ_BIN_HOST;
    default:
        return MPJ_BIN_KINDS;
    }
}

HAL_HOT static void settle(struct mpj_prof_rec *r, enum settling how)
{
    unsigned i;

    for (i = 0; i < r->spans; i++) {
        const struct mpj_span *p = &r->span[i];
        const enum mpj_bin_kind kind = kind_of(p->state);

        if (p->wait != 0 && !add_wait(r, &r->wait[p->wait - 1U], p->to - p->from, how))
            break;
        if (kind != MPJ_BIN_KINDS)
            mpj_timeline_add(&r->timeline, p->from - pt.begin, p->to - pt.begin, kind);
    }
    if (i > 0)
        memmove(r->span, &r->span[i], (r->spans - i) * sizeof(r->span[0]));
    r->spans = (uint8_t)(r->spans - i);
    if (r->spans == 0)
        r->open = 0;
}

/* Adds up the state that ends at `now` at once, without a note. Returns false if that is
 * impossible: earlier notes wait, or an entry or a bin has to be found or begun. */
HAL_HOT static bool add_now(struct mpj_prof_rec *r, uint64_t now, bool wait)
{
    const uint64_t ticks = now - r->since;
    const enum mpj_bin_kind kind = kind_of(r->state);

    if (r->spans != 0 || now - pt.begin > r->timeline.end || r->timeline.coarse != 0)
        return false;
    if (wait) {
        struct mpj_wait_entry *e = known_wait(r, &r->wait[r->slot]);

        if (e == NULL)
            return false;
        mpj_wait_count(e, ticks);
    }
    if (kind != MPJ_BIN_KINDS)
        r->timeline.open[kind] += (uint32_t)ticks;
    return true;
}

/* Notes that the present state ends at `now`; wait: its wait ends, too. Lock held, unless there is
 * space for a note: a thread that will wait on its core has some (make_room()). */
HAL_HOT static void note(struct mpj_prof_rec *r, uint64_t now, bool wait)
{
    uint64_t ticks;

    not_before(&now, r->since);
    ticks = now - r->since;
    if (r->state == RUN)
        r->ran += ticks;
    else if (r->state == BLOCK)
        r->block += ticks;
    else if (r->state == SLEEP)
        r->sleep += ticks;
    else if (r->state == HOST || r->state == HOST_WAIT)
        r->host += ticks;
    if (wait && r->wait[r->slot].kind == MPJ_WAIT_OMP_BARRIER)
        r->at_barrier += ticks;
    if ((r->state != READY || wait) && !add_now(r, now, wait)) {
        if (r->spans == MPJ_PROF_SPANS)
            settle(r, LOCKED);
        r->span[r->spans++] = (struct mpj_span){.from = r->since,
                                                .to = now,
                                                .state = r->state,
                                                .wait = wait ? (uint8_t)(r->slot + 1U) : 0U};
        if (wait)
            r->open |= (uint8_t)(1U << r->slot);
    }
    r->since = now;
}

/* Attributes the time on the core it ran on, which the thread leaves, if only to return to it. */
HAL_HOT static void leave_core(struct mpj_prof_rec *r)
{
    uint64_t there = r->ran;

    for (unsigned i = 0; i < MPJ_CORES_MAX; i++)
        there -= r->core_run[i];
    r->core_run[r->core] += there;
}

HAL_HOT static void enter_state(struct mpj_prof_rec *r, unsigned state, uint64_t now)
{
    note(r, now, false);
    r->state = (uint8_t)state;
}

HAL_HOT static unsigned state_of_wait(uint32_t kind)
{
    if (kind == MPJ_WAIT_HOST)
        return HOST_WAIT;
    return kind == MPJ_WAIT_SLEEP || kind == MPJ_WAIT_OMP_IDLE ? SLEEP : BLOCK;
}

/* Returns the state of a thread that has a core and does not wait. */
HAL_HOT static unsigned state_on_core(const struct mpj_prof_rec *r)
{
    return r->talks != 0 ? HOST : RUN;
}

/* Makes space for the notes of a thread that waits on its core. */
HAL_HOT static void make_room(struct mpj_prof_rec *r, enum settling how)
{
    if (r->spans > MPJ_PROF_SPANS - 3U ||
        (r->open & (1U << ((r->slot + 1U) % MPJ_PROF_WAITS))) != 0)
        settle(r, how);
}

/*
 * Returns the time of a switch. The cores' clocks differ slightly, and in the emulator one core may
 * be ahead of another that it woke: time never goes back for a thread.
 */
HAL_HOT static uint64_t time_of_switch(uint64_t now, const struct mpj_hook_thread *from,
                                       const struct mpj_hook_thread *to)
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

HAL_HOT void mpj_thread_charge(struct mpj_prof_rec *r, unsigned pair,
                               const uint64_t step[HAL_PMU_COUNTERS])
{
    struct mpj_prof_sum *sum = pair == 0 ? &r->sum : &r->rest->more[pair - 1U];

    sum->cycles += step[HAL_PMU_CCNT];
    sum->event[0] += step[HAL_PMU_PMN0];
    sum->event[1] += step[HAL_PMU_PMN1];
    if (pt.rotates)
        mpj_slices_add(&r->rest->slices, pair, mpj_prof_turn(), step);
}

HAL_HOT void mpj_thread_charge_fills(struct mpj_prof_rec *r, unsigned core)
{
    uint64_t step[MPJ_PROF_FILLS];

    mpj_prof_core_fills(core, step);
    for (unsigned f = 0; r != NULL && f < MPJ_PROF_FILLS; f++)
        r->rest->fills[core][f] += step[f];
}

/* Ends the thread's wait, which lasted as long as its present state, at `now`. */
HAL_HOT static void end_wait(struct mpj_prof_rec *r, uint64_t now)
{
    note(r, now, true);
    r->waiting = false;
}

/* Ends the wait at the time of the wake-up; the thread has been ready since then. */
HAL_HOT static void come_back(struct mpj_hook_thread *p)
{
    end_wait(p->rec, p->woken);
    p->rec->state = READY;
    p->ready = false;
}

/* ---- hooks of the scheduler ---------------------------------------------------------- */

/* Returns true if no record is free, or soon no wait entry; ended threads have most of those. */
HAL_HOT static bool crowded(uint32_t id)
{
    if (pt.free != 0)
        return false;
    if (pt.used == MPJ_PROF_THREADS)
        return true;
    if (pt.waits.used < MPJ_WAITS_MAX / 4U * 3U || pt.waits.free != 0 || id < pt.fold_next)
        return false;
    pt.fold_next = id + MPJ_PROF_THREADS / 32U;
    return true;
}

HAL_HOT void mpj_prof_thread_init(struct mpj_hook_thread *p, uint32_t id, uint32_t parent,
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
    if (crowded(id))
        mpj_prof_fold(id);
    if (pt.free != 0) {
        r = &mpj_prof_memory.rec[pt.free - 1U];
        pt.free = (uint32_t)r->since;
    } else if (pt.used < MPJ_PROF_THREADS) {
        r = &mpj_prof_memory.rec[pt.used++];
    } else {
        pt.lost++;
        return;
    }
    rest = &mpj_thread_rests[r - mpj_prof_memory.rec];
    now = mpj_prof_ticks(hal_cpu_id());
    memset(r, 0, offsetof(struct mpj_prof_rec, wait));
    memset(r->core_run, 0, sizeof(r->core_run));
    memset(rest, 0, offsetof(struct mpj_prof_rest, more));
    memset(rest->more, 0, (mpj_prof_pairs() - 1U) * sizeof(rest->more[0]));
    if (mpj_prof_rotates())
        mpj_slices_init(&rest->slices);
    r->switches = 0;
    r->kernel = r->host = 0;
    r->talks = 0;
    r->rest = rest;
    r->owner = p;
    r->id = id;
    r->state = READY;
    r->since = now;
    rest->parent = parent;
    rest->entry = (uint32_t)(uintptr_t)entry;
    rest->created = now;
    mpj_timeline_init(&r->timeline, r->bins, now - pt.begin);
    p->rec = r;
}

HAL_HOT static void begin_wait(struct mpj_prof_rec *r, const struct mpj_wait_info *info)
{
    while ((r->open & (1U << r->slot)) != 0)
        r->slot = (uint8_t)((r->slot + 1U) % MPJ_PROF_WAITS);
    r->wait[r->slot] = (struct mpj_wait_key){
        .thread = r->id,
        .kind = (uint8_t)(r->talks != 0 ? MPJ_WAIT_HOST : info->kind),
        .object = (uint32_t)(uintptr_t)info->object,
        .owner = info->owner,
        .caller = (uint32_t)(uintptr_t)info->caller,
    };
    r->waiting = true;
}

/* Traces a switch, before it is accounted for. */
static __attribute__((noinline)) void
switch_moments(unsigned core, const struct mpj_hook_thread *from, const struct mpj_hook_thread *to)
{
    const struct mpj_prof_rec *r = from != NULL ? from->rec : NULL;

    if (r != NULL) {
        const struct mpj_wait_key *const k = &r->wait[r->slot];
        const uint32_t wait[3] = {k->object, k->owner, k->kind};
        const uint32_t why = r->exiting ? 2U : r->waiting ? 1U : 0U;

        if (why == 1U)
            pt.moment(core, MPJ_AT_WAITS, r->id, 3, wait);
        pt.moment(core, MPJ_AT_STOPS, r->id, 1, &why);
    }
    r = to != NULL ? to->rec : NULL;
    if (r != NULL) {
        const struct mpj_wait_key *const k = &r->wait[r->slot];
        const uint32_t wait[3] = {k->object, 0, k->kind};

        if (to->ready)
            pt.moment(core, MPJ_AT_WAITED, r->id, 3, wait);
        pt.moment(core, MPJ_AT_RUNS, r->id, 0, NULL);
    }
}

HAL_HOT void mpj_prof_switch(unsigned core, struct mpj_hook_thread *from,
                             struct mpj_hook_thread *to)
{
    struct mpj_thread_core *c = &pt.core[core];
    struct mpj_prof_rec *r = from != NULL ? from->rec : NULL;
    uint64_t step[HAL_PMU_COUNTERS];
    uint32_t ccnt;
    const bool works = to != NULL && (to->rec == NULL || to->rec->talks == 0);
    unsigned pair = mpj_prof_core_switch(core, works ? to->id : 0U, step, &ccnt);
    uint64_t now, own;

    if (!pt.on)
        return;
    if (pt.fills)
        mpj_thread_charge_fills(r != NULL && r->talks == 0 ? r : NULL, core);
    if (__builtin_expect(pt.moment != NULL, 0))
        switch_moments(core, from, to);
    own = mpj_prof_ticks(core);
    now = time_of_switch(own, from, to);
    if (r != NULL) {
        if (r->talks == 0)
            mpj_thread_charge(r, pair, step);
        if (c->kernel && r->state == RUN && (int32_t)(ccnt - c->kernel_since) > 0)
            r->kernel += ccnt - c->kernel_since;
        if (r->exiting)
            enter_state(r, ENDED, now);
        else if (r->state == RUN || r->state == HOST) /* otherwise it already waits, on its core */
            enter_state(r, r->waiting ? state_of_wait(r->wait[r->slot].kind) : READY, now);
    }
    c->kernel_since = ccnt;
    if (now != own) /* its activity until then belongs to no thread */
        c->kernel_since += (uint32_t)(now - own) * (hal_sys_clock_hz() / HAL_SYS_TIME_HZ + 1U);
    mpj_degree_edge(core, works, now);
    r = to != NULL ? to->rec : NULL;
    c->cur = r;
    if (r != NULL) {
        if (to->ready)
            come_back(to);
        r->switches++;
        enter_state(r, state_on_core(r), now);
        if (r->core != core)
            leave_core(r);
        r->core = (uint8_t)core;
    }
}

HAL_HOT static void stay(unsigned core, struct mpj_prof_rec *r, uint64_t now)
{
    not_before(&now, r->since);
    enter_state(r, state_of_wait(r->wait[r->slot].kind), now);
    mpj_degree_edge(core, false, now);
}

HAL_HOT void mpj_prof_stay(unsigned core, struct mpj_hook_thread *p)
{
    if (p->rec != NULL && pt.on) {
        stay(core, p->rec, mpj_prof_ticks(core));
        if (p->rec->spans > 1U) /* better here than with the lock held */
            settle(p->rec, NO_LOCK);
    }
    __atomic_store_n(&p->settles, false, __ATOMIC_RELEASE);
}

HAL_HOT void mpj_prof_spin(unsigned core, struct mpj_hook_thread *p,
                           const struct mpj_wait_info *info, uint32_t since)
{
    struct mpj_prof_rec *r = p->rec;

    if (r == NULL || !pt.on)
        return;
    if (r->spans != 0)
        settle(r, FREE);
    begin_wait(r, info);
    stay(core, r, mpj_prof_ticks_at(core, since));
}

HAL_HOT void mpj_prof_settle(unsigned core, struct mpj_hook_thread *p)
{
    if (p->rec != NULL && pt.on) {
        settle(p->rec, p->settles ? NO_LOCK : FREE);
        mpj_degree_catch_up(core, mpj_prof_ticks(core));
    }
    __atomic_store_n(&p->settles, false, __ATOMIC_RELEASE);
}

HAL_HOT void mpj_prof_more(unsigned core)
{
    if (pt.on)
        mpj_degree_catch_up(core, mpj_prof_ticks(core));
}

HAL_HOT void mpj_prof_resume(unsigned core, struct mpj_hook_thread *p)
{
    struct mpj_prof_rec *r = p->rec;
    uint64_t now;

    if (r == NULL || !pt.on)
        return;
    now = mpj_prof_ticks(core);
    not_before(&now, r->since);
    end_wait(r, now);
    r->state = (uint8_t)state_on_core(r);
    mpj_degree_edge(core, r->state == RUN, now);
}

HAL_HOT void mpj_prof_wait_begin(struct mpj_hook_thread *p, const struct mpj_wait_info *info)
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
    if (r->state != state_on_core(r)) /* otherwise its time begins when it has left the core */
        enter_state(r, state_of_wait(r->wait[r->slot].kind), mpj_prof_ticks(hal_cpu_id()));
}

HAL_HOT void mpj_prof_wait_end(struct mpj_hook_thread *p)
{
    if (p->rec == NULL)
        return;
    p->woken = mpj_prof_ticks(hal_cpu_id());
    p->ready = true;
}

HAL_HOT void mpj_prof_thread_exit(struct mpj_hook_thread *p)
{
    if (p->rec != NULL)
        p->rec->exiting = true;
}

void mpj_prof_thread_name(struct mpj_hook_thread *p, const char *name)
{
    if (p->rec == NULL)
        return;
    memset(p->rec->rest->name, 0, MPJ_PROF_NAME);
    memcpy(p->rec->rest->name, name, strnlen(name, MPJ_PROF_NAME));
}

void mpj_prof_stack_used(struct mpj_prof_rec *r, uint32_t bytes, uint32_t used)
{
    struct mpj_prof_rest *const rest = &mpj_thread_rests[r - mpj_prof_memory.rec];

    rest->stack_bytes = bytes; /* the record itself has long been evicted from the caches */
    rest->stack_used = used;
}

HAL_HOT static uint64_t ran(const struct mpj_prof_rec *r, uint64_t now)
{
    return r->ran + (r->state == RUN && now > r->since ? now - r->since : 0U);
}

HAL_HOT bool mpj_prof_thread_ran(const struct mpj_hook_thread *p, uint64_t *ticks)
{
    if (!pt.on || p->rec == NULL)
        return false;
    *ticks = ran(p->rec, mpj_prof_ticks(hal_cpu_id()));
    return true;
}

HAL_HOT bool mpj_prof_program_ran(uint64_t *ticks)
{
    static uint64_t latest; /* the cores' clocks differ slightly */
    uint64_t now, sum = 0;

    if (!pt.on || pt.lost != 0)
        return false;
    now = mpj_prof_ticks(hal_cpu_id());
    for (uint32_t i = 0; i < pt.used; i++)
        sum += ran(&mpj_prof_memory.rec[i], now);
    not_before(&sum, latest);
    *ticks = latest = sum;
    return true;
}

HAL_HOT void mpj_prof_host_begin(struct mpj_hook_thread *p)
{
    const hal_irq_state s = hal_irq_save();
    struct mpj_prof_rec *r = p->rec;
    const unsigned core = hal_cpu_id();
    uint64_t step[HAL_PMU_COUNTERS];
    uint32_t ccnt;
    uint64_t now;

    if (r != NULL && pt.on && r->talks++ == 0) {
        mpj_thread_charge(r, mpj_prof_core_switch(core, 0, step, &ccnt), step);
        if (pt.fills)
            mpj_thread_charge_fills(r, core);
        if (r->spans == MPJ_PROF_SPANS)
            settle(r, FREE);
        now = mpj_prof_ticks(core);
        not_before(&now, r->since);
        enter_state(r, HOST, now);
        r->talked = true;
        mpj_degree_edge(core, false, now);
        settle(r, FREE); /* better now than in the program's time */
    }
    hal_irq_restore(s);
}

HAL_HOT void mpj_prof_host_end(struct mpj_hook_thread *p)
{
    const hal_irq_state s = hal_irq_save();
    struct mpj_prof_rec *r = p->rec;
    const unsigned core = hal_cpu_id();
    uint64_t step[HAL_PMU_COUNTERS];
    uint32_t ccnt;
    uint64_t now;

    if (r != NULL && pt.on && r->talks != 0 && --r->talks == 0) {
        (void)mpj_prof_core_switch(core, p->id, step, &ccnt); /* counts of no thread */
        if (pt.fills)
            mpj_thread_charge_fills(NULL, core);
        now = mpj_prof_ticks(core);
        not_before(&now, r->since);
        enter_state(r, RUN, now);
        mpj_degree_edge(core, true, now);
    }
    hal_irq_restore(s);
}

HAL_HOT void mpj_prof_kernel_enter(unsigned core)
{
    struct mpj_thread_core *c = &pt.core[core];

    c->kernel_since = hal_pmu_cycles();
    c->kernel = true;
}

HAL_HOT void mpj_prof_kernel_leave(unsigned core)
{
    struct mpj_thread_core *c = &pt.core[core];
    const uint32_t cycles = hal_pmu_cycles() - c->kernel_since;

    if (c->cur != NULL && c->kernel && c->cur->talks == 0 && (int32_t)cycles > 0)
        c->cur->kernel += cycles;
    c->kernel = false;
}

/* ---- regions: thread context ------------------------------------------------------------ */

/* Returns the entry of the region and the thread, which only this thread writes; NULL: the table is
 * full. */
HAL_HOT static struct mpj_region_entry *entry_of(struct mpj_prof_rec *r, uint32_t fn)
{
    const uint32_t hash = fn >> 2 ^ fn >> 5;
    struct mpj_region_entry *e;
    hal_irq_state s;

    for (unsigned i = 0; i < MPJ_PROF_KNOWN && r->region_known[i] != 0; i++) {
        if (may_be(r->region_known[i], hash)) {
            e = &mpj_prof_memory.region[number_of(r->region_known[i])];
            if (e->fn == fn)
                return e;
        }
    }
    s = mpj_sched_lock();
    e = mpj_regions_get(&pt.regions, fn, (uint16_t)(r - mpj_prof_memory.rec));
    mpj_sched_unlock(s);
    if (e == NULL)
        return NULL;
    if (e->size == 0) { /* a new entry */
        mpj_region_host[e - mpj_prof_memory.region] = 0;
        memset(mpj_region_more[e - mpj_prof_memory.region], 0, (pt.pairs - 1U) * sizeof(r->sum));
    }
    get_to_know(r->region_known, known_as((uint32_t)(e - mpj_prof_memory.region), hash));
    return e;
}

/* Charges the pairs of events except for the first. */
HAL_HOT static __attribute__((noinline)) void use_more(const struct mpj_prof_rec *r,
                                                       const struct mpj_region_entry *e, bool end)
{
    for (unsigned i = 0; i < pt.pairs - 1U; i++) {
        struct mpj_prof_sum *sum = &mpj_region_more[e - mpj_prof_memory.region][i];
        const struct mpj_prof_sum *until = &r->rest->more[i];

        sum->cycles += end ? until->cycles : 0U - until->cycles;
        for (unsigned k = 0; k < MPJ_PMU_COUNTERS; k++)
            sum->event[k] += end ? until->event[k] : 0U - until->event[k];
    }
}

/* Charges a region's entry: it contains the sum of the thread's use at the executions' ends, less
 * its use at their beginnings. A loop, since code also takes lines of the caches. */
HAL_HOT static void use(struct mpj_prof_rec *r, struct mpj_region_entry *e,
                        uint64_t until[MPJ_USES], bool end)
{
    until[MPJ_USE_RUN] = r->ran + until[MPJ_USE_TIME] - r->since;
    until[MPJ_USE_BARRIER] = r->at_barrier;
    for (unsigned i = 0; i < MPJ_USES; i++)
        e->use[i] += end ? until[i] : 0U - until[i];
    if (end)
        e->calls++;
    if (r->talked)
        mpj_region_host[e - mpj_prof_memory.region] += end ? r->host : 0U - r->host;
    if (pt.pairs > 1U)
        use_more(r, e, end);
}

/* Begins or ends an execution of the region for the thread on the core, whose record it is. IRQ
 * masked: only the core that a thread runs on writes its record, so no lock is needed. */
HAL_HOT static void edge(struct mpj_prof_rec *r, struct mpj_region_entry *e, unsigned core,
                         bool end)
{
    uint64_t until[MPJ_USES];
    uint32_t part[HAL_PMU_COUNTERS] = {0}, ccnt;

    if (pt.pairs == 1U && mpj_prof_core_peek(core, part, &ccnt)) {
        until[MPJ_USE_TIME] = mpj_prof_ticks_at(core, ccnt);
    } else {
        uint64_t step[HAL_PMU_COUNTERS];

        mpj_thread_charge(r, mpj_prof_core_take(step), step);
        until[MPJ_USE_TIME] = mpj_prof_ticks(core);
    }
    not_before(&until[MPJ_USE_TIME], r->since);
    until[MPJ_USE_CYCLES] = r->sum.cycles + part[HAL_PMU_CCNT];
    until[MPJ_USE_EVENT0] = r->sum.event[0] + part[HAL_PMU_PMN0];
    until[MPJ_USE_EVENT1] = r->sum.event[1] + part[HAL_PMU_PMN1];
    use(r, e, until, end);
}

HAL_HOT void mpj_prof_region_begin(const void *region, uint32_t team, unsigned num, unsigned size)
{
    hal_irq_state s;
    struct mpj_prof_rec *r;
    unsigned core;

    (void)team;
    (void)num;
    if (!pt.on)
        return;
    s = hal_irq_save();
    core = hal_cpu_id();
    r = pt.core[core].cur;
    if (r != NULL && r->nest++ < MPJ_PROF_NEST) {
        struct mpj_region_entry *e = entry_of(r, (uint32_t)(uintptr_t)region);

        r->within[r->nest - 1U] = e != NULL ? (uint16_t)(e - mpj_prof_memory.region + 1) : 0U;
        if (e != NULL) {
            e->size = (uint16_t)size;
            edge(r, e, core, false);
        }
    }
    if (__builtin_expect(pt.moment != NULL, 0) && r != NULL)
        pt.moment(core, MPJ_AT_REGION_BEGIN, r->id, 3,
                  (const uint32_t[]){(uint32_t)(uintptr_t)region, 0, size});
    hal_irq_restore(s);
}

HAL_HOT void mpj_prof_region_end(const void *region, uint32_t team, unsigned num,
                                 const void *caller)
{
    hal_irq_state s;
    struct mpj_prof_rec *r;
    unsigned core;

    (void)team;
    (void)num;
    if (!pt.on)
        return;
    s = hal_irq_save();
    core = hal_cpu_id();
    r = pt.core[core].cur;
    if (__builtin_expect(pt.moment != NULL, 0) && r != NULL)
        pt.moment(core, MPJ_AT_REGION_END, r->id, 1,
                  (const uint32_t[]){(uint32_t)(uintptr_t)region});
    if (r != NULL && r->nest > 0 && --r->nest >= MPJ_PROF_NEST) {
        __atomic_fetch_add(&pt.deep, 1U, __ATOMIC_RELAXED);
    } else if (r != NULL && r->within[r->nest] != 0) {
        struct mpj_region_entry *e = &mpj_prof_memory.region[r->within[r->nest] - 1U];

        r->within[r->nest] = 0;
        e->caller = (uint32_t)(uintptr_t)caller;
        edge(r, e, core, true);
    }
    hal_irq_restore(s);
}

/* ---- the end ------------------------------------------------------------------------------ */

void mpj_thread_finish(struct mpj_prof_rec *r, uint64_t end)
{
    if (r->state != ENDED && r->owner->ready)
        come_back(r->owner);
    if (r->state != ENDED)
        note(r, end, r->waiting); /* also for a wait that never ended */
    settle(r, LOCKED);
    leave_core(r);
    for (unsigned i = 0; i < MPJ_PROF_NEST; i++) {
        uint64_t until[MPJ_USES] = {[MPJ_USE_TIME] = r->since,
                                    [MPJ_USE_CYCLES] = r->sum.cycles,
                                    [MPJ_USE_EVENT0] = r->sum.event[0],
                                    [MPJ_USE_EVENT1] = r->sum.event[1]};

        if (r->within[i] != 0) /* a region that it did not leave */
            use(r, &mpj_prof_memory.region[r->within[i] - 1U], until, true);
    }
}
