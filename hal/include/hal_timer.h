/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two down-counters of the executing core (DDI 0360, "MPCore Private Memory Region"): the private
 * timer, and the core's private watchdog, which is only ever used as a second timer. Both count at
 * half the core clock. Every function acts on the calling core and may be called from its interrupt
 * handlers.
 */
#ifndef HAL_TIMER_H
#define HAL_TIMER_H

#include <stdbool.h>
#include <stdint.h>

/* Timers of a core; their interrupts are HAL_IRQ_PRIVATE_TIMER and HAL_IRQ_SECOND_TIMER
 * (hal_gic.h). */
enum hal_timer { HAL_TIMER_PRIVATE = 0, HAL_TIMER_SECOND = 1 };

/* Returns the ticks per second of both timers. */
uint32_t hal_timer_hz(void);

/* Starts a timer, its interrupt enabled: it fires `ticks` (at least 1) from now, and every `ticks`
 * if periodic. The second timer is switched to timer mode first: it never resets the chip. */
void hal_timer_start(enum hal_timer t, uint32_t ticks, bool periodic);

/* Makes a periodic timer of `period` ticks, which has fired some ticks ago or was just started,
 * fire `ticks` (at least 1) after that moment, or at once if it has passed, and then in its period
 * again. Each call delays it by the few ticks that the call takes. */
void hal_timer_again(enum hal_timer t, uint32_t period, uint32_t ticks);

/* Stops the timer and clears its pending interrupt. */
void hal_timer_stop(enum hal_timer t);

/* Returns the ticks until it fires next. */
uint32_t hal_timer_left(enum hal_timer t);

/* Returns true if it has fired since hal_timer_start() or the last hal_timer_clear(). */
bool hal_timer_fired(enum hal_timer t);

/* Acknowledges that it has fired; its interrupt is no longer pending. */
void hal_timer_clear(enum hal_timer t);

#endif
