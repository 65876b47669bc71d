/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that wait: blocking, spin-waiting, waking. Kernel code: no VFP. */
#include <errno.h>
#include <stddef.h>

#include "core.h"
#include "hal_gic.h"
#include "hal_pmu.h"
#include "mpj_hooks.h"
#include "mpj_records.h"
#include "sched_timer.h"

#define SPIN_CHECK 64U /* polls between two checks */

bool mpj_sched_can_wait(void)
{
    return mpj_sched.on && !mpj_sched.frozen && mpj_thread_self()->id != 0;
}

/* True if another thread may change the object of the wait (mpj_sched_rename_wait_locked()), so
 * that the wait must be noted with the lock held. */
static bool may_change(const struct mpj_wait_info *info)
{
    return info->kind == MPJ_WAIT_COND;
}

/* Lets the profile add up the figures of a spin-waiting thread, unless it was woken meanwhile. */
static void settle(struct mpj_thread *self, unsigned core, bool changes)
{
    if (changes) {
        mpj_sched_lock_masked();
        self->prof.settles = self->spins;
        hal_spin_unlock(&mpj_sched.lock);
        if (!self->prof.settles)
            return;
    }
    mpj_hooks.settle(core, &self->prof);
}

/*
 * Polls for a while, if no other thread needs the core, and returns true if the thread was woken
 * (adaptive spinning): threads that wait for each other briefly save all switches and interrupts
 * between cores. False: the thread must give its core away. Lock held; if true, returns without it.
 * IRQ is masked all the time. The wait is noted without the lock, which the thread that ends it may
 * need next.
 */
static bool spin_locked(struct mpj_thread *self, const struct mpj_wait_info *info)
{
    struct sched_core *me = mpj_sched_my_core();
    unsigned core = hal_cpu_id();
    const bool changes = may_change(info);
    bool woken;

    if (info->kind == MPJ_WAIT_SLEEP || mpj_sched_oversubscribed() || mpj_sched.frozen ||
        me->resched) {
        mpj_hooks.wait_begin(&self->prof, info);
        return false;
    }
    self->spins = true;
    if (changes) {
        mpj_hooks.wait_begin(&self->prof, info);
        self->prof.settles = true;
    }
    hal_spin_unlock(&mpj_sched.lock);
    if (changes)
        mpj_hooks.stay(core, &self->prof);
    else
        mpj_hooks.spin(core, &self->prof, info, hal_pmu_cycles());
    for (unsigned n = 1;
         n < MPJ_WAIT_POLLS && self->spins && !me->resched && !mpj_sched_oversubscribed(); n++) {
        if (n % SPIN_CHECK != 0)
            continue;
        if (n == SPIN_CHECK)
            settle(self, core, changes);
        else if (hal_gic_pending())
            break;
        else
            mpj_hooks.more(core);
    }
    woken = !__atomic_load_n(&self->spins, __ATOMIC_ACQUIRE);
    if (!woken) {
        mpj_sched_lock_masked();
        woken = !self->spins;
        if (!woken) {
            self->spins = false;
            return false;
        }
        hal_spin_unlock(&mpj_sched.lock);
    }
    mpj_hooks.resume(core, &self->prof);
    return true;
}

/* Removes a thread from the queue that it waits in, but not from the deadlines. */
static void leave_queues(struct mpj_thread *t)
{
    if (!mpj_list_empty(&t->wait.link))
        mpj_waitq_remove(&mpj_sched.waitq, &t->wait);
    if (t->joining != NULL) {
        t->joining->joiner = NULL;
        t->joining = NULL;
    }
}

_Static_assert(offsetof(struct mpj_wait_info, owner) == 2U * sizeof(void *),
               "as sim/chip/prof.c reads it");

int mpj_sched_block_locked(const struct mpj_wait_info *info, uint64_t deadline, bool cancel)
{
    struct mpj_thread *self = mpj_thread_self();

    /* Checked with the lock held, so that no request is missed by a thread about to wait. */
    if (cancel && self->cancel_pending && !self->cancel_off) {
        leave_queues(self);
        hal_spin_unlock(&mpj_sched.lock);
        return -ECANCELED;
    }
    if (self->interrupt != NULL && self->hold == 0) {
        leave_queues(self);
        hal_spin_unlock(&mpj_sched.lock);
        return -EINTR;
    }
    self->state = MPJ_THREAD_BLOCKED;
    self->info = *info;
    self->cancel_point = cancel;
    if (deadline != MPJ_NEVER) {
        mpj_timeq_put(&mpj_sched.timeq, &self->time, deadline);
        mpj_sched_need_timer_locked(deadline);
    }
    if (!spin_locked(self, info))
        mpj_sched_give_away();
    return self->result;
}

void mpj_rt_spin_enter(struct mpj_rt_spin *l)
{
    l->irq = hal_irq_save();
    l->since = hal_pmu_cycles();
    l->checks = 0;
}

bool mpj_rt_spin_on(struct mpj_rt_spin *l, const struct mpj_wait_info *info)
{
    struct sched_core *me = mpj_sched_my_core();
    unsigned core = hal_cpu_id();

    if (me->resched || !mpj_sched_can_wait() || mpj_sched_oversubscribed() || hal_gic_pending())
        return false;
    if (l->checks == 0)
        mpj_hooks.spin(core, &mpj_thread_self()->prof, info, l->since);
    else if (l->checks == 1U)
        mpj_hooks.settle(core, &mpj_thread_self()->prof);
    else
        mpj_hooks.more(core);
    l->checks++;
    return true;
}

void mpj_rt_spin_leave(struct mpj_rt_spin *l)
{
    if (l->checks > 0)
        mpj_hooks.resume(hal_cpu_id(), &mpj_thread_self()->prof);
    hal_irq_restore(l->irq);
}

void mpj_sched_wake_locked(struct mpj_thread *t, int result)
{
    leave_queues(t);
    mpj_timeq_remove(&mpj_sched.timeq, &t->time);
    t->result = result;
    t->cancel_point = false;
    if (t->spins) {
        t->state = MPJ_THREAD_RUNNING;
        __atomic_store_n(&t->spins, false, __ATOMIC_RELEASE);
    } else {
        mpj_hooks.wait_end(&t->prof);
        mpj_sched_place_locked(t);
    }
}

void mpj_sched_rename_wait_locked(struct mpj_thread *t, const struct mpj_wait_info *info)
{
    mpj_timeq_remove(&mpj_sched.timeq, &t->time);
    t->cancel_point = false;
    t->info = *info;
    mpj_hooks.wait_end(&t->prof);
    mpj_hooks.wait_begin(&t->prof, info);
}

void mpj_rt_yield(void)
{
    hal_irq_state s;

    if (mpj_sched.runq.count == 0 || !mpj_sched_can_wait())
        return;
    s = mpj_sched_lock();
    mpj_sched_give_away();
    hal_irq_restore(s);
}
