/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Locks, hand-over between threads by spinning, by conditions and by pipes, on one core and two. */
#include "figures.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#define ROUNDS 500U
#define LOCKS  2000U
#define YIELDS 1000U

static volatile uint32_t turn;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t moved = PTHREAD_COND_INITIALIZER;
static int channel[2][2];
static volatile uint32_t sum;

static void spin(unsigned member)
{
    for (uint32_t n = 0; n < ROUNDS; n++) {
        while (turn % 2 != member)
            ;
        turn++;
    }
}

static void condition(unsigned member)
{
    for (uint32_t n = 0; n < ROUNDS; n++) {
        pthread_mutex_lock(&lock);
        while (turn % 2 != member)
            pthread_cond_wait(&moved, &lock);
        turn++;
        pthread_cond_signal(&moved);
        pthread_mutex_unlock(&lock);
    }
}

static void yield(unsigned member)
{
    (void)member;
    for (uint32_t n = 0; n < YIELDS; n++)
        sched_yield();
}

static void pipes(unsigned member)
{
    char token = 0;

    for (uint32_t n = 0; n < ROUNDS; n++) {
        if (member == 0)
            must(write(channel[0][1], &token, 1) == 1, "write");
        must(read(channel[member == 0][0], &token, 1) == 1, "read");
        if (member == 1)
            must(write(channel[1][1], &token, 1) == 1, "write");
    }
}

static void contend(unsigned member)
{
    (void)member;
    for (uint32_t n = 0; n < LOCKS; n++) {
        pthread_mutex_lock(&lock);
        sum++;
        pthread_mutex_unlock(&lock);
    }
}

static void hand_over(const char *name, void (*run)(unsigned), unsigned core, double times)
{
    turn = 0;
    figure(name, pair(run, 0, core) / times, "ns");
}

void figures_threads(void)
{
    const double begin = now_ns();

    contend(0);
    figure("mutex-alone", (now_ns() - begin) / LOCKS, "ns");
    hand_over("mutex-two-cores", contend, 1, 2.0 * LOCKS);
    hand_over("spin-two-cores", spin, 1, 2.0 * ROUNDS);
    hand_over("condition-two-cores", condition, 1, 2.0 * ROUNDS);
    hand_over("condition-one-core", condition, 0, 2.0 * ROUNDS);
    hand_over("yield-one-core", yield, 0, 2.0 * YIELDS);
    must(pipe(channel[0]) == 0 && pipe(channel[1]) == 0, "pipe");
    hand_over("pipe-two-cores", pipes, 1, 2.0 * ROUNDS);
    hand_over("pipe-one-core", pipes, 0, 2.0 * ROUNDS);
    must(sum == 3 * LOCKS, "additions under a mutex");
}
