/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private timer, and private watchdog in timer mode, of the executing core: DDI 0360, "MPCore
 * Private Memory Region". */
#include "hal_timer.h"

#include "hal_hot.h"
#include "hal_io.h"
#include "hal_map.h"
#include "hal_sys.h"

#define T_LOAD      0x00U
#define T_COUNT     0x04U
#define T_CONTROL   0x08U
#define T_STATUS    0x0cU
#define WD_DISABLE  0x14U /* from the watchdog's own base */

#define CTRL_ENABLE 1U
#define CTRL_RELOAD 2U
#define CTRL_IRQ    4U

/* This sequence, and nothing else, takes the watchdog out of watchdog mode. */
#define WD_KEY1 0x12345678U
#define WD_KEY2 0x87654321U

static uintptr_t base_of(enum hal_timer t)
{
    return t == HAL_TIMER_PRIVATE ? BOARD_TIMER_BASE : BOARD_TIMER2_BASE;
}

uint32_t hal_timer_hz(void)
{
    return hal_sys_clock_hz() / 2U; /* prescaler 0 */
}

void hal_timer_start(enum hal_timer t, uint32_t ticks, bool periodic)
{
    uintptr_t base = base_of(t);

    hal_timer_stop(t);
    /* The counter passes through zero: a load of n takes n + 1 ticks on the board; QEMU's model
     * agrees for periodic mode. */
    hal_io_write32(base + T_LOAD, ticks - 1U);
    hal_io_write32(base + T_CONTROL, CTRL_ENABLE | CTRL_IRQ | (periodic ? CTRL_RELOAD : 0U));
}

HAL_HOT void hal_timer_again(enum hal_timer t, uint32_t period, uint32_t ticks)
{
    const uintptr_t base = base_of(t);
    const uint32_t past = period - hal_io_read32(base + T_COUNT);

    hal_io_write32(base + T_COUNT, ticks > past ? ticks - past : 1U);
}

void hal_timer_stop(enum hal_timer t)
{
    uintptr_t base = base_of(t);

    if (t == HAL_TIMER_SECOND) {
        hal_io_write32(base + WD_DISABLE, WD_KEY1);
        hal_io_write32(base + WD_DISABLE, WD_KEY2);
    }
    hal_io_write32(base + T_CONTROL, 0);
    hal_io_write32(base + T_STATUS, 1);
}

uint32_t hal_timer_left(enum hal_timer t)
{
    return hal_io_read32(base_of(t) + T_COUNT);
}

bool hal_timer_fired(enum hal_timer t)
{
    return (hal_io_read32(base_of(t) + T_STATUS) & 1U) != 0;
}

HAL_HOT void hal_timer_clear(enum hal_timer t)
{
    hal_io_write32(base_of(t) + T_STATUS, 1);
}
