/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Merge sort: the halves are sorted by threads of their own down to the given
 * depth (2^depth leaves run at once), merges go up the same tree, so the degree
 * of parallelism falls 4, 2, 1 towards the end.
 * Checked: order, and that sum and sum of squares survived.
 */
#include "wl_common.h"
#include <pthread.h>

static long n = 50000, depth = 2, seed = 1;
static int32_t *data, *scratch;

struct part {
    long lo, hi, depth;
};

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

static void *sort_part(void *arg)
{
    const struct part *p = arg;
    if (p->depth == 0) {
        sort(p->lo, p->hi);
        return NULL;
    }
    long mid = p->lo + (p->hi - p->lo) / 2;
    struct part left = {p->lo, mid, p->depth - 1}, right = {mid, p->hi, p->depth - 1};
    pthread_t tid;
    WL_MUST(pthread_create(&tid, NULL, sort_part, &left));
    sort_part(&right);
    WL_MUST(pthread_join(tid, NULL));
    merge(p->lo, mid, p->hi);
    return NULL;
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
        {'d', &depth, 0, 5, "depth of the tree of threads"},
        {'s', &seed, 0, 1 << 30, "seed"},
        {0},
    };
    wl_options(argc, argv, opts);
    data = wl_alloc((size_t)n, sizeof *data);
    scratch = wl_alloc((size_t)n, sizeof *scratch);
    uint32_t state = (uint32_t)seed, before[2], after[2];
    for (long i = 0; i < n; i++)
        data[i] = (int32_t)wl_rand(&state);
    sums(before);

    struct part all = {0, n, depth};
    sort_part(&all);

    sums(after);
    bool ok = before[0] == after[0] && before[1] == after[1];
    for (long i = 1; i < n; i++)
        ok = ok && data[i - 1] <= data[i];
    uint32_t sum = wl_hash(WL_HASH_INIT, data, (size_t)n * sizeof *data);
    free(data);
    free(scratch);
    return wl_result("msort", ok, "n=%ld threads=%d sum=%08lx", n, 1 << depth, (unsigned long)sum);
}
