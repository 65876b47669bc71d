/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Placing threads on cores. Kernel code: no VFP. */
#include <stddef.h>

#include "core.h"
#include "hal_gic.h"
#include "mpj_irq.h"
#include "sched_timer.h"

void mpj_sched_poke_locked(unsigned core)
{
    mpj_sched.core[core].resched = true;
    hal_gic_send(MPJ_SGI_SCHED, 1U << core);
}

/* Returns one of the idle cores of the mask: the one where t last ran, if it is among them. */
static unsigned pick_idle(const struct mpj_thread *t, uint32_t idle)
{
    if ((idle & (1U << t->core)) != 0)
        return t->core;
    return (unsigned)__builtin_ctz(idle);
}

/* Returns the core with the least urgent thread among those that t may preempt; HAL_CORES_MAX:
 * there is none. */
static unsigned least_urgent(const struct mpj_thread *t, uint32_t may)
{
    unsigned lowest = HAL_CORES_MAX;

    for (; may != 0; may &= may - 1U) {
        unsigned i = (unsigned)__builtin_ctz(may);
        const struct sched_core *c = &mpj_sched.core[i];

        if (c->cur->id == 0 || c->resched || c->cur->run.priority >= t->run.priority)
            continue;
        if (lowest == HAL_CORES_MAX ||
            c->cur->run.priority < mpj_sched.core[lowest].cur->run.priority)
            lowest = i;
    }
    return lowest;
}

/* Lets t preempt a less urgent thread; if there is none, begins a time slice on each core of the
 * mask whose thread has the priority of t and had the core for itself. */
static void preempt_or_share(const struct mpj_thread *t, uint32_t may)
{
    if (t->run.priority != 0) {
        unsigned lowest = least_urgent(t, may);

        if (lowest < HAL_CORES_MAX) {
            mpj_sched_poke_locked(lowest);
            return;
        }
    }
    for (uint32_t left = may & mpj_sched.alone; left != 0; left &= left - 1U) {
        unsigned i = (unsigned)__builtin_ctz(left);
        struct sched_core *c = &mpj_sched.core[i];

        if (c->cur->run.priority != t->run.priority)
            continue;
        if (i == hal_cpu_id()) {
            mpj_sched_begin_slice_locked(c);
        } else {
            mpj_sched.alone &= ~(1U << i);
            c->want_slice = true;
            hal_gic_send(MPJ_SGI_SCHED, 1U << i);
        }
    }
}

void mpj_sched_place_locked(struct mpj_thread *t)
{
    uint32_t may = t->run.affinity & mpj_sched.active;
    uint32_t idle = may & mpj_sched.idle;

    t->state = MPJ_THREAD_READY;
    mpj_runq_put(&mpj_sched.runq, &t->run);
    if (idle != 0) {
        unsigned core = pick_idle(t, idle);

        mpj_sched.idle &= ~(1U << core);
        mpj_sched.core[core].called = true;
        mpj_sched.called++;
        mpj_sched_poke_locked(core);
        return;
    }
    preempt_or_share(t, may);
}

bool mpj_sched_all_wait_locked(void)
{
    if (mpj_sched.live == 0 || mpj_sched.runq.count != 0 ||
        mpj_timeq_first(&mpj_sched.timeq) != NULL)
        return false;
    for (unsigned i = 0; i < HAL_CORES_MAX; i++) {
        if (mpj_sched.core[i].cur->id != 0)
            return false;
    }
    return true;
}

bool mpj_rt_oversubscribed(void)
{
    return mpj_sched_oversubscribed();
}
