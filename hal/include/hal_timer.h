/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two down-counters of the executing core, both clocked at half the core clock:
 * the private timer (interrupt ID 29) and the watchdog in timer mode (ID 30).
 * They act on the calling core; callable from its interrupt handlers.
 */
#ifndef HAL_TIMER_H
#define HAL_TIMER_H

#include <stdbool.h>
#include <stdint.h>

enum hal_timer { HAL_TIMER_PRIVATE = 0, HAL_TIMER_SECOND = 1 };

/* Ticks per second, both timers. */
uint32_t hal_timer_hz(void);

/* Starts: the first interrupt comes `ticks` from now (at least 1), then one every `ticks` when
 * periodic. The watchdog is switched to timer mode: it never resets the chip. */
void hal_timer_start(enum hal_timer t, uint32_t ticks, bool periodic);
/* Stops, and takes an interrupt not served yet away. */
void hal_timer_stop(enum hal_timer t);
/* Ticks left of the present period. */
uint32_t hal_timer_left(enum hal_timer t);
/* True when the period has ended since the last hal_timer_clear(). */
bool hal_timer_fired(enum hal_timer t);
/* Acknowledges the end of the period (the interrupt goes away). */
void hal_timer_clear(enum hal_timer t);

#endif
