/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System registers of the baseboard (HBI-0140): identity,
 * LEDs, start flags of the other cores, free-running 24 MHz counter, reset. Callable from any core
 * and from interrupt handlers.
 */
#ifndef HAL_SYS_H
#define HAL_SYS_H

#include <stdint.h>

#define HAL_SYS_TIME_HZ 24000000U /* of SYS_24MHZ */
#define HAL_SYS_LED_RUN 7U        /* LED that is on while the measured program runs */

/* SYS_ID: the board's number in bits [27:16]. */
uint32_t hal_sys_id(void);

/* SYS_PROCID: the tile's number in bits [31:24]. */
uint32_t hal_sys_proc_id(void);

/* Core clock in Hz: what hal_sys_clock_set() was told, before that the tile's of hal_map.h. */
uint32_t hal_sys_clock_hz(void);

/* The clock as it was measured. Once, by core 0, at start. */
void hal_sys_clock_set(uint32_t hz);

/* LED n (0..7) of SYS_LED on or off. Reads, modifies and writes: callers serialise among cores. */
void hal_sys_led(unsigned n, int on);

/* SYS_FLAGSCLR: no entry address for the cores that wait at start. */
void hal_sys_flags_clear(void);

/* SYS_FLAGSSET: sets bits of the entry address that waiting cores jump to when an interrupt wakes
 * them. Cores wait while it is 0. */
void hal_sys_flags_set(uint32_t value);

/* SYS_24MHZ: 32 bits, wraps every 178.9 s. */
uint32_t hal_sys_ticks32(void);

/* Lets hal_sys_ticks() begin at the present value of the counter. Once, by core 0, at start. */
void hal_sys_ticks_init(void);

/* The counter extended to 64 bits, the same on every core (up to the time one read takes). Some
 * core must call it at least every 80 s. */
uint64_t hal_sys_ticks(void);

/* Requests a reset of the board through SYS_RESETCTL. The reset may take effect after the return:
 * call it in a loop. The request's value is Linux's for this tile. */
void hal_sys_reset(void);

#endif
