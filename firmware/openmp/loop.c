/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Worksharing loops, ordered regions, doacross dependences. */
#include "omp_int.h"
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- ordered --------------------------------------------------------------------- */

/* Waits until all iterations before the thread's chunk are done. */
static void ordered_wait(struct omp_loop *loop, const void *caller)
{
    struct omp_ws *ws = loop->ws;
    unsigned spin = omp_spin_budget(MPJ_WAIT_OMP_ORDERED);
    while (__atomic_load_n(&ws->turn, __ATOMIC_ACQUIRE) != loop->cur_lo) {
        if (spin > 0) {
            struct omp_spin poll;
            omp_spin_begin(&poll, spin, MPJ_WAIT_OMP_ORDERED, ws, caller);
            while (__atomic_load_n(&ws->turn, __ATOMIC_ACQUIRE) != loop->cur_lo && omp_spin(&poll))
                ;
            spin = omp_spin_end(&poll);
            continue;
        }
        uint32_t seq = omp_event_prepare(&ws->ev);
        if (__atomic_load_n(&ws->turn, __ATOMIC_SEQ_CST) != loop->cur_lo)
            omp_event_sleep(&ws->ev, seq, MPJ_WAIT_OMP_ORDERED, ws, caller);
        else
            omp_event_cancel(&ws->ev);
    }
}

/* Passes the turn to the next chunk: the thread is done with its own. */
static void ordered_pass(struct omp_thread *thr, struct omp_loop *loop, const void *caller)
{
    loop->has_chunk = false;
    if (thr->s.team->n == 1)
        return;
    ordered_wait(loop, caller);
    __atomic_store_n(&loop->ws->turn, loop->cur_hi, __ATOMIC_SEQ_CST);
    omp_event_signal(&loop->ws->ev, UINT_MAX);
}

void GOMP_ordered_start(void)
{
    struct omp_thread *thr = omp_self();
    if (thr->s.team->n > 1 && thr->s.loop.has_chunk)
        ordered_wait(&thr->s.loop, OMP_CALLER());
}

void GOMP_ordered_end(void)
{
    /* The turn is kept until the chunk ends, for its later iterations. */
}

/* ---- ranges ------------------------------------------------------------------------ */

static void loop_schedule(const struct omp_thread *thr, struct omp_loop *loop, long sched)
{
    unsigned kind = (unsigned)sched & 0xff;
    if (kind == OMP_RUNTIME)
        kind = thr->s.task->icv.sched;
    loop->sched = (uint8_t)(kind == OMP_AUTO ? OMP_STATIC : kind);
}

#define T       unsigned long
#define R       l
#define P       l
#define F(name) name##_l
#include "loop_range.inc"
#undef T
#undef R
#undef P
#undef F
#define T       gomp_ull
#define R       u
#define P       u
#define F(name) name##_u
#include "loop_range.inc"
#undef T
#undef R
#undef P
#undef F

static void init_long(struct omp_loop *loop, long start, long end, long incr)
{
    memset(loop, 0, sizeof(*loop));
    range_init_l(loop, incr > 0, (unsigned long)start, (unsigned long)end, (unsigned long)incr,
                 incr > 0 ? start >= end : start <= end);
}

static bool start_long(long start, long end, long incr, long sched, long chunk, bool ordered,
                       long *istart, long *iend, uintptr_t *reductions, void **mem,
                       const void *caller)
{
    struct omp_loop loop;
    init_long(&loop, start, end, incr);
    return loop_start_l(&loop, (unsigned long)(chunk > 0 ? chunk : 0), ordered,
                        (unsigned long *)istart, (unsigned long *)iend, reductions, mem, NULL,
                        sched & 0xff, caller);
}

static bool start_ull(bool up, gomp_ull start, gomp_ull end, gomp_ull incr, long sched,
                      gomp_ull chunk, bool ordered, gomp_ull *istart, gomp_ull *iend,
                      uintptr_t *reductions, void **mem, const void *caller)
{
    struct omp_loop loop;
    memset(&loop, 0, sizeof(loop));
    range_init_u(&loop, up, start, end, incr, up ? start >= end : start <= end);
    return loop_start_u(&loop, chunk, ordered, istart, iend, reductions, mem, NULL, sched & 0xff,
                        caller);
}

static bool next_long(long *istart, long *iend, const void *caller)
{
    return loop_next_l(omp_self(), (unsigned long *)istart, (unsigned long *)iend, caller);
}

