/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mpj_functions.h"

#include <stddef.h>
#include <string.h>

#include "hal_cache.h"
#include "hal_cpu.h"
#include "hal_gic.h"
#include "hal_mmu.h"
#include "hal_pmu.h"
#include "hal_sys.h"
#include "mpj_fault.h"
#include "mpj_irq.h"
#include "mpj_out.h"
#include "mpj_prof.h"
#include "mpj_sched.h"
#include "mpj_smp.h"
#include "thread_int.h"

#define NOP         0xe320f000U
#define NOP_OLD     0xe1a00000U /* mov r0, r0 */
#define BRANCH      0xea000000U
#define PIPELINE    8U
#define VENEER      8U          /* bytes */
#define VENEER_PUSH 0xe92dd01fU /* push {r0-r4, ip, lr, pc} */
#define VENEER_CALL 0xeb000000U /* bl */
#define SAVED_LR    6U          /* word of what it pushes */
#define SAVED       8U
#define EVERY       UINT32_MAX /* as `left`: each call is measured */
#define LINES_MAX   256U       /* from here on the whole instruction cache is less work */
#define JUDGED      8U         /* calls before a function counts as short */
#define FIRST       1U         /* bit of an edge's caller: of calls that count as they are */
#define LONG        6U         /* times what is short: each call is measured, whatever the period */

/* What a measured call costs beside what is read in here: within it, and in its caller. */
struct fixed {
    uint16_t event;
    uint16_t within, around;
};
enum { WITHIN, AROUND };

/* By `tests/bench/entries --fixed`: of a loop that calls an empty function. */
static const struct fixed fixed_cycles = {MPJ_EVENT_NONE, 208, 238};
static const struct fixed fixed_events[] = {
    {MPJ_EVENT_INSTR, 109, 130},
    {MPJ_EVENT_DCACHE_RD, 36, 39},
    {MPJ_EVENT_DCACHE_WR, 22, 26},
    {MPJ_EVENT_BRANCH, 15, 19},
};

extern const uint32_t __func_entries[], __func_entries_end[];
extern uint32_t __func_veneers[], __text_end[];

void mpj_func_enter_stub(void);
void mpj_func_exit_stub(void);
uint64_t mpj_func_enter(uint32_t behind, uint32_t *saved);
uint32_t mpj_func_exit(uint32_t sp);

struct edge {
    uint32_t func; /* number + 1; 0: free */
    uint32_t caller;
    uint32_t calls;
    uint32_t pad;
    uint64_t v[HAL_PMU_COUNTERS];
};

struct func {
    uint32_t entry;
    uint32_t left;  /* calls to be measured in this period; 0: they are counted */
    uint32_t calls; /* in periods of its group, but for the first one */
    uint32_t measured;
    uint64_t cycles; /* of those */
    struct edge *last[MPJ_CORES_MAX];
    uint16_t group;
    bool seen;                /* enough of its calls, and they are not long */
    uint32_t entered, firsts; /* calls until then, and those that have returned */
    uint64_t first_cycles;
    bool unfit;
};

struct frame {
    uint32_t sp, lr;
    uint32_t func;
    uint32_t caller;
    uint64_t v[HAL_PMU_COUNTERS];
};

struct shadow {
    uint32_t id; /* of the thread that the rest belongs to */
    uint32_t depth;
    uint64_t lost[HAL_PMU_COUNTERS]; /* what was used in here */
    struct frame frame[MPJ_FUNC_DEPTH];
};

static struct {
    bool on;
    struct mpj_trace_config cfg;
    uint32_t count;
    struct func *func;
    struct edge *edge[MPJ_CORES_MAX];
    struct shadow *shadow;
    uint32_t edges[MPJ_CORES_MAX];
    uint32_t lost, deep;
    uint32_t warm, length;               /* in ticks of the sampler */
    uint32_t tick;                       /* of the present phase */
    uint32_t done;                       /* periods */
    int32_t group;                       /* active; -1: none */
    uint8_t order[MPJ_TRACE_GROUPS_MAX]; /* of the groups in this round */
    uint32_t random;
    uint32_t fixed[2][HAL_PMU_COUNTERS];
    bool begun; /* the warm-up is over */
    uint64_t since, began;
    uint64_t active[MPJ_TRACE_GROUPS_MAX]; /* ticks of time */
} fn = {.group = -1};

