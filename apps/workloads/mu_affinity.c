/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads bound to cores through their attributes; W = -w units of work.
 *
 * -k 0: -t threads (2), all on core 0, each does W. Expected, with T threads:
 *   each thread: core 0 has 100 % of its run; run = R (the time of W alone),
 *     lifetime T * R less at most T - 1 time slices, block 0, the rest other
 *   main: waits in join; elapsed T * R
 * -k 1: thread i (0..3) on core i does (i + 1) * W. Expected on 4 cores:
 *   each thread all on its core, run shares 10, 20, 30 and 40 % of the sum,
 *     block 0, other 0; elapsed = 4 R
 *
 * Where there is no affinity (no CPU_SET), the threads run anywhere and the
 * line says so; with -k 0 on a single core the expectations hold all the same.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "wl_common.h"
#include <pthread.h>
#include <sched.h>

static long kind, threads = 2, work = 400;
static uint32_t result[8];

static void *worker(void *arg)
{
    long id = (long)(intptr_t)arg;
    result[id] = wl_work((unsigned long)(kind == 0 ? work : work * (id + 1)));
    return NULL;
}

/* Returns true if the threads made with the attributes will run on the core alone. */
static bool bind_to(pthread_attr_t *attr, int core)
{
#ifdef CPU_SET
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    return pthread_attr_setaffinity_np(attr, sizeof set, &set) == 0;
#else
    (void)attr;
    (void)core;
    return false;
#endif
}

int main(int argc, char **argv)
{
    const struct wl_opt opts[] = {
        {'k', &kind, 0, 1, "0: all on core 0; 1: thread i on core i"},
        {'t', &threads, 1, 8, "threads (with -k 1 always 4)"},
        {'w', &work, 1, 1000000, "units of work"},
        {0},
    };
    wl_options(argc, argv, opts);
    if (kind == 1)
        threads = 4;
    pthread_t tid[8];
    bool bound = true;
    for (long i = 0; i < threads; i++) {
        pthread_attr_t attr;
        WL_MUST(pthread_attr_init(&attr));
        bound = bind_to(&attr, kind == 0 ? 0 : (int)i) && bound;
        int err = pthread_create(&tid[i], &attr, worker, (void *)(intptr_t)i);
        if (err == EINVAL) { /* a machine with fewer cores */
            bound = false;
            err = pthread_create(&tid[i], NULL, worker, (void *)(intptr_t)i);
        }
        WL_MUST(err);
        WL_MUST(pthread_attr_destroy(&attr));
    }
    for (long i = 0; i < threads; i++)
        WL_MUST(pthread_join(tid[i], NULL));
    bool ok = true;
    for (long i = 0; i < threads; i++)
        ok = ok && result[i] == wl_work((unsigned long)(kind == 0 ? work : work * (i + 1)));
    return wl_result("mu_affinity", ok, "kind=%ld threads=%ld work=%ld bound=%s", kind, threads,
                     work, bound ? "yes" : "no");
}
