/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What OpenMP constructs cost, in cycles of the modelled core: lines `name cycles`.
 *   bench_omp [ROUNDS=200]
 * Each figure is the mean of ROUNDS executions, warm, with a thread for each core unless the name
 * says otherwise.
 */
#include <omp.h>

#include "app.h"
#include "mpj.h"

#define CYCLES_PER_US 210U
#define ITERATIONS    256

static long rounds;
static int sink;

/* Cycles on one clock for all cores, to 9 cycles. */
static uint64_t now(void)
{
    return mpj_time_ns() * CYCLES_PER_US / 1000U;
}

static void result(const char *name, uint64_t cycles, uint64_t per)
{
    printf("%-28s %7lu\n", name, (unsigned long)(cycles / per));
}

/* Regions of the serial part: a fork and a join for each. */
static void fork_join(const char *name, int threads)
{
    uint64_t begin = 0;

    for (long i = -8; i < rounds; i++) {
        if (i == 0)
            begin = now();
#pragma omp parallel num_threads(threads)
        __asm__ volatile("");
    }
    result(name, now() - begin, (uint64_t)rounds);
}

/* The same after the pool has gone to sleep. */
static void fork_join_asleep(void)
{
    uint64_t spent = 0;

    for (long i = 0; i < 20; i++) {
        mpj_sleep_us(200);
        uint64_t begin = now();
#pragma omp parallel
        __asm__ volatile("");
        spent += now() - begin;
    }
    result("omp_fork_join_asleep", spent, 20);
}

/* A statement that each thread executes ROUNDS times within one region. */
#define WITHIN(name, statement)                                                                    \
    do {                                                                                           \
        uint64_t begin = 0, end = 0;                                                               \
        _Pragma("omp parallel")                                                                    \
        {                                                                                          \
            _Pragma("omp barrier") if (omp_get_thread_num() == 0) begin = now();                   \
            for (long r = 0; r < rounds; r++) {                                                    \
                statement                                                                          \
            }                                                                                      \
            _Pragma("omp barrier") if (omp_get_thread_num() == 0) end = now();                     \
        }                                                                                          \
        result(name, end - begin, (uint64_t)rounds);                                               \
    } while (0)

#define PRAGMA(text) _Pragma(#text)
/* Cycles per chunk handed out, all cores asking at once. */
#define LOOP(name, how, chunks)                                                                    \
    do {                                                                                           \
        uint64_t begin = now();                                                                    \
        for (long r = 0; r < rounds / 10 + 1; r++) {                                               \
            PRAGMA(omp parallel for schedule(how))                                                 \
            for (int i = 0; i < ITERATIONS; i++)                                                   \
                __asm__ volatile("");                                                              \
        }                                                                                          \
        result(name, now() - begin, (uint64_t)(rounds / 10 + 1) * (chunks));                       \
    } while (0)

static void tasks(void)
{
    uint64_t begin = 0, end = 0;

#pragma omp parallel
#pragma omp single
    {
        begin = now();
        for (long r = 0; r < rounds; r++) {
#pragma omp task
            __asm__ volatile("");
        }
#pragma omp taskwait
        end = now();
    }
    result("omp_task", end - begin, (uint64_t)rounds);
}

int main(int argc, char **argv)
{
    omp_lock_t lock;
    int sum = 0;

    rounds = app_arg(argc, argv, 1, 10, 1000000, 200);
    omp_init_lock(&lock);
    fork_join("omp_fork_join_1", 1);
    fork_join("omp_fork_join_2", 2);
    fork_join("omp_fork_join", omp_get_max_threads());
    fork_join_asleep();
    fork_join("omp_fork_join_16_threads", 16);
    WITHIN("omp_barrier", PRAGMA(omp barrier));
    WITHIN("omp_single", PRAGMA(omp single) sink = 1;);
    WITHIN("omp_critical", PRAGMA(omp critical) sink++;);
    WITHIN("omp_atomic", PRAGMA(omp atomic) sink++;);
    WITHIN("omp_lock", omp_set_lock(&lock); sink++; omp_unset_lock(&lock););
    WITHIN("omp_reduction", PRAGMA(omp for reduction(+ : sum)) for (int i = 0; i < 4; i++) sum += i;);
    LOOP("omp_static_loop", static, 1);
    LOOP("omp_dynamic_chunk", dynamic, ITERATIONS);
    LOOP("omp_guided_loop", guided, 1);
    tasks();
    omp_destroy_lock(&lock);
    return sink == -1 || sum < 0;
}