static bool next_ull(gomp_ull *istart, gomp_ull *iend, const void *caller)
{
    return loop_next_u(omp_self(), istart, iend, caller);
}

/* ---- entry points: a thread's next step is in its state, so all are alike --------- */

#define NEXT(name)                                                                                 \
    GOMP_LOOP_NEXT(name)                                                                           \
    {                                                                                              \
        return next_long(istart, iend, OMP_CALLER());                                              \
    }                                                                                              \
    GOMP_ULL_NEXT(name)                                                                            \
    {                                                                                              \
        return next_ull(istart, iend, OMP_CALLER());                                               \
    }
#define START(name, sched, ordered)                                                                \
    GOMP_LOOP_START(name)                                                                          \
    {                                                                                              \
        return start_long(start, end, incr, sched, chunk, ordered, istart, iend, NULL, NULL,       \
                          OMP_CALLER());                                                           \
    }                                                                                              \
    GOMP_ULL_START(name)                                                                           \
    {                                                                                              \
        return start_ull(up, start, end, incr, sched, chunk, ordered, istart, iend, NULL, NULL,    \
                         OMP_CALLER());                                                            \
    }                                                                                              \
    NEXT(name)
#define START_RT(name, ordered)                                                                    \
    GOMP_LOOP_START_RT(name)                                                                       \
    {                                                                                              \
        return start_long(start, end, incr, OMP_RUNTIME, 0, ordered, istart, iend, NULL, NULL,     \
                          OMP_CALLER());                                                           \
    }                                                                                              \
    GOMP_ULL_START_RT(name)                                                                        \
    {                                                                                              \
        return start_ull(up, start, end, incr, OMP_RUNTIME, 0, ordered, istart, iend, NULL, NULL,  \
                         OMP_CALLER());                                                            \
    }                                                                                              \
    NEXT(name)

#define DEFINE(name, sched)            START(name, sched, false)
#define DEFINE_RT(name, sched)         START_RT(name, false)
#define DEFINE_ORDERED(name, sched)    START(name, sched, true)
#define DEFINE_ORDERED_RT(name, sched) START_RT(name, true)
GOMP_SCHEDULES(DEFINE, DEFINE_RT)
GOMP_ORDERED_SCHEDULES(DEFINE_ORDERED, DEFINE_ORDERED_RT)

bool GOMP_loop_start(long start, long end, long incr, long sched, long chunk, long *istart,
                     long *iend, uintptr_t *reductions, void **mem)
{
    return start_long(start, end, incr, sched, chunk, false, istart, iend, reductions, mem,
                      OMP_CALLER());
}

bool GOMP_loop_ordered_start(long start, long end, long incr, long sched, long chunk, long *istart,
                             long *iend, uintptr_t *reductions, void **mem)
{
    return start_long(start, end, incr, sched, chunk, true, istart, iend, reductions, mem,
                      OMP_CALLER());
}

bool GOMP_loop_ull_start(bool up, gomp_ull start, gomp_ull end, gomp_ull incr, long sched,
                         gomp_ull chunk, gomp_ull *istart, gomp_ull *iend, uintptr_t *reductions,
                         void **mem)
{
    return start_ull(up, start, end, incr, sched, chunk, false, istart, iend, reductions, mem,
                     OMP_CALLER());
}

bool GOMP_loop_ull_ordered_start(bool up, gomp_ull start, gomp_ull end, gomp_ull incr, long sched,
                                 gomp_ull chunk, gomp_ull *istart, gomp_ull *iend,
                                 uintptr_t *reductions, void **mem)
{
    return start_ull(up, start, end, incr, sched, chunk, true, istart, iend, reductions, mem,
                     OMP_CALLER());
}

void GOMP_loop_end(void)
{
    omp_team_barrier(omp_self(), OMP_CALLER());
}

bool GOMP_loop_end_cancel(void)
{
    return omp_team_barrier_cancel(omp_self(), OMP_CALLER());
}

void GOMP_loop_end_nowait(void)
{
    /* Work shares are recycled when the last thread steps past them. */
}

/* ---- combined regions: the work share is made before the threads start ------------ */

static void parallel_loop(gomp_fn *fn, void *data, unsigned num_threads, long start, long end,
                          long incr, long chunk, unsigned sched, const void *caller)
{
    struct omp_loop loop;
    struct omp_thread *thr = omp_self();
    init_long(&loop, start, end, incr);
    loop_schedule(thr, &loop, (long)sched);
    if (sched == OMP_RUNTIME)
        chunk = thr->s.task->icv.chunk;
    loop.r.l.chunk = (unsigned long)(chunk > 0 ? chunk : loop.sched != OMP_STATIC);
    omp_parallel(fn, data, num_threads, &loop, NULL, NULL, caller);
}

