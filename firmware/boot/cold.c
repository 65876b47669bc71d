/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mpj_cold.h"

#include <stdint.h>

#include "hal_cache.h"
#include "hal_cpu.h"
#include "hal_gic.h"
#include "hal_l2cc.h"
#include "hal_mmu.h"
#include "hal_sys.h"
#include "hal_timer.h"
#include "hal_uart.h"

#define GRAINS_PER_S 8U
#define SETTLE_TICKS (HAL_SYS_TIME_HZ / 10000U) /* until the other cores are asleep */
#define NEAR_TICKS   4000U /* of the timer: too near for the core to be asleep by then */

void mpj_cold_begin(void)
{
    hal_timer_start(HAL_TIMER_PRIVATE, hal_timer_hz() / GRAINS_PER_S, true);
}

void mpj_cold_core(void)
{
    hal_cache_clean_invalidate();
    hal_cache_invalidate_insn();
    hal_mmu_drop_tlb();
    hal_dsb();
    hal_isb();
}

void mpj_cold_start(bool line_interrupts)
{
    const hal_irq_state irq = hal_irq_save();
    const uint32_t begin = hal_sys_ticks32();
    uint32_t ack;

    while (hal_sys_ticks32() - begin < SETTLE_TICKS)
        ;
    if (line_interrupts) /* would also wake it */
        hal_gic_disable(hal_uart_irq());
    hal_gic_enable(HAL_IRQ_PRIVATE_TIMER);
    mpj_cold_core(); /* writes modified lines back to the L220 */
    (void)hal_l2cc_clean_invalidate_all();
    mpj_cold_core();
    while (hal_timer_left(HAL_TIMER_PRIVATE) < NEAR_TICKS)
        ;
    hal_timer_clear(HAL_TIMER_PRIVATE);
    while (!hal_timer_fired(HAL_TIMER_PRIVATE))
        hal_wfi();
    hal_timer_stop(HAL_TIMER_PRIVATE);
    ack = hal_gic_ack();
    if (HAL_GIC_ID(ack) != HAL_GIC_SPURIOUS)
        hal_gic_end(ack);
    hal_gic_disable(HAL_IRQ_PRIVATE_TIMER);
    if (line_interrupts)
        hal_gic_enable(hal_uart_irq());
    hal_irq_restore(irq);
}
