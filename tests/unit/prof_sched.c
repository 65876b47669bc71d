/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the profile of threads wants of the scheduler: one thread of control, time of the fake. */
#include "hal_sys.h"
#include "mpj_prof_thread.h"

struct mpj_prof_thread *prof_self;

uint64_t mpj_sched_now_locked(void)
{
    return hal_sys_ticks();
}

hal_irq_state mpj_sched_lock(void)
{
    return hal_irq_save();
}

void mpj_sched_unlock(hal_irq_state s)
{
    hal_irq_restore(s);
}

struct mpj_prof_thread *mpj_sched_prof_self(void)
{
    return prof_self;
}
