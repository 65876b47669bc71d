/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Deadlines and time slices. Kernel code: no VFP. */
#include "sched_timer.h"

#include <errno.h>
#include <stddef.h>

#include "hal_gic.h"
#include "hal_timer.h"
#include "mpj_irq.h"

#define TIMER_RATIO_ONE 256U /* of timer_ratio */
/* The longest wait that the timer is armed for: so many of its own ticks fit into 32 bits. */
#define TIMER_TICKS_MAX (HAL_SYS_TIME_HZ * (BOARD_CORE_HZ <= 420000000U ? 20U : 8U))

uint64_t mpj_sched_now_locked(void)
{
    if (mpj_sched.now == 0)
        mpj_sched.now = hal_sys_ticks();
    return mpj_sched.now;
}

uint64_t mpj_sched_ticks(uint64_t ns)
{
    return ns > UINT64_MAX / 4U ? MPJ_NEVER : hal_time_of_ns(HAL_SYS_TIME_HZ, ns);
}

uint32_t mpj_sched_slice_ticks(void)
{
    return mpj_sched.slice;
}

void mpj_sched_slice(uint32_t ticks)
{
    mpj_sched.slice = ticks;
}

/* Arms the calling core's timer to fire at `at` or earlier, never later: the handler of an early
 * one finds nothing to do and arms the next. */
static void arm(struct sched_core *me, uint64_t at)
{
    uint64_t now, delta;

    if (at >= me->timer_at)
        return;
    now = mpj_sched_now_locked();
    delta = at > now ? at - now : 1U;
    if (delta > TIMER_TICKS_MAX)
        delta = TIMER_TICKS_MAX;
    me->timer_at = now + delta;
    if (!me->timer_on) {
        hal_gic_enable(HAL_IRQ_PRIVATE_TIMER);
        me->timer_on = true;
    }
    delta = (delta * mpj_sched.timer_ratio + TIMER_RATIO_ONE - 1U) / TIMER_RATIO_ONE;
    hal_timer_start(HAL_TIMER_PRIVATE, (uint32_t)delta, false);
}

void mpj_sched_need_timer_locked(uint64_t deadline)
{
    if (deadline == MPJ_NEVER)
        return;
    for (unsigned i = 0; i < HAL_CORES_MAX; i++) {
        if (mpj_sched.core[i].timer_at <= deadline)
            return;
    }
    arm(mpj_sched_my_core(), deadline);
}

/* Ends the wait of a thread whose deadline has passed. */
static void expire(struct mpj_thread *t)
{
    if (t->state == MPJ_THREAD_BLOCKED) {
        mpj_sched_wake_locked(t, -ETIMEDOUT);
        return;
    }
    /* mpj_spin_us(): the core that resumes the thread checks this. */
    t->spin_over = true;
    if (t->state == MPJ_THREAD_RUNNING && t->core != hal_cpu_id())
        hal_gic_send(MPJ_SGI_SCHED, 1U << t->core);
}

/* Handles the private timer: expires deadlines, ends a time slice, arms the timer again. */
static void on_timer(unsigned id, void *arg)
{
    struct sched_core *me = mpj_sched_my_core();
    struct mpj_timeq_node *n;
    uint64_t now;

    (void)id;
    (void)arg;
    hal_timer_clear(HAL_TIMER_PRIVATE);
    mpj_sched_lock_masked();
    me->timer_at = MPJ_NEVER;
    now = mpj_sched_now_locked();
    while ((n = mpj_timeq_first(&mpj_sched.timeq)) != NULL && n->deadline <= now) {
        mpj_timeq_remove(&mpj_sched.timeq, n);
        expire(MPJ_LIST_ENTRY(n, struct mpj_thread, time));
    }
    mpj_sched_need_timer_locked(mpj_timeq_deadline(&mpj_sched.timeq));
    if (now >= me->slice_end)
        me->slice_over = me->resched = true;
    else if (me->slice_end != MPJ_NEVER)
        arm(me, me->slice_end);
    hal_spin_unlock(&mpj_sched.lock);
}

void mpj_sched_begin_slice_locked(struct sched_core *me)
{
    mpj_sched.alone &= ~(1U << hal_cpu_id());
    if (mpj_sched.slice == 0)
        return;
    me->slice_end = mpj_sched_now_locked() + mpj_sched.slice;
    arm(me, me->slice_end);
}

/* Handles the interrupt of another core that has placed a thread: begins a time slice if that core
 * asked for one. A wish to reschedule is served on the way out (mpj_irq_leave()). */
static void on_sched(unsigned id, void *arg)
{
    struct sched_core *me = mpj_sched_my_core();

    (void)id;
    (void)arg;
    if (!me->want_slice)
        return;
    mpj_sched_lock_masked();
    if (me->want_slice) {
        me->want_slice = false;
        mpj_sched_begin_slice_locked(me);
    }
    hal_spin_unlock(&mpj_sched.lock);
}

void mpj_sched_timer_init(void)
{
    mpj_timeq_init(&mpj_sched.timeq);
    mpj_sched.timer_ratio =
        (uint32_t)((uint64_t)hal_timer_hz() * TIMER_RATIO_ONE / HAL_SYS_TIME_HZ);
    mpj_sched.slice = MPJ_SLICE_TICKS;
    for (unsigned i = 0; i < HAL_CORES_MAX; i++) {
        mpj_sched.core[i].timer_at = MPJ_NEVER;
        mpj_sched.core[i].slice_end = MPJ_NEVER;
    }
    mpj_irq_attach(MPJ_SGI_SCHED, on_sched, NULL);
    mpj_irq_attach(HAL_IRQ_PRIVATE_TIMER, on_timer, NULL);
}
