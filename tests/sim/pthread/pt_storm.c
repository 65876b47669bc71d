/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads compute, lock, wait for each other and for no one, while others send them signals as
 * fast as they can: nothing is computed wrongly, no wake-up is lost, every queued signal is handled
 * once and in order. Runs on Linux, too. usage: pt_storm [-s SEED] [-n ROUNDS]
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define WORKERS 6
#define SENDERS 2

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t items[2];
static pthread_t worker[WORKERS];
static volatile int over, failures;
static int rounds = 30, seed, turn, shared, pairs;
static __thread struct {
    int number;
    volatile unsigned plain;
    volatile unsigned queued;
} own;
static unsigned queued[WORKERS];

static void wrong(const char *what)
{
    fprintf(stderr, "pt_storm: %s\n", what);
    failures = 1;
}

/* Uses what a handler may use, and as many registers as it can get. */
static void on_plain(int sig)
{
    volatile double x = (double)sig;

    for (int i = 1; i < 8; i++)
        x = x * 1.5 + 1.0 / (double)i;
    errno = EDOM;
    own.plain++;
}

static void on_queued(int sig, siginfo_t *info, void *context)
{
    (void)context;
    if (sig != SIGRTMIN + 1 || info->si_value.sival_int != (int)own.queued)
        wrong("a value out of order");
    own.queued++;
}

static void compute(unsigned from)
{
    double sum = 0.0;
    uint64_t hash = from;
    uint64_t again = from;

    errno = ERANGE;
    for (unsigned i = 0; i < 400; i++) {
        sum += (double)(i & 15U) * 0.5;
        hash = hash * 6364136223846793005ULL + i;
    }
    for (unsigned i = 0; i < 400; i++)
        again = again * 6364136223846793005ULL + i;
    if (sum != 1500.0 || hash != again || errno != ERANGE)
        wrong("a register changed");
}

static void take_turns(int number)
{
    pthread_mutex_lock(&mutex);
    while (turn % WORKERS != number)
        pthread_cond_wait(&cond, &mutex);
    turn++;
    pthread_cond_broadcast(&cond);
    pthread_mutex_unlock(&mutex);
}

static void read_and_write(void)
{
    pthread_rwlock_wrlock(&rwlock);
    shared++;
    pairs++;
    pthread_rwlock_unlock(&rwlock);
    pthread_rwlock_rdlock(&rwlock);
    if (shared != pairs)
        wrong("a reader beside a writer");
    pthread_rwlock_unlock(&rwlock);
}

static void hand_over(int number)
{
    while (sem_wait(&items[number % 2]) != 0) {
        if (errno != EINTR)
            wrong("sem_wait");
    }
    sem_post(&items[1 - number % 2]);
}

static void nap(void)
{
    struct timespec t = {.tv_nsec = 20000};

    while (nanosleep(&t, &t) != 0) {
        if (errno != EINTR)
            wrong("nanosleep");
    }
}

static void *work(void *arg)
{
    own.number = (int)(intptr_t)arg;
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < rounds; i++) {
        compute((unsigned)i);
        take_turns(own.number);
        read_and_write();
        hand_over(own.number);
        pthread_barrier_wait(&barrier);
        nap();
    }
    while (over != 2) /* when all have been sent */
        compute(1);
    while (own.queued != queued[own.number])
        sched_yield();
    return (void *)(intptr_t)own.plain;
}

static void *send(void *arg)
{
    uint32_t state = (uint32_t)(seed * 2654435761U) + (uint32_t)(intptr_t)arg;

    while (!over) {
        state = state * 1103515245U + 12345U;
        pthread_kill(worker[state >> 16 & 7U ? (state >> 20) % WORKERS : 0], SIGUSR1);
        for (volatile unsigned i = state >> 24; i > 0; i--)
            ;
    }
    return NULL;
}

static void *queue(void *arg)
{
    (void)arg;
    for (unsigned i = 0; !over; i++) {
        const unsigned to = i % WORKERS;

        if (pthread_sigqueue(worker[to], SIGRTMIN + 1,
                             (union sigval){.sival_int = (int)queued[to]}) == 0)
            queued[to]++;
        for (volatile unsigned j = 0; j < 300; j++)
            ;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct sigaction act = {.sa_handler = on_plain};
    pthread_t sender[SENDERS + 1];
    intptr_t plain = 0;
    unsigned all = 0;
    int c;

    while ((c = getopt(argc, argv, "s:n:")) != -1) {
        if (c == 's')
            seed = atoi(optarg);
        else
            rounds = atoi(optarg);
    }
    sigemptyset(&act.sa_mask);
    sigaction(SIGUSR1, &act, NULL);
    act.sa_sigaction = on_queued;
    act.sa_flags = SA_SIGINFO | SA_RESTART;
    sigaction(SIGRTMIN + 1, &act, NULL);
    pthread_barrier_init(&barrier, NULL, WORKERS);
    sem_init(&items[0], 0, 1);
    sem_init(&items[1], 0, 1);
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&worker[i], NULL, work, (void *)(intptr_t)i);
    for (int i = 0; i < SENDERS; i++)
        pthread_create(&sender[i], NULL, send, (void *)(intptr_t)i);
    pthread_create(&sender[SENDERS], NULL, queue, NULL);
    pthread_mutex_lock(&mutex);
    while (turn < rounds * WORKERS)
        pthread_cond_wait(&cond, &mutex);
    pthread_mutex_unlock(&mutex);
    over = 1;
    for (int i = 0; i <= SENDERS; i++)
        pthread_join(sender[i], NULL);
    over = 2;
    for (int i = 0; i < WORKERS; i++) {
        void *n;

        pthread_join(worker[i], &n);
        plain += (intptr_t)n;
        all += queued[i];
    }
    if (pairs != rounds * WORKERS || plain == 0 || all == 0)
        wrong("too few of something");
    printf("pt_storm: %s\n", failures ? "failed" : "ok");
    return failures;
}
