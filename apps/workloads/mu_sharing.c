/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * False sharing: 4 threads on 4 cores each add to a counter of their own, N
 * times; the counters are -d bytes apart.
 * Expected in the profile:
 *   -d 4 (one line for all): a line moves between the caches at nearly every
 *     addition that another core has come before; SCU cache-to-cache transfers
 *     and migrations grow with N, data misses too
 *   -d 32 or more: at most a few dozen such events, whatever N
 * So the ratio of the two runs in time and in migrations is the finding. Both
 * do the same instructions.
 */
#include "wl_common.h"
#include <pthread.h>

#define THREADS 4

static long n = 40000, distance = 4;
static _Alignas(256) unsigned char memory[THREADS * 256];

static volatile uint32_t *counter(long id)
{
    return (volatile uint32_t *)(void *)(memory + id * distance);
}

static void *worker(void *arg)
{
    volatile uint32_t *mine = counter((long)(intptr_t)arg);
    for (long i = 0; i < n; i++)
        *mine += 1;
    return NULL;
}

int main(int argc, char **argv)
{
    const struct wl_opt opts[] = {
        {'n', &n, 1, 100000000, "additions of each thread"},
        {'d', &distance, 4, 256, "bytes between the counters, a multiple of 4"},
        {0},
    };
    wl_options(argc, argv, opts);
    distance &= ~3L;
    pthread_t tid[THREADS];
    for (long i = 0; i < THREADS; i++)
        WL_MUST(pthread_create(&tid[i], NULL, worker, (void *)(intptr_t)i));
    for (long i = 0; i < THREADS; i++)
        WL_MUST(pthread_join(tid[i], NULL));
    bool ok = true;
    for (long i = 0; i < THREADS; i++)
        ok = ok && *counter(i) == (uint32_t)n;
    return wl_result("mu_sharing", ok, "n=%ld distance=%ld", n, distance);
}
