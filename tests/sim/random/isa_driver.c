/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls the functions of gen_isa.py on four cores, each with memory of its own, and prints a hash
 * of all results per core. arguments: rounds, and a core (from 1) whose every result is printed.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "hal_cpu.h"
#include "random_driver.h"

#define STATE_WORDS 12U /* r0..r9, flags before and after */
#define WORDS       2048U

typedef void function(uint32_t *state);

extern function *const functions[], *const functions_end[];

static uint32_t memory[CORES][2U * WORDS] __attribute__((aligned(8192)));
static uint64_t result[CORES];
static unsigned rounds, shown;

/* Corner values one time in two. */
static uint32_t value(uint64_t *seed)
{
    uint64_t r = random_next(seed);

    switch (r & 7U) {
    case 0:
        return 0;
    case 1:
        return 0x80000000U;
    case 2:
        return 0xffffffffU;
    case 3:
        return (uint32_t)(r >> 56);
    default:
        return (uint32_t)(r >> 20);
    }
}

static void show(unsigned round, unsigned n, const uint32_t *state)
{
    printf("round %u function %u", round, n);
    for (unsigned i = 0; i < STATE_WORDS; i++)
        printf(" %08lx", (unsigned long)state[i]);
    printf("\n");
}

static void *work(void *arg)
{
    const unsigned core = (unsigned)(uintptr_t)arg, count = (unsigned)(functions_end - functions);
    uint64_t seed = random_seed(core + 1U), h = HASH_START;
    uint32_t *state = memory[core];

    for (unsigned i = 0; i < WORDS; i++)
        state[i] = (uint32_t)random_next(&seed);
    for (unsigned round = 0; round < rounds; round++) {
        for (unsigned n = 0; n < count; n++) {
            hal_irq_state irq;

            for (unsigned i = 0; i < STATE_WORDS; i++)
                state[i] = value(&seed);
            /* An interrupt would end the monitor of a load-exclusive. */
            irq = hal_irq_save();
            functions[n](state);
            hal_irq_restore(irq);
            h = hash(h, state, STATE_WORDS);
            if (n % 16U == 0)
                h = hash(h, state + 512, 1088);
            if (core + 1U == shown)
                show(round, n, state);
        }
    }
    result[core] = h;
    return NULL;
}

int main(int argc, char **argv)
{
    rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 10U;
    shown = argc > 2 ? (unsigned)atoi(argv[2]) : 0U;
    random_run(work);
    for (unsigned i = 0; i < CORES; i++)
        printf("core %u %016llx\n", i, (unsigned long long)result[i]);
    return 0;
}
