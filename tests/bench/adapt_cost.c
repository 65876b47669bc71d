/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the controller costs, in cycles: its calls around a phase, and what it adds to an empty
 * parallel region. Prints both; 0 for calls when nothing is adapted. */
#include <inttypes.h>
#include <mpj.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define ROUNDS 200

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static uint64_t median(uint64_t v[ROUNDS])
{
    qsort(v, ROUNDS, sizeof(*v), by_value);
    return v[ROUNDS / 2];
}

/* Cycles of both calls around a phase. */
static uint64_t calls(const void *phase, unsigned us)
{
    uint64_t t = mpj_cycles();
    const unsigned n = mpj_adapt_begin(phase, 2);
    uint64_t both = mpj_cycles() - t;

    mpj_spin_us(us);
    t = mpj_cycles();
    mpj_adapt_end(n);
    both += mpj_cycles() - t;
    return both;
}

int main(void)
{
    static uint64_t call[ROUNDS], region[ROUNDS], tested;
    static int phase;
    static int long_phase; /* its second execution is the test */

    for (int i = 0; i < ROUNDS; i++)
        call[i] = calls(&phase, 300);
    (void)calls(&long_phase, 10000);
    tested = calls(&long_phase, 10000);
    for (int i = 0; i < ROUNDS; i++) {
        const uint64_t t = mpj_cycles();

#pragma omp parallel
        __asm__ volatile("");
        region[i] = mpj_cycles() - t;
    }
    printf("%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", median(call), tested, median(region));
    return 0;
}
