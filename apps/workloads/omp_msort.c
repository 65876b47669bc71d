/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Merge sort as an OpenMP program with one parallel region (ePRO-OMP, figure
 * 4): every thread sorts its part, then merges run in rounds with half as many
 * threads each, a barrier between.
 * Checked: order, and that sum and sum of squares survived.
 */
#include "wl_openmp.h"
#include "wl_sort.h"

static long n = 50000, seed;
static int32_t *data, *scratch;

static void sort_all(void)
{
#pragma omp parallel
    {
        long team = omp_get_num_threads(), id = omp_get_thread_num();
        wl_merge_sort(data, scratch, n * id / team, n * (id + 1) / team);
        for (long width = 1; width < team; width *= 2) {
#pragma omp barrier
            long other = id + width, end = id + 2 * width;
            if (id % (2 * width) == 0 && other < team)
                wl_merge(data, scratch, n * id / team, n * other / team,
                         n * (end < team ? end : team) / team);
        }
    }
}

int main(int argc, char **argv)
{
    seed = wl_omp_options(argc, argv, (struct wl_opt){'n', &n, 1, 4000000, "elements"});
    data = wl_alloc((size_t)n, sizeof *data);
    scratch = wl_alloc((size_t)n, sizeof *scratch);
    wl_fill(data, n, seed);
    struct wl_sums before = wl_sums(data, n);
    sort_all();
    bool ok = wl_sorted(data, n, before);
    uint32_t sum = wl_hash(WL_HASH_INIT, data, (size_t)n * sizeof *data);
    free(data);
    free(scratch);
    return wl_result("omp_msort", ok, "n=%ld sum=%08lx", n, (unsigned long)sum);
}
