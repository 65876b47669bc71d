/* SPDX-License-Identifier: GPL-2.0-or-later */
/* State that a kernel has to keep: registers under signals, threads, floating point. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "stress.h"

/* One computation in both instruction sets. */
#define INTEGERS(name, set)                                                                        \
    static __attribute__((noinline, target(set))) uint32_t name(uint32_t seed, unsigned n)         \
    {                                                                                              \
        uint32_t a = seed, b = seed ^ 0x5bd1e995U, c = 1, d = 2, e = 3, f = 4;                     \
                                                                                                   \
        for (unsigned i = 0; i < n; i++) {                                                         \
            a = mix(a, b + i);                                                                     \
            b = b * 5 + c;                                                                         \
            c = (c << 3 | c >> 29) + d;                                                            \
            d ^= e + a;                                                                            \
            e += f * 3;                                                                            \
            f = f * 7 + (b & 15);                                                                  \
        }                                                                                          \
        return a ^ b ^ c ^ d ^ e ^ f;                                                              \
    }
INTEGERS(integers_arm, "arm")
INTEGERS(integers_thumb, "thumb")

static uint32_t integers(uint32_t seed, unsigned n)
{
    const uint32_t sum = integers_arm(seed, n);

    must(integers_thumb(seed, n) == sum, "ARM and Thumb code compute different sums");
    return sum;
}

static uint32_t floats(uint32_t seed, unsigned n)
{
    double x = 1.0 + seed % 97, y = 0.5, z = 0.25;
    float u = 1.5f, v = (float)(seed % 13) + 0.125f;
    uint32_t word[2];

    for (unsigned i = 0; i < n; i++) {
        x = x * 0.999 + y / 3.0;
        y = y + x * 0.001 - z;
        z = z * 0.5 + 1.0 / x;
        u = u * 0.75f + v;
        v = v - u * 0.125f + (float)x;
    }
    x += y + z + (double)u + (double)v;
    memcpy(word, &x, sizeof word);
    return mix(word[0], word[1]);
}

/* ---- signals ------------------------------------------------------------------ */

static volatile sig_atomic_t alarms;
static volatile uint32_t handled;

static void on_alarm(int number)
{
    (void)number;
    alarms++;
    handled = floats((uint32_t)alarms, 5) + integers((uint32_t)alarms, 5);
}

uint32_t stress_signals(unsigned round)
{
    static unsigned char stack[16 * 1024];
    const stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction act = {.sa_handler = on_alarm, .sa_flags = SA_ONSTACK};
    struct itimerval every = {{0, 2000}, {0, 2000}};
    uint32_t sum = round;
    pid_t pid;

    must(sigaltstack(&alternate, NULL) == 0, "sigaltstack");
    must(sigaction(SIGALRM, &act, NULL) == 0 && sigaction(SIGUSR1, &act, NULL) == 0, "sigaction");
    for (unsigned i = 0; i < 40; i++) {
        raise(SIGUSR1);
        sum = mix(sum, handled);
    }
    pid = fork();
    if (pid == 0) { /* one that is sent signals while it computes */
        alarms = 0;
        sum = floats(round, 20000) ^ integers(round, 20000);
        _exit((int)(sum & 0xff));
    }
    for (unsigned i = 0; i < 20; i++) {
        usleep(500);
        kill(pid, SIGUSR1);
    }
    sum = mix(sum, wait_for(pid));
    alarms = 0;
    must(setitimer(ITIMER_REAL, &every, NULL) == 0, "setitimer");
    for (unsigned i = 0; i < 1000 && alarms < 10; i++) {
        uint32_t value = floats(round, 1000) ^ integers(round, 1000);

        must(i == 0 || value == sum, "a signal has changed a register");
        if (i == 0)
            sum = value;
    }
    must(alarms >= 10, "%d alarms, 10 expected", (int)alarms);
    every.it_value.tv_usec = 0;
    must(setitimer(ITIMER_REAL, &every, NULL) == 0, "setitimer");
    return sum;
}

/* ---- threads ------------------------------------------------------------------ */

#define THREADS 6

static struct {
    pthread_mutex_t lock;
    pthread_cond_t moved;
    pthread_barrier_t all;
    unsigned turn, added, round;
    uint32_t sum, atomic, part[THREADS];
} team;
static __thread uint32_t own;

static void *member(void *argument)
{
    const unsigned number = (unsigned)(uintptr_t)argument;

    own = number;
    for (unsigned n = 0; n < 30; n++) {
        pthread_mutex_lock(&team.lock);
        while (team.turn % THREADS != number)
            pthread_cond_wait(&team.moved, &team.lock);
        team.sum = mix(team.sum, number + n + team.round);
        team.turn++;
        pthread_cond_broadcast(&team.moved);
        pthread_mutex_unlock(&team.lock);
    }
    for (unsigned n = 0; n < 20; n++) {
        own = mix(own, team.part[(number + 1) % THREADS] + n);
        pthread_barrier_wait(&team.all);
        team.part[number] = own;
        __atomic_fetch_add(&team.atomic, n * number, __ATOMIC_RELAXED);
        pthread_barrier_wait(&team.all);
        pthread_mutex_lock(&team.lock);
        team.added++;
        pthread_mutex_unlock(&team.lock);
    }
    return NULL;
}

uint32_t stress_threads(unsigned round)
{
    pthread_t thread[THREADS];

    memset(&team, 0, sizeof team);
    team.round = round;
    pthread_mutex_init(&team.lock, NULL);
    pthread_cond_init(&team.moved, NULL);
    pthread_barrier_init(&team.all, NULL, THREADS);
    for (uintptr_t i = 0; i < THREADS; i++)
        must(pthread_create(&thread[i], NULL, member, (void *)i) == 0, "pthread_create");
    for (unsigned i = 0; i < THREADS; i++)
        must(pthread_join(thread[i], NULL) == 0, "pthread_join");
    must(team.added == THREADS * 20, "%u additions under a mutex, %u expected", team.added,
         THREADS * 20);
    for (unsigned i = 0; i < THREADS; i++)
        team.sum = mix(team.sum, team.part[i]);
    return mix(team.sum, team.atomic);
}

struct job {
    uint32_t seed, result;
};

static void *compute(void *argument)
{
    struct job *job = argument;

    for (unsigned i = 0; i < 30; i++) {
        job->result = mix(job->result, floats(job->seed + i, 300));
        if (i % 5 == 0)
            usleep(1);
    }
    return NULL;
}

uint32_t stress_float(unsigned round)
{
    struct job job[8], alone;
    pthread_t thread[8];
    uint32_t sum = round;
    unsigned i;

    for (i = 0; i < 8; i++) {
        job[i] = (struct job){.seed = round * 8 + i};
        must(pthread_create(&thread[i], NULL, compute, &job[i]) == 0, "pthread_create");
    }
    for (i = 0; i < 8; i++)
        must(pthread_join(thread[i], NULL) == 0, "pthread_join");
    for (i = 0; i < 8; i++) {
        alone = (struct job){.seed = round * 8 + i};
        compute(&alone);
        must(alone.result == job[i].result, "thread %u has computed %08x, alone it is %08x", i,
             (unsigned)job[i].result, (unsigned)alone.result);
        sum = mix(sum, alone.result);
    }
    return sum;
}