/* ---- stubs ------------------------------------------------------------------------------------
 */

/* A veneer has pushed {r0-r4, ip, lr, pc} and calls this: lr tells which. Registers of arguments
 * and results, of the VFP too, come through; flags need not. */
__asm__(".text\n"
        ".arm\n"
        ".global mpj_func_enter_stub\n"
        ".type mpj_func_enter_stub, %function\n"
        "mpj_func_enter_stub:\n"
        "    mov r0, lr\n"
        "    mov r1, sp\n"
        "    bl mpj_func_enter\n"
        "    str r0, [sp, #24]\n"
        "    str r1, [sp, #28]\n"
        "    pop {r0-r4, ip, lr, pc}\n"
        ".global mpj_func_exit_stub\n"
        ".type mpj_func_exit_stub, %function\n"
        "mpj_func_exit_stub:\n"
        "    push {r0-r3, ip, lr}\n"
        "    add r0, sp, #24\n"
        "    bl mpj_func_exit\n"
        "    str r0, [sp, #20]\n"
        "    pop {r0-r3, ip, pc}\n");

/* ---- code ---------------------------------------------------------------------------------------
 */

static uint32_t veneer_of(uint32_t i)
{
    return (uint32_t)__func_veneers + i * VENEER;
}

/* Core 0 before the run, or IRQ masked. Code is read-only: the domain's permissions do not count
 * for this core and this moment. */
static void write_code(uint32_t at, uint32_t insn)
{
    hal_mmu_set_domains(HAL_MMU_MANAGER);
    *(volatile uint32_t *)at = insn;
    hal_mmu_set_domains(HAL_MMU_CLIENT);
    hal_cache_clean_line(at);
}

static void patch(uint32_t i, bool on)
{
    const uint32_t at = fn.func[i].entry;
    const uint32_t offset = (veneer_of(i) - at - PIPELINE) >> 2 & 0xffffffU;

    if (!fn.func[i].unfit)
        write_code(at, on ? BRANCH | offset : NOP);
}

/* The calling core fetches the entries of a group again; all of them for -1. IRQ masked. */
static void fetch_again(int32_t group)
{
    const uint32_t step = group < 0 ? 1U : fn.cfg.groups;

    hal_dsb();
    if (fn.count / step > LINES_MAX) {
        hal_cache_drop_insn();
    } else {
        for (uint32_t i = group < 0 ? 0U : (uint32_t)group; i < fn.count; i += step)
            hal_cache_drop_insn_line(fn.func[i].entry);
    }
    hal_cache_drop_branches();
    hal_dsb();
    hal_isb();
}

/* Other cores: until they come here they run the old entries, which do no harm. */
static void on_code(unsigned id, void *arg)
{
    (void)id;
    (void)arg;
    fetch_again(-1);
}

static void tell_others(void)
{
    const uint32_t others = mpj_smp_active() & ~1U;

    if (others != 0)
        hal_gic_send(MPJ_SGI_CODE, others);
}

/* ---- counts of the calling thread: IRQ masked
 * ---------------------------------------------------- */

/* v: of the thread, without what it used in here; raw: of the core. */
struct counts {
    uint32_t raw[HAL_PMU_COUNTERS];
    uint64_t v[HAL_PMU_COUNTERS];
};

static bool count(unsigned core, const struct shadow *s, struct counts *c)
{
    struct mpj_prof_rec *const r = mpj_prof_threads.core[core].cur;
    uint32_t step[HAL_PMU_COUNTERS];

    if (r == NULL || !mpj_prof_counting(core))
        return false;
    if (!mpj_prof_core_both(core, c->raw, step)) {
        uint64_t all[HAL_PMU_COUNTERS];

        mpj_thread_charge(r, mpj_prof_core_take(all), all);
        hal_pmu_read_all(c->raw);
        memset(step, 0, sizeof(step));
    }
    c->v[HAL_PMU_PMN0] = r->sum.event[0] + step[HAL_PMU_PMN0] - s->lost[HAL_PMU_PMN0];
    c->v[HAL_PMU_PMN1] = r->sum.event[1] + step[HAL_PMU_PMN1] - s->lost[HAL_PMU_PMN1];
    c->v[HAL_PMU_CCNT] = r->sum.cycles + step[HAL_PMU_CCNT] - s->lost[HAL_PMU_CCNT];
    return true;
}

