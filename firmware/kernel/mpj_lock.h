/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scheduler's lock. */
#ifndef MPJ_LOCK_H
#define MPJ_LOCK_H

#include "hal_cpu.h"

/* Takes the lock and masks IRQ; returns the mask as it was before. Any context that does not hold
 * it. */
hal_irq_state mpj_sched_lock(void);
/* Releases the lock and restores the mask. */
void mpj_sched_unlock(hal_irq_state s);

#endif
