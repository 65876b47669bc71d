/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parking of cores and maintenance of whole caches (DDI 0360, "c7, Cache Operations Register"): in
 * one file, so that parking has the latter inline and touches no stack between the two.
 */
#include "hal_power.h"

#include "hal_cache.h"
#include "hal_cpu.h"
#include "hal_io.h"
#include "hal_scu.h"

#define SCTLR_CACHE (1U << 2)
#define ACTLR_SMP   (1U << 5)

void hal_cache_clean_invalidate(void)
{
    HAL_CP15_WRITE(7, 0, 14, 0, 0); /* clean and invalidate the whole data cache */
    hal_dsb();
}

void hal_cache_invalidate_insn(void)
{
    HAL_CP15_WRITE(7, 0, 5, 0, 0); /* instruction cache */
    HAL_CP15_WRITE(7, 0, 5, 6, 0); /* branch target cache */
    hal_dsb();
    hal_isb();
}

void hal_power_park(void)
{
    unsigned core = hal_cpu_id();
    uint32_t sctlr = HAL_CP15_READ(1, 0, 0, 0);
    uint32_t actlr = HAL_CP15_READ(1, 0, 0, 1);

    /* Announced before the cache is off: after that, stores to the stack would be lost under it. */
    hal_scu_set_power(core, HAL_SCU_DORMANT);
    hal_cache_clean_invalidate();
    HAL_CP15_WRITE(1, 0, 0, 0, sctlr & ~SCTLR_CACHE);
    hal_cache_clean_invalidate(); /* lines filled in between */
    HAL_CP15_WRITE(1, 0, 0, 1, actlr & ~ACTLR_SMP);
    hal_isb();
    hal_wfi();
    HAL_CP15_WRITE(1, 0, 0, 1, actlr);
    hal_isb();
    HAL_CP15_WRITE(1, 0, 0, 0, sctlr);
    hal_isb();
    hal_scu_set_power(core, HAL_SCU_NORMAL);
}
