/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions that every board implements in its own way: identity, mark of the measured run, start
 * of the other cores, the free-running counter whose ticks are the unit of all times of a session,
 * reset. Callable from any core and from interrupt handlers.
 */
#ifndef HAL_SYS_H
#define HAL_SYS_H

#include <stdbool.h>
#include <stdint.h>

#include "hal_time.h"
#include <hal_map.h> /* the board's, not a header of this folder */

#define HAL_SYS_TIME_HZ ((uint32_t)BOARD_TIME_HZ) /* ticks a second */

/* Interval at which some core must at least call hal_sys_ticks(), or the 64-bit count loses a
 * period of the counter: a quarter of that period. */
#define HAL_SYS_LOOK_US                                                                            \
    ((uint32_t)(((uint64_t)1 << (BOARD_TIME_BITS - 2)) * 1000000U / HAL_SYS_TIME_HZ))

/* Returns the number of the board, if it has a register for that; else 0. SYS_ID of a RealView
 * board: the board's number in bits [27:16]. */
uint32_t hal_sys_id(void);

/* Returns the number of the tile or chip, likewise. SYS_PROCID: the tile's number in bits
 * [31:24]. */
uint32_t hal_sys_proc_id(void);

/* Returns the core clock in Hz: the value given to hal_sys_clock_set(), before that call the
 * nominal one. */
uint32_t hal_sys_clock_hz(void);

/* Sets the clock as it was measured. Once, by core 0, at start. */
void hal_sys_clock_set(uint32_t hz);

/* Shows whether the measured program runs: the board's mark (tile_mark_kind), which opens the
 * emulator's window of the truth. No effect on a board without one. Callers serialise among cores.
 */
void hal_sys_running(bool on);

/* Clears the entry address for cores that wait at start: one that wakes up continues to wait. */
void hal_sys_start_none(void);

/* Lets a waiting core begin at an address as soon as software interrupt 0 reaches it. On a board
 * with TILE_START_FLAGS that is every waiting core. */
void hal_sys_start(unsigned core, uint32_t entry);

/* Returns the low 32 bits of the count. */
uint32_t hal_sys_ticks32(void);

/* Starts the count of hal_sys_ticks() at the present value of the counter. Once, by core 0, at
 * start. */
void hal_sys_ticks_init(void);

/* Returns the counter extended to 64 bits and counting up, the same on every core (up to the time
 * one read takes). Some core must call it at least every HAL_SYS_LOOK_US. */
uint64_t hal_sys_ticks(void);

/* Reads the clock, for code that runs for long without doing so: no effect unless the counter is
 * narrow. */
static inline void hal_sys_look(void)
{
    if (BOARD_TIME_BITS < 32)
        (void)hal_sys_ticks();
}

/* Converts ticks of the time base to nanoseconds, rounded down. */
static inline __attribute__((always_inline)) uint64_t hal_sys_ns(uint64_t ticks)
{
    return hal_time_to_ns(HAL_SYS_TIME_HZ, ticks);
}

/* Converts microseconds to ticks, rounded down. */
static inline __attribute__((always_inline)) uint64_t hal_sys_ticks_of_us(uint32_t us)
{
    return hal_time_of_us(HAL_SYS_TIME_HZ, us);
}

/* Requests a reset of the board. It may take effect after the return: call it in a loop. */
void hal_sys_reset(void);

#endif
