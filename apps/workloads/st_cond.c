/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stress of condition variables: a token passed round by one condition per
 * thread, a bounded buffer, waits with time limits (also past ones, also on the
 * monotonic clock) mixed with signals, and broadcasts to all. With -x 1 also
 * barriers that wait without a loop, as old programs do: these need a runtime
 * that never wakes without cause, more than POSIX promises.
 */
#include "wl_stress.h"

#define PLACES 4

static long threads = 64, rounds = 12, seed = 1, strict;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- a token round the ring ----------------------------------------------- */

static pthread_cond_t my_turn[WL_MAXTHREADS];
static long token, passes;

static void *ring(void *arg)
{
    long id = (long)(intptr_t)arg;
    uint32_t state = wl_seed(seed, arg);
    for (long r = 0; r < rounds; r++) {
        WL_MUST(pthread_mutex_lock(&lock));
        while (token != id)
            WL_MUST(pthread_cond_wait(&my_turn[id], &lock));
        WL_EXPECT(passes == r * threads + id);
        passes++;
        token = (id + 1) % threads;
        WL_MUST(pthread_cond_signal(&my_turn[token]));
        WL_MUST(pthread_mutex_unlock(&lock));
        wl_jitter(&state);
    }
    return NULL;
}

/* ---- bounded buffer: even threads put, odd ones get ------------------------ */

static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static long place[PLACES], filled, put_sum, got_sum;

static void *buffer(void *arg)
{
    long id = (long)(intptr_t)arg;
    uint32_t state = wl_seed(seed, arg);
    if ((id | 1) >= threads) /* without a partner */
        return NULL;
    for (long r = 0; r < rounds; r++) {
        WL_MUST(pthread_mutex_lock(&lock));
        if (id % 2 == 0) {
            while (filled == PLACES)
                WL_MUST(pthread_cond_wait(&not_full, &lock));
            place[filled++] = id * rounds + r;
            put_sum += id * rounds + r;
            WL_MUST(pthread_cond_signal(&not_empty));
        } else {
            while (filled == 0)
                WL_MUST(pthread_cond_wait(&not_empty, &lock));
            got_sum += place[--filled];
            WL_MUST(pthread_cond_signal(&not_full));
        }
        WL_EXPECT(filled >= 0 && filled <= PLACES);
        WL_MUST(pthread_mutex_unlock(&lock));
        wl_jitter(&state);
    }
    return NULL;
}

/* ---- waits with a limit ---------------------------------------------------- */

static pthread_cond_t timed[2]; /* by CLOCK_REALTIME and CLOCK_MONOTONIC */
static const clockid_t timed_clock[2] = {CLOCK_REALTIME, CLOCK_MONOTONIC};
static long available, given, taken;

static void *limited(void *arg)
{
    uint32_t state = wl_seed(seed, arg);
    for (long r = 0; r < rounds; r++) {
        int c = (int)wl_below(&state, 2);
        WL_MUST(pthread_mutex_lock(&lock));
        if (wl_below(&state, 2)) {
            available++;
            given++;
            WL_MUST(pthread_cond_signal(&timed[0]));
            WL_MUST(pthread_cond_signal(&timed[1]));
        } else {
            struct timespec due = wl_deadline(timed_clock[c], (long)wl_below(&state, 4) - 1);
            int err = 0;
            while (available == 0 && err == 0)
                err = pthread_cond_timedwait(&timed[c], &lock, &due);
            WL_EXPECT(err == 0 || (err == ETIMEDOUT && wl_passed(timed_clock[c], &due)));
            if (available > 0) {
                available--;
                taken++;
            }
        }
        WL_MUST(pthread_mutex_unlock(&lock));
        wl_jitter(&state);
    }
    return NULL;
}

/* ---- broadcast, and barriers without a loop --------------------------------- */

static pthread_cond_t all = PTHREAD_COND_INITIALIZER;
static long arrived, generation;

static void *broadcast(void *arg)
{
    uint32_t state = wl_seed(seed, arg);
    for (long r = 0; r < rounds; r++) {
        WL_MUST(pthread_mutex_lock(&lock));
        WL_EXPECT(generation == r);
        if (++arrived == threads) {
            arrived = 0;
            generation++;
            WL_MUST(pthread_cond_broadcast(&all));
        } else if (strict) {
            WL_MUST(pthread_cond_wait(&all, &lock));
        } else {
            while (generation == r)
                WL_MUST(pthread_cond_wait(&all, &lock));
        }
        WL_EXPECT(generation == r + 1);
        WL_MUST(pthread_mutex_unlock(&lock));
        wl_jitter(&state);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const struct wl_opt opts[] = {
        {'t', &threads, 2, WL_MAXTHREADS, "threads"},
        {'n', &rounds, 1, 1000000, "rounds"},
        {'s', &seed, 0, 1 << 30, "seed"},
        {'x', &strict, 0, 1, "1: no spurious wake-ups allowed"},
        {0},
    };
    wl_options(argc, argv, opts);
    pthread_condattr_t attr;
    clockid_t clock = CLOCK_REALTIME;
    WL_MUST(pthread_condattr_init(&attr));
    WL_MUST(pthread_cond_init(&timed[0], &attr));
    WL_MUST(pthread_condattr_setclock(&attr, CLOCK_MONOTONIC));
    WL_MUST(pthread_condattr_getclock(&attr, &clock));
    WL_EXPECT(clock == CLOCK_MONOTONIC);
    WL_MUST(pthread_cond_init(&timed[1], &attr));
    WL_MUST(pthread_condattr_destroy(&attr));
    for (long i = 0; i < threads; i++)
        WL_MUST(pthread_cond_init(&my_turn[i], NULL));

    /* Sends signals without a waiter, which are lost. */
    WL_MUST(pthread_cond_signal(&timed[1]));
    WL_MUST(pthread_cond_broadcast(&timed[1]));
    struct timespec due = wl_deadline(CLOCK_MONOTONIC, 3);
    int err = 0;
    WL_MUST(pthread_mutex_lock(&lock));
    do
        err = pthread_cond_timedwait(&timed[1], &lock, &due);
    while (err == 0 && !strict);
    WL_EXPECT(err == ETIMEDOUT && wl_passed(CLOCK_MONOTONIC, &due));
    WL_EXPECT(pthread_mutex_trylock(&lock) == EBUSY);
    WL_MUST(pthread_mutex_unlock(&lock));

    wl_team(threads, ring);
    WL_EXPECT(passes == threads * rounds);
    wl_team(threads, buffer);
    WL_EXPECT(put_sum == got_sum && filled == 0);
    wl_team(threads, limited);
    WL_EXPECT(given == taken + available);
    wl_team(threads, broadcast);
    WL_EXPECT(generation == rounds && arrived == 0);

    for (long i = 0; i < threads; i++)
        WL_EXPECT(pthread_cond_destroy(&my_turn[i]) == 0);
    for (int i = 0; i < 2; i++)
        WL_EXPECT(pthread_cond_destroy(&timed[i]) == 0);
    return wl_result("st_cond", wl_failures == 0, "threads=%ld rounds=%ld seed=%ld strict=%ld",
                     threads, rounds, seed, strict);
}
