/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stress of mutexes: all kinds (normal, recursive, errorcheck, default, static
 * initialiser, all bytes zero) under lock, trylock and timedlock by many
 * threads; exclusion, nesting and the error numbers are checked.
 */
#include "wl_stress.h"

enum { NORMAL, RECURSIVE, ERRORCHECK, DEFAULT, STATIC, ZERO, KINDS };

static long threads = 64, rounds = 60, seed = 1;

static struct guarded {
    pthread_mutex_t mutex;
    long owner; /* 0 or 1 + id of the thread inside */
    long count;
} guarded[KINDS] = {[STATIC] = {.mutex = PTHREAD_MUTEX_INITIALIZER}};
static long expected[KINDS];

static void init_kind(int kind, int type)
{
    pthread_mutexattr_t attr;
    int got = -1;
    WL_MUST(pthread_mutexattr_init(&attr));
    WL_MUST(pthread_mutexattr_settype(&attr, type));
    WL_MUST(pthread_mutexattr_gettype(&attr, &got));
    WL_EXPECT(got == type);
    WL_MUST(pthread_mutex_init(&guarded[kind].mutex, &attr));
    WL_MUST(pthread_mutexattr_destroy(&attr));
}

/* Tries everything that the owner of each kind may try, and checks the answers. */
static void probe_as_owner(int kind, struct guarded *g, uint32_t *state)
{
    if (kind == RECURSIVE) {
        uint32_t depth = 1 + wl_below(state, 4);
        for (uint32_t i = 0; i < depth; i++)
            WL_EXPECT((i & 1 ? pthread_mutex_trylock(&g->mutex) : pthread_mutex_lock(&g->mutex)) ==
                      0);
        for (uint32_t i = 0; i < depth; i++)
            WL_EXPECT(pthread_mutex_unlock(&g->mutex) == 0);
    } else if (kind == ERRORCHECK) {
        WL_EXPECT(pthread_mutex_lock(&g->mutex) == EDEADLK);
        WL_EXPECT(pthread_mutex_trylock(&g->mutex) == EBUSY);
    } else {
        WL_EXPECT(pthread_mutex_trylock(&g->mutex) == EBUSY);
    }
}

static bool enter(struct guarded *g, uint32_t *state)
{
    struct timespec soon;
    int err;
    switch (wl_below(state, 4)) {
    case 0:
        err = pthread_mutex_trylock(&g->mutex);
        WL_EXPECT(err == 0 || err == EBUSY);
        return err == 0;
    case 1:
        soon = wl_deadline(CLOCK_REALTIME, (long)wl_below(state, 3));
        err = pthread_mutex_timedlock(&g->mutex, &soon);
        WL_EXPECT(err == 0 || (err == ETIMEDOUT && wl_passed(CLOCK_REALTIME, &soon)));
        return err == 0;
    default:
        return WL_EXPECT(pthread_mutex_lock(&g->mutex) == 0);
    }
}

static void *worker(void *arg)
{
    long me = 1 + (long)(intptr_t)arg;
    uint32_t state = wl_seed(seed, arg);
    for (long r = 0; r < rounds; r++) {
        int kind = (int)wl_below(&state, KINDS);
        struct guarded *g = &guarded[kind];
        if (enter(g, &state)) {
            WL_EXPECT(g->owner == 0);
            g->owner = me;
            long before = g->count;
            wl_jitter(&state);
            probe_as_owner(kind, g, &state);
            g->count = before + 1;
            WL_EXPECT(g->owner == me);
            g->owner = 0;
            WL_EXPECT(pthread_mutex_unlock(&g->mutex) == 0);
            __atomic_fetch_add(&expected[kind], 1, __ATOMIC_RELAXED);
        }
        wl_jitter(&state);
    }
    return NULL;
}

/* Tries the mutexes while main holds them all. */
static void *stranger(void *arg)
{
    for (int kind = 0; kind < KINDS; kind++) {
        pthread_mutex_t *m = &guarded[kind].mutex;
        struct timespec soon = wl_deadline(CLOCK_REALTIME, 2);
        WL_EXPECT(pthread_mutex_trylock(m) == EBUSY);
        WL_EXPECT(pthread_mutex_timedlock(m, &soon) == ETIMEDOUT);
        WL_EXPECT(wl_passed(CLOCK_REALTIME, &soon));
        if (kind == RECURSIVE || kind == ERRORCHECK)
            WL_EXPECT(pthread_mutex_unlock(m) == EPERM);
    }
    return arg;
}

int main(int argc, char **argv)
{
    const struct wl_opt opts[] = {
        {'t', &threads, 1, WL_MAXTHREADS, "threads"},
        {'n', &rounds, 1, 1000000, "rounds"},
        {'s', &seed, 0, 1 << 30, "seed"},
        {0},
    };
    wl_options(argc, argv, opts);
    init_kind(NORMAL, PTHREAD_MUTEX_NORMAL);
    init_kind(RECURSIVE, PTHREAD_MUTEX_RECURSIVE);
    init_kind(ERRORCHECK, PTHREAD_MUTEX_ERRORCHECK);
    WL_MUST(pthread_mutex_init(&guarded[DEFAULT].mutex, NULL));

    for (int kind = 0; kind < KINDS; kind++)
        WL_MUST(pthread_mutex_lock(&guarded[kind].mutex));
    wl_team(1, stranger);
    for (int kind = 0; kind < KINDS; kind++)
        WL_MUST(pthread_mutex_unlock(&guarded[kind].mutex));
    WL_EXPECT(pthread_mutex_unlock(&guarded[ERRORCHECK].mutex) == EPERM);

    wl_team(threads, worker);

    long locks = 0;
    for (int kind = 0; kind < KINDS; kind++) {
        WL_EXPECT(guarded[kind].count == expected[kind]);
        locks += guarded[kind].count;
        WL_EXPECT(pthread_mutex_destroy(&guarded[kind].mutex) == 0);
        WL_EXPECT(pthread_mutex_init(&guarded[kind].mutex, NULL) == 0);
        WL_EXPECT(pthread_mutex_lock(&guarded[kind].mutex) == 0);
        WL_EXPECT(pthread_mutex_unlock(&guarded[kind].mutex) == 0);
        WL_EXPECT(pthread_mutex_destroy(&guarded[kind].mutex) == 0);
    }
    WL_EXPECT(locks >= threads * rounds / 4);
    return wl_result("st_mutex", wl_failures == 0, "threads=%ld rounds=%ld seed=%ld", threads,
                     rounds, seed);
}
