/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "func_int.h"

#include <string.h>

#include "func_jump.h"
#include "hal_cpu.h"
#include "hal_pmu.h"
#include "mpj_fault.h"
#include "mpj_prof.h"
#include "mpj_sched.h"
#include "mpj_trace.h"

#define fn       mpj_func

#define SAVED_LR 6U /* index of lr in the words that a veneer pushes */
#define SAVED    8U
#define JUDGED   24U /* calls before a function may be classified as often called */
#define RARELY(x)                                                                                  \
    __builtin_expect((x), 0) /* code out of the way: of 600 cycles most are misses                 \
                              */

uint64_t mpj_func_enter(const void *cell, uint32_t *saved);
uint32_t mpj_func_exit(uint32_t sp);
void mpj_func_exit_stub(void);
void mpj_func_jump(uint32_t sp);

/* ---- stubs ---------------------------------------------------------------------------------- */

/* A veneer has pushed {r0-r4, ip, lr, pc} and calls mpj_func_enter_stub; lr points to the address
 * of its cell. Registers of arguments and results, including those of the VFP, are preserved; flags
 * need not be. */
__asm__(".text\n"
        ".arm\n"
        ".global mpj_func_enter_stub\n"
        ".type mpj_func_enter_stub, %function\n"
        "mpj_func_enter_stub:\n"
        "    ldr r0, [lr]\n"
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
        "    pop {r0-r3, ip, pc}\n"
        ".weak longjmp\n"
        ".global mpj_func_jump_stub\n"
        ".type mpj_func_jump_stub, %function\n"
        "mpj_func_jump_stub:\n"
        "    push {r0-r3, ip, lr}\n"
        "    ldr r0, [r0, #" MPJ_FUNC_JUMP_LEAVES "]\n"
        "    bl mpj_func_jump\n"
        "    pop {r0-r3, ip, lr}\n"
        "    .word " MPJ_FUNC_JUMP_WORD "\n"
        "    b longjmp + 4\n");

/* ---- counts of the calling thread: IRQ masked ----------------------------------------------- */

/* raw: of the core; v: of the thread, without the cost of this code. */
struct counts {
    uint32_t raw[HAL_PMU_COUNTERS];
    uint64_t v[HAL_PMU_COUNTERS];
};

static inline bool count(unsigned core, const struct mpj_func_shadow *s, struct counts *c)
{
    struct mpj_prof_rec *const r = mpj_prof_threads.core[core].cur;
    const struct mpj_prof_live *const p = fn.core[core].live;

    if (RARELY(r == NULL || !p->counting))
        return false;
    hal_pmu_read_all(c->raw);
    if (RARELY(p->wraps != p->seen)) {
        uint64_t all[HAL_PMU_COUNTERS];

        mpj_thread_charge(r, mpj_prof_core_take(all), all);
        memcpy(c->raw, p->low, sizeof(c->raw));
    }
    c->v[HAL_PMU_PMN0] =
        r->sum.event[0] + (c->raw[HAL_PMU_PMN0] - p->low[HAL_PMU_PMN0]) - s->lost[HAL_PMU_PMN0];
    c->v[HAL_PMU_PMN1] =
        r->sum.event[1] + (c->raw[HAL_PMU_PMN1] - p->low[HAL_PMU_PMN1]) - s->lost[HAL_PMU_PMN1];
    c->v[HAL_PMU_CCNT] =
        r->sum.cycles + (c->raw[HAL_PMU_CCNT] - p->low[HAL_PMU_CCNT]) - s->lost[HAL_PMU_CCNT];
    return true;
}

/* Subtracts the counts since then from the program's. */
static inline void lose(unsigned core, struct mpj_func_shadow *s, const struct counts *c,
                        unsigned where)
{
    uint32_t now[HAL_PMU_COUNTERS];

    hal_pmu_read_all(now);
#pragma GCC unroll 3
    for (unsigned i = 0; i < HAL_PMU_COUNTERS; i++)
        s->lost[i] += (int32_t)(now[i] - c->raw[i] + fn.fixed[where][i]);
    fn.core[core].used +=
        (int32_t)(now[HAL_PMU_CCNT] - c->raw[HAL_PMU_CCNT] + fn.fixed[where][HAL_PMU_CCNT]);
}

/* ---- edges: each core has its own, IRQ masked ----------------------------------------------- */

