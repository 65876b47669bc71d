/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A board without a watchdog, or without a driver for it. */
#include "hal_watchdog.h"

void hal_watchdog_start(uint32_t ms)
{
    (void)ms;
}

void hal_watchdog_feed(void)
{
}

void hal_watchdog_stop(void)
{
}
