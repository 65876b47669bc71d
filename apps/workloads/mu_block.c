/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One thread blocks for exactly -m milliseconds (50) on one object, of kind -k:
 *   0 mutex, 1 condition, 2 semaphore, 3 barrier, 4 rwlock (to read), 5 join
 * Threads: 1 main, which holds the object and sleeps; 2 the waiter; with -k 5
 * also 3, the thread that 2 joins.
 *
 * Expected in the profile, M = the milliseconds:
 *   thread 2: block M (to M + 0.1), run and other under 0.1, one wait on one
 *     object of the kind, longest = total; for mutex and rwlock the holder is
 *     thread 1, for join thread 3
 *   thread 1 (thread 3 with -k 5) sleeps meanwhile: sleeping is not block
 *   apart from it only joins of under 0.1 ms (main's of thread 2)
 * The program measures the wait and fails if it is shorter than M, or longer
 * than M + X with -x X microseconds (0: no limit, for loaded machines).
 */
#include "wl_common.h"
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>

enum kind { MUTEX, COND, SEM, BARRIER, RWLOCK, JOIN };
static const char *const kind_name[] = {"mutex", "cond", "sem", "barrier", "rwlock", "join"};

static long kind = MUTEX, ms = 50, slack_us;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t sem;
static bool signalled;
static uint64_t began, ended; /* of the wait; began is written once, atomically */

static void wait_barrier(void)
{
    int r = pthread_barrier_wait(&barrier);
    if (r != PTHREAD_BARRIER_SERIAL_THREAD)
        WL_MUST(r);
}

/* Sleeps until the wait has lasted ms. */
static void sleep_until_due(void)
{
    uint64_t start;
    while ((start = __atomic_load_n(&began, __ATOMIC_ACQUIRE)) == 0)
        sched_yield();
    uint64_t due = start + (uint64_t)ms * 1000000u, now = wl_now_ns();
    if (now < due)
        wl_sleep_ns(due - now);
}

static void *sleeper(void *arg)
{
    sleep_until_due();
    return arg;
}

static void begin(void)
{
    __atomic_store_n(&began, wl_now_ns(), __ATOMIC_RELEASE);
}

static void *waiter(void *arg)
{
    pthread_t other;
    switch ((enum kind)kind) {
    case MUTEX:
        begin();
        WL_MUST(pthread_mutex_lock(&mutex));
        ended = wl_now_ns();
        WL_MUST(pthread_mutex_unlock(&mutex));
        break;
    case COND:
        WL_MUST(pthread_mutex_lock(&mutex));
        begin();
        while (!signalled)
            WL_MUST(pthread_cond_wait(&cond, &mutex));
        ended = wl_now_ns();
        WL_MUST(pthread_mutex_unlock(&mutex));
        break;
    case SEM:
        begin();
        WL_MUST(sem_wait(&sem));
        ended = wl_now_ns();
        break;
    case BARRIER:
        begin();
        wait_barrier();
        ended = wl_now_ns();
        break;
    case RWLOCK:
        begin();
        WL_MUST(pthread_rwlock_rdlock(&rwlock));
        ended = wl_now_ns();
        WL_MUST(pthread_rwlock_unlock(&rwlock));
        break;
    case JOIN:
        WL_MUST(pthread_create(&other, NULL, sleeper, NULL));
        begin();
        WL_MUST(pthread_join(other, NULL));
        ended = wl_now_ns();
        break;
    }
    return arg;
}

int main(int argc, char **argv)
{
    const struct wl_opt opts[] = {
        {'k', &kind, 0, 5, "0 mutex, 1 condition, 2 semaphore, 3 barrier, 4 rwlock, 5 join"},
        {'m', &ms, 1, 100000, "milliseconds"},
        {'x', &slack_us, 0, 1000000, "microseconds it may be longer, 0 for any"},
        {0},
    };
    wl_options(argc, argv, opts);
    pthread_t tid;
    WL_MUST(pthread_barrier_init(&barrier, NULL, 2));
    WL_MUST(sem_init(&sem, 0, 0));
    if (kind == MUTEX)
        WL_MUST(pthread_mutex_lock(&mutex));
    if (kind == RWLOCK)
        WL_MUST(pthread_rwlock_wrlock(&rwlock));
    WL_MUST(pthread_create(&tid, NULL, waiter, NULL));
    if (kind != JOIN)
        sleep_until_due();
    switch ((enum kind)kind) {
    case MUTEX:
        WL_MUST(pthread_mutex_unlock(&mutex));
        break;
    case COND:
        WL_MUST(pthread_mutex_lock(&mutex));
        signalled = true;
        WL_MUST(pthread_cond_signal(&cond));
        WL_MUST(pthread_mutex_unlock(&mutex));
        break;
    case SEM:
        WL_MUST(sem_post(&sem));
        break;
    case BARRIER:
        wait_barrier();
        break;
    case RWLOCK:
        WL_MUST(pthread_rwlock_unlock(&rwlock));
        break;
    case JOIN:
        break;
    }
    WL_MUST(pthread_join(tid, NULL));
    WL_MUST(pthread_barrier_destroy(&barrier));
    WL_MUST(sem_destroy(&sem));

    uint64_t waited = ended - began, want = (uint64_t)ms * 1000000u;
    bool ok = waited >= want && (slack_us == 0 || waited <= want + (uint64_t)slack_us * 1000u);
    return wl_result("mu_block", ok, "kind=%s waited_us=%lu", kind_name[kind],
                     (unsigned long)(waited / 1000));
}
