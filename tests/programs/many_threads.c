/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Very many short threads, one after another: many_threads [N=100000]. Every tenth is of another
 * function that works 25 times as long; one thread lives from the beginning to the end.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t over;
static unsigned long done;

static void work(unsigned n)
{
    for (volatile unsigned i = 0; i < n; i++)
        ;
}

static void *brief(void *arg)
{
    work(20);
    pthread_mutex_lock(&lock);
    done++;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *longer(void *arg)
{
    work(500);
    return arg;
}

static void *always(void *arg)
{
    while (sem_wait(&over) != 0)
        ;
    work(1000);
    return arg;
}

int main(int argc, char **argv)
{
    const long n = argc > 1 ? atol(argv[1]) : 100000;
    pthread_t t, all;

    sem_init(&over, 0, 0);
    pthread_create(&all, NULL, always, NULL);
    for (long i = 0; i < n; i++) {
        if (pthread_create(&t, NULL, i % 10 == 9 ? longer : brief, NULL) != 0)
            return 1;
        pthread_join(t, NULL);
    }
    sem_post(&over);
    pthread_join(all, NULL);
    printf("%lu of %ld\n", done, n);
    return 0;
}
