/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Micro-programs whose counts are derived by hand (each has its derivation,
 * the answers in tests/programs). They print lines `name value`.
 *
 * A probe is straight assembler between two writes of PMNC, so that nothing but
 * its body is counted: no call, no return, no interrupt. What the two writes
 * themselves count is measured with an empty body and subtracted.
 *
 * The body starts on a multiple of 128 bytes. The emulator models interlocks
 * within blocks of at most 32 instructions (four cache lines): dependency
 * chains here end before such a border, followed by instructions that wait out
 * the last latency, so that the count is the same with borders and without.
 */
#ifndef KNOWN_H
#define KNOWN_H

#include <stdint.h>
#include <stdio.h>

#include "hal_cpu.h"
#include "hal_pmu.h"
#include "mpj.h"
#include "mpj_events.h"

/* Type of a probe. mem: r0 and r10; n: r5. The body may use r3..r9, lr and the flags. */
typedef void known_probe(void *mem, uint32_t start, uint32_t stop, uint32_t n);

#define KNOWN_PROBE(name, body)                                                                    \
    known_probe name;                                                                              \
    __asm__(".text\n\t.arm\n\t.balign 128, 0\n\t.global " #name "\n\t.type " #name                 \
            ", %function\n" #name ":\n\t"                                                          \
            "push {r4-r12, lr}\n\tmov r11, r1\n\tmov r12, r2\n\tmov r5, r3\n\tmov r10, r0\n\t"     \
            "mov r3, #3\n\tmov r4, #1\n\tmov r6, #2\n\tmov r7, #0\n\tmov r8, #5\n\tmov r9, #1\n\t" \
            ".rept (124 - (. - " #name ")) / 4\n\tmov r14, r9\n\t.endr\n\t"                        \
            "mcr p15, 0, r11, c15, c12, 0\n\t" body "\n\t"                                         \
            "mcr p15, 0, r12, c15, c12, 0\n\tpop {r4-r12, pc}\n\t.size " #name ", . - " #name      \
            "\n\t.balign 128, 0\n")

#define KNOWN_REPEAT(n, what) ".rept " #n "\n\t" what "\n\t.endr\n\t"

KNOWN_PROBE(known_empty, "");

struct known_counts {
    uint32_t cycles, event[2];
};

#define KNOWN_WORD(e0, e1) (((uint32_t)(e0) << 20) | ((uint32_t)(e1) << 12))
#define KNOWN_START        0x707U /* enable, zero the counters, clear the flags */

static inline struct known_counts known_once(known_probe *probe, void *mem, uint32_t n, unsigned e0,
                                             unsigned e1)
{
    struct known_counts c;
    uint32_t word = KNOWN_WORD(e0, e1);
    hal_irq_state irq = hal_irq_save();

    probe(mem, word | KNOWN_START, word, n);
    c.cycles = hal_pmu_read(HAL_PMU_CCNT);
    c.event[0] = hal_pmu_read(HAL_PMU_PMN0);
    c.event[1] = hal_pmu_read(HAL_PMU_PMN1);
    hal_irq_restore(irq);
    return c;
}

/* Measures the body alone, with caches and predictors as they are. */
static inline struct known_counts known_measure(known_probe *probe, void *mem, uint32_t n,
                                                unsigned e0, unsigned e1)
{
    struct known_counts c, base;

    (void)known_once(known_empty, mem, n, e0, e1);
    base = known_once(known_empty, mem, n, e0, e1);
    c = known_once(probe, mem, n, e0, e1);
    c.cycles -= base.cycles;
    c.event[0] -= base.event[0];
    c.event[1] -= base.event[1];
    return c;
}

/* Measures with the code in the instruction cache, and branches that were executed once. */
static inline struct known_counts known_warm(known_probe *probe, void *mem, uint32_t n, unsigned e0,
                                             unsigned e1)
{
    (void)known_once(probe, mem, n, e0, e1);
    return known_measure(probe, mem, n, e0, e1);
}

/*
 * Measures the cost of n more iterations of a probe's loop. Entering and leaving the loop, and
 * instructions still executing when the counters stop, are in both runs: they come from the same
 * call, so that nothing else in the branch predictor differs either. n and KNOWN_SETTLED are even:
 * a pattern that alternates continues from run to run. prepare brings the caches into the state in
 * which each run begins; may be NULL.
 */
#define KNOWN_SETTLED 64U

static inline struct known_counts known_more(known_probe *probe, void *mem, uint32_t n, unsigned e0,
                                             unsigned e1, void (*prepare)(void))
{
    struct known_counts c[4]; /* two to warm up, without and with n */
    /* a handler between the runs would leave its own entries in predictor and micro TLBs */
    hal_irq_state irq = hal_irq_save();

    for (unsigned i = 0; i < 4; i++) {
        if (prepare)
            prepare();
        c[i] = known_once(probe, mem, KNOWN_SETTLED + n * (i & 1), e0, e1);
    }
    hal_irq_restore(irq);
    c[3].cycles -= c[2].cycles;
    c[3].event[0] -= c[2].event[0];
    c[3].event[1] -= c[2].event[1];
    return c[3];
}

static inline void known_print(const char *name, const char *what, uint32_t value)
{
    printf("%s_%s %lu\n", name, what, (unsigned long)value);
}

#endif
