/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A convoy: 4 threads on 4 cores want one mutex; each of K rounds is H of work
 * with the mutex and H / 2 without. The mutex is always held, by each thread in
 * turn (the one that leaves works H / 2 before its next request, so the waiting
 * ones come first, independent of the order in which the mutex wakes them).
 * Expected in the profile, thread i in order of the first turn (0..3), H the
 * time of -h units:
 *   run = 1.5 K H, block on the mutex = i H + (K - 1) 2.5 H
 *     (near 62.5 % of the lifetime), other 0
 *   the mutex: 4 K locks, 4 K - 1 of them waited, total wait
 *     6 H + 10 (K - 1) H, longest 3 H
 *   elapsed 4 K H + H / 2; while waiting the holder is each of the other three
 *     for a third of the time
 * Defaults: K = 20, total wait 196 H, elapsed 80.5 H.
 */
#include "wl_common.h"
#include <pthread.h>

#define THREADS 4

static long rounds = 20, hold = 40;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long count, met;      /* under the mutex */
static volatile long inside; /* threads that believe they have it */
static uint32_t result[THREADS];

static void *worker(void *arg)
{
    long id = (long)(intptr_t)arg;
    for (long k = 0; k < rounds; k++) {
        WL_MUST(pthread_mutex_lock(&mutex));
        met += inside++;
        result[id] += wl_work((unsigned long)hold);
        count++;
        inside--;
        WL_MUST(pthread_mutex_unlock(&mutex));
        result[id] += wl_work((unsigned long)hold / 2);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const struct wl_opt opts[] = {
        {'k', &rounds, 1, 100000, "rounds of each thread"},
        {'h', &hold, 2, 100000, "units of work with the mutex held (half of it without)"},
        {0},
    };
    wl_options(argc, argv, opts);
    pthread_t tid[THREADS];
    for (long i = 0; i < THREADS; i++)
        WL_MUST(pthread_create(&tid[i], NULL, worker, (void *)(intptr_t)i));
    for (long i = 0; i < THREADS; i++)
        WL_MUST(pthread_join(tid[i], NULL));
    uint32_t want =
        (uint32_t)rounds * (wl_work((unsigned long)hold) + wl_work((unsigned long)hold / 2));
    bool ok = count == THREADS * rounds && met == 0;
    for (int i = 0; i < THREADS; i++)
        ok = ok && result[i] == want;
    return wl_result("mu_convoy", ok, "rounds=%ld hold=%ld locks=%ld", rounds, hold, count);
}
