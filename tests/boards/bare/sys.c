/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hal_sys.h"

#include "hal_hot.h"
#include "hal_io.h"
#include "hal_map.h"

static uint32_t clock_hz = BOARD_CORE_HZ;

uint32_t hal_sys_id(void)
{
    return 0;
}

uint32_t hal_sys_proc_id(void)
{
    return 0;
}

HAL_HOT uint32_t hal_sys_clock_hz(void)
{
    return clock_hz;
}

void hal_sys_clock_set(uint32_t hz)
{
    clock_hz = hz;
}

void hal_sys_running(bool on)
{
    (void)on;
}

void hal_sys_start_none(void)
{
    hal_io_write32(BOARD_SYS_FLAGSCLR, 0xffffffffU);
}

void hal_sys_start(unsigned core, uint32_t entry)
{
    (void)core;
    hal_io_write32(BOARD_SYS_FLAGS, entry);
}

void hal_sys_reset(void)
{
    hal_io_write32(0x10000020U, 0xa05fU);
    hal_io_write32(0x10000040U, 0x8U);
}
