/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Taskloops: divide a loop into tasks. The bounds are the first two words of the arguments. */
#include "omp_int.h"
#include <stddef.h>

struct plan {
    gomp_ull n;     /* iterations */
    gomp_ull tasks; /* number of tasks */
    gomp_ull size;  /* iterations of the smaller tasks */
    gomp_ull extra; /* the first `extra` tasks have one more */
    bool strict;    /* all but the last have exactly `size` */
};

static struct plan make_plan(const struct omp_thread *thr, gomp_ull n, unsigned flags,
                             gomp_ull asked)
{
    struct plan plan = {.n = n};
    if (flags & OMP_TASK_GRAINSIZE) {
        gomp_ull grain = asked ? asked : 1;
        if (flags & OMP_TASK_STRICT) {
            plan.strict = true;
            plan.size = grain;
            plan.tasks = (n - 1) / grain + 1;
            return plan;
        }
        plan.tasks = n / grain; /* each then has grain..2*grain-1 */
    } else {
        plan.tasks = asked ? asked : thr->s.team->n;
    }
    if (plan.tasks > n)
        plan.tasks = n;
    if (plan.tasks == 0)
        plan.tasks = 1;
    plan.size = n / plan.tasks;
    plan.extra = n % plan.tasks;
    return plan;
}

static gomp_ull plan_length(const struct plan *plan, gomp_ull task, gomp_ull done)
{
    if (plan->strict)
        return plan->n - done < plan->size ? plan->n - done : plan->size;
    return plan->size + (task < plan->extra);
}

struct bounds_l {
    long start, end;
};
struct bounds_u {
    gomp_ull start, end;
};

static void edit_l(void *arg, const void *context)
{
    *(struct bounds_l *)arg = *(const struct bounds_l *)context;
}

static void edit_u(void *arg, const void *context)
{
    *(struct bounds_u *)arg = *(const struct bounds_u *)context;
}

/* Layout of the arguments with reduction data, which follows the bounds. */
struct head_l {
    struct bounds_l bounds;
    uintptr_t *reductions;
};
struct head_u {
    struct bounds_u bounds;
    uintptr_t *reductions;
};

struct taskloop {
    unsigned flags;
    bool group;
    struct omp_taskgroup own;
};

/* Begins a taskloop; false: it has no iterations (the compiler's code then reads word 2 of the
 * reduction data). */
static bool begin(struct omp_thread *thr, struct taskloop *tl, uintptr_t *reductions, gomp_ull n)
{
    if (n == 0) {
        if (reductions)
            reductions[2] = 0;
        return false;
    }
    tl->group = !(tl->flags & OMP_TASK_NOGROUP);
    if (tl->group)
        omp_taskgroup_begin(thr, &tl->own);
    if (reductions)
        GOMP_taskgroup_reduction_register(reductions);
    return true;
}

static struct omp_task_request request(gomp_fn *fn, void *data, void (*cpyfn)(void *, void *),
                                       long arg_size, long arg_align, unsigned flags, int priority)
{
    struct omp_task_request rq = {
        .fn = fn,
        .data = data,
        .cpyfn = cpyfn,
        .size = (size_t)arg_size,
        .align = (size_t)arg_align,
        .deferred = (flags & OMP_TASK_IF) != 0,
        .final = (flags & OMP_TASK_FINAL) != 0,
        .priority = flags & OMP_TASK_PRIORITY ? priority : 0,
    };
    return rq;
}

void GOMP_taskloop(gomp_fn *fn, void *data, void (*cpyfn)(void *, void *), long arg_size,
                   long arg_align, unsigned flags, unsigned long num_tasks, int priority,
                   long start, long end, long step)
{
    struct omp_thread *thr = omp_self();
    struct taskloop tl = {.flags = flags};
    unsigned long first = (unsigned long)start;
    unsigned long last = (unsigned long)end;
    unsigned long by = (unsigned long)step;
    unsigned long n = 0;
    if (step > 0 && start < end)
        n = (last - first - 1) / by + 1;
    else if (step < 0 && start > end)
        n = (first - last - 1) / (0 - by) + 1;
    uintptr_t *reductions = flags & OMP_TASK_REDUCTION ? ((struct head_l *)data)->reductions : NULL;
    if (!begin(thr, &tl, reductions, n))
        return;
    struct plan plan = make_plan(thr, n, flags, num_tasks);
    struct omp_task_request rq = request(fn, data, cpyfn, arg_size, arg_align, flags, priority);
    gomp_ull done = 0;
    for (gomp_ull i = 0; i < plan.tasks; i++) {
        struct bounds_l bounds;
        bounds.start = (long)(first + (unsigned long)done * by);
        done += plan_length(&plan, i, done);
        bounds.end = done == n ? end : (long)(first + (unsigned long)done * by);
        rq.edit = edit_l;
        rq.edit_context = &bounds;
        omp_task_spawn(thr, &rq, OMP_CALLER());
    }
    if (tl.group)
        omp_taskgroup_finish(thr, OMP_CALLER());
}

void GOMP_taskloop_ull(gomp_fn *fn, void *data, void (*cpyfn)(void *, void *), long arg_size,
                       long arg_align, unsigned flags, unsigned long num_tasks, int priority,
                       gomp_ull start, gomp_ull end, gomp_ull step)
{
    struct omp_thread *thr = omp_self();
    struct taskloop tl = {.flags = flags};
    gomp_ull n = 0;
    if (flags & OMP_TASK_UP) {
        if (start < end)
            n = (end - start - 1) / step + 1;
    } else if (start > end) {
        n = (start - end - 1) / (0 - step) + 1;
    }
    uintptr_t *reductions = flags & OMP_TASK_REDUCTION ? ((struct head_u *)data)->reductions : NULL;
    if (!begin(thr, &tl, reductions, n))
        return;
    struct plan plan = make_plan(thr, n, flags, num_tasks);
    struct omp_task_request rq = request(fn, data, cpyfn, arg_size, arg_align, flags, priority);
    gomp_ull done = 0;
    for (gomp_ull i = 0; i < plan.tasks; i++) {
        struct bounds_u bounds;
        bounds.start = start + done * step;
        done += plan_length(&plan, i, done);
        bounds.end = done == n ? end : start + done * step;
        rq.edit = edit_u;
        rq.edit_context = &bounds;
        omp_task_spawn(thr, &rq, OMP_CALLER());
    }
    if (tl.group)
        omp_taskgroup_finish(thr, OMP_CALLER());
}
