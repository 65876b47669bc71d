/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cancellation (OMP_CANCELLATION=true). The threads of a cancelled region leave at their next
 * cancellation point or cancellable barrier and meet in the region's last barrier. Threads may
 * leave cancellable barriers at any time, so these barriers have counters of their own: in a region
 * that can be cancelled, the compiler makes every barrier but the last a cancellable one.
 */
#include "omp_int.h"
#include <limits.h>

enum { CANCEL_PARALLEL = 1, CANCEL_LOOP = 2, CANCEL_SECTIONS = 4, CANCEL_TASKGROUP = 8 };

static bool cancelled(struct omp_team *team)
{
    return __atomic_load_n(&team->cancelled, __ATOMIC_SEQ_CST);
}

/* Returns the innermost task group of the program itself: skips those that constructs made for
 * their task reductions. */
static struct omp_taskgroup *cancellable(struct omp_taskgroup *group)
{
    while (group && group->workshare && group->prev)
        group = group->prev;
    return group;
}

bool omp_task_cancelled(const struct omp_task *task)
{
    struct omp_taskgroup *group = cancellable(task->group);

    return cancelled(task->team) || (group && __atomic_load_n(&group->cancelled, __ATOMIC_ACQUIRE));
}

/* Opens the barrier, once, if all threads have arrived and no task is left. */
static void try_open(struct omp_thread *thr, struct omp_team *team, uint32_t gen)
{
    omp_lock(&team->ws_lock, thr->id, MPJ_WAIT_OMP_CRITICAL, NULL);
    bool open = team->met_gen == gen && team->met == team->n &&
                __atomic_load_n(&team->tasks, __ATOMIC_SEQ_CST) == 0;
    if (open) {
        team->met = 0;
        team->work_cancelled = false;
        __atomic_store_n(&team->met_gen, gen + 1, __ATOMIC_SEQ_CST);
    }
    omp_unlock(&team->ws_lock);
    if (open)
        omp_event_signal(&team->ev, UINT_MAX);
}

/* True if the thread must stop waiting: the barrier is open or can be opened by the caller, the
 * region is cancelled, or there is a task to run. */
static bool worth_waking(struct omp_team *team, uint32_t gen)
{
    return __atomic_load_n(&team->met_gen, __ATOMIC_SEQ_CST) != gen || cancelled(team) ||
           __atomic_load_n(&team->queued, __ATOMIC_SEQ_CST) != 0 ||
           (__atomic_load_n(&team->met, __ATOMIC_SEQ_CST) == team->n &&
            __atomic_load_n(&team->tasks, __ATOMIC_SEQ_CST) == 0);
}

bool omp_team_barrier_cancel(struct omp_thread *thr, const void *caller)
{
    struct omp_team *team = thr->s.team;
    if (cancelled(team))
        return true;
    /* Cannot change before this thread has arrived. */
    uint32_t gen = __atomic_load_n(&team->met_gen, __ATOMIC_RELAXED);
    __atomic_add_fetch(&team->met, 1, __ATOMIC_SEQ_CST);
    unsigned spin = omp_spin_budget(MPJ_WAIT_OMP_BARRIER);
    for (;;) {
        if (cancelled(team))
            return true;
        if (__atomic_load_n(&team->met_gen, __ATOMIC_ACQUIRE) != gen)
            return false;
        if (omp_task_run_one(thr))
            continue;
        try_open(thr, team, gen);
        if (spin > 0) {
            struct omp_spin poll;
            omp_spin_begin(&poll, spin, MPJ_WAIT_OMP_BARRIER, team, caller);
            while (!worth_waking(team, gen) && omp_spin(&poll))
                ;
            spin = omp_spin_end(&poll);
            continue;
        }
        uint32_t seq = omp_event_prepare(&team->ev);
        if (!worth_waking(team, gen))
            omp_event_sleep(&team->ev, seq, MPJ_WAIT_OMP_BARRIER, team, caller);
        else
            omp_event_cancel(&team->ev);
    }
}

bool GOMP_barrier_cancel(void)
{
    return omp_team_barrier_cancel(omp_self(), OMP_CALLER());
}

bool GOMP_cancellation_point(int which)
{
    const struct omp_thread *thr = omp_self();
    struct omp_team *team = thr->s.team;
    if (!omp_config.cancellation)
        return false;
    if (which & (CANCEL_LOOP | CANCEL_SECTIONS))
        return __atomic_load_n(&team->work_cancelled, __ATOMIC_ACQUIRE) || cancelled(team);
    if (which & CANCEL_TASKGROUP)
        return omp_task_cancelled(thr->s.task);
    return cancelled(team);
}

bool GOMP_cancel(int which, bool do_cancel)
{
    struct omp_thread *thr = omp_self();
    struct omp_team *team = thr->s.team;
    if (!do_cancel || !omp_config.cancellation)
        return GOMP_cancellation_point(which);
    if (which & (CANCEL_LOOP | CANCEL_SECTIONS)) {
        __atomic_store_n(&team->work_cancelled, true, __ATOMIC_RELEASE);
    } else if (which & CANCEL_TASKGROUP) {
        struct omp_taskgroup *group = cancellable(thr->s.task->group);
        if (group)
            __atomic_store_n(&group->cancelled, true, __ATOMIC_RELEASE);
    } else {
        __atomic_store_n(&team->cancelled, true, __ATOMIC_SEQ_CST);
        omp_event_signal(&team->ev, UINT_MAX);
    }
    return true;
}
