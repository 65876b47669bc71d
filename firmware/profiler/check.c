/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks that the monitors are present and count, before a run relies on them. Devices that the
 * board does not have are not checked. */
#include "hal_adc.h"
#include "hal_l2cc.h"
#include "hal_map.h"
#include "hal_pmu.h"
#include "hal_scu.h"
#include "mpj_prof.h"

static void spin(uint32_t n)
{
    for (volatile uint32_t i = 0; i < n; i++)
        ;
}

int mpj_prof_check(bool adc, uint32_t *detail)
{
    static const struct hal_pmu_config pmu = {
        .event = {MPJ_EVENT_INSTR, MPJ_EVENT_CYCLES}, .cycles_div64 = false, .irq_mask = 0};
    static const uint8_t scu[HAL_SCU_COUNTERS] = {MPJ_EVENT_SCU_CYCLES};
    static const uint8_t l2[HAL_L2CC_COUNTERS] = {MPJ_EVENT_L2_DRREQ, MPJ_EVENT_L2_DWREQ};
    uint32_t cycles, events;
    int bad = 0;

    hal_pmu_setup(&pmu);
    hal_scu_mon_setup(scu, 0);
    hal_scu_mon_start();
    hal_pmu_start();
    spin(100);
    hal_pmu_stop();
    hal_scu_mon_stop();
    cycles = hal_pmu_read(HAL_PMU_CCNT);
    events = hal_pmu_read(HAL_PMU_PMN0);
    *detail = cycles;
    if (cycles == 0)
        return MPJ_TERR_NO_CCNT;
    *detail = events;
    if (events == 0)
        return MPJ_TERR_NO_PMU;
    *detail = hal_scu_mon_read(0);
    if (*detail == 0)
        return MPJ_TERR_NO_SCU;
    if (BOARD_L220_BYTES > 0) {
        hal_l2cc_mon_setup(l2, false);
        if (!hal_l2cc_mon_answers(l2))
            bad = MPJ_TERR_NO_L2;
    }
    *detail = 0;
    if (bad == 0 && adc && BOARD_POWERS > 0 && hal_adc_read(0) == 0)
        bad = MPJ_TERR_NO_ADC;
    return bad;
}
