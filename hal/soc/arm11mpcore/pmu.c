/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Performance monitor: DDI 0360, CP15 c15 with CRm c12, op2 0 PMNC, 1 CCNT, 2 PMN0, 3 PMN1. */
#include "hal_pmu.h"

#include "hal_cpu.h"
#include "hal_hot.h"
#include "hal_io.h"
#include "hal_map.h"

#define PMNC_ENABLE       (1U << 0)
#define PMNC_RESET_PMN    (1U << 1)
#define PMNC_RESET_CCNT   (1U << 2)
#define PMNC_DIV64        (1U << 3)
#define PMNC_IRQ_SHIFT    4U
#define PMNC_FLAG_SHIFT   8U
#define PMNC_EVENTS       0x0ffff000U
#define PMNC_FLAGS        (HAL_PMU_ALL << PMNC_FLAG_SHIFT)
#define PMNC_EVENT1_SHIFT 12U
#define PMNC_EVENT0_SHIFT 20U
/* Bits that act when written as one: kept out of every read-modify-write. */
#define PMNC_ACTIONS (PMNC_RESET_PMN | PMNC_RESET_CCNT | PMNC_FLAGS)

static uint32_t pmnc_read(void)
{
    return HAL_CP15_READ(15, 0, 12, 0);
}

static void pmnc_write(uint32_t v)
{
    HAL_CP15_WRITE(15, 0, 12, 0, v);
}

void hal_pmu_setup(const struct hal_pmu_config *cfg)
{
    uint32_t v = ((uint32_t)cfg->event[0] << PMNC_EVENT0_SHIFT) |
                 ((uint32_t)cfg->event[1] << PMNC_EVENT1_SHIFT) |
                 ((uint32_t)(cfg->irq_mask & HAL_PMU_ALL) << PMNC_IRQ_SHIFT);

    if (cfg->cycles_div64)
        v |= PMNC_DIV64;
    /* Stop first: a counter that still runs could raise its flag after it was cleared. */
    pmnc_write(0);
    pmnc_write(v | PMNC_ACTIONS);
}

void hal_pmu_start(void)
{
    pmnc_write((pmnc_read() & ~PMNC_ACTIONS) | PMNC_ENABLE);
}

void hal_pmu_stop(void)
{
    pmnc_write(pmnc_read() & ~(PMNC_ACTIONS | PMNC_ENABLE));
}

bool hal_pmu_running(void)
{
    return (pmnc_read() & PMNC_ENABLE) != 0;
}

HAL_HOT uint32_t hal_pmu_read(enum hal_pmu_counter c)
{
    switch (c) {
    case HAL_PMU_PMN0:
        return HAL_CP15_READ(15, 0, 12, 2);
    case HAL_PMU_PMN1:
        return HAL_CP15_READ(15, 0, 12, 3);
    default:
        return HAL_CP15_READ(15, 0, 12, 1);
    }
}

HAL_HOT void hal_pmu_read_all(uint32_t value[HAL_PMU_COUNTERS])
{
    value[HAL_PMU_PMN0] = HAL_CP15_READ(15, 0, 12, 2);
    value[HAL_PMU_PMN1] = HAL_CP15_READ(15, 0, 12, 3);
    value[HAL_PMU_CCNT] = HAL_CP15_READ(15, 0, 12, 1);
}

/* Runs from one line of the instruction cache: a miss in the middle would be counted on the wrong
 * side. */
HAL_HOT __attribute__((aligned(32))) void hal_pmu_read_switch(uint32_t value[HAL_PMU_COUNTERS],
                                                              uint32_t context)
{
    uint32_t pmn0 = HAL_CP15_READ(15, 0, 12, 2);
    uint32_t pmn1 = HAL_CP15_READ(15, 0, 12, 3);
    uint32_t ccnt = HAL_CP15_READ(15, 0, 12, 1);

    hal_cpu_set_context(context);
    value[HAL_PMU_PMN0] = pmn0;
    value[HAL_PMU_PMN1] = pmn1;
    value[HAL_PMU_CCNT] = ccnt;
}

HAL_HOT uint32_t hal_pmu_cycles(void)
{
    return HAL_CP15_READ(15, 0, 12, 1);
}

void hal_pmu_change(uint8_t event0, uint8_t event1)
{
    uint32_t keep = pmnc_read() & ~(PMNC_ACTIONS | PMNC_EVENTS);

    pmnc_write(keep | ((uint32_t)event0 << PMNC_EVENT0_SHIFT) |
               ((uint32_t)event1 << PMNC_EVENT1_SHIFT) | PMNC_RESET_PMN |
               (HAL_PMU_BIT(HAL_PMU_PMN0) | HAL_PMU_BIT(HAL_PMU_PMN1)) << PMNC_FLAG_SHIFT);
}

void hal_pmu_write(enum hal_pmu_counter c, uint32_t value)
{
    switch (c) {
    case HAL_PMU_PMN0:
        HAL_CP15_WRITE(15, 0, 12, 2, value);
        break;
    case HAL_PMU_PMN1:
        HAL_CP15_WRITE(15, 0, 12, 3, value);
        break;
    default:
        HAL_CP15_WRITE(15, 0, 12, 1, value);
        break;
    }
}

HAL_HOT uint32_t hal_pmu_overflow(void)
{
    return (pmnc_read() & PMNC_FLAGS) >> PMNC_FLAG_SHIFT;
}

void hal_pmu_overflow_clear(uint32_t mask)
{
    pmnc_write((pmnc_read() & ~PMNC_ACTIONS) | ((mask & HAL_PMU_ALL) << PMNC_FLAG_SHIFT));
}

unsigned hal_pmu_irq(unsigned core)
{
    return BOARD_IRQ_PMU0 == 0 ? 0 : BOARD_IRQ_PMU0 + core * (unsigned)BOARD_IRQ_PMU_STRIDE;
}