#define PARALLEL(name, sched)                                                                      \
    GOMP_PARALLEL_LOOP(name)                                                                       \
    {                                                                                              \
        (void)flags;                                                                               \
        parallel_loop(fn, data, num_threads, start, end, incr, chunk, sched, OMP_CALLER());        \
    }
#define PARALLEL_RT(name, sched)                                                                   \
    GOMP_PARALLEL_LOOP_RT(name)                                                                    \
    {                                                                                              \
        (void)flags;                                                                               \
        parallel_loop(fn, data, num_threads, start, end, incr, 0, sched, OMP_CALLER());            \
    }
GOMP_SCHEDULES(PARALLEL, PARALLEL_RT)

/* ---- doacross -------------------------------------------------------------------- */

/*
 * Dependences between iterations of a collapsed nest whose outer loop is distributed. One word per
 * outer iteration counts the inner iterations (in lexicographic order) that are posted: a sink
 * waits until the word of its outer iteration exceeds it.
 */
static struct omp_doacross *doacross_new(unsigned dims)
{
    struct omp_doacross *d = calloc(1, sizeof(*d));
    gomp_ull *counts = calloc(dims, sizeof(*counts));
    if (!d || !counts)
        omp_fatal("out of memory for an ordered loop nest", NULL);
    d->dims = dims;
    d->counts = counts;
    return d;
}

static void doacross_alloc(struct omp_doacross *d)
{
    gomp_ull inner = 1;
    for (unsigned i = 1; i < d->dims; i++)
        inner *= d->counts[i];
    if (inner >= UINT32_MAX || d->counts[0] >= SIZE_MAX / sizeof(uint32_t))
        omp_fatal("ordered loop nest with too many iterations", NULL);
    d->progress = calloc((size_t)(d->counts[0] ? d->counts[0] : 1), sizeof(uint32_t));
    if (!d->progress)
        omp_fatal("out of memory for an ordered loop nest", NULL);
}

static void doacross_done(struct omp_doacross *d, uint32_t inner, gomp_ull outer, struct omp_ws *ws)
{
    __atomic_store_n(&d->progress[outer], inner + 1, __ATOMIC_SEQ_CST);
    omp_event_signal(&ws->ev, UINT_MAX);
}

static void doacross_until(struct omp_doacross *d, uint32_t inner, gomp_ull outer,
                           struct omp_ws *ws, const void *caller)
{
    uint32_t *progress = &d->progress[outer];
    unsigned spin = omp_spin_budget(MPJ_WAIT_OMP_ORDERED);
    while (__atomic_load_n(progress, __ATOMIC_ACQUIRE) <= inner) {
        if (spin > 0) {
            struct omp_spin poll;
            omp_spin_begin(&poll, spin, MPJ_WAIT_OMP_ORDERED, ws, caller);
            while (__atomic_load_n(progress, __ATOMIC_ACQUIRE) <= inner && omp_spin(&poll))
                ;
            spin = omp_spin_end(&poll);
            continue;
        }
        uint32_t seq = omp_event_prepare(&ws->ev);
        if (__atomic_load_n(progress, __ATOMIC_SEQ_CST) <= inner)
            omp_event_sleep(&ws->ev, seq, MPJ_WAIT_OMP_ORDERED, ws, caller);
        else
            omp_event_cancel(&ws->ev);
    }
}

