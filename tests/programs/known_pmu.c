/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The monitor of each core: enable, divider, events, overflow flag and interrupt.
 *   off       1024 instructions with the monitor off count nothing
 *   div64     1024 cycles and less than 64 around them count 16 steps of the divided CCNT
 *   left      PMN0 set to 2^32 - 1000 counts 1024 instructions: it overflows, and stands at 24 and
 *             the few of the measurement itself (taken off)
 *   flag      which counter overflowed: PMN0, bit 0
 *   irq       its interrupt comes once, on this core, with this core's ID (49 + core)
 *   quiet     without the enable bit there is none
 */
#include "known.h"
#include "mpj_irq.h"

#include "hal_gic.h"

#define SHORT_OF 1000U
#define IRQ_PMN0 0x10U

static volatile uint32_t came[4], came_as[4];

KNOWN_PROBE(pmu_adds, KNOWN_REPEAT(1024, "add r4, r4, #1"));

static void on_overflow(unsigned id, void *arg)
{
    unsigned core = hal_cpu_id();

    (void)arg;
    hal_pmu_overflow_clear(HAL_PMU_ALL);
    came[core]++;
    came_as[core] = id;
}

struct result {
    uint32_t off, div64, left, flag, irq, id, quiet;
} __attribute__((aligned(32)));
static struct result result[4];

/* Runs the probe with the counters as they are (no reset), from a preset PMN0. */
static uint32_t from(uint32_t pmn0, known_probe *probe, uint32_t bits)
{
    const struct hal_pmu_config c = {.event = {MPJ_EVENT_INSTR, MPJ_EVENT_CYCLES}};
    uint32_t word = KNOWN_WORD(MPJ_EVENT_INSTR, MPJ_EVENT_CYCLES) | bits;

    hal_pmu_setup(&c);
    hal_pmu_write(HAL_PMU_PMN0, pmn0);
    probe(NULL, word | 1U, word, 0);
    return hal_pmu_read(HAL_PMU_PMN0);
}

static void examine(void *arg)
{
    unsigned core = mpj_core_id();
    struct result *r = &result[core];
    uint32_t word = KNOWN_WORD(MPJ_EVENT_INSTR, MPJ_EVENT_CYCLES);
    uint32_t few;
    hal_irq_state irq;

    (void)arg;
    mpj_monitors_take();
    (void)known_warm(pmu_adds, NULL, 0, MPJ_EVENT_INSTR, MPJ_EVENT_CYCLES);
    irq = hal_irq_save();
    pmu_adds(NULL, word | 0x706U, word, 0);
    r->off = hal_pmu_read(HAL_PMU_CCNT) + hal_pmu_read(HAL_PMU_PMN0) + hal_pmu_read(HAL_PMU_PMN1);
    pmu_adds(NULL, word | 0x70fU, word | 8U, 0);
    r->div64 = hal_pmu_read(HAL_PMU_CCNT);
    few = from(0, known_empty, 0);
    r->left = from(0U - SHORT_OF, pmu_adds, IRQ_PMN0) - few;
    r->flag = hal_pmu_overflow();
    hal_irq_restore(irq);
    hal_irq_enable();
    __asm__ volatile("nop\n\tnop");
    r->irq = came[core];
    r->id = came_as[core];
    irq = hal_irq_save();
    (void)from(0U - SHORT_OF, pmu_adds, 0);
    hal_irq_restore(irq);
    r->quiet = came[core] - r->irq;
    hal_pmu_overflow_clear(HAL_PMU_ALL);
}

int main(void)
{
    for (unsigned i = 0; i < mpj_core_count(); i++) {
        mpj_irq_attach(hal_pmu_irq(i), on_overflow, NULL);
        hal_gic_target(hal_pmu_irq(i), 1U << i);
        hal_gic_enable(hal_pmu_irq(i));
    }
    mpj_on_all_cores(examine, NULL);
    for (unsigned i = 0; i < mpj_core_count(); i++) {
        const struct result *r = &result[i];
        char name[8];

        snprintf(name, sizeof(name), "core%u", i);
        known_print(name, "off", r->off);
        known_print(name, "div64", r->div64);
        known_print(name, "left", r->left);
        known_print(name, "flag", r->flag);
        known_print(name, "irq", r->irq);
        known_print(name, "id", r->id);
        known_print(name, "quiet", r->quiet);
    }
    return 0;
}
