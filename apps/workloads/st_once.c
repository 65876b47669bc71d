/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stress of pthread_once and of thread-specific data: every initialiser runs
 * exactly once and is finished when pthread_once returns, also when one calls
 * another; keys start as NULL in every thread, destructors get the last value,
 * are repeated when one sets a new value, and are not called for NULL or for a
 * deleted key.
 */
#include "wl_stress.h"

#define ONCES 4
#define KEYS  20

static long threads = 64, waves = 3, seed = 1;

/* ---- once ------------------------------------------------------------------ */

static pthread_once_t once[ONCES] = {PTHREAD_ONCE_INIT, PTHREAD_ONCE_INIT, PTHREAD_ONCE_INIT,
                                     PTHREAD_ONCE_INIT};
static long runs[ONCES], finished[ONCES]; /* plain: ordered by pthread_once */

static void run(int i)
{
    runs[i]++;
    wl_sleep_ns(200000);
    finished[i] = 42 + i;
}

static void init0(void)
{
    run(0);
}

static void init1(void)
{
    run(1);
}

static void init2(void)
{
    WL_MUST(pthread_once(&once[1], init1)); /* from within another */
    WL_EXPECT(finished[1] == 43);
    run(2);
}

static void init3(void)
{
    run(3);
}

static void (*const init[ONCES])(void) = {init0, init1, init2, init3};

/* ---- keys ------------------------------------------------------------------ */

static pthread_key_t key[KEYS], again, deleted;
static long destroyed[KEYS], again_calls, deleted_calls;

/* The value carries its key's number, so one destructor serves all. */
static void destroy(void *value)
{
    long v = (long)(intptr_t)value;
    WL_EXPECT(v > 0 && v % 100 < KEYS);
    __atomic_fetch_add(&destroyed[v % 100], 1, __ATOMIC_RELAXED);
}

/* Sets its key twice more: called three times per thread. */
static void destroy_again(void *value)
{
    long left = (long)(intptr_t)value;
    __atomic_fetch_add(&again_calls, 1, __ATOMIC_RELAXED);
    WL_EXPECT(pthread_getspecific(again) == NULL);
    if (left > 1)
        WL_MUST(pthread_setspecific(again, (void *)(intptr_t)(left - 1)));
}

static void destroy_deleted(void *value)
{
    (void)value;
    __atomic_fetch_add(&deleted_calls, 1, __ATOMIC_RELAXED);
}

static void *worker(void *arg)
{
    long id = (long)(intptr_t)arg;
    uint32_t state = wl_seed(seed, arg);
    for (int k = 0; k < ONCES; k++) {
        int i = (int)((id + k) % ONCES);
        WL_MUST(pthread_once(&once[i], init[i]));
        WL_EXPECT(runs[i] == 1 && finished[i] == 42 + i);
    }
    for (int k = 0; k < KEYS; k++)
        WL_EXPECT(pthread_getspecific(key[k]) == NULL);
    for (int round = 1; round < 5; round++) {
        for (int k = 0; k < KEYS; k++)
            WL_MUST(pthread_setspecific(key[k], (void *)(intptr_t)((id * 8 + round) * 100 + k)));
        wl_jitter(&state);
        for (int k = 0; k < KEYS; k++)
            WL_EXPECT((long)(intptr_t)pthread_getspecific(key[k]) == (id * 8 + round) * 100 + k);
    }
    WL_MUST(pthread_setspecific(key[0], NULL)); /* no destructor for it */
    WL_MUST(pthread_setspecific(again, (void *)(intptr_t)3));
    if (id % 2)
        pthread_exit(NULL);
    return NULL;
}

static pthread_barrier_t key_deleted;

static void *holds_deleted(void *arg)
{
    WL_MUST(pthread_setspecific(deleted, &again));
    pthread_barrier_wait(&key_deleted);
    pthread_barrier_wait(&key_deleted);
    return arg;
}

int main(int argc, char **argv)
{
    const struct wl_opt opts[] = {
        {'t', &threads, 1, WL_MAXTHREADS, "threads"},
        {'n', &waves, 1, 1000, "waves of threads"},
        {'s', &seed, 0, 1 << 30, "seed"},
        {0},
    };
    wl_options(argc, argv, opts);
    for (int k = 0; k < KEYS; k++)
        WL_MUST(pthread_key_create(&key[k], destroy));
    WL_MUST(pthread_key_create(&again, destroy_again));
    WL_MUST(pthread_setspecific(key[5], &threads)); /* main's own, must survive */
    for (long w = 0; w < waves; w++)
        wl_team(threads, worker);
    WL_EXPECT(pthread_getspecific(key[5]) == &threads);
    WL_EXPECT(destroyed[0] == 0);
    for (int k = 1; k < KEYS; k++)
        WL_EXPECT(destroyed[k] == threads * waves);
    WL_EXPECT(again_calls == 3 * threads * waves);

    pthread_t tid;
    WL_MUST(pthread_barrier_init(&key_deleted, NULL, 2));
    WL_MUST(pthread_key_create(&deleted, destroy_deleted));
    WL_MUST(pthread_create(&tid, NULL, holds_deleted, NULL));
    pthread_barrier_wait(&key_deleted);
    WL_MUST(pthread_key_delete(deleted));
    pthread_barrier_wait(&key_deleted);
    WL_MUST(pthread_join(tid, NULL));
    WL_EXPECT(deleted_calls == 0);
    for (int i = 0; i < 300; i++) { /* more than can exist at once: places are reused */
        WL_MUST(pthread_key_create(&deleted, NULL));
        WL_EXPECT(pthread_getspecific(deleted) == NULL);
        WL_MUST(pthread_setspecific(deleted, &again));
        WL_MUST(pthread_key_delete(deleted));
    }
    for (int k = 0; k < KEYS; k++)
        WL_MUST(pthread_key_delete(key[k]));
    WL_MUST(pthread_key_delete(again));
    WL_MUST(pthread_barrier_destroy(&key_deleted));
    return wl_result("st_once", wl_failures == 0, "threads=%ld waves=%ld seed=%ld", threads, waves,
                     seed);
}
