/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Merge sort as an OpenMP program with one parallel region (ePRO-OMP, figure
 * 4): every thread sorts its part, then merges run in rounds with half as many
 * threads each, a barrier between.
 * Checked: order, and that sum and sum of squares survived.
 */
#include "wl_common.h"
#include <omp.h>

static long n = 50000, threads, seed = 1;
static int32_t *data, *scratch;

static void merge(long lo, long mid, long hi)
{
    long i = lo, j = mid, k = lo;
    memcpy(scratch + lo, data + lo, (size_t)(hi - lo) * sizeof *data);
    while (i < mid && j < hi)
        data[k++] = scratch[i] <= scratch[j] ? scratch[i++] : scratch[j++];
    while (i < mid)
        data[k++] = scratch[i++];
    while (j < hi)
        data[k++] = scratch[j++];
}

static void sort(long lo, long hi)
{
    if (hi - lo < 2)
        return;
    long mid = lo + (hi - lo) / 2;
    sort(lo, mid);
    sort(mid, hi);
    merge(lo, mid, hi);
}

static void sort_all(void)
{
#pragma omp parallel
    {
        long team = omp_get_num_threads(), id = omp_get_thread_num();
        sort(n * id / team, n * (id + 1) / team);
        for (long width = 1; width < team; width *= 2) {
#pragma omp barrier
            long other = id + width, end = id + 2 * width;
            if (id % (2 * width) == 0 && other < team)
                merge(n * id / team, n * other / team, n * (end < team ? end : team) / team);
        }
    }
}

static void sums(uint32_t out[2])
{
    out[0] = out[1] = 0;
    for (long i = 0; i < n; i++) {
        out[0] += (uint32_t)data[i];
        out[1] += (uint32_t)data[i] * (uint32_t)data[i];
    }
}

int main(int argc, char **argv)
{
    const struct wl_opt opts[] = {
        {'n', &n, 1, 4000000, "elements"},
        {'t', &threads, 0, 64, "threads, 0 as the environment says"},
        {'s', &seed, 0, 1 << 30, "seed"},
        {0},
    };
    wl_options(argc, argv, opts);
    if (threads > 0)
        omp_set_num_threads((int)threads);
    data = wl_alloc((size_t)n, sizeof *data);
    scratch = wl_alloc((size_t)n, sizeof *scratch);
    uint32_t state = (uint32_t)seed, before[2], after[2];
    for (long i = 0; i < n; i++)
        data[i] = (int32_t)wl_rand(&state);
    sums(before);
    sort_all();
    sums(after);
    bool ok = before[0] == after[0] && before[1] == after[1];
    for (long i = 1; i < n; i++)
        ok = ok && data[i - 1] <= data[i];
    uint32_t sum = wl_hash(WL_HASH_INIT, data, (size_t)n * sizeof *data);
    free(data);
    free(scratch);
    return wl_result("omp_msort", ok, "n=%ld sum=%08lx", n, (unsigned long)sum);
}
