/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rand() and random(): newlib's sequence, with one state for all threads, as programs that seed it
 * in main() expect. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

static uint64_t state = 1;

static long next(void)
{
    uint64_t old = __atomic_load_n(&state, __ATOMIC_RELAXED);
    uint64_t new;

    do {
        new = old * 6364136223846793005ULL + 1U;
    } while (
        !__atomic_compare_exchange_n(&state, &old, new, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return (long)((new >> 32) & RAND_MAX);
}

void srand(unsigned seed)
{
    __atomic_store_n(&state, seed, __ATOMIC_RELAXED);
}

int rand(void)
{
    return (int)next();
}

void srandom(unsigned seed)
{
    srand(seed);
}

long random(void)
{
    return next();
}
