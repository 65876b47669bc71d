/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The program's interface, mpj.h. */
#include "mpj.h"

#include <string.h>

#include "hal_cpu.h"
#include "hal_gic.h"
#include "hal_pmu.h"
#include "hal_sys.h"
#include "hal_timer.h"
#include "mpj_irq.h"
#include "mpj_out.h"
#include "mpj_prof.h"
#include "mpj_smp.h"

#define MARK_MAX 200U

unsigned mpj_core_id(void)
{
    return hal_cpu_id();
}

unsigned mpj_core_count(void)
{
    return (unsigned)__builtin_popcount(mpj_smp_active());
}

void mpj_on_all_cores(void (*fn)(void *arg), void *arg)
{
    (void)mpj_smp_call(mpj_smp_active(), fn, arg);
}

void mpj_on_cores(unsigned n, void (*fn)(void *arg), void *arg)
{
    uint32_t mask = mpj_smp_active();

    if (n < 1)
        n = 1;
    if (n < mpj_core_count())
        mask &= (1U << n) - 1U;
    (void)mpj_smp_call(mask, fn, arg);
}

static int put_mark(struct mpj_writer *w, const void *rec)
{
    return mpj_mark_put(w, rec);
}

void mpj_mark_value(const char *text, int64_t value)
{
    struct mpj_mark m = {.time = hal_sys_ticks(), .core = hal_cpu_id(), .value = value};

    m.thread = hal_cpu_context();
    m.name.p = (const uint8_t *)text;
    m.name.len = strnlen(text, MARK_MAX);
    (void)mpj_out_record(put_mark, &m);
}

void mpj_mark(const char *text)
{
    mpj_mark_value(text, 0);
}

uint64_t mpj_time_ns(void)
{
    return hal_sys_ticks() * 125U / 3U; /* 24 MHz */
}

uint64_t mpj_cycles(void)
{
    return mpj_prof_core_read(HAL_PMU_CCNT);
}

/* The instruction mpj_spin_us() stands on, and the one behind it. */
extern char mpj_spin_here[], mpj_spin_done[];

static void on_timer(unsigned id, void *arg)
{
    struct mpj_context *c = mpj_irq_context();

    (void)id;
    (void)arg;
    hal_timer_clear(HAL_TIMER_PRIVATE);
    if (c->pc == (uint32_t)mpj_spin_here)
        c->pc = (uint32_t)mpj_spin_done;
}

/* One interrupt of the private timer after us microseconds, 20 s at most; *us is reduced. IRQ
 * masked. */
static void arm_timer(uint32_t *us)
{
    uint32_t part = *us < 20000000U ? *us : 20000000U;

    mpj_irq_attach(HAL_IRQ_PRIVATE_TIMER, on_timer, NULL);
    hal_gic_enable(HAL_IRQ_PRIVATE_TIMER);
    hal_timer_start(HAL_TIMER_PRIVATE, part * (hal_timer_hz() / 1000000U), false);
    *us -= part;
}

void mpj_sleep_us(uint32_t us)
{
    hal_irq_state irq = hal_irq_save();

    while (us > 0) {
        arm_timer(&us);
        while (!hal_timer_fired(HAL_TIMER_PRIVATE)) {
            mpj_prof_wfi();
            /* Other interrupts end the wait, too: they are served here, ours is not. */
            if (!hal_timer_fired(HAL_TIMER_PRIVATE)) {
                hal_irq_restore(irq);
                irq = hal_irq_save();
            }
        }
        hal_timer_stop(HAL_TIMER_PRIVATE);
    }
    hal_irq_restore(irq);
}

void mpj_spin_us(uint32_t us)
{
    while (us > 0) {
        hal_irq_state irq = hal_irq_save();

        arm_timer(&us);
        /* Unmasked here and not before: whatever interrupt comes finds the core on the branch. */
        __asm__ volatile(".global mpj_spin_here, mpj_spin_done\n\t"
                         "cpsie i\n"
                         "mpj_spin_here:\n\tb mpj_spin_here\n"
                         "mpj_spin_done:" ::
                             : "memory");
        hal_irq_restore(irq);
        hal_timer_stop(HAL_TIMER_PRIVATE);
    }
}

uint32_t mpj_adc_samples(void)
{
    return mpj_prof_samples();
}

void mpj_monitors_take(void)
{
    mpj_prof_release();
}

void mpj_count_begin(unsigned event0, unsigned event1)
{
    struct hal_pmu_config c = {.event = {(uint8_t)event0, (uint8_t)event1}};

    mpj_prof_release();
    hal_pmu_setup(&c);
    hal_pmu_start();
}

void mpj_count_end(struct mpj_counts *out)
{
    hal_pmu_stop();
    out->cycles = hal_pmu_read(HAL_PMU_CCNT);
    out->event[0] = hal_pmu_read(HAL_PMU_PMN0);
    out->event[1] = hal_pmu_read(HAL_PMU_PMN1);
}
