/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the drivers of random functions share. */
#ifndef RANDOM_DRIVER_H
#define RANDOM_DRIVER_H

#include <pthread.h>
#include <stdint.h>

#define CORES      4U
#define HASH_START 1469598103934665603ULL

static inline uint64_t random_seed(unsigned n)
{
    return 0x9e3779b97f4a7c15ULL * n;
}

static inline uint64_t random_next(uint64_t *seed)
{
    uint64_t x = *seed;

    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    *seed = x;
    return x * 0x2545f4914f6cdd1dULL;
}

static inline uint64_t hash(uint64_t h, const uint32_t *words, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        h = (h ^ words[i]) * 0x100000001b3ULL;
        h ^= h >> 29;
    }
    return h;
}

/* work(core number) in a thread each. */
static inline void random_run(void *(*work)(void *arg))
{
    pthread_t thread[CORES];

    for (uintptr_t i = 0; i < CORES; i++)
        pthread_create(&thread[i], NULL, work, (void *)i);
    for (unsigned i = 0; i < CORES; i++)
        pthread_join(thread[i], NULL);
}

#endif
