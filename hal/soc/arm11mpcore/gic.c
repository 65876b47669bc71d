/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interrupt distributor and CPU interfaces: DDI 0360, "MPCore Distributed Interrupt Controller". */
#include "hal_gic.h"

#include "hal_cpu.h"
#include "hal_io.h"
#include "hal_map.h"

#define GICD_CTRL        (BOARD_GICD_BASE + 0x000U)
#define GICD_ENABLE(n)   (BOARD_GICD_BASE + 0x100U + 4U * (n))
#define GICD_DISABLE(n)  (BOARD_GICD_BASE + 0x180U + 4U * (n))
#define GICD_PRIORITY(n) (BOARD_GICD_BASE + 0x400U + 4U * (n))
#define GICD_TARGET(id)  (BOARD_GICD_BASE + 0x800U + (id)) /* one byte an interrupt */
#define GICD_CONFIG(n)   (BOARD_GICD_BASE + 0xc00U + 4U * (n))
#define GICD_SGI         (BOARD_GICD_BASE + 0xf00U)

#define GICC_CTRL        (BOARD_GICC_BASE + 0x00U)
#define GICC_PRIORITY    (BOARD_GICC_BASE + 0x04U)
#define GICC_ACK         (BOARD_GICC_BASE + 0x0cU)
#define GICC_END         (BOARD_GICC_BASE + 0x10U)
#define GICC_PENDING     (BOARD_GICC_BASE + 0x18U)

#define CORES_ALL        ((1U << HAL_CORES_MAX) - 1U)

#define NONE_PENDING     1023U

#define PRIORITY_EACH    0xa0a0a0a0U /* same for all: handlers do not nest */
#define PRIORITY_OPEN    0xf0U       /* four bits on this controller */

void hal_gic_dist_init(void)
{
    hal_io_write32(GICD_CTRL, 0);
    for (unsigned n = 1; n < HAL_GIC_IDS / 32U; n++)
        hal_io_write32(GICD_DISABLE(n), 0xffffffffU);
    for (unsigned n = 0; n < HAL_GIC_IDS / 4U; n++)
        hal_io_write32(GICD_PRIORITY(n), PRIORITY_EACH);
    /* Level sensitive, handled by one core; shared interrupts go to core 0 until routed
     * otherwise. */
    for (unsigned n = 2; n < HAL_GIC_IDS / 16U; n++)
        hal_io_write32(GICD_CONFIG(n), 0x55555555U);
    for (unsigned id = 32; id < HAL_GIC_IDS; id++)
        hal_io_write8(GICD_TARGET(id), 1);
    hal_io_write32(GICD_CTRL, 1);
}

void hal_gic_cpu_init(void)
{
    /* Private interrupts have priority registers of their own in every core's bank, and on this
     * controller a target byte for 29 and up that must not be zero. */
    for (unsigned n = 0; n < 8; n++)
        hal_io_write32(GICD_PRIORITY(n), PRIORITY_EACH);
    hal_io_write8(GICD_TARGET(HAL_IRQ_PRIVATE_TIMER), CORES_ALL);
    hal_io_write8(GICD_TARGET(HAL_IRQ_SECOND_TIMER), CORES_ALL);
    hal_io_write32(GICC_PRIORITY, PRIORITY_OPEN);
    hal_io_write32(GICC_CTRL, 1);
}

void hal_gic_enable(unsigned id)
{
    hal_io_write32(GICD_ENABLE(id / 32U), 1U << (id % 32U));
}

void hal_gic_disable(unsigned id)
{
    hal_io_write32(GICD_DISABLE(id / 32U), 1U << (id % 32U));
}

void hal_gic_target(unsigned id, unsigned core_mask)
{
    hal_io_write8(GICD_TARGET(id), (uint8_t)(core_mask & CORES_ALL));
}

void hal_gic_edge(unsigned id, bool edge)
{
    uint32_t bit = 2U << (2U * (id % 16U));
    uint32_t v = hal_io_read32(GICD_CONFIG(id / 16U));

    hal_io_write32(GICD_CONFIG(id / 16U), edge ? v | bit : v & ~bit);
}

bool hal_gic_pending(void)
{
    return HAL_GIC_ID(hal_io_read32(GICC_PENDING)) != NONE_PENDING;
}

uint32_t hal_gic_ack(void)
{
    return hal_io_read32(GICC_ACK);
}

void hal_gic_end(uint32_t ack)
{
    hal_io_write32(GICC_END, ack);
}

void hal_gic_send(unsigned id, unsigned core_mask)
{
    hal_dsb();
    hal_io_write32(GICD_SGI, ((core_mask & CORES_ALL) << 16) | (id & 0xfU));
}
