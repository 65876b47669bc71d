/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "figures.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#ifdef UNDER_LINUX
#include <sys/reboot.h>
#endif

static void end(int status)
{
    fflush(stdout);
#ifdef UNDER_LINUX
    if (getpid() == 1)
        reboot(RB_AUTOBOOT);
#endif
    exit(status);
}

void must(bool condition, const char *what)
{
    if (condition)
        return;
    printf("figures: failed: %s\n", what);
    end(1);
}

void figure(const char *name, double value, const char *unit)
{
    printf("figure %s %.2f %s\n", name, value, unit);
    fflush(stdout);
}

double now_ns(void)
{
    struct timespec t;

    must(clock_gettime(CLOCK_MONOTONIC, &t) == 0, "clock_gettime");
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

void bind_to(unsigned core)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(core, &set);
    must(pthread_setaffinity_np(pthread_self(), sizeof set, &set) == 0, "setaffinity");
}

static struct {
    void (*run)(unsigned member);
    unsigned core[2];
    pthread_barrier_t begin;
    double end[2];
} team;

static void *member(void *argument)
{
    const unsigned n = (unsigned)(uintptr_t)argument;

    bind_to(team.core[n]);
    pthread_barrier_wait(&team.begin);
    team.run(n);
    team.end[n] = now_ns();
    return NULL;
}

double pair(void (*run)(unsigned member), unsigned core0, unsigned core1)
{
    pthread_t thread[2];
    double begin;

    team.run = run;
    team.core[0] = core0;
    team.core[1] = core1;
    pthread_barrier_init(&team.begin, NULL, 3);
    for (uintptr_t n = 0; n < 2; n++)
        must(pthread_create(&thread[n], NULL, member, (void *)n) == 0, "pthread_create");
    pthread_barrier_wait(&team.begin);
    begin = now_ns();
    for (unsigned n = 0; n < 2; n++)
        must(pthread_join(thread[n], NULL) == 0, "pthread_join");
    pthread_barrier_destroy(&team.begin);
    return (team.end[0] > team.end[1] ? team.end[0] : team.end[1]) - begin;
}

int main(void)
{
    bind_to(0);
    figures_memory();
    figures_threads();
#ifdef UNDER_LINUX
    figures_processes();
#endif
    puts("figures: done");
    end(0);
}
