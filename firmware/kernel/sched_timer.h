/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Deadlines and time slices of the scheduler, on the private timers of the cores. Times are ticks
 * of hal_sys_ticks(). A core's timer runs only while its thread has a time slice or the core has
 * taken over the next deadline; it may fire early, never late.
 *
 * The scheduler's lock is held, unless said otherwise.
 */
#ifndef MPJ_SCHED_TIMER_H
#define MPJ_SCHED_TIMER_H

#include <stdint.h>

#include "core.h"
#include "hal_sys.h"

/* Sets the time slice to MPJ_SLICE_TICKS, marks all timers as stopped, and attaches the handlers of
 * the private timer and of MPJ_SGI_SCHED. Once, by core 0, before there are threads. */
void mpj_sched_timer_init(void);
/* Arms the calling core's timer for a deadline, unless a core's timer fires by then anyway.
 * MPJ_NEVER: does nothing. */
void mpj_sched_need_timer_locked(uint64_t deadline);
/* Begins a time slice of the thread on the calling core, whose state `me` is. */
void mpj_sched_begin_slice_locked(struct sched_core *me);

/* Returns the time that is `us` microseconds from now. Any context. */
static inline uint64_t mpj_sched_ticks_after_us(uint32_t us)
{
    return hal_sys_ticks() + hal_sys_ticks_of_us(us);
}

#endif
