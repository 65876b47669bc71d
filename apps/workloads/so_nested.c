/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nested OpenMP regions with active levels allowed: where the runtime gives
 * inner teams their threads the work is shared among them, where it runs them
 * serially the result is the same. Loops, reductions, critical, single and
 * tasks inside inner regions, three levels deep.
 */
#include "wl_openmp.h"

static long rounds = 6, outer = 3, inner = 2, seed = 1;

static long inner_work(long n, long *singles)
{
    long sum = 0, in_critical = 0, tasks = 0, team = 0;
#pragma omp parallel num_threads((int)inner) reduction(+ : sum)
    {
#pragma omp for schedule(dynamic, 3)
        for (long i = 0; i < n; i++)
            sum += i;
#pragma omp critical(nested)
        in_critical++;
#pragma omp single
        {
            team = omp_get_num_threads();
#pragma omp atomic
            (*singles)++;
            for (int i = 0; i < 5; i++) {
#pragma omp task shared(tasks)
#pragma omp atomic
                tasks++;
            }
        }
    }
    WL_HOLDS(tasks == 5, "tasks of an inner region");
    WL_HOLDS(in_critical == team, "critical in an inner region");
    return sum;
}

static long third_level(void)
{
    long count = 0;
#pragma omp parallel num_threads(2) reduction(+ : count)
#pragma omp parallel num_threads(2) reduction(+ : count)
    {
        WL_HOLDS(omp_get_level() >= 3, "third level");
#pragma omp single
        count += 1;
    }
    return count;
}

int main(int argc, char **argv)
{
    const struct wl_opt opts[] = {
        {'n', &rounds, 1, 1000000, "rounds"},
        {'o', &outer, 1, 8, "threads of the outer region"},
        {'i', &inner, 1, 8, "threads of each inner region"},
        {'s', &seed, 0, 1 << 30, "seed"},
        {0},
    };
    wl_options(argc, argv, opts);
    omp_set_dynamic(0);
    omp_set_max_active_levels(3);
    uint32_t state = (uint32_t)seed;
    for (long r = 0; r < rounds; r++) {
        long n = (long)wl_below(&state, 200), sum = 0, singles = 0, deep = 0;
#pragma omp parallel num_threads((int)outer) reduction(+ : sum, deep)
        {
            sum += inner_work(n, &singles);
            deep += third_level();
            if (omp_get_thread_num() == 0)
                sum += inner_work(n, &singles); /* uneven use of inner teams */
        }
        WL_HOLDS(sum == (outer + 1) * (n * (n - 1) / 2), "sum of inner loops");
        WL_HOLDS(singles == outer + 1, "single of inner regions");
        WL_HOLDS(deep == outer || deep == 2 * outer, "third level's sum");
    }
    return wl_result("so_nested", wl_failures == 0, "rounds=%ld outer=%ld inner=%ld seed=%ld",
                     rounds, outer, inner, seed);
}
