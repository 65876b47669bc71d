/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Watchdog of the board, if it has one (BOARD_WATCHDOG_HZ): resets the board unless it is fed. One
 * for the whole board; callable from any core and from interrupt handlers, by one caller at a time.
 */
#ifndef HAL_WATCHDOG_H
#define HAL_WATCHDOG_H

#include <stdint.h>

#define HAL_WATCHDOG_MS_MAX 300000U

/* Starts or restarts it: the board is reset `ms` milliseconds (2..HAL_WATCHDOG_MS_MAX) after the
 * last call of this function or of hal_watchdog_feed(). The reset itself is inferred (hal_map.h).
 */
void hal_watchdog_start(uint32_t ms);

/* Restarts the timeout; no effect while stopped. */
void hal_watchdog_feed(void);

/* Stops the watchdog and clears its pending interrupt. */
void hal_watchdog_stop(void);

#endif
