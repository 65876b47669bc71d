/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The thin layer below the OpenMP runtime, for tests on Linux: futexes and POSIX threads.
 * Environment: NATIVE_CORES (as --cores), NATIVE_SHAKE (random yields), NATIVE_STATS. */
#include "native_rt.h"
#include "mpj_adapt.h"
#include "mpj_hooks.h"
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct native_stats native_stats;
static unsigned shake;
static unsigned cores = 4;
static uint32_t threads;
static __thread uint32_t self;
static __thread uint32_t seed;
static __thread struct {
    const void *region;
    uint32_t team;
    unsigned num;
} open_region[64];
static __thread unsigned open_count;

static void count(unsigned long *word)
{
    __atomic_fetch_add(word, 1, __ATOMIC_RELAXED);
}

/* Ends the program with 70 when the runtime called this layer wrongly. */
static void judge(void)
{
    fflush(NULL);
    if (native_stats.bad) {
        fprintf(stderr, "native: %lu wrong calls\n", native_stats.bad);
        _exit(70);
    }
}

static void report(void)
{
    fprintf(stderr, "native: %lu regions entered, %lu left, %lu wakes, %lu wrong; waits",
            native_stats.begins, native_stats.ends, native_stats.wakes, native_stats.bad);
    for (unsigned i = 0; i < NATIVE_KINDS; i++) {
        if (native_stats.waits[i])
            fprintf(stderr, " %u:%lu", i, native_stats.waits[i]);
    }
    fprintf(stderr, "\n");
}

__attribute__((constructor)) static void setup(void)
{
    const char *value = getenv("NATIVE_CORES");
    if (value)
        cores = (unsigned)strtoul(value, NULL, 10);
    value = getenv("NATIVE_SHAKE");
    if (value)
        shake = (unsigned)strtoul(value, NULL, 10);
    atexit(judge);
    if (getenv("NATIVE_STATS"))
        atexit(report);
}

void native_shake(unsigned n)
{
    shake = n;
}

static void maybe_yield(void)
{
    if (!shake)
        return;
    if (!seed)
        seed = mpj_rt_self() * 2654435761u + (uint32_t)clock();
    seed = seed * 1664525u + 1013904223u;
    if ((seed >> 8) % shake == 0) {
        if (seed >> 30)
            sched_yield();
        else
            usleep((seed >> 16) % 50);
    }
}

int mpj_rt_wait(const volatile uint32_t *addr, uint32_t expected, const struct mpj_wait_info *info,
                uint64_t deadline_ns)
{
    (void)deadline_ns; /* the OpenMP runtime never sets one */
    if (info->kind < MPJ_WAIT_OMP_BARRIER || info->kind > MPJ_WAIT_OMP_IDLE || !info->object ||
        deadline_ns != UINT64_MAX)
        count(&native_stats.bad);
    count(&native_stats.waits[info->kind]);
    native_stats.last_caller[info->kind] = info->caller;
    maybe_yield();
    /* Spurious returns are left in: the runtime must not depend on their absence. */
    long r = syscall(SYS_futex, addr, FUTEX_WAIT_PRIVATE, expected, NULL, NULL, 0);
    maybe_yield();
    return r == 0 ? 0 : -EAGAIN;
}

unsigned mpj_rt_wake(const volatile uint32_t *addr, unsigned n)
{
    count(&native_stats.wakes);
    maybe_yield();
    long r =
        syscall(SYS_futex, addr, FUTEX_WAKE_PRIVATE, n > INT_MAX ? INT_MAX : (int)n, NULL, NULL, 0);
    return r > 0 ? (unsigned)r : 0;
}

void mpj_rt_spin_enter(struct mpj_rt_spin *l)
{
    *l = (struct mpj_rt_spin){.checks = 0};
}

bool mpj_rt_spin_on(struct mpj_rt_spin *l, const struct mpj_wait_info *info)
{
    if (info->kind < MPJ_WAIT_OMP_BARRIER || info->kind > MPJ_WAIT_OMP_IDLE || !info->object)
        count(&native_stats.bad);
    l->checks++;
    maybe_yield();
    return !(shake && seed & 0x20000);
}

void mpj_rt_spin_leave(struct mpj_rt_spin *l)
{
    (void)l;
}

uint32_t mpj_rt_self(void)
{
    if (!self)
        self = __atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED);
    return self;
}

void mpj_rt_yield(void)
{
    sched_yield();
}

unsigned mpj_rt_cores(void)
{
    return cores;
}

bool mpj_rt_oversubscribed(void)
{
    maybe_yield();
    return shake && seed & 0x10000;
}

static void region_begin(const void *region, uint32_t team, unsigned num, unsigned size)
{
    count(&native_stats.begins);
    if (!region || num >= size || open_count == 64) {
        count(&native_stats.bad);
        return;
    }
    open_region[open_count].region = region;
    open_region[open_count].team = team;
    open_region[open_count++].num = num;
    if (num == 0) {
        native_stats.last_region = region;
        native_stats.last_size = size;
    }
    maybe_yield();
}

static void region_end(const void *region, uint32_t team, unsigned num, const void *caller)
{
    count(&native_stats.ends);
    if (open_count == 0 || !caller) {
        count(&native_stats.bad);
        return;
    }
    open_count--;
    if (open_region[open_count].region != region || open_region[open_count].team != team ||
        open_region[open_count].num != num)
        count(&native_stats.bad);
}

const struct mpj_hooks mpj_hooks = {.region_begin = region_begin, .region_end = region_end};

/* ---- the controller: MPJ_ADAPT=static:N, without measuring anything ------------------------- */

static unsigned native_threads;

uint32_t mpj_adapt_paused;

bool mpj_adapt_init(bool *dynamic)
{
    const char *const text = getenv("MPJ_ADAPT");

    *dynamic = text && strcmp(text, "dynamic") == 0;
    if (text && strncmp(text, "static:", 7) == 0)
        native_threads = (unsigned)atoi(text + 7);
    return native_threads > 0;
}

unsigned mpj_adapt_enter(uint32_t region, uint32_t caller, unsigned most, bool *count_parts)
{
    (void)region;
    (void)caller;
    *count_parts = true;
    return native_threads < most ? native_threads : most;
}

void mpj_adapt_forked(void)
{
}

void mpj_adapt_leave(unsigned got, bool valid)
{
    (void)valid;
    if (got == 0 || got > native_threads)
        count(&native_stats.bad);
}

void mpj_adapt_part_begin(struct mpj_adapt_start *s)
{
    s->core = 1;
}

uint32_t mpj_adapt_clock(void)
{
    return 0;
}

void mpj_adapt_part_end(const struct mpj_adapt_start *s, unsigned thread, uint32_t waited)
{
    if (s->core != 1 || thread >= native_threads || waited != 0)
        count(&native_stats.bad);
}
