/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Merge sort: the halves are sorted by threads of their own down to the given
 * depth (2^depth leaves run at once), merges go up the same tree, so the degree
 * of parallelism falls 4, 2, 1 towards the end.
 * Checked: order, and that sum and sum of squares survived.
 */
#include "wl_sort.h"
#include <pthread.h>

static long n = 50000, depth = 2, seed = 1;
static int32_t *data, *scratch;

struct part {
    long lo, hi, depth;
};

static void *sort_part(void *arg)
{
    const struct part *p = arg;
    if (p->depth == 0) {
        wl_merge_sort(data, scratch, p->lo, p->hi);
        return NULL;
    }
    long mid = p->lo + (p->hi - p->lo) / 2;
    struct part left = {p->lo, mid, p->depth - 1}, right = {mid, p->hi, p->depth - 1};
    pthread_t tid;
    WL_MUST(pthread_create(&tid, NULL, sort_part, &left));
    sort_part(&right);
    WL_MUST(pthread_join(tid, NULL));
    wl_merge(data, scratch, p->lo, mid, p->hi);
    return NULL;
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
    wl_fill(data, n, seed);
    struct wl_sums before = wl_sums(data, n);

    struct part all = {0, n, depth};
    sort_part(&all);

    bool ok = wl_sorted(data, n, before);
    uint32_t sum = wl_hash(WL_HASH_INIT, data, (size_t)n * sizeof *data);
    free(data);
    free(scratch);
    return wl_result("msort", ok, "n=%ld threads=%d sum=%08lx", n, 1 << depth, (unsigned long)sum);
}
