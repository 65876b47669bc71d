/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stress of semaphores: never more threads inside than places, wait, trywait
 * and timedwait, values and error numbers, posts from everywhere, and hand-over
 * in pairs as a rendezvous.
 */
#include "wl_stress.h"
#include <semaphore.h>

#define PLACES 3

static long threads = 64, rounds = 40, seed = 1;
static sem_t places, tokens, ping[WL_MAXTHREADS], pong[WL_MAXTHREADS];
static long inside, most, entered;

static bool enter(uint32_t *state)
{
    struct timespec due;
    switch (wl_below(state, 4)) {
    case 0:
        if (sem_trywait(&places) == 0)
            return true;
        WL_EXPECT(errno == EAGAIN);
        return false;
    case 1:
        due = wl_deadline(CLOCK_REALTIME, (long)wl_below(state, 3));
        if (sem_timedwait(&places, &due) == 0)
            return true;
        WL_EXPECT(errno == ETIMEDOUT && wl_passed(CLOCK_REALTIME, &due));
        return false;
    default:
        return WL_EXPECT(sem_wait(&places) == 0);
    }
}

static void *limited(void *arg)
{
    uint32_t state = wl_seed(seed, arg);
    for (long r = 0; r < rounds; r++) {
        if (enter(&state)) {
            long now = __atomic_add_fetch(&inside, 1, __ATOMIC_SEQ_CST);
            WL_EXPECT(now <= PLACES);
            __atomic_fetch_add(&entered, 1, __ATOMIC_RELAXED);
            wl_jitter(&state);
            if (now > __atomic_load_n(&most, __ATOMIC_RELAXED))
                __atomic_store_n(&most, now, __ATOMIC_RELAXED);
            __atomic_fetch_sub(&inside, 1, __ATOMIC_SEQ_CST);
            WL_EXPECT(sem_post(&places) == 0);
        }
        wl_jitter(&state);
    }
    return NULL;
}

/* Posts in the first half of the threads, takes as many in the second. */
static void *flow(void *arg)
{
    long id = (long)(intptr_t)arg;
    uint32_t state = wl_seed(seed, arg);
    long half = threads / 2;
    for (long r = 0; r < rounds && id < 2 * half; r++) {
        WL_EXPECT((id < half ? sem_post(&tokens) : sem_wait(&tokens)) == 0);
        wl_jitter(&state);
    }
    return NULL;
}

static long ball[WL_MAXTHREADS]; /* plain: ordered by the semaphores alone */

static void *pairs(void *arg)
{
    long id = (long)(intptr_t)arg, pair = id / 2;
    if ((id | 1) >= threads)
        return NULL;
    for (long r = 0; r < rounds; r++) {
        if (id % 2 == 0) {
            WL_EXPECT(ball[pair]++ == 2 * r);
            sem_post(&ping[pair]);
            sem_wait(&pong[pair]);
        } else {
            sem_wait(&ping[pair]);
            WL_EXPECT(ball[pair]++ == 2 * r + 1);
            sem_post(&pong[pair]);
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const struct wl_opt opts[] = {
        {'t', &threads, 2, WL_MAXTHREADS, "threads"},
        {'n', &rounds, 1, 1000000, "rounds"},
        {'s', &seed, 0, 1 << 30, "seed"},
        {0},
    };
    wl_options(argc, argv, opts);
    int value = -1;
    WL_MUST(sem_init(&places, 0, PLACES));
    WL_MUST(sem_init(&tokens, 0, 0));
    for (long i = 0; i < threads; i++) {
        WL_MUST(sem_init(&ping[i], 0, 0));
        WL_MUST(sem_init(&pong[i], 0, 0));
    }
    WL_EXPECT(sem_getvalue(&places, &value) == 0 && value == PLACES);
    WL_EXPECT(sem_trywait(&tokens) == -1 && errno == EAGAIN);
    struct timespec past = wl_deadline(CLOCK_REALTIME, -5), soon = wl_deadline(CLOCK_REALTIME, 2);
    WL_EXPECT(sem_timedwait(&tokens, &past) == -1 && errno == ETIMEDOUT);
    WL_EXPECT(sem_timedwait(&tokens, &soon) == -1 && errno == ETIMEDOUT);
    WL_EXPECT(wl_passed(CLOCK_REALTIME, &soon));
    WL_EXPECT(sem_timedwait(&places, &past) == 0); /* no wait, no time limit */
    WL_EXPECT(sem_getvalue(&places, &value) == 0 && value == PLACES - 1);
    WL_EXPECT(sem_post(&places) == 0);

    wl_team(threads, limited);
    WL_EXPECT(sem_getvalue(&places, &value) == 0 && value == PLACES);
    WL_EXPECT(inside == 0 && most >= 1 && entered >= threads * rounds / 4);
    wl_team(threads, flow);
    WL_EXPECT(sem_getvalue(&tokens, &value) == 0 && value == 0);
    wl_team(threads, pairs);
    for (long i = 0; i < threads / 2; i++)
        WL_EXPECT(ball[i] == 2 * rounds);

    for (long i = 0; i < threads; i++) {
        WL_EXPECT(sem_destroy(&ping[i]) == 0);
        WL_EXPECT(sem_destroy(&pong[i]) == 0);
    }
    WL_EXPECT(sem_destroy(&places) == 0 && sem_destroy(&tokens) == 0);
    return wl_result("st_sem", wl_failures == 0, "threads=%ld rounds=%ld seed=%ld", threads, rounds,
                     seed);
}
