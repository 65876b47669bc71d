/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stress of OpenMP tasks: recursive (Fibonacci, with and without a depth of
 * immediate tasks), made by one or by all threads, taskwait (only the children),
 * taskgroup (all descendants), tasks finished at barriers, firstprivate data,
 * untied, final, mergeable, if, priority, yield; locks and atomics within; and
 * a merge sort.
 */
#include "wl_openmp.h"

static long rounds = 6, seed;

static void jitter(uint32_t state)
{
    uint32_t n = wl_below(&state, 200);
    for (volatile uint32_t i = 0; i < n; i++)
        ;
}

static long fib(long n)
{
    long a, b;
    if (n < 2)
        return n;
#pragma omp task shared(a) final(n < 5) mergeable
    a = fib(n - 1);
#pragma omp task shared(b) if (n > 4) untied
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

static void recursion(long n)
{
    static const long known[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144};
    long got = -1;
#pragma omp parallel
#pragma omp single
    got = fib(n);
    WL_HOLDS(got == known[n], "fibonacci");
}

/* Creates tasks in one thread; all run them, and the barrier of single ends them. */
static void many(long n)
{
    long sum = 0, runners = 0;
    int ran[64] = {0};
#pragma omp parallel
    {
#pragma omp single
        for (long i = 0; i < n; i++) {
#pragma omp task firstprivate(i) priority(i % 3)
            {
                jitter((uint32_t)(seed + i));
#pragma omp atomic
                sum += i;
#pragma omp atomic
                ran[omp_get_thread_num()]++;
                if (i % 5 == 0) {
#pragma omp taskyield
                }
            }
        }
#pragma omp single
        WL_HOLDS(sum == n * (n - 1) / 2, "tasks done at the barrier");
    }
    for (int i = 0; i < 64; i++)
        runners += ran[i] > 0;
    WL_HOLDS(runners >= (n > 0), "some thread ran the tasks");

    sum = 0;
    long team = 0;
#pragma omp parallel /* all make them */
    {
#pragma omp master
        team = omp_get_num_threads();
        for (long i = 0; i < n; i++) {
#pragma omp task
#pragma omp atomic
            sum += 1;
        }
    }
    WL_HOLDS(sum == team * n, "tasks of all threads");
}

/* Checks that taskwait waits for children only, taskgroup for all descendants. */
static void waiting(long n)
{
    long children = 0, grandchildren = 0, in_group = 0;
#pragma omp parallel
#pragma omp single
    {
        for (long i = 0; i < n; i++) {
#pragma omp task
            {
#pragma omp task
                {
                    jitter((uint32_t)i);
#pragma omp atomic
                    grandchildren++;
                }
#pragma omp atomic
                children++;
            }
        }
#pragma omp taskwait
        WL_HOLDS(children == n, "taskwait");
#pragma omp taskgroup
        {
            for (long i = 0; i < n; i++) {
#pragma omp task
                {
#pragma omp task
                    {
#pragma omp task
                        {
                            jitter((uint32_t)i);
#pragma omp atomic
                            in_group++;
                        }
                    }
#pragma omp atomic
                    in_group++;
                }
            }
        }
        WL_HOLDS(in_group == 2 * n, "taskgroup");
    }
    WL_HOLDS(grandchildren == n, "descendants at the end");
}

/* Passes firstprivate data of more than a few registers, and changes a value after that. */
static void captured(long n)
{
    struct {
        long v[40];
    } big;
    long wrong = 0;
#pragma omp parallel
#pragma omp single
    {
        for (long i = 0; i < n; i++) {
            for (int k = 0; k < 40; k++)
                big.v[k] = i + k;
#pragma omp task firstprivate(big, i) shared(wrong)
            for (int k = 0; k < 40; k++) {
                if (big.v[k] != i + k) {
#pragma omp atomic
                    wrong++;
                }
            }
        }
    }
    WL_HOLDS(wrong == 0, "firstprivate of a task");
}

static int32_t data[4000], scratch[4000];

static void merge_sort(long lo, long hi)
{
    if (hi - lo < 2)
        return;
    long mid = lo + (hi - lo) / 2;
#pragma omp task if (hi - lo > 64)
    merge_sort(lo, mid);
    merge_sort(mid, hi);
#pragma omp taskwait
    long i = lo, j = mid, k = lo;
    memcpy(scratch + lo, data + lo, (size_t)(hi - lo) * sizeof *data);
    while (i < mid || j < hi)
        data[k++] = j >= hi || (i < mid && scratch[i] <= scratch[j]) ? scratch[i++] : scratch[j++];
}

static void sorting(uint32_t state)
{
    uint32_t before = 0, after = 0;
    bool ordered = true;
    for (int i = 0; i < 4000; i++) {
        data[i] = (int32_t)wl_rand(&state);
        before += (uint32_t)data[i];
    }
#pragma omp parallel
#pragma omp single nowait
    merge_sort(0, 4000);
    for (int i = 0; i < 4000; i++) {
        after += (uint32_t)data[i];
        ordered = ordered && (i == 0 || data[i - 1] <= data[i]);
    }
    WL_HOLDS(ordered && before == after, "merge sort");
}

/* Checks that outside of any parallel region tasks run at once. */
static void alone(void)
{
    long sum = 0;
#pragma omp task shared(sum)
    sum += 1;
#pragma omp taskwait
    WL_HOLDS(sum == 1, "task outside of a region");
}

int main(int argc, char **argv)
{
    seed = wl_omp_options(argc, argv, (struct wl_opt){'n', &rounds, 1, 1000000, "rounds"});
    uint32_t state = (uint32_t)seed;
    for (long r = 0; r < rounds; r++) {
        recursion(r == 0 ? 12 : (long)wl_below(&state, 11));
        many((long)wl_below(&state, 150));
        waiting((long)wl_below(&state, 40));
        captured((long)wl_below(&state, 40));
        sorting(wl_rand(&state));
        alone();
    }
    return wl_result("so_tasks", wl_failures == 0, "rounds=%ld seed=%ld", rounds, seed);
}
