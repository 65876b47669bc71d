/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Simulates a shop of queues several times, with a seed each, on several threads. Each run must end
 * empty, and Little's law must hold to the microsecond: the sum of customers over time is that of
 * their times. -c: what the sum of all must be for the options of workloads.txt (0: anything).
 */
#include <pthread.h>

#include "../wl_common.h"
#include "events.h"

#define MOST 64

static long customers = 1500, runs = 4, threads = 4, want = 0, seed = 1;
static struct outcome outcome[MOST];
static long next_run;

static void *worker(void *arg)
{
    long i;

    (void)arg;
    while ((i = __atomic_fetch_add(&next_run, 1, __ATOMIC_RELAXED)) < runs)
        outcome[i] = shop_run((unsigned)customers, (uint32_t)(seed + i));
    return NULL;
}

int main(int argc, char **argv)
{
    const struct wl_opt opts[] = {
        {'n', &customers, 1, 1000000, "customers of a run"},
        {'r', &runs, 1, MOST, "runs"},
        {'t', &threads, 1, MOST, "threads"},
        {'c', &want, 0, 0x7fffffff, "sum that must come out, without its highest bit"},
        {'s', &seed, 0, 1 << 30, "seed"},
        {0},
    };
    wl_options(argc, argv, opts);
    pthread_t tid[MOST];
    for (long i = 0; i < threads; i++)
        WL_MUST(pthread_create(&tid[i], NULL, worker, NULL));
    for (long i = 0; i < threads; i++)
        WL_MUST(pthread_join(tid[i], NULL));

    uint32_t hash = WL_HASH_INIT;
    uint64_t events = 0;
    bool ok = true;
    for (long i = 0; i < runs; i++) {
        const struct outcome *o = &outcome[i];

        ok = ok && o->right && o->arrived == (uint64_t)customers && o->left == o->arrived &&
             o->area == o->spent;
        events += o->events;
        hash = wl_hash(hash, &o->hash, sizeof(o->hash));
    }
    hash &= 0x7fffffffu;
    ok = ok && (want == 0 || hash == (uint32_t)want);
    return wl_result("events", ok, "customers=%ld runs=%ld threads=%ld events=%lu sum=%ld",
                     customers, runs, threads, (unsigned long)events, (long)hash);
}
