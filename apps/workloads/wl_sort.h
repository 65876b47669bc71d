/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For the sorting programs: numbers to sort, a merge, and whether the result is sorted. */
#ifndef WL_SORT_H
#define WL_SORT_H

#include "wl_common.h"

struct wl_sums {
    uint32_t sum, squares;
};

static inline struct wl_sums wl_sums(const int32_t *v, long n)
{
    struct wl_sums s = {0, 0};
    for (long i = 0; i < n; i++) {
        s.sum += (uint32_t)v[i];
        s.squares += (uint32_t)v[i] * (uint32_t)v[i];
    }
    return s;
}

static inline void wl_fill(int32_t *v, long n, long seed)
{
    uint32_t state = (uint32_t)seed;
    for (long i = 0; i < n; i++)
        v[i] = (int32_t)wl_rand(&state);
}

/* Returns true if the numbers are in order, and the same as before. */
static inline bool wl_sorted(const int32_t *v, long n, struct wl_sums before)
{
    struct wl_sums after = wl_sums(v, n);
    bool ok = before.sum == after.sum && before.squares == after.squares;
    for (long i = 1; i < n; i++)
        ok = ok && v[i - 1] <= v[i];
    return ok;
}

/* Merges the sorted [lo, mid) and [mid, hi) of v, through the same range of scratch. */
static inline void wl_merge(int32_t *v, int32_t *scratch, long lo, long mid, long hi)
{
    long i = lo, j = mid, k = lo;
    memcpy(scratch + lo, v + lo, (size_t)(hi - lo) * sizeof *v);
    while (i < mid && j < hi)
        v[k++] = scratch[i] <= scratch[j] ? scratch[i++] : scratch[j++];
    while (i < mid)
        v[k++] = scratch[i++];
    while (j < hi)
        v[k++] = scratch[j++];
}

static inline void wl_merge_sort(int32_t *v, int32_t *scratch, long lo, long hi)
{
    if (hi - lo < 2)
        return;
    long mid = lo + (hi - lo) / 2;
    wl_merge_sort(v, scratch, lo, mid);
    wl_merge_sort(v, scratch, mid, hi);
    wl_merge(v, scratch, lo, mid, hi);
}

#endif
