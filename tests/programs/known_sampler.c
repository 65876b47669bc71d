/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The 10 ms sampler: after 105 ms of run it has taken 10 samples, after 1005 ms 100, whatever the
 * cores do meanwhile: spin, wait in WFI, or hold interrupts off for 8 ms at a time.
 */
#include "known.h"

static uint64_t begin;

static uint32_t until(uint32_t ms)
{
    return (uint32_t)((begin + ms * 1000000ULL - mpj_time_ns()) / 1000U);
}

int main(void)
{
    /* The run began a few microseconds ago: its cycle counter says when. */
    begin = mpj_time_ns() - mpj_cycles() * 1000U / 210U;
    mpj_spin_us(until(105));
    printf("samples_105ms %lu\n", (unsigned long)mpj_adc_samples());
    mpj_sleep_us(until(505));
    printf("samples_505ms %lu\n", (unsigned long)mpj_adc_samples());
    for (unsigned ms = 515; ms <= 1005; ms += 10) {
        hal_irq_state irq = hal_irq_save();

        while (until(ms) > 2000)
            ;
        hal_irq_restore(irq);
        mpj_spin_us(until(ms));
    }
    printf("samples_1005ms %lu\n", (unsigned long)mpj_adc_samples());
    return 0;
}
