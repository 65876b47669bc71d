/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System controller of the OX820: start of core 1 by the boot ROM's pen, mark, reset. */
#include "hal_sys.h"

#include "hal_cpu.h"
#include "hal_hot.h"
#include "hal_io.h"
#include "hal_map.h"

#define GICC_ENABLE 1U

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
    hal_io_write32(BOARD_SYS_MARK, on ? BOARD_SYS_MARK_RUN : 0U);
}

/* Selects core 0, which is never in the pen, and clears the address. */
void hal_sys_start_none(void)
{
    hal_io_write32(BOARD_SYS_PEN_CORE, 0);
    hal_io_write32(BOARD_SYS_PEN, 0);
}

/* Follows the order of Linux, which also interrupts the core last: mpj_smp_start(). */
void hal_sys_start(unsigned core, uint32_t entry)
{
    hal_io_write32(BOARD_SYS_PEN, entry);
    hal_io_write32(BOARD_SYS_PEN_CORE, core);
    hal_io_write32(BOARD_GICC_OF(core), GICC_ENABLE);
    hal_dsb();
}

/* Sets the reset bits, which clear themselves. */
void hal_sys_reset(void)
{
    hal_io_write32(BOARD_SYS_RST_SET, BOARD_RST_SCU | BOARD_RST_ARM0 | BOARD_RST_ARM1);
    hal_dsb();
}
