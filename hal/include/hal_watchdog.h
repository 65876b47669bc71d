/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The baseboard's watchdog (SP805): resets the board unless it is fed. One for the whole board;
 * any core may call, also from interrupt handlers, one at a time.
 */
#ifndef HAL_WATCHDOG_H
#define HAL_WATCHDOG_H

#include <stdint.h>

#define HAL_WATCHDOG_MS_MAX 300000U

/* Starts or restarts it: the board is reset `ms` milliseconds after the last call of this or
 * hal_watchdog_feed(). At least 2, at most HAL_WATCHDOG_MS_MAX. */
void hal_watchdog_start(uint32_t ms);
/* Puts the reset off. Nothing happens while it is stopped. */
void hal_watchdog_feed(void);
void hal_watchdog_stop(void);

#endif