/* Returns the edge of the frame's function and caller; NULL: there are too many. */
static __attribute__((noinline)) struct mpj_func_edge *
find(unsigned core, const struct mpj_func_shadow *s, const struct mpj_func_frame *p)
{
    const uint32_t func = p->func;
    const uint32_t caller = p->caller;
    const uint32_t hash = (func * 2654435761U) ^ (caller >> 2) * 40503U;

    for (uint32_t k = 0; k < MPJ_FUNC_EDGES; k++) {
        struct mpj_func_edge *const e = &fn.core[core].edge[(hash + k) % MPJ_FUNC_EDGES];

        if (e->func == func + 1U && e->caller == caller)
            return e;
        if (e->func != 0)
            continue;
        if (fn.core[core].edges == MPJ_FUNC_EDGES * 3U / 4U)
            break;
        fn.core[core].edges++;
        e->caller = caller;
        e->func = func + 1U;
        e->above = p > s->frame ? p[-1].func + 1U : 0U;
        e->outside = p->lr != (uint32_t)mpj_func_exit_stub && p->lr - fn.code >= fn.code_size;
        return e;
    }
    return NULL;
}

/* Returns true unless the function is known to be called often. With a limit of records a first
 * call is like any other. */
static bool is_rare(const struct mpj_func *f)
{
    return fn.records == 0 && (f->firsts < JUDGED || f->spent >= (uint64_t)fn.brief * f->firsts);
}

/* Evaluates a first call, which took that many cycles; `now` is the core's cycle counter. */
static __attribute__((noinline)) void judge(uint32_t i, struct mpj_func *f, uint64_t cycles,
                                            uint32_t now)
{
    f->cycles += cycles;
    f->always |= fn.records == 0 && !fn.all && cycles >= fn.brief;
    if (f->firsts++ == 0 || (int32_t)(now - f->last) > 0) { /* cores differ slightly */
        f->spent += f->firsts > 1U ? now - f->last : 0U;
        f->last = now;
    }
    if (f->firsts >= JUDGED && f->cycles < fn.least * f->firsts)
        f->left_out = true;
    if (f->seen || (is_rare(f) && !f->left_out))
        return;
    f->seen = true;
    if (fn.records == 0 && f->cycles < INT32_MAX)
        f->usual = (uint32_t)f->cycles / f->firsts;
    if (!mpj_func_active(f) || f->left_out)
        mpj_func_patch(i, false);
}

/* Adds counts of which some need more than 32 bits. */
static __attribute__((noinline)) void add_large(struct mpj_func_edge *e, uint32_t weight,
                                                const uint64_t d[HAL_PMU_COUNTERS])
{
    for (unsigned i = 0; i < HAL_PMU_COUNTERS; i++)
        e->v[i] += d[i] * weight;
}

/* Adds the counts of a call times the calls that it represents, and the square of how far its
 * cycles are from the usual ones. */
static inline __attribute__((always_inline)) void add_counts(struct mpj_func_edge *e,
                                                             struct mpj_func_cell *cell,
                                                             uint32_t weight, uint32_t usual,
                                                             const uint64_t d[HAL_PMU_COUNTERS])
{
    const uint64_t cycles = d[HAL_PMU_CCNT] * weight;
    const int32_t off = (int32_t)((uint32_t)d[HAL_PMU_CCNT] - usual);
    const uint64_t far = (uint64_t)(uint32_t)(off < 0 ? -off : off) * weight;
    const uint32_t x = far >> 32 == 0 ? (uint32_t)far >> MPJ_FUNC_SQUARE_SHIFT
                                      : UINT32_MAX >> MPJ_FUNC_SQUARE_SHIFT;

    if (__builtin_expect((d[HAL_PMU_PMN0] | d[HAL_PMU_PMN1] | cycles) >> 32 == 0, 1)) {
        e->v[HAL_PMU_PMN0] += (uint64_t)(uint32_t)d[HAL_PMU_PMN0] * weight;
        e->v[HAL_PMU_PMN1] += (uint64_t)(uint32_t)d[HAL_PMU_PMN1] * weight;
        e->v[HAL_PMU_CCNT] += (uint32_t)cycles;
    } else {
        add_large(e, weight, d);
    }
    cell->squares += (uint64_t)x * x;
}

/* Adds a call of s, frame p, that is over, with counts d. If several cores are at it at once a
 * first call may be missed: it only decides which functions are short. */
static void add(unsigned core, const struct mpj_func_shadow *s, const struct mpj_func_frame *p,
                const uint64_t d[HAL_PMU_COUNTERS], uint32_t now)
{
    struct mpj_func_cell *const cell = mpj_func_cell_of(core, p->func, p->lr);
    struct mpj_func_edge *e = cell->last;

    if (RARELY(e == NULL || cell->caller != p->caller)) {
        e = find(core, s, p);
        if (e == NULL) {
            fn.lost++;
            return;
        }
        cell->last = e;
        cell->caller = p->caller;
    }
    e->calls += p->weight;
    e->records++;
    if (__builtin_expect((p->caller & MPJ_FUNC_FIRST) == 0, 1)) {
        add_counts(e, cell, p->weight, fn.func[p->func].usual, d);
        return;
    }
    for (unsigned i = 0; i < HAL_PMU_COUNTERS; i++)
        e->v[i] += d[i];
    judge(p->func, &fn.func[p->func], d[HAL_PMU_CCNT], now);
}

