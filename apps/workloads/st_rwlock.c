/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stress of read-write locks: lock, try and timed variants; readers find two
 * copies equal and never a writer among them, writers are alone; readers can
 * be inside together. One lock is initialised statically, one by call.
 */
#include "wl_stress.h"

static long threads = 64, rounds = 40, seed = 1;

static struct guarded {
    pthread_rwlock_t lock;
    long readers, writers; /* inside, changed atomically */
    long first, second;    /* equal outside of writers */
} guarded[2] = {{.lock = PTHREAD_RWLOCK_INITIALIZER}};
static long writes[2];

static int enter(struct guarded *g, bool writer, uint32_t *state, struct timespec *due)
{
    *due = wl_deadline(CLOCK_REALTIME, (long)wl_below(state, 3));
    switch (wl_below(state, 4)) {
    case 0:
        return writer ? pthread_rwlock_trywrlock(&g->lock) : pthread_rwlock_tryrdlock(&g->lock);
    case 1:
        return writer ? pthread_rwlock_timedwrlock(&g->lock, due)
                      : pthread_rwlock_timedrdlock(&g->lock, due);
    default:
        return writer ? pthread_rwlock_wrlock(&g->lock) : pthread_rwlock_rdlock(&g->lock);
    }
}

static void *worker(void *arg)
{
    uint32_t state = wl_seed(seed, arg);
    for (long r = 0; r < rounds; r++) {
        int which = (int)wl_below(&state, 2);
        struct guarded *g = &guarded[which];
        bool writer = wl_below(&state, 4) == 0;
        struct timespec due;
        int err = enter(g, writer, &state, &due);
        WL_EXPECT(err == 0 || err == EBUSY ||
                  (err == ETIMEDOUT && wl_passed(CLOCK_REALTIME, &due)));
        if (err)
            continue;
        long *inside = writer ? &g->writers : &g->readers;
        long others = __atomic_fetch_add(inside, 1, __ATOMIC_SEQ_CST);
        if (writer) {
            WL_EXPECT(others == 0 && __atomic_load_n(&g->readers, __ATOMIC_SEQ_CST) == 0);
            g->first++;
            wl_jitter(&state);
            g->second++;
            __atomic_fetch_add(&writes[which], 1, __ATOMIC_RELAXED);
        } else {
            long seen = g->first;
            wl_jitter(&state);
            WL_EXPECT(seen == g->first && seen == g->second);
            WL_EXPECT(__atomic_load_n(&g->writers, __ATOMIC_SEQ_CST) == 0);
        }
        __atomic_fetch_sub(inside, 1, __ATOMIC_SEQ_CST);
        WL_EXPECT(pthread_rwlock_unlock(&g->lock) == 0);
        wl_jitter(&state);
    }
    return NULL;
}

/* Tries the locks while main holds [0] to read and [1] to write. */
static void *stranger(void *arg)
{
    struct timespec due = wl_deadline(CLOCK_REALTIME, 2);
    WL_EXPECT(pthread_rwlock_trywrlock(&guarded[0].lock) == EBUSY);
    WL_EXPECT(pthread_rwlock_tryrdlock(&guarded[1].lock) == EBUSY);
    WL_EXPECT(pthread_rwlock_trywrlock(&guarded[1].lock) == EBUSY);
    WL_EXPECT(pthread_rwlock_timedwrlock(&guarded[0].lock, &due) == ETIMEDOUT);
    WL_EXPECT(wl_passed(CLOCK_REALTIME, &due));
    due = wl_deadline(CLOCK_REALTIME, 2);
    WL_EXPECT(pthread_rwlock_timedrdlock(&guarded[1].lock, &due) == ETIMEDOUT);
    WL_EXPECT(wl_passed(CLOCK_REALTIME, &due));
    /* A writer that gave up must not keep readers out. */
    WL_EXPECT(pthread_rwlock_rdlock(&guarded[0].lock) == 0);
    WL_EXPECT(pthread_rwlock_tryrdlock(&guarded[0].lock) == 0);
    WL_EXPECT(pthread_rwlock_unlock(&guarded[0].lock) == 0);
    WL_EXPECT(pthread_rwlock_unlock(&guarded[0].lock) == 0);
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
    WL_MUST(pthread_rwlock_init(&guarded[1].lock, NULL));
    WL_MUST(pthread_rwlock_rdlock(&guarded[0].lock));
    WL_MUST(pthread_rwlock_wrlock(&guarded[1].lock));
    wl_team(1, stranger);
    WL_MUST(pthread_rwlock_unlock(&guarded[0].lock));
    WL_MUST(pthread_rwlock_unlock(&guarded[1].lock));

    wl_team(threads, worker);

    for (int i = 0; i < 2; i++) {
        WL_EXPECT(guarded[i].first == writes[i] && guarded[i].second == writes[i]);
        WL_EXPECT(pthread_rwlock_trywrlock(&guarded[i].lock) == 0);
        WL_EXPECT(pthread_rwlock_unlock(&guarded[i].lock) == 0);
        WL_EXPECT(pthread_rwlock_destroy(&guarded[i].lock) == 0);
    }
    return wl_result("st_rwlock", wl_failures == 0, "threads=%ld rounds=%ld seed=%ld", threads,
                     rounds, seed);
}
