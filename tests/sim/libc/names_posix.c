/* SPDX-License-Identifier: GPL-2.0-or-later */
/* As names_iso.c, but the functions of POSIX threads, OpenMP and regular expressions are the
 * library's. */
#include <omp.h>
#include <pthread.h>
#include <regex.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int own_report(void);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static sem_t sem;
static int count;

static void first(void)
{
    pthread_key_create(&key, free);
}

static void *worker(void *arg)
{
    struct timespec until;

    pthread_once(&once, first);
    pthread_setspecific(key, malloc(8));
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < 50; i++) {
        pthread_mutex_lock(&mutex);
        count++;
        pthread_cond_broadcast(&cond);
        pthread_mutex_unlock(&mutex);
        pthread_rwlock_rdlock(&rwlock);
        pthread_rwlock_unlock(&rwlock);
    }
    timespec_get(&until, TIME_UTC);
    until.tv_nsec = (until.tv_nsec + 200000) % 1000000000;
    until.tv_sec += until.tv_nsec < 200000;
    pthread_mutex_lock(&mutex);
    while (pthread_cond_timedwait(&cond, &mutex, &until) == 0)
        ;
    pthread_mutex_unlock(&mutex);
    sem_post(&sem);
    return arg;
}

static void posix(void)
{
    pthread_t thread[4];
    pthread_attr_t attr;

    sem_init(&sem, 0, 0);
    pthread_barrier_init(&barrier, NULL, 4);
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, 65536);
    for (int i = 0; i < 4; i++)
        pthread_create(&thread[i], &attr, worker, NULL);
    pthread_mutex_lock(&mutex);
    while (count < 200)
        pthread_cond_wait(&cond, &mutex);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < 4; i++) {
        sem_wait(&sem);
        pthread_join(thread[i], NULL);
    }
    printf("%d\n", count);
}

static long fib(int n)
{
    long a, b;

    if (n < 2)
        return n;
#pragma omp task shared(a)
    a = fib(n - 1);
#pragma omp task shared(b)
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

static void openmp(void)
{
    double sum = 0;
    long result = 0;
    int most = 0;
    omp_lock_t lock;

    omp_init_lock(&lock);
#pragma omp parallel for reduction(+ : sum) schedule(dynamic, 3) num_threads(4)
    for (int i = 0; i < 1000; i++)
        sum += i;
#pragma omp parallel num_threads(4)
    {
        omp_set_lock(&lock);
        most += omp_get_num_threads();
        omp_unset_lock(&lock);
#pragma omp barrier
#pragma omp single
        result = fib(10);
#pragma omp critical
        most++;
    }
    printf("%g %d %ld %d\n", sum, most, result, omp_get_wtime() >= 0);
}

int main(void)
{
    regex_t regex;
    regmatch_t match[2];
    int wrong;

    posix();
    openmp();
    printf("%d ", regcomp(&regex, "a(b+)c", REG_EXTENDED));
    printf("%d ", regexec(&regex, "xxabbbc", 2, match, 0));
    printf("%d %d\n", (int)match[1].rm_so, (int)match[1].rm_eo);
    regfree(&regex);
    wrong = own_report();
    printf("%d wrong\n", wrong);
    return wrong > 0;
}
