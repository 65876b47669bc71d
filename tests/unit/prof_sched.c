/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the profile of threads wants of the scheduler: one thread of control; and the clock without
 * its short cut, for the fake's cycles and ticks have nothing to do with each other. */
#include "hal_sys.h"
#include "mpj_lock.h"
#include "mpj_prof.h"

hal_irq_state mpj_sched_lock(void)
{
    return hal_irq_save();
}

void mpj_sched_unlock(hal_irq_state s)
{
    hal_irq_restore(s);
}

uint64_t mpj_prof_ticks(unsigned core)
{
    (void)core;
    return hal_sys_ticks();
}

uint64_t mpj_prof_ticks_at(unsigned core, uint32_t ccnt)
{
    (void)ccnt;
    return mpj_prof_ticks(core);
}

void mpj_prof_ticks_stop(unsigned core)
{
    (void)core;
}
