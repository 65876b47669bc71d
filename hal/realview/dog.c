/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SP805 watchdog: counts down twice, the second zero resets. */
#include "hal_dog.h"

#include "hal_board.h"
#include "hal_io.h"

#define DOG_LOAD    (BOARD_DOG_BASE + 0x000U)
#define DOG_CONTROL (BOARD_DOG_BASE + 0x008U)
#define DOG_INTCLR  (BOARD_DOG_BASE + 0x00cU)
#define DOG_LOCK    (BOARD_DOG_BASE + 0xc00U)

#define CONTROL_RUN 3U /* counts, resets */
#define LOCK_KEY    0x1acce551U

void hal_dog_start(uint32_t ms)
{
    hal_io_write32(DOG_LOCK, LOCK_KEY);
    hal_io_write32(DOG_CONTROL, 0);
    hal_io_write32(DOG_LOAD, BOARD_DOG_HZ / 1000U * (ms / 2U));
    hal_io_write32(DOG_INTCLR, 1);
    hal_io_write32(DOG_CONTROL, CONTROL_RUN);
    hal_io_write32(DOG_LOCK, 0); /* a stray store does not stop it */
}

void hal_dog_feed(void)
{
    hal_io_write32(DOG_LOCK, LOCK_KEY);
    hal_io_write32(DOG_INTCLR, 1);
    hal_io_write32(DOG_LOCK, 0);
}

void hal_dog_stop(void)
{
    hal_io_write32(DOG_LOCK, LOCK_KEY);
    hal_io_write32(DOG_CONTROL, 0);
    hal_io_write32(DOG_INTCLR, 1);
    hal_io_write32(DOG_LOCK, 0);
}
