/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cancellation meets threads on their way into a wait: whichever instruction it meets them at, the
 * wait ends. A thread says that it goes to wait, the other one cancels it some instructions later.
 * Runs on Linux, too. usage: pt_cancel [-s SEED] [-n DELAYS]
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t empty, full, release;
static pthread_t other;
static volatile int on_its_way;
static int unlocked;

static struct timespec far(void)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_sec += 1;
    return t;
}

static void unlock(void *arg)
{
    unlocked++;
    pthread_mutex_unlock(arg);
}

static void wait_sem(void)
{
    on_its_way = 1;
    sem_wait(&empty);
}

/* A wait that need not block is a cancellation point, too. */
static void wait_full(void)
{
    on_its_way = 1;
    for (;;) {
        sem_wait(&full);
        sem_post(&full);
    }
}

static void wait_sem_timed(void)
{
    const struct timespec t = far();

    on_its_way = 1;
    sem_timedwait(&empty, &t);
}

static void wait_cond(void)
{
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock, &mutex);
    on_its_way = 1;
    for (;;)
        pthread_cond_wait(&cond, &mutex);
    pthread_cleanup_pop(1);
}

static void wait_cond_timed(void)
{
    const struct timespec t = far();

    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock, &mutex);
    on_its_way = 1;
    pthread_cond_timedwait(&cond, &mutex, &t);
    pthread_cleanup_pop(1);
}

static void wait_join(void)
{
    on_its_way = 1;
    pthread_join(other, NULL);
}

static void wait_sleep(void)
{
    on_its_way = 1;
    sleep(1);
}

static void wait_signal(void)
{
    sigset_t set;
    int sig;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    on_its_way = 1;
    sigwait(&set, &sig);
}

static const struct {
    const char *name;
    void (*wait)(void);
} ways[] = {
    {"sem_wait", wait_sem},
    {"sem_wait, free", wait_full},
    {"sem_timedwait", wait_sem_timed},
    {"pthread_cond_wait", wait_cond},
    {"pthread_cond_timedwait", wait_cond_timed},
    {"pthread_join", wait_join},
    {"sleep", wait_sleep},
    {"sigwait", wait_signal},
};

static void *go(void *arg)
{
    ways[(intptr_t)arg].wait();
    return NULL;
}

static void *be_joined(void *arg)
{
    sem_wait(&release);
    return arg;
}

static int try(int way, int delay)
{
    pthread_t t;
    void *value;

    on_its_way = 0;
    unlocked = 0;
    pthread_create(&t, NULL, go, (void *)(intptr_t)way);
    while (!on_its_way)
        sched_yield();
    for (volatile int i = 0; i < delay; i++)
        ;
    if (pthread_cancel(t) != 0 || pthread_join(t, &value) != 0)
        return 1;
    if (value != PTHREAD_CANCELED)
        printf("%s: not cancelled after %d\n", ways[way].name, delay);
    if (strncmp(ways[way].name, "pthread_cond", 12) == 0 && unlocked != 1)
        printf("%s: %d clean-ups\n", ways[way].name, unlocked);
    return value != PTHREAD_CANCELED;
}

int main(int argc, char **argv)
{
    const int count = (int)(sizeof(ways) / sizeof(ways[0]));
    int delays = 40, seed = 0, failures = 0, c;
    sigset_t set;
    void *value;

    while ((c = getopt(argc, argv, "s:n:")) != -1) {
        if (c == 's')
            seed = atoi(optarg);
        else
            delays = atoi(optarg);
    }
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    sem_init(&empty, 0, 0);
    sem_init(&full, 0, 1);
    sem_init(&release, 0, 0);
    pthread_create(&other, NULL, be_joined, &release);
    for (int way = 0; way < count; way++) {
        for (int i = 0; i < delays; i++)
            failures += try(way, i + seed % 3);
    }
    /* Who was to join it and was cancelled has left it to be joined. */
    sem_post(&release);
    if (pthread_join(other, &value) != 0 || value != &release)
        failures++;
    printf("pt_cancel: %s\n", failures == 0 ? "ok" : "failed");
    return failures != 0;
}
