/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs that never end, of kind -k. Expected: the runtime finds that every
 * thread is blocked for ever, names who waits for what and whom, and ends the
 * run with its own status; on Linux they hang (the native test expects the
 * status 124 of timeout(1)).
 *   0 two threads take two mutexes in opposite order:
 *     1 joins 2; 2 has A, waits for B of 3; 3 has B, waits for A of 2
 *   1 ring of -t threads: thread i + 2 has mutex i, waits for the next one's
 *   2 main locks a normal mutex twice: 1 waits for a mutex of 1
 *   3 lost wake-up: 2 waits on a condition that is never signalled, 1 joins 2
 *   4 main waits on a semaphore that is never posted
 *   5 a barrier for 3 that only 2 and main reach
 *   6 none: both mutexes in one order, ends with 0 (no false alarm), also with
 *     a thread that only sleeps meanwhile
 */
#include "wl_common.h"
#include <pthread.h>
#include <semaphore.h>

#define MAXRING 16

static long kind, ring = 4;
static pthread_mutex_t mutex[MAXRING];
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t all_hold, too_wide;
static long reached;

static void meet(pthread_barrier_t *b)
{
    int r = pthread_barrier_wait(b);
    if (r != PTHREAD_BARRIER_SERIAL_THREAD)
        WL_MUST(r);
}

/* Takes its own, waits until all have theirs, then wants the next. */
static void *in_ring(void *arg)
{
    long id = (long)(intptr_t)arg;
    WL_MUST(pthread_mutex_lock(&mutex[id]));
    meet(&all_hold);
    WL_MUST(pthread_mutex_lock(&mutex[(id + 1) % ring]));
    return NULL;
}

static void *forgotten(void *arg)
{
    WL_MUST(pthread_mutex_lock(&mutex[0]));
    for (;;)
        WL_MUST(pthread_cond_wait(&cond, &mutex[0]));
    return arg;
}

static void *at_barrier(void *arg)
{
    meet(&too_wide);
    return arg;
}

static void *in_order(void *arg)
{
    for (int i = 0; i < 100; i++) {
        WL_MUST(pthread_mutex_lock(&mutex[0]));
        WL_MUST(pthread_mutex_lock(&mutex[1]));
        reached++;
        WL_MUST(pthread_mutex_unlock(&mutex[1]));
        WL_MUST(pthread_mutex_unlock(&mutex[0]));
    }
    return arg;
}

static void *only_sleeps(void *arg)
{
    wl_sleep_ns(30000000);
    return arg;
}

static void start_and_join(void *(*f)(void *), long count)
{
    pthread_t tid[MAXRING];
    for (long i = 0; i < count; i++)
        WL_MUST(pthread_create(&tid[i], NULL, f, (void *)(intptr_t)i));
    for (long i = 0; i < count; i++)
        WL_MUST(pthread_join(tid[i], NULL));
}

int main(int argc, char **argv)
{
    const struct wl_opt opts[] = {
        {'k', &kind, 0, 6, "kind"},
        {'t', &ring, 2, MAXRING, "threads of the ring"},
        {0},
    };
    wl_options(argc, argv, opts);
    if (kind == 0)
        ring = 2;
    for (int i = 0; i < MAXRING; i++)
        WL_MUST(pthread_mutex_init(&mutex[i], NULL));
    WL_MUST(pthread_barrier_init(&all_hold, NULL, (unsigned)ring));
    WL_MUST(pthread_barrier_init(&too_wide, NULL, 3));
    pthread_t tid;
    sem_t never;
    switch (kind) {
    case 0:
    case 1:
        start_and_join(in_ring, ring);
        break;
    case 2:
        WL_MUST(pthread_mutex_lock(&mutex[0]));
        WL_MUST(pthread_mutex_lock(&mutex[0]));
        break;
    case 3:
        start_and_join(forgotten, 1);
        break;
    case 4:
        WL_MUST(sem_init(&never, 0, 0));
        WL_MUST(sem_wait(&never));
        break;
    case 5:
        WL_MUST(pthread_create(&tid, NULL, at_barrier, NULL));
        meet(&too_wide);
        break;
    default:
        WL_MUST(pthread_create(&tid, NULL, only_sleeps, NULL));
        start_and_join(in_order, 2);
        WL_MUST(pthread_join(tid, NULL));
        return wl_result("mu_deadlock", reached == 200, "kind=%ld", kind);
    }
    return wl_result("mu_deadlock", false, "kind=%ld came through", kind);
}
