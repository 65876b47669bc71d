/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two applications at once: matrix multiply (MM, -m threads) and insertion sort
 * (IS, -i threads), the problem of ePRO-MP, section 6.1. The work of each is
 * fixed, only the number of its threads changes, so times compare: MM's rows
 * and IS's arrays are shared out among its threads. MM shares its matrices in
 * the caches; IS's arrays are each one thread's own.
 * Baseline of the paper: -m 4 -i 4; its best: -m 3 -i 1.
 * Checked: MM with a random vector, IS for order and sum.
 */
#include "wl_common.h"
#include <pthread.h>

static long n = 112, count = 900, arrays = 12, mm_threads = 4, is_threads = 4, seed = 1;
static uint32_t *a, *b, *c;
static int32_t *data;

static void *mm_worker(void *arg)
{
    long id = (long)(intptr_t)arg;
    for (long i = n * id / mm_threads; i < n * (id + 1) / mm_threads; i++) {
        for (long j = 0; j < n; j++) {
            uint32_t sum = 0;
            for (long k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
    }
    return NULL;
}

static void *is_worker(void *arg)
{
    long id = (long)(intptr_t)arg;
    for (long i = arrays * id / is_threads; i < arrays * (id + 1) / is_threads; i++) {
        int32_t *v = data + i * count;
        for (long k = 1; k < count; k++) {
            int32_t x = v[k];
            long j = k;
            for (; j > 0 && v[j - 1] > x; j--)
                v[j] = v[j - 1];
            v[j] = x;
        }
    }
    return NULL;
}

static bool mm_right(uint32_t state)
{
    uint32_t *r = wl_alloc((size_t)n * 2, sizeof *r), *br = r + n;
    bool ok = true;
    for (long i = 0; i < n; i++)
        r[i] = wl_rand(&state);
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            br[i] += b[i * n + j] * r[j];
    for (long i = 0; i < n; i++) {
        uint32_t d = 0;
        for (long j = 0; j < n; j++)
            d += a[i * n + j] * br[j] - c[i * n + j] * r[j];
        ok = ok && d == 0;
    }
    free(r);
    return ok;
}

static uint32_t data_sum(void)
{
    uint32_t sum = 0;
    for (long i = 0; i < arrays * count; i++)
        sum += (uint32_t)data[i];
    return sum;
}

int main(int argc, char **argv)
{
    const struct wl_opt opts[] = {
        {'n', &n, 1, 2000, "MM: rows and columns"},
        {'m', &mm_threads, 1, 32, "MM: threads"},
        {'i', &is_threads, 1, 32, "IS: threads"},
        {'e', &count, 1, 100000, "IS: elements per array"},
        {'a', &arrays, 1, 1000, "IS: arrays"},
        {'s', &seed, 0, 1 << 30, "seed"},
        {0},
    };
    wl_options(argc, argv, opts);
    size_t cells = (size_t)(n * n);
    a = wl_alloc(cells, sizeof *a);
    b = wl_alloc(cells, sizeof *b);
    c = wl_alloc(cells, sizeof *c);
    data = wl_alloc((size_t)(arrays * count), sizeof *data);
    uint32_t state = (uint32_t)seed;
    for (size_t i = 0; i < cells; i++) {
        a[i] = wl_rand(&state);
        b[i] = wl_rand(&state);
    }
    for (long i = 0; i < arrays * count; i++)
        data[i] = (int32_t)wl_rand(&state);
    uint32_t before = data_sum();

    pthread_t mm[32], is[32];
    for (long i = 0; i < mm_threads; i++)
        WL_MUST(pthread_create(&mm[i], NULL, mm_worker, (void *)(intptr_t)i));
    for (long i = 0; i < is_threads; i++)
        WL_MUST(pthread_create(&is[i], NULL, is_worker, (void *)(intptr_t)i));
    for (long i = 0; i < mm_threads; i++)
        WL_MUST(pthread_join(mm[i], NULL));
    for (long i = 0; i < is_threads; i++)
        WL_MUST(pthread_join(is[i], NULL));

    bool ok = mm_right(state) && before == data_sum();
    for (long i = 1; i < arrays * count; i++)
        ok = ok && (i % count == 0 || data[i - 1] <= data[i]);
    uint32_t sum = wl_hash(WL_HASH_INIT, c, cells * sizeof *c);
    sum = wl_hash(sum, data, (size_t)(arrays * count) * sizeof *data);
    free(a);
    free(b);
    free(c);
    free(data);
    return wl_result("mmis", ok, "n=%ld mm=%ld elements=%ld arrays=%ld is=%ld sum=%08lx", n,
                     mm_threads, count, arrays, is_threads, (unsigned long)sum);
}