static uint32_t word(uint64_t value)
{
    return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

/* Notes a call of the calling thread that is over, for --entry-times. */
static __attribute__((noinline)) void note(unsigned core, const struct mpj_func_frame *p,
                                           const uint64_t d[HAL_PMU_COUNTERS])
{
    const uint32_t words[MPJ_MOMENT_WORDS] = {fn.func[p->func].entry, p->weight,
                                              word(d[HAL_PMU_CCNT]), word(d[HAL_PMU_PMN0]),
                                              word(d[HAL_PMU_PMN1])};

    mpj_trace_call(core, words);
}

/* ---- entry and exit: on the thread's stack -------------------------------------------------- */

/* Closes the innermost call of the thread, whose counts now are v. */
static void close_top(unsigned core, struct mpj_func_shadow *s, const uint64_t v[HAL_PMU_COUNTERS])
{
    const struct mpj_func_frame *const p = &s->frame[--s->depth];
    uint64_t d[HAL_PMU_COUNTERS];

    for (unsigned i = 0; i < HAL_PMU_COUNTERS; i++)
        d[i] = v[i] - p->v[i];
    add(core, s, p, d, fn.func[p->func].last);
}

/* Returns the record of a thread, or NULL. Records are in the order of the threads' numbers, from 1
 * on, except for threads that got none, until records are reused. */
static const struct mpj_prof_rec *record_of(uint32_t id)
{
    const bool ordered = mpj_prof_threads.crowd_from == 0;
    uint32_t k = ordered && id < mpj_prof_threads.used ? id : mpj_prof_threads.used;

    while (k > 0 &&
           (ordered ? mpj_prof_memory.rec[k - 1U].id > id : mpj_prof_memory.rec[k - 1U].id != id))
        k--;
    return k > 0 && mpj_prof_memory.rec[k - 1U].id == id ? &mpj_prof_memory.rec[k - 1U] : NULL;
}

/* Closes the calls that an ended thread was in. */
static void close_ended(unsigned core, struct mpj_func_shadow *s)
{
    const struct mpj_prof_rec *const r = record_of(s->id);

    while (r != NULL && s->depth > 0) {
        const uint64_t v[HAL_PMU_COUNTERS] = {
            [HAL_PMU_PMN0] = r->sum.event[0] - s->lost[HAL_PMU_PMN0],
            [HAL_PMU_PMN1] = r->sum.event[1] - s->lost[HAL_PMU_PMN1],
            [HAL_PMU_CCNT] = r->sum.cycles - s->lost[HAL_PMU_CCNT]};

        close_top(core, s, v);
    }
}

struct mpj_func_shadow *mpj_func_shadow_of(unsigned core, const struct mpj_thread *t)
{
    struct mpj_func_shadow *const s = &fn.shadow[t->slot];

    if (s->id != t->id) {
        close_ended(core, s);
        s->id = t->id;
        s->depth = 0;
        memset(s->lost, 0, sizeof(s->lost));
    }
    return s;
}

/* Drops frames that were left in any way other than an intercepted longjmp(). */
static inline void drop_below(struct mpj_func_shadow *s, uint32_t sp)
{
    while (s->depth > 0 && s->frame[s->depth - 1U].sp < sp)
        s->depth--;
}

/* Returns the key of the caller: a measured function returns to the stub, so a tail call from it
 * has the stub's address as return address. Code without entries may call for several functions. */
static inline uint32_t caller_of(const struct mpj_func_shadow *s, uint32_t lr)
{
    const uint32_t above = s->depth > 0 ? s->frame[s->depth - 1U].func + 1U : 0U;

    if (RARELY(lr == (uint32_t)mpj_func_exit_stub))
        return above > 0 ? fn.func[above - 1U].entry + 4U : 0U;
    lr &= ~3U;
    return lr - fn.code < fn.code_size ? lr : lr ^ above << MPJ_FUNC_ABOVE;
}

uint32_t mpj_func_random(uint32_t *state)
{
    *state = *state * 1664525U + 1013904223U; /* constants of Numerical Recipes */
    return *state >> 16;
}

/* Begins a period of a cell: calls are measured somewhat more often, less so if their error is
 * small. */
static inline void begin_period(struct mpj_func_cell *cell, const struct mpj_func *f)
{
    const uint32_t back = f->exact ? MPJ_FUNC_SHIFT_BACK / 2U : MPJ_FUNC_SHIFT_BACK;

    cell->period = (uint16_t)fn.done;
    cell->records = 0;
    cell->shift = cell->shift > back ? (uint8_t)(cell->shift - back) : 0U;
}

/* Chooses after how many calls the next one is measured: twice as many after a number of records of
 * a period. Random, since calls may repeat in a pattern. */
static inline void next_of(unsigned core, struct mpj_func_cell *cell, const struct mpj_func *f,
                           bool all)
{
    uint32_t random;

    if (RARELY(all)) {
        cell->left = cell->each = 1;
        return;
    }
    if (RARELY(cell->period != (uint16_t)fn.done))
        begin_period(cell, f);
    if (++cell->records >= MPJ_FUNC_SAMPLED && cell->shift < MPJ_FUNC_SHIFT_MAX) {
        cell->records = 0;
        cell->shift++;
    }
    random = mpj_func_random(&fn.core[core].random) & ((1U << cell->shift) - 1U);
    cell->left = cell->each = (int32_t)((1U << cell->shift) - (1U << cell->shift) / 2U + random);
}

/* Returns true if --records includes this call; if not, others need not ask in this period. */
static __attribute__((noinline)) bool is_record(struct mpj_func *f, struct mpj_func_cell *cell)
{
    const bool is = __atomic_fetch_sub(&f->left, 1, __ATOMIC_RELAXED) > 0;

    __atomic_fetch_add(&f->calls, 1U, __ATOMIC_RELAXED);
    cell->left = cell->each = is ? 1 : MPJ_FUNC_UNCOUNTED;
    return is;
}

/* Expects the next call to be long, too, after a long call of an often called function: the next
 * one from the same site, or from any site if a rarely called function called it, as the outermost
 * call of a recursion. Such calls are few, and take most of the time. */
static __attribute__((noinline, cold)) void
expect_long(unsigned core, const struct mpj_func_shadow *s, const struct mpj_func_frame *p)
{
    const uint32_t above = s->depth > 0 ? s->frame[s->depth - 1U].func : p->func;
    const bool any = above != p->func && !fn.func[above].seen;

    for (uint32_t site = any ? 0 : p->lr & fn.sites; site <= fn.sites; site += 4U) {
        struct mpj_func_cell *const cell = mpj_func_cell_of(core, p->func, site);

        cell->owed += cell->each - cell->left;
        cell->left = cell->each = 1;
        if (!any)
            break;
    }
}

/* Returns true if the thread is in a call of the function. */
static bool is_within(const struct mpj_func_shadow *s, uint32_t func)
{
    uint32_t k = s->depth;

    while (k > 0 && s->frame[k - 1U].func != func)
        k--;
    return k > 0;
}

/* Returns the number of calls that this one represents. A call that was expected to be long
 * represents only itself. */
static inline uint32_t weight_of(struct mpj_func_cell *cell, bool first)
{
    int32_t calls = cell->each;

    if (first || calls < 1)
        return 1U;
    if (calls > 1) {
        calls += cell->owed;
        cell->owed = 0;
    }
    return (uint32_t)calls;
}

static inline bool begin(unsigned core, uint32_t i, struct mpj_func *f, uint32_t lr, uint32_t sp)
{
    const struct mpj_thread *const t = mpj_thread_self();
    struct mpj_func_shadow *const s = mpj_func_shadow_of(core, t);
    struct mpj_func_cell *const cell = mpj_func_cell_of(core, i, lr);
    const bool first = !f->seen;
    const uint32_t weight = weight_of(cell, first);
    struct counts c;
    struct mpj_func_frame *p;

    cell->left = 1; /* measure the next call for both if this one is not measured */
    if (RARELY(t->id == 0 || !count(core, s, &c) || f->left_out)) {
        cell->each++;
        return false;
    }
    drop_below(s, sp);
    if (RARELY(s->depth == MPJ_FUNC_DEPTH)) {
        fn.deep++;
        cell->each++;
        return false;
    }
    if (RARELY(first)) {
        __atomic_fetch_add(&f->entered, 1U, __ATOMIC_RELAXED);
        f->always |= fn.records == 0 && !fn.all && is_within(s, i);
    }
    if (!RARELY(fn.records != 0 && !first))
        next_of(core, cell, f, first || fn.all);
    else if (!is_record(f, cell))
        return false;
    p = &s->frame[s->depth];
    p->sp = sp;
    p->lr = lr;
    p->func = i;
    p->caller = caller_of(s, lr) | (first ? MPJ_FUNC_FIRST : 0U);
    p->weight = fn.records == 0 ? weight : 1U;
#pragma GCC unroll 3
    for (unsigned k = 0; k < HAL_PMU_COUNTERS; k++)
        p->v[k] = c.v[k];
    s->depth++;
    lose(core, s, &c, MPJ_FUNC_WITHIN);
    return true;
}

/* Begins a call. cell: the function's on core 0; saved: registers that its veneer pushed. Returns
 * the return address that the function gets, and in the upper half the address where it
 * continues. */
uint64_t mpj_func_enter(const void *cell, uint32_t *saved)
{
    const uint32_t i =
        (uint32_t)((const struct mpj_func_cell *)cell - fn.cell) >> MPJ_FUNC_SITE_BITS;
    struct mpj_func *const f = &fn.func[i];
    uint32_t lr = saved[SAVED_LR];

    if (fn.on && (!f->seen || mpj_func_active(f))) {
        const hal_irq_state irq = hal_irq_save();

        if (begin(hal_cpu_id(), i, f, lr, (uint32_t)(saved + SAVED)))
            lr = (uint32_t)mpj_func_exit_stub;
        hal_irq_restore(irq);
    }
    return (uint64_t)(f->entry + 4U) << 32 | lr;
}

uint32_t mpj_func_exit(uint32_t sp)
{
    const hal_irq_state irq = hal_irq_save();
    const unsigned core = hal_cpu_id();
    struct mpj_func_shadow *const s = &fn.shadow[mpj_thread_self()->slot];
    struct counts c;
    const bool counted = fn.on && count(core, s, &c);
    struct mpj_func_frame *p;
    uint32_t lr;

    drop_below(s, sp);
    if (RARELY(s->depth == 0))
        mpj_fatal(MPJ_TERR_RUNTIME, sp,
                  "a measured function returns to nowhere: its stack was switched");
    p = &s->frame[--s->depth];
    lr = p->lr;
    if (counted) {
#pragma GCC unroll 3
        for (unsigned k = 0; k < HAL_PMU_COUNTERS; k++)
            c.v[k] -= p->v[k];
        add(core, s, p, c.v, c.raw[HAL_PMU_CCNT]);
        if (RARELY(fn.times))
            note(core, p, c.v);
        if (RARELY(c.v[HAL_PMU_CCNT] >= fn.brief && fn.records == 0))
            expect_long(core, s, p);
        lose(core, s, &c, MPJ_FUNC_AROUND);
    }
    hal_irq_restore(irq);
    return lr;
}

/* Ends the calls below `sp`, to which longjmp() is about to set the stack pointer. */
void mpj_func_jump(uint32_t sp)
{
    const hal_irq_state irq = hal_irq_save();
    const unsigned core = hal_cpu_id();
    struct mpj_func_shadow *const s = mpj_func_shadow_of(core, mpj_thread_self());
    int32_t depth = (int32_t)s->depth;
    struct counts c;

    if (fn.on && count(core, s, &c)) {
        while (s->depth > 0 && s->frame[s->depth - 1U].sp <= sp)
            close_top(core, s, c.v);
        lose(core, s, &c, MPJ_FUNC_AROUND);
        /* a jump has about five sixths of the part of a call that is not read, and the entry of
         * each call that ends here a third */
        depth = 2 * (depth - (int32_t)s->depth) - 1;
        for (unsigned i = 0; i < HAL_PMU_COUNTERS; i++)
            s->lost[i] += (uint64_t)((int32_t)fn.fixed[MPJ_FUNC_AROUND][i] * depth / 6);
    }
    hal_irq_restore(irq);
}

/* Drops the frames that a longjmp left, for a thread that has not ended. */
static void drop_left(struct mpj_func_shadow *s, uint32_t id, uint32_t slot)
{
    const struct mpj_thread *const t = mpj_thread_by_slot(slot);

    if (t == NULL || t->id != id)
        return;
    drop_below(s,
               t == mpj_thread_self() ? (uint32_t)__builtin_frame_address(0) : (uint32_t)t->frame);
}

/* Closes calls that never returned. */
void mpj_func_close_all(void)
{
    for (uint32_t k = 0; k < mpj_prof_threads.used; k++) {
        const struct mpj_prof_rec *const r = &mpj_prof_memory.rec[k];
        struct mpj_func_shadow *s = NULL;

        for (uint32_t slot = 0; slot < MPJ_THREADS_MAX && s == NULL && r->id != 0; slot++) {
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
            add(0, s, &s->frame[i], d, 0);
        }
    }
}
