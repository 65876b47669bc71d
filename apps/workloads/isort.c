/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Insertion sort: a fixed number of arrays, shared out among threads; each
 * thread sorts its own, so nothing is shared and the work is all in L1.
 * Checked: order, and that sum and sum of squares survived.
 */
#include "wl_common.h"
#include <pthread.h>

static long n = 1200, arrays = 8, threads = 4, seed = 1;
static int32_t *data;

static void insertion_sort(int32_t *v, long count)
{
    for (long i = 1; i < count; i++) {
        int32_t x = v[i];
        long j = i;
        for (; j > 0 && v[j - 1] > x; j--)
            v[j] = v[j - 1];
        v[j] = x;
    }
}

static void *worker(void *arg)
{
    for (long i = (long)(intptr_t)arg; i < arrays; i += threads)
        insertion_sort(data + i * n, n);
    return NULL;
}

static void sums(uint32_t out[2])
{
    out[0] = out[1] = 0;
    for (long i = 0; i < arrays * n; i++) {
        out[0] += (uint32_t)data[i];
        out[1] += (uint32_t)data[i] * (uint32_t)data[i];
    }
}

int main(int argc, char **argv)
{
    const struct wl_opt opts[] = {
        {'n', &n, 1, 100000, "elements per array"},
        {'a', &arrays, 1, 1000, "arrays"},
        {'t', &threads, 1, 64, "threads"},
        {'s', &seed, 0, 1 << 30, "seed"},
        {0},
    };
    wl_options(argc, argv, opts);
    data = wl_alloc((size_t)(arrays * n), sizeof *data);
    uint32_t state = (uint32_t)seed, before[2], after[2];
    for (long i = 0; i < arrays * n; i++)
        data[i] = (int32_t)wl_rand(&state);
    sums(before);

    pthread_t tid[64];
    for (long i = 0; i < threads; i++)
        WL_MUST(pthread_create(&tid[i], NULL, worker, (void *)(intptr_t)i));
    for (long i = 0; i < threads; i++)
        WL_MUST(pthread_join(tid[i], NULL));

    sums(after);
    bool ok = before[0] == after[0] && before[1] == after[1];
    for (long i = 1; i < arrays * n; i++)
        ok = ok && (i % n == 0 || data[i - 1] <= data[i]);
    uint32_t sum = wl_hash(WL_HASH_INIT, data, (size_t)(arrays * n) * sizeof *data);
    free(data);
    return wl_result("isort", ok, "n=%ld arrays=%ld threads=%ld sum=%08lx", n, arrays, threads,
                     (unsigned long)sum);
}