/* What was used since then is not the program's. */
static void lose(struct shadow *s, const struct counts *c, unsigned where)
{
    uint32_t now[HAL_PMU_COUNTERS];

    hal_pmu_read_all(now);
#pragma GCC unroll 3
    for (unsigned i = 0; i < HAL_PMU_COUNTERS; i++)
        s->lost[i] += now[i] - c->raw[i] + fn.fixed[where][i];
}

/* ---- edges: each core has its own, IRQ masked
 * ---------------------------------------------------- */

static struct edge *find(unsigned core, uint32_t func, uint32_t caller)
{
    const uint32_t hash = (func * 2654435761U) ^ (caller >> 2) * 40503U;

    for (uint32_t k = 0; k < MPJ_FUNC_EDGES; k++) {
        struct edge *const e = &fn.edge[core][(hash + k) % MPJ_FUNC_EDGES];

        if (e->func == func + 1U && e->caller == caller)
            return e;
        if (e->func != 0)
            continue;
        if (fn.edges[core] == MPJ_FUNC_EDGES * 3U / 4U)
            break;
        fn.edges[core]++;
        e->caller = caller;
        e->func = func + 1U;
        return e;
    }
    return NULL;
}

/* Not known to be short. With a limit of records, a first call tells no more than the others. */
static bool is_long(const struct func *f)
{
    return fn.cfg.records == 0 &&
           (f->firsts < JUDGED ||
            (int64_t)f->first_cycles >= (int64_t)fn.cfg.brief * LONG * f->firsts);
}

/* A call is over, after d. */
static void add(unsigned core, const struct frame *p, const uint64_t d[HAL_PMU_COUNTERS])
{
    struct func *const f = &fn.func[p->func];
    struct edge *e = f->last[core];

    if (e == NULL || e->caller != p->caller)
        e = find(core, p->func, p->caller);
    if (e == NULL) {
        fn.lost++;
        return;
    }
    f->last[core] = e;
    e->calls++;
#pragma GCC unroll 3
    for (unsigned i = 0; i < HAL_PMU_COUNTERS; i++)
        e->v[i] += d[i];
    /* Of several cores at once one may be missed: it decides what is short, and no more. */
    if ((p->caller & FIRST) == 0) {
        f->measured++;
        f->cycles += d[HAL_PMU_CCNT];
    } else {
        f->firsts++;
        f->first_cycles += d[HAL_PMU_CCNT];
        if (!f->seen && !is_long(f)) {
            f->seen = true;
            if (f->group != fn.group)
                patch(p->func, false);
        }
    }
}

/* ---- entry and exit: on the thread's stack
 * ------------------------------------------------------- */

static struct shadow *shadow_of(const struct mpj_thread *t)
{
    struct shadow *const s = &fn.shadow[t->slot];

    if (s->id != t->id) {
        s->id = t->id;
        s->depth = 0;
        memset(s->lost, 0, sizeof(s->lost));
    }
    return s;
}

static void drop_below(struct shadow *s, uint32_t sp)
{
    while (s->depth > 0 && s->frame[s->depth - 1U].sp < sp)
        s->depth--;
}

/* Where the caller is: a call that a measured function does not return from goes through its stub.
 */
static uint32_t caller_of(const struct shadow *s, uint32_t lr)
{
    if (lr != (uint32_t)mpj_func_exit_stub)
        return lr & ~3U;
    return s->depth > 0 ? fn.func[s->frame[s->depth - 1U].func].entry + 4U : 0U;
}

static bool begin(uint32_t i, struct func *f, uint32_t lr, uint32_t sp)
{
    const struct mpj_thread *const t = mpj_thread_self();
    struct shadow *const s = shadow_of(t);
    const bool first = !f->seen;
    struct counts c;
    struct frame *p;

    if (t->id == 0 || !count(hal_cpu_id(), s, &c))
        return false;
    drop_below(s, sp);
    if (s->depth == MPJ_FUNC_DEPTH) {
        fn.deep++;
        return false;
    }
    if (first)
        f->entered++;
    else if (f->left != EVERY)
        f->left--;
    p = &s->frame[s->depth];
    p->sp = sp;
    p->lr = lr;
    p->func = i;
    p->caller = caller_of(s, lr) | (first ? FIRST : 0U);
    memcpy(p->v, c.v, sizeof(p->v));
    s->depth++;
    lose(s, &c, WITHIN);
    return true;
}

