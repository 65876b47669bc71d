/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The board's system registers: identity, lamps, start flags of the other
 * cores, free-running 24 MHz counter, reset. Callable from any core and from
 * interrupt handlers.
 */
#ifndef HAL_SYS_H
#define HAL_SYS_H

#include <stdint.h>

#define HAL_SYS_TIME_HZ 24000000U
#define HAL_SYS_LED_RUN 7U /* lamp lit while the measured program runs */

/* Board and processor identity (SYS_ID, SYS_PROCID). */
uint32_t hal_sys_id(void);
uint32_t hal_sys_proc_id(void);
/* Core clock of this tile, Hz. */
uint32_t hal_sys_clock_hz(void);

/* Lamp n (0..7) on or off. Not atomic between cores. */
void hal_sys_led(unsigned n, int on);

/* Entry address for cores waiting at start (0: none). */
void hal_sys_flags_clear(void);
void hal_sys_flags_set(uint32_t value);

/* Counter of 24 MHz, 32 bits, wraps every 178.9 s. */
uint32_t hal_sys_ticks32(void);
/* Takes the counter's present value as the start of hal_sys_ticks(). Once, by core 0, at start. */
void hal_sys_ticks_init(void);
/* The same extended to 64 bits, the same on every core (give or take what a core's read takes).
 * Must be called by any core at least every 80 s. */
uint64_t hal_sys_ticks(void);

/* Requests a reset of the board. Returns, if at all, before it takes effect: call in a loop. */
void hal_sys_reset(void);

#endif
