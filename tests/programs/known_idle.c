/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Voltage and current with 4, 3, 2, 1 cores out of WFI (a branch to itself), the others in it:
 * table 3 of mProfiler, within an ADC step (610 uV, 244 uA). Means of 50 readings, one each 10 ms,
 * and half a period away from the profiler's sampler: a conversion is a mean over the last
 * millisecond, and one with the sampler's interrupt in it is about 100 uA higher.
 */
#include "hal_adc.h"
#include "known.h"

#define READINGS 50U
#define APART_US 5000U
#define AROUND   2U /* more, unread: the cores neither start nor end together */

static unsigned spinning;
static uint64_t sum[HAL_ADC_CHANNELS];

static void rest(void *arg)
{
    unsigned core = mpj_core_id();

    (void)arg;
    if (core >= spinning) {
        mpj_sleep_us((READINGS + 2U * AROUND) * 10000U);
        return;
    }
    if (core != 0) {
        mpj_spin_us((READINGS + 2U * AROUND) * 10000U);
        return;
    }
    mpj_spin_us(AROUND * 10000U + APART_US);
    for (unsigned i = 0; i < READINGS; i++) {
        mpj_spin_us(10000);
        for (unsigned ch = 0; ch < HAL_ADC_CHANNELS; ch++)
            sum[ch] += hal_adc_micro(ch, hal_adc_read(ch));
    }
}

int main(void)
{
    for (spinning = 4; spinning >= 1; spinning--) {
        char name[8];

        for (unsigned ch = 0; ch < HAL_ADC_CHANNELS; ch++)
            sum[ch] = 0;
        mpj_on_all_cores(rest, NULL);
        snprintf(name, sizeof(name), "idle%u", spinning);
        known_print(name, "uv", (uint32_t)(sum[HAL_ADC_CORES_V] / READINGS));
        known_print(name, "ua", (uint32_t)(sum[HAL_ADC_CORES_I] / READINGS));
    }
    return 0;
}