/* behind: the veneer that calls; saved: what it pushed. Returns the return address that the
 * function gets, and in the upper half where it goes on. */
uint64_t mpj_func_enter(uint32_t behind, uint32_t *saved)
{
    const uint32_t i = (behind - VENEER - (uint32_t)__func_veneers) / VENEER;
    struct func *const f = &fn.func[i];
    uint32_t lr = saved[SAVED_LR];

    if (f->seen && f->group == fn.group)
        __atomic_fetch_add(&f->calls, 1U, __ATOMIC_RELAXED);
    if (fn.on && (!f->seen || (f->left != 0 && f->group == fn.group))) {
        const hal_irq_state irq = hal_irq_save();

        if (begin(i, f, lr, (uint32_t)(saved + SAVED)))
            lr = (uint32_t)mpj_func_exit_stub;
        hal_irq_restore(irq);
    }
    return (uint64_t)(f->entry + 4U) << 32 | lr;
}

uint32_t mpj_func_exit(uint32_t sp)
{
    const hal_irq_state irq = hal_irq_save();
    const unsigned core = hal_cpu_id();
    struct shadow *const s = &fn.shadow[mpj_thread_self()->slot];
    struct counts c;
    const bool counted = fn.on && count(core, s, &c);
    struct frame *p;
    uint32_t lr;

    drop_below(s, sp);
    if (s->depth == 0)
        mpj_fatal(MPJ_TERR_RUNTIME, sp,
                  "a measured function returns to nowhere: its stack was switched");
    p = &s->frame[--s->depth];
    lr = p->lr;
    if (counted) {
#pragma GCC unroll 3
        for (unsigned k = 0; k < HAL_PMU_COUNTERS; k++)
            c.v[k] -= p->v[k];
        add(core, p, c.v);
        lose(s, &c, AROUND);
    }
    hal_irq_restore(irq);
    return lr;
}

/* ---- periods: core 0, IRQ masked ----------------------------------------------------------------
 */

static void switch_group(int32_t next)
{
    const uint64_t now = hal_sys_ticks();
    const int32_t was = fn.group;

    fn.group = -1; /* nothing is counted meanwhile */
    if (was >= 0) {
        fn.active[was] += now - fn.since;
        for (uint32_t i = (uint32_t)was; i < fn.count && next != was; i += fn.cfg.groups) {
            if (fn.func[i].seen)
                patch(i, false);
        }
    }
    for (uint32_t i = (uint32_t)next; next >= 0 && i < fn.count; i += fn.cfg.groups) {
        struct func *const f = &fn.func[i];
        const bool brief =
            f->measured >= JUDGED && (int64_t)f->cycles < (int64_t)fn.cfg.brief * f->measured;

        f->left = fn.cfg.records == 0 && !brief ? EVERY
                  : fn.cfg.records == 0         ? MPJ_TRACE_RECORDS
                                                : fn.cfg.records;
        if (next != was)
            patch(i, true);
    }
    fn.since = now;
    fn.group = next;
    if (next != was) {
        fetch_again(-1);
        tell_others();
    }
}

/* In each round of periods every group has one, in another order each time: a program may repeat
 * itself as often as a round does. */
static int32_t next_group(void)
{
    const uint32_t at = fn.done % fn.cfg.groups;

    if (at == 0) {
        for (uint32_t i = fn.cfg.groups; i-- > 1U;) { /* Fisher and Yates */
            uint32_t k;
            uint8_t was;

            fn.random = fn.random * 1664525U + 1013904223U; /* of Numerical Recipes */
            k = (fn.random >> 16) % (i + 1U);
            was = fn.order[i];
            fn.order[i] = fn.order[k];
            fn.order[k] = was;
        }
    }
    return fn.order[at];
}