#define DOACROSS(type, prefix, start_fn, suffix, arg)                                              \
    static bool prefix##_begin(unsigned ncounts, type *counts, long sched, type chunk,             \
                               type *istart, type *iend, uintptr_t *reductions, void **mem,        \
                               const void *caller)                                                 \
    {                                                                                              \
        struct omp_loop loop;                                                                      \
        struct omp_doacross *d = doacross_new(ncounts);                                            \
        for (unsigned i = 0; i < ncounts; i++)                                                     \
            d->counts[i] = (gomp_ull)counts[i];                                                    \
        memset(&loop, 0, sizeof(loop));                                                            \
        range_init_##suffix(&loop, true, 0, (arg)counts[0], 1, counts[0] == 0);                    \
        return loop_start_##suffix(&loop, (arg)chunk, false, (arg *)istart, (arg *)iend,           \
                                   reductions, mem, d, sched & 0xff, caller);                      \
    }                                                                                              \
    bool start_fn##_static_start(unsigned ncounts, type *counts, type chunk, type *istart,         \
                                 type *iend)                                                       \
    {                                                                                              \
        return prefix##_begin(ncounts, counts, OMP_STATIC, chunk, istart, iend, NULL, NULL,        \
                              OMP_CALLER());                                                       \
    }                                                                                              \
    bool start_fn##_dynamic_start(unsigned ncounts, type *counts, type chunk, type *istart,        \
                                  type *iend)                                                      \
    {                                                                                              \
        return prefix##_begin(ncounts, counts, OMP_DYNAMIC, chunk, istart, iend, NULL, NULL,       \
                              OMP_CALLER());                                                       \
    }                                                                                              \
    bool start_fn##_guided_start(unsigned ncounts, type *counts, type chunk, type *istart,         \
                                 type *iend)                                                       \
    {                                                                                              \
        return prefix##_begin(ncounts, counts, OMP_GUIDED, chunk, istart, iend, NULL, NULL,        \
                              OMP_CALLER());                                                       \
    }                                                                                              \
    bool start_fn##_runtime_start(unsigned ncounts, type *counts, type *istart, type *iend)        \
    {                                                                                              \
        return prefix##_begin(ncounts, counts, OMP_RUNTIME, 0, istart, iend, NULL, NULL,           \
                              OMP_CALLER());                                                       \
    }                                                                                              \
    bool start_fn##_start(unsigned ncounts, type *counts, long sched, type chunk, type *istart,    \
                          type *iend, uintptr_t *reductions, void **mem)                           \
    {                                                                                              \
        return prefix##_begin(ncounts, counts, sched, chunk, istart, iend, reductions, mem,        \
                              OMP_CALLER());                                                       \
    }
DOACROSS(long, doacross, GOMP_loop_doacross, l, unsigned long)
DOACROSS(gomp_ull, doacross_ull, GOMP_loop_ull_doacross, u, gomp_ull)

#define DOACROSS_SYNC(type, post, wait)                                                            \
    void post(type *counts)                                                                        \
    {                                                                                              \
        struct omp_thread *thr = omp_self();                                                       \
        struct omp_ws *ws = thr->s.loop.ws;                                                        \
        struct omp_doacross *d = ws->doacross;                                                     \
        gomp_ull inner = 0;                                                                        \
        for (unsigned i = 1; i < d->dims; i++)                                                     \
            inner = inner * d->counts[i] + (gomp_ull)counts[i];                                    \
        doacross_done(d, (uint32_t)inner, (gomp_ull)counts[0], ws);                                \
    }                                                                                              \
    void wait(type first, ...)                                                                     \
    {                                                                                              \
        struct omp_thread *thr = omp_self();                                                       \
        struct omp_ws *ws = thr->s.loop.ws;                                                        \
        struct omp_doacross *d = ws->doacross;                                                     \
        gomp_ull inner = 0;                                                                        \
        va_list args;                                                                              \
        va_start(args, first);                                                                     \
        for (unsigned i = 1; i < d->dims; i++)                                                     \
            inner = inner * d->counts[i] + (gomp_ull)va_arg(args, type);                           \
        va_end(args);                                                                              \
        /* A single thread has done all earlier iterations already. */                             \
        if (thr->s.team->n > 1)                                                                    \
            doacross_until(d, (uint32_t)inner, (gomp_ull)first, ws, OMP_CALLER());                 \
    }
DOACROSS_SYNC(long, GOMP_doacross_post, GOMP_doacross_wait)
DOACROSS_SYNC(gomp_ull, GOMP_doacross_ull_post, GOMP_doacross_ull_wait)

/* ---- entering a loop ------------------------------------------------------------- */

void omp_loop_enter(struct omp_thread *thr, struct omp_loop *loop, uintptr_t *reductions,
                    void **mem, struct omp_doacross *doacross)
{
    bool shared = loop->sched != OMP_STATIC || loop->ordered || reductions || mem || doacross;
    if (!shared) {
        thr->s.loop = *loop;
        return;
    }
    struct omp_ws *ws = omp_ws_enter(thr, loop, mem ? (size_t)(uintptr_t)*mem : 0, doacross);
    thr->s.loop = ws->loop;
    if (doacross && ws->doacross != doacross) {
        free(doacross->counts); /* another thread allocated them first */
        free(doacross);
    }
    if (mem)
        *mem = ws->mem;
    if (reductions)
        omp_workshare_reductions(thr, reductions, ws);
}

void omp_doacross_start(struct omp_doacross *d)
{
    doacross_alloc(d);
}
