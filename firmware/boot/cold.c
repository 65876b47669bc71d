/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mpj_cold.h"

#include <stdint.h>

#include "hal_cpu.h"
#include "hal_io.h"
#include "hal_l2cc.h"
#include "hal_pmu.h"
#include "hal_power.h"
#include "hal_sys.h"

#define SLED 1024U /* instructions of one cycle each */

void mpj_cold_begin(void)
{
    static const struct hal_pmu_config cycles;

    hal_pmu_setup(&cycles);
    hal_pmu_start();
}

/*
 * Returns `goal` cycles after the cycle counter was zero: reads it and jumps as far into a sled
 * of single-cycle instructions as cycles are missing. The distance must be within the sled's
 * length; what the read and the jump take is the same every time.
 */
__attribute__((naked, noinline, aligned(32))) static void slide(uint32_t goal
                                                                __attribute__((unused)))
{
    __asm__ volatile("mrc p15, 0, r1, c15, c12, 1\n\t"
                     "sub r0, r0, r1\n\t"         /* cycles to go, 0 .. SLED */
                     "rsb r0, r0, #%c0\n\t"       /* instructions to leave out */
                     "add pc, pc, r0, lsl #2\n\t" /* pc: two instructions on */
                     "nop\n\t"
                     ".rept %c0\n\tmov r0, r0\n\t.endr\n\t"
                     "bx lr"
                     :
                     : "i"(SLED));
}

void mpj_cold_start(void)
{
    const hal_irq_state irq = hal_irq_save();
    const uint32_t grain = hal_sys_clock_hz() / 8U;
    uint32_t goal;

    hal_cache_clean_invalidate();
    (void)hal_l2cc_clean_invalidate_all();
    hal_cache_invalidate_insn();
    HAL_CP15_WRITE(8, 0, 7, 0, 0); /* TLBs */
    hal_dsb();
    hal_isb();
    slide(hal_pmu_read(HAL_PMU_CCNT) + SLED - 64U); /* into the cache, from its beginning */
    goal = (hal_pmu_read(HAL_PMU_CCNT) / grain + 1U) * grain;
    while (goal - hal_pmu_read(HAL_PMU_CCNT) > SLED - 256U) /* behind what was warmed */
        ;
    slide(goal);
    hal_pmu_stop();
    hal_irq_restore(irq);
}