/* The warm-up is over. */
static void begin_periods(uint64_t now)
{
    fn.begun = true;
    for (uint32_t i = 0; i < fn.count; i++)
        patch(i, true);
    switch_group(0);
    fn.began = fn.since = now;
}

void mpj_functions_tick(void)
{
    if (!fn.on || ++fn.tick < (fn.begun ? fn.length : fn.warm))
        return;
    fn.tick = 0;
    if (!fn.begun) {
        begin_periods(hal_sys_ticks());
        return;
    }
    if (fn.began == 0) /* there was no warm-up */
        fn.began = fn.since = mpj_prof_begin_time();
    fn.done++;
    if (fn.cfg.periods != 0 && fn.done >= fn.cfg.periods)
        switch_group(-1);
    else
        switch_group(next_group());
}

/* ---- begin and end ------------------------------------------------------------------------------
 */

static void *memory(size_t bytes)
{
    void *const p = mpj_mem_sbrk((intptr_t)((bytes + 31U) & ~(size_t)31U));

    if (p == (void *)-1)
        return NULL;
    memset(p, 0, bytes);
    return p;
}

static void set_fixed(void)
{
    fn.fixed[WITHIN][HAL_PMU_CCNT] = fixed_cycles.within;
    fn.fixed[AROUND][HAL_PMU_CCNT] = fixed_cycles.around;
    for (unsigned i = 0; i < MPJ_PMU_COUNTERS; i++) {
        for (unsigned k = 0; k < sizeof(fixed_events) / sizeof(fixed_events[0]); k++) {
            if (fixed_events[k].event == mpj_prof_pair(0)[i]) {
                fn.fixed[WITHIN][i] = fixed_events[k].within;
                fn.fixed[AROUND][i] = fixed_events[k].around;
            }
        }
    }
}

static void make_veneers(void)
{
    for (uint32_t i = 0; i < fn.count; i++) {
        const uint32_t at = veneer_of(i);
        const uint32_t offset = ((uint32_t)mpj_func_enter_stub - (at + 4U) - PIPELINE) >> 2;
        struct func *const f = &fn.func[i];
        uint32_t word;

        f->entry = __func_entries[i] & ~3U;
        f->group = (uint16_t)(i % fn.cfg.groups);
        word = *(const uint32_t *)f->entry;
        f->unfit = (__func_entries[i] & 3U) != 0 || (word != NOP && word != NOP_OLD);
        write_code(at, VENEER_PUSH);
        write_code(at + 4U, VENEER_CALL | (offset & 0xffffffU));
    }
    hal_dsb();
}

int mpj_functions_configure(const struct mpj_trace_config *cfg, uint32_t sample_us,
                            const char **why)
{
    *why = NULL;
    fn.cfg = *cfg;
    fn.count = (uint32_t)(__func_entries_end - __func_entries);
    if (fn.count == 0)
        *why = "the program has no entries to measure: compile it with `mpjoule cc --functions`";
    else if (fn.count > MPJ_FUNC_MAX)
        *why = "the program has more than 16384 functions: compile fewer files with --functions";
    else if (hal_cpu_id() != 0 || __func_veneers > __text_end + 0x400000)
        *why = "the program's code is too large for entries to be measured";
    else if (cfg->groups == 0 || cfg->groups > MPJ_TRACE_GROUPS_MAX)
        *why = "functions are in 1 to 64 groups";
    if (*why != NULL)
        return MPJ_TERR_CONFIG;
    fn.func = memory(fn.count * sizeof(*fn.func));
    for (unsigned core = 0; core < MPJ_CORES_MAX; core++)
        fn.edge[core] = memory(MPJ_FUNC_EDGES * sizeof(*fn.edge[0]));
    fn.shadow = memory(MPJ_THREADS_MAX * sizeof(*fn.shadow));
    if (fn.func == NULL || fn.edge[MPJ_CORES_MAX - 1U] == NULL || fn.shadow == NULL) {
        *why = "no memory for the functions to be measured";
        return MPJ_TERR_CONFIG;
    }
    fn.warm = (cfg->warm_us + sample_us - 1U) / sample_us;
    fn.length = cfg->period_us == 0 ? 1U : (cfg->period_us + sample_us - 1U) / sample_us;
    for (uint32_t i = 0; i < cfg->groups; i++)
        fn.order[i] = (uint8_t)i;
    set_fixed();
    make_veneers();
    mpj_irq_attach(MPJ_SGI_CODE, on_code, NULL);
    if (fn.warm == 0)
        begin_periods(0);
    fn.on = true;
    return 0;
}

