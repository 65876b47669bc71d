/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Snoop control unit and its event monitor: DDI 0360, "MPCore Private Memory Region". */
#include "hal_scu.h"

#include "hal_cpu.h"
#include "hal_hot.h"
#include "hal_io.h"
#include "hal_map.h"

#define SCU_CONTROL    (BOARD_SCU_BASE + 0x00U)
#define SCU_CONFIG     (BOARD_SCU_BASE + 0x04U)
#define SCU_CPU_STATUS (BOARD_SCU_BASE + 0x08U)
#define SCU_INVALIDATE (BOARD_SCU_BASE + 0x0cU)
#define SCU_MON        (BOARD_SCU_BASE + 0x10U)
#define SCU_EVENTS(n)  (BOARD_SCU_BASE + 0x14U + 4U * (n)) /* four selectors a word */
#define SCU_MN(n)      (BOARD_SCU_BASE + 0x1cU + 4U * (n))

#define TAG_WAYS       4U /* of each core, a bit each in SCU_INVALIDATE */
#define CONTROL_ENABLE 1U
#define MON_ENABLE     (1U << 0)
#define MON_RESET      (1U << 1)
#define MON_IRQ_SHIFT  8U
#define MON_FLAG_SHIFT 16U
#define MON_FLAGS      (0xffU << MON_FLAG_SHIFT)
#define MON_ACTIONS    (MON_RESET | MON_FLAGS) /* act when written as one */

unsigned hal_scu_cores(void)
{
    return (hal_scu_config() & 3U) + 1U;
}

uint32_t hal_scu_config(void)
{
    return hal_io_read32(SCU_CONFIG);
}

void hal_scu_invalidate_all(void)
{
    hal_io_write32(SCU_INVALIDATE, (1U << (TAG_WAYS * HAL_CORES_MAX)) - 1U);
}

void hal_scu_enable(void)
{
    hal_io_write32(SCU_CONTROL, hal_io_read32(SCU_CONTROL) | CONTROL_ENABLE);
}

void hal_scu_set_power(unsigned core, enum hal_scu_power status)
{
    uint32_t v = hal_io_read32(SCU_CPU_STATUS) & ~(3U << (2U * core));

    hal_io_write32(SCU_CPU_STATUS, v | ((uint32_t)status << (2U * core)));
}

enum hal_scu_power hal_scu_power(unsigned core)
{
    return (enum hal_scu_power)((hal_io_read32(SCU_CPU_STATUS) >> (2U * core)) & 3U);
}

void hal_scu_mon_setup(const uint8_t event[HAL_SCU_COUNTERS], uint8_t irq_mask)
{
    uint32_t sel[2] = {0, 0};

    for (unsigned i = 0; i < HAL_SCU_COUNTERS; i++)
        sel[i / 4U] |= (uint32_t)event[i] << (8U * (i % 4U));
    hal_io_write32(SCU_MON, 0);
    hal_io_write32(SCU_EVENTS(0U), sel[0]);
    hal_io_write32(SCU_EVENTS(1U), sel[1]);
    hal_io_write32(SCU_MON, MON_ACTIONS | ((uint32_t)irq_mask << MON_IRQ_SHIFT));
}

void hal_scu_mon_start(void)
{
    hal_io_write32(SCU_MON, (hal_io_read32(SCU_MON) & ~MON_ACTIONS) | MON_ENABLE);
}

void hal_scu_mon_stop(void)
{
    hal_io_write32(SCU_MON, hal_io_read32(SCU_MON) & ~(MON_ACTIONS | MON_ENABLE));
}

HAL_HOT uint32_t hal_scu_mon_read(unsigned i)
{
    return hal_io_read32(SCU_MN(i));
}

void hal_scu_mon_write(unsigned i, uint32_t value)
{
    hal_io_write32(SCU_MN(i), value);
}

HAL_HOT uint32_t hal_scu_mon_overflow(void)
{
    return (hal_io_read32(SCU_MON) & MON_FLAGS) >> MON_FLAG_SHIFT;
}

void hal_scu_mon_overflow_clear(uint32_t mask)
{
    hal_io_write32(SCU_MON,
                   (hal_io_read32(SCU_MON) & ~MON_ACTIONS) | ((mask & 0xffU) << MON_FLAG_SHIFT));
}

unsigned hal_scu_mon_irq(unsigned i)
{
    return BOARD_IRQ_SCU0 == 0 ? 0 : BOARD_IRQ_SCU0 + i;
}
