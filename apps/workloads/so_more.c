/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * OpenMP beyond the usual: task dependences, taskloop, doacross loops, task
 * reductions, cancellation points that do nothing, detached from the other
 * stress programs because older or smaller runtimes lack them.
 */
#include "wl_openmp.h"

static long rounds = 6;

/* Runs a chain, then a fork and a join, ordered by depend alone. */
static void dependences(long n)
{
    long x = 0, left = 0, right = 0, out = -1;
#pragma omp parallel
#pragma omp single
    {
        for (long i = 0; i < n; i++) {
#pragma omp task depend(inout : x) firstprivate(i)
            x = x * 3 + i;
        }
#pragma omp task depend(in : x) depend(out : left)
        left = x + 1;
#pragma omp task depend(in : x) depend(out : right)
        right = x + 2;
#pragma omp task depend(in : left, right) depend(inout : x)
        {
            out = left + right;
            x = 0;
        }
    }
    unsigned long want = 0;
    for (long i = 0; i < n; i++)
        want = want * 3 + (unsigned long)i;
    WL_HOLDS((unsigned long)out == 2 * want + 3 && x == 0, "dependences");
}

static void taskloops(long n)
{
    int hits[500] = {0};
    long sum = 0;
    bool once = true;
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop grainsize(7)
        for (long i = 0; i < n; i++) {
#pragma omp atomic
            hits[i]++;
        }
#pragma omp taskloop num_tasks(5) reduction(+ : sum)
        for (long i = 0; i < n; i++)
            sum += i;
    }
    for (long i = 0; i < 500; i++)
        once = once && hits[i] == (i < n);
    WL_HOLDS(once, "taskloop");
    WL_HOLDS(sum == n * (n - 1) / 2, "reduction of a taskloop");
}

/* Computes each element from the one left of it and the one above. */
static void doacross(long n)
{
    static long v[40][40];
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            v[i][j] = 0;
#pragma omp parallel for ordered(2)
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < n; j++) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
            v[i][j] = 1 + (i ? v[i - 1][j] : 0) + (j ? v[i][j - 1] : 0);
            v[i][j] %= 10007;
#pragma omp ordered depend(source)
        }
    }
    bool ok = true;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            ok = ok && v[i][j] == (1 + (i ? v[i - 1][j] : 0) + (j ? v[i][j - 1] : 0)) % 10007;
    WL_HOLDS(ok, "doacross");
}

static void task_reductions(long n)
{
    long sum = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskgroup task_reduction(+ : sum)
        for (long i = 0; i < n; i++) {
#pragma omp task in_reduction(+ : sum) firstprivate(i)
            sum += i;
        }
    }
    WL_HOLDS(sum == n * (n - 1) / 2, "task reduction");
}

static void not_cancelled(long n)
{
    long sum = 0;
#pragma omp parallel
    {
#pragma omp for reduction(+ : sum)
        for (long i = 0; i < n; i++) {
#pragma omp cancellation point for
            sum += 1;
        }
    }
    WL_HOLDS(omp_get_cancellation() || sum == n, "cancellation point");
}

int main(int argc, char **argv)
{
    const long seed =
        wl_omp_options(argc, argv, (struct wl_opt){'n', &rounds, 1, 1000000, "rounds"});
    uint32_t state = (uint32_t)seed;
    for (long r = 0; r < rounds; r++) {
        dependences((long)wl_below(&state, 30));
        taskloops((long)wl_below(&state, 500));
        doacross((long)wl_below(&state, 40));
        task_reductions((long)wl_below(&state, 60));
        not_cancelled((long)wl_below(&state, 200));
    }
    return wl_result("so_more", wl_failures == 0, "rounds=%ld seed=%ld", rounds, seed);
}