static int put_function(struct mpj_writer *w, const void *rec)
{
    return mpj_function_put(w, rec);
}

static int put_groups(struct mpj_writer *w, const void *rec)
{
    return mpj_func_groups_put(w, rec);
}

/* Frames that a longjmp left, of a thread that has not ended. */
static void drop_left(struct shadow *s, uint32_t id, uint32_t slot)
{
    const struct mpj_thread *const t = mpj_thread_by_slot(slot);

    if (t == NULL || t->id != id)
        return;
    drop_below(s,
               t == mpj_thread_self() ? (uint32_t)__builtin_frame_address(0) : (uint32_t)t->frame);
}

/* Calls that never came to an end. */
static void close_frames(void)
{
    for (uint32_t k = 0; k < mpj_prof_threads.used; k++) {
        const struct mpj_prof_rec *const r = &mpj_prof_memory.rec[k];
        struct shadow *s = NULL;

        for (uint32_t slot = 0; slot < MPJ_THREADS_MAX && s == NULL; slot++) {
            if (fn.shadow[slot].id == r->id)
                s = &fn.shadow[slot];
        }
        if (s != NULL)
            drop_left(s, r->id, (uint32_t)(s - fn.shadow));
        for (uint32_t i = s != NULL ? s->depth : 0; i-- > 0;) {
            const uint64_t now[HAL_PMU_COUNTERS] = {[HAL_PMU_PMN0] = r->sum.event[0],
                                                    [HAL_PMU_PMN1] = r->sum.event[1],
                                                    [HAL_PMU_CCNT] = r->sum.cycles};
            uint64_t d[HAL_PMU_COUNTERS];

            for (unsigned c = 0; c < HAL_PMU_COUNTERS; c++)
                d[c] = now[c] - s->lost[c] - s->frame[i].v[c];
            add(0, &s->frame[i], d);
        }
    }
}

static void send_edge(const struct edge *e)
{
    const struct func *const f = &fn.func[e->func - 1U];
    const uint16_t *const event = mpj_prof_pair(0);
    const bool first = (e->caller & FIRST) != 0;
    struct mpj_function_rec r = {.entry = f->entry,
                                 .caller = e->caller & ~FIRST,
                                 .flags = first ? MPJ_FUNCTION_FIRST : 0U,
                                 .group = f->group,
                                 .calls = first ? f->entered : f->calls,
                                 .measured = first ? f->firsts : f->measured,
                                 .here = e->calls,
                                 .cycles = e->v[HAL_PMU_CCNT]};

    for (unsigned i = 0; i < MPJ_PMU_COUNTERS; i++) {
        if (event[i] != MPJ_EVENT_NONE)
            r.ev[r.count++] = (struct mpj_event_value){event[i], e->v[i], 0};
    }
    (void)mpj_out_record(put_function, &r);
}

void mpj_functions_send(void)
{
    static struct mpj_func_groups_rec g;

    if (!fn.on)
        return;
    fn.on = false;
    if (fn.began == 0 && fn.begun)
        fn.began = fn.since = mpj_prof_begin_time();
    if (fn.group >= 0)
        fn.active[fn.group] += mpj_prof_end_time() - fn.since;
    fn.group = -1;
    close_frames();
    g = (struct mpj_func_groups_rec){.functions = fn.count,
                                     .periods = fn.done,
                                     .ticks = fn.began != 0 ? mpj_prof_end_time() - fn.began : 0U,
                                     .deep = fn.deep,
                                     .count = fn.cfg.groups};
    memcpy(g.active, fn.active, sizeof(g.active));
    (void)mpj_out_record(put_groups, &g);
    for (uint32_t i = 0; i < MPJ_CORES_MAX * MPJ_FUNC_EDGES; i++) {
        const struct edge *const e = &fn.edge[i / MPJ_FUNC_EDGES][i % MPJ_FUNC_EDGES];

        if (e->func != 0)
            send_edge(e);
    }
    mpj_out_dropped(MPJ_REC_FUNCTION, fn.lost);
}
