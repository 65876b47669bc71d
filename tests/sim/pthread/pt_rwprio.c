/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Priorities of waiters (POSIX, thread execution scheduling): in which order they get a rwlock, a
 * mutex, a semaphore or a signal of a condition, and who gets past a waiting writer. Linux, whose
 * C library does without these rules at rwlocks, is no reference.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t sem;
static char order[16];
static int failures, at;

#define EXPECT(what)                                                                               \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            printf("line %d: not true: %s\n", __LINE__, #what);                                    \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)

static pthread_t start(void *(*fn)(void *), int priority, char name)
{
    const struct sched_param param = {.sched_priority = priority};
    pthread_attr_t attr;
    pthread_t t;

    pthread_attr_init(&attr);
    pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedpolicy(&attr, SCHED_FIFO);
    pthread_attr_setschedparam(&attr, &param);
    EXPECT(pthread_create(&t, &attr, fn, (void *)(intptr_t)name) == 0);
    usleep(200); /* it waits, or is done */
    return t;
}

static void *writer(void *name)
{
    pthread_rwlock_wrlock(&lock);
    order[at++] = (char)(intptr_t)name;
    pthread_rwlock_unlock(&lock);
    return NULL;
}

static void *reader(void *name)
{
    pthread_rwlock_rdlock(&lock);
    order[__atomic_fetch_add(&at, 1, __ATOMIC_RELAXED)] = (char)(intptr_t)name;
    pthread_rwlock_unlock(&lock);
    return NULL;
}

static void *tries(void *arg)
{
    int r = pthread_rwlock_tryrdlock(&lock);

    (void)arg;
    if (r == 0)
        pthread_rwlock_unlock(&lock);
    return (void *)(intptr_t)r;
}

static void *waits(void *arg)
{
    struct timespec limit;
    int r;

    (void)arg;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_nsec += 100000;
    if (limit.tv_nsec >= 1000000000) {
        limit.tv_nsec -= 1000000000;
        limit.tv_sec++;
    }
    r = pthread_rwlock_timedrdlock(&lock, &limit);
    if (r == 0)
        pthread_rwlock_unlock(&lock);
    return (void *)(intptr_t)r;
}

static int answer(pthread_t t)
{
    void *r;

    pthread_join(t, &r);
    return (int)(intptr_t)r;
}

static void *locker(void *name)
{
    pthread_mutex_lock(&mutex);
    order[at++] = (char)(intptr_t)name;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void *taker(void *name)
{
    sem_wait(&sem);
    order[at++] = (char)(intptr_t)name;
    sem_post(&sem);
    return NULL;
}

static void *waiter(void *name)
{
    pthread_mutex_lock(&mutex);
    pthread_cond_wait(&cond, &mutex);
    order[at++] = (char)(intptr_t)name;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

/* Six threads wait, one of them with another priority than it began with, until `release`: in
 * which order they go on. */
static const char *go_on(void *(*fn)(void *), void (*release)(void))
{
    static const int priority[] = {2, 8, 8, 1, 2, 9};
    pthread_t t[6];

    at = 0;
    memset(order, 0, sizeof(order));
    for (int i = 0; i < 6; i++)
        t[i] = start(fn, priority[i], (char)('a' + i));
    EXPECT(pthread_setschedprio(t[4], 8) == 0);
    release();
    for (int i = 0; i < 6; i++)
        pthread_join(t[i], NULL);
    return order;
}

static void unlock(void)
{
    pthread_mutex_unlock(&mutex);
}

static void post(void)
{
    sem_post(&sem);
}

static void signal_each(void)
{
    for (int i = 0; i < 6; i++) {
        pthread_cond_signal(&cond);
        usleep(200);
    }
}

/* All but the first go straight to the mutex's waiters. */
static void broadcast(void)
{
    pthread_mutex_lock(&mutex);
    pthread_cond_broadcast(&cond);
    pthread_mutex_unlock(&mutex);
}

static void waiters(void)
{
    pthread_mutex_lock(&mutex);
    EXPECT(strcmp(go_on(locker, unlock), "fbcead") == 0);
    EXPECT(sem_init(&sem, 0, 0) == 0);
    EXPECT(strcmp(go_on(taker, post), "fbcead") == 0);
    EXPECT(strcmp(go_on(waiter, signal_each), "fbcead") == 0);
    EXPECT(strcmp(go_on(waiter, broadcast), "fbcead") == 0);
}

/* The same with a mutex of a ceiling, which threads that wait for the condition do not have. */
static void below_a_ceiling(void)
{
    pthread_mutexattr_t attr;

    EXPECT(pthread_mutexattr_init(&attr) == 0);
    EXPECT(pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_PROTECT) == 0);
    EXPECT(pthread_mutexattr_setprioceiling(&attr, 20) == 0);
    EXPECT(pthread_mutex_destroy(&mutex) == 0 && pthread_mutex_init(&mutex, &attr) == 0);
    EXPECT(strcmp(go_on(waiter, signal_each), "fbcead") == 0);
    EXPECT(strcmp(go_on(waiter, broadcast), "fbcead") == 0);
}

int main(void)
{
    pthread_t t[4];

    /* A reader has it and a writer waits: only who is more urgent than that gets in. */
    pthread_rwlock_rdlock(&lock);
    t[0] = start(writer, 5, 'w');
    EXPECT(answer(start(tries, 5, 0)) == EBUSY);
    EXPECT(answer(start(tries, 4, 0)) == EBUSY);
    EXPECT(answer(start(tries, 6, 0)) == 0);
    EXPECT(answer(start(waits, 5, 0)) == ETIMEDOUT);
    EXPECT(answer(start(waits, 6, 0)) == 0);
    EXPECT(at == 0);
    pthread_rwlock_unlock(&lock);
    pthread_join(t[0], NULL);

    /* A writer leaves: the most urgent first, of equals the readers. */
    at = 0;
    pthread_rwlock_wrlock(&lock);
    t[0] = start(reader, 3, 'a');
    t[1] = start(writer, 3, 'b');
    t[2] = start(writer, 7, 'c');
    t[3] = start(writer, 9, 'd');
    pthread_rwlock_unlock(&lock);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    EXPECT(order[0] == 'd' && order[1] == 'c' && order[2] == 'a' && order[3] == 'b');

    waiters();
    below_a_ceiling();
    EXPECT(pthread_rwlock_wrlock(&lock) == 0 && pthread_rwlock_unlock(&lock) == 0);
    EXPECT(pthread_rwlock_destroy(&lock) == 0);
    printf("pt_rwprio: %s\n", failures == 0 ? "ok" : "failed");
    return failures != 0;
}
