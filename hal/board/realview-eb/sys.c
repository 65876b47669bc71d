/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System registers of the baseboard: HBI-0140. */
#include "hal_sys.h"

#include "hal_cpu.h"
#include "hal_hot.h"
#include "hal_io.h"
#include "hal_map.h"

#define LOCK_KEY  0xa05fU
#define RESET_REQ 0x0008U /* as Linux writes it on the MPCore tile */

/* A recent value of hal_sys_ticks(), its low word in step with the hardware counter. */
static uint64_t ticks_last;

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

void hal_sys_led(unsigned n, int on)
{
    uint32_t v = hal_io_read32(BOARD_SYS_LED) & ~(1U << n);

    hal_io_write32(BOARD_SYS_LED, on ? v | (1U << n) : v);
}

void hal_sys_flags_clear(void)
{
    hal_io_write32(BOARD_SYS_FLAGSCLR, 0xffffffffU);
}

void hal_sys_flags_set(uint32_t value)
{
    hal_io_write32(BOARD_SYS_FLAGS, value);
}

HAL_HOT uint32_t hal_sys_ticks32(void)
{
    return hal_io_read32(BOARD_SYS_24MHZ);
}

void hal_sys_ticks_init(void)
{
    __atomic_store_n(&ticks_last, (uint64_t)hal_sys_ticks32(), __ATOMIC_RELAXED);
}

HAL_HOT uint64_t hal_sys_ticks(void)
{
    uint64_t last = __atomic_load_n(&ticks_last, __ATOMIC_RELAXED);
    uint32_t low = hal_sys_ticks32();
    /* Signed: another core may have stored a value newer than the counter read here. */
    int32_t step = (int32_t)(low - (uint32_t)last);
    uint64_t now = last + (uint64_t)(int64_t)step;

    /* The stored value only has to be fresh enough that step cannot overflow: refreshing it every
     * 2.8 s keeps this function free of stores, and cores from sharing a line they write. */
    if (step > 0x4000000)
        (void)__atomic_compare_exchange_n(&ticks_last, &last, now, false, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED);
    return now;
}

void hal_sys_reset(void)
{
    hal_io_write32(BOARD_SYS_LOCK, LOCK_KEY);
    hal_io_write32(BOARD_SYS_RESETCTL, RESET_REQ);
    hal_dsb();
}
