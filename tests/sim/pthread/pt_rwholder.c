/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads that wait for rwlocks for ever: the report says who holds them. The thread that has read
 * last has left; one that reads holds more locks than one; a writer has been handed the lock after
 * others began to wait.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <unistd.h>

static pthread_rwlock_t first = PTHREAD_RWLOCK_INITIALIZER;
static pthread_rwlock_t second = PTHREAD_RWLOCK_INITIALIZER;
static pthread_rwlock_t third = PTHREAD_RWLOCK_INITIALIZER;
static sem_t never;

/* Thread 2: holds first and third to read, and no longer second. */
static void *reads(void *arg)
{
    pthread_rwlock_rdlock(&first);
    pthread_rwlock_rdlock(&second);
    pthread_rwlock_rdlock(&third);
    pthread_rwlock_unlock(&second);
    sem_wait(&never);
    return arg;
}

/* Thread 3: is handed second while thread 4 waits, too. */
static void *writes(void *arg)
{
    pthread_rwlock_wrlock(&second);
    sem_wait(&never);
    return arg;
}

static void *waits_behind(void *arg)
{
    pthread_rwlock_wrlock(&second);
    return arg;
}

static void *wants_third(void *arg)
{
    pthread_rwlock_rdlock(&third);
    pthread_rwlock_unlock(&third);
    pthread_rwlock_wrlock(&third);
    return arg;
}

static void start(void *(*fn)(void *arg))
{
    pthread_t t;

    pthread_create(&t, NULL, fn, NULL);
    usleep(1000);
}

int main(void)
{
    sem_init(&never, 0, 0);
    start(reads);
    pthread_rwlock_rdlock(&second);
    start(writes);
    start(waits_behind);
    start(wants_third);
    pthread_rwlock_unlock(&second);
    pthread_rwlock_rdlock(&first);
    pthread_rwlock_unlock(&first);
    pthread_rwlock_wrlock(&first);
    return 0;
}
