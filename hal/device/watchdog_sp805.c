/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SP805, DDI 0270: counts down twice; the first zero interrupts, the second resets. */
#include "hal_watchdog.h"

#include "hal_io.h"
#include "hal_map.h"

#define DOG_LOAD    (BOARD_WATCHDOG_BASE + 0x000U)
#define DOG_CONTROL (BOARD_WATCHDOG_BASE + 0x008U)
#define DOG_INTCLR  (BOARD_WATCHDOG_BASE + 0x00cU)
#define DOG_LOCK    (BOARD_WATCHDOG_BASE + 0xc00U)

#define CONTROL_RUN 3U /* counts, resets */
#define LOCK_KEY    0x1acce551U

void hal_watchdog_start(uint32_t ms)
{
    hal_io_write32(DOG_LOCK, LOCK_KEY);
    hal_io_write32(DOG_CONTROL, 0);
    hal_io_write32(DOG_LOAD, BOARD_WATCHDOG_HZ / 1000U * (ms / 2U));
    hal_io_write32(DOG_INTCLR, 1);
    hal_io_write32(DOG_CONTROL, CONTROL_RUN);
    hal_io_write32(DOG_LOCK, 0); /* a stray store does not stop it */
}

void hal_watchdog_feed(void)
{
    hal_io_write32(DOG_LOCK, LOCK_KEY);
    hal_io_write32(DOG_INTCLR, 1);
    hal_io_write32(DOG_LOCK, 0);
}

void hal_watchdog_stop(void)
{
    hal_io_write32(DOG_LOCK, LOCK_KEY);
    hal_io_write32(DOG_CONTROL, 0);
    hal_io_write32(DOG_INTCLR, 1);
    hal_io_write32(DOG_LOCK, 0);
}
