/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For the stress programs: small random delays, and a team of threads started and joined.
 */
#ifndef WL_STRESS_H
#define WL_STRESS_H

#include "wl_expect.h"
#include <pthread.h>
#include <sched.h>

#define WL_MAXTHREADS 64

/* Does nothing, yields, or works a little: so that seeds lead to other interleavings. */
static inline void wl_jitter(uint32_t *state)
{
    uint32_t r = wl_below(state, 16);
    if (r < 3)
        sched_yield();
    else if (r < 6)
        for (volatile uint32_t i = 0; i < r * 40; i++)
            ;
}

/* Returns a deadline for timed calls: the clock's time plus ms milliseconds (may be negative). */
static inline struct timespec wl_deadline(clockid_t clock, long ms)
{
    struct timespec ts;
    clock_gettime(clock, &ts);
    int64_t ns = (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec + (int64_t)ms * 1000000;
    ts.tv_sec = (time_t)(ns / 1000000000);
    ts.tv_nsec = (long)(ns % 1000000000);
    return ts;
}

static inline bool wl_passed(clockid_t clock, const struct timespec *deadline)
{
    struct timespec ts;
    clock_gettime(clock, &ts);
    return ts.tv_sec > deadline->tv_sec ||
           (ts.tv_sec == deadline->tv_sec && ts.tv_nsec >= deadline->tv_nsec);
}

/* Runs f(0), f(1), .. in threads of their own and waits for all. */
static inline void wl_team(long threads, void *(*f)(void *))
{
    pthread_t tid[WL_MAXTHREADS];
    for (long i = 0; i < threads; i++)
        WL_MUST(pthread_create(&tid[i], NULL, f, (void *)(intptr_t)i));
    for (long i = 0; i < threads; i++)
        WL_MUST(pthread_join(tid[i], NULL));
}

/* Returns the seed of a thread's own sequence. */
static inline uint32_t wl_seed(long seed, void *id)
{
    return (uint32_t)seed * 2654435769u + (uint32_t)(intptr_t)id * 40503u + 1;
}

#endif
