/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the controller costs, in cycles: its calls around a phase that it leaves alone, as most, and
 * around one that it examines, as at least a quarter; the test of a phase; an empty parallel
 * region. */
#include <inttypes.h>
#include <mpj.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define ROUNDS   200
#define YOUNG_US 30000 /* of a program that is left alone */

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Returns the value that so many eighths of all are below. */
static uint64_t eighths(uint64_t v[ROUNDS], int eighth)
{
    qsort(v, ROUNDS, sizeof(*v), by_value);
    return v[ROUNDS * eighth / 8];
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

    mpj_spin_us(YOUNG_US);
    for (int i = 0; i < 16; i++) /* read the clock, and are tested */
        (void)calls(&phase, 1000);
    for (int i = 0; i < ROUNDS; i++)
        call[i] = calls(&phase, 1000);
    (void)calls(&long_phase, 10000);
    tested = calls(&long_phase, 10000);
    for (int i = 0; i < ROUNDS; i++) {
        const uint64_t t = mpj_cycles();

#pragma omp parallel
        __asm__ volatile("");
        region[i] = mpj_cycles() - t;
    }
    printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", eighths(call, 4), eighths(call, 7),
           tested, eighths(region, 4));
    return 0;
}
