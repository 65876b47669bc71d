/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System registers of the RealView boards (HBI-0140 for the EB): identity, LED, start of the cores,
 * reset. */
#include "hal_sys.h"

#include "hal_cpu.h"
#include "hal_hot.h"
#include "hal_io.h"
#include "hal_map.h"

#define LOCK_KEY 0xa05fU

static uint32_t clock_hz = BOARD_CORE_HZ;

uint32_t hal_sys_id(void)
{
    return hal_io_read32(BOARD_SYS_ID);
}

uint32_t hal_sys_proc_id(void)
{
    return hal_io_read32(BOARD_SYS_PROCID);
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
    const uint32_t v = hal_io_read32(BOARD_SYS_LED) & ~(1U << BOARD_LED_RUN);

    hal_io_write32(BOARD_SYS_LED, on ? v | (1U << BOARD_LED_RUN) : v);
}

void hal_sys_start_none(void)
{
    hal_io_write32(BOARD_SYS_FLAGSCLR, 0xffffffffU);
}

void hal_sys_start(unsigned core, uint32_t entry)
{
    (void)core; /* all cores poll the same register */
    hal_io_write32(BOARD_SYS_FLAGS, entry);
}

/* Writes the values of BOARD_RESETS, which Linux writes on the board in this order. */
void hal_sys_reset(void)
{
    static const uint16_t request[] = {BOARD_RESETS};

    hal_io_write32(BOARD_SYS_LOCK, LOCK_KEY);
    for (unsigned i = 0; i < sizeof(request) / sizeof(request[0]); i++)
        hal_io_write32(BOARD_SYS_RESETCTL, request[i]);
    hal_dsb();
}
