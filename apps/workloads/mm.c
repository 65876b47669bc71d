/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Matrix multiply C = A * B of 32-bit integers, rows shared out among threads.
 * -b 0 multiplies as in the textbook (B is walked by columns); -b N works on
 * N x N tiles, so that the three tiles in use fit the L1 cache.
 * Checked with a random vector: C*r must be A*(B*r), modulo 2^32.
 */
#include "wl_common.h"
#include <pthread.h>

static long n = 128, threads = 4, tile = 0, seed = 1;
static uint32_t *a, *b, *c;

static void multiply(long lo, long hi)
{
    for (long i = lo; i < hi; i++) {
        for (long j = 0; j < n; j++) {
            uint32_t sum = 0;
            for (long k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
    }
}

static long least(long x, long y)
{
    return x < y ? x : y;
}

static void multiply_tile(long i0, long i1, long k0, long k1, long j0, long j1)
{
    for (long i = i0; i < i1; i++) {
        for (long k = k0; k < k1; k++) {
            uint32_t f = a[i * n + k];
            for (long j = j0; j < j1; j++)
                c[i * n + j] += f * b[k * n + j];
        }
    }
}

static void multiply_tiled(long lo, long hi)
{
    for (long i = lo; i < hi; i += tile)
        for (long k = 0; k < n; k += tile)
            for (long j = 0; j < n; j += tile)
                multiply_tile(i, least(i + tile, hi), k, least(k + tile, n), j, least(j + tile, n));
}

static void *worker(void *arg)
{
    long id = (long)(intptr_t)arg;
    long lo = n * id / threads, hi = n * (id + 1) / threads;
    if (tile > 0)
        multiply_tiled(lo, hi);
    else
        multiply(lo, hi);
    return NULL;
}

static void times_vector(uint32_t *out, const uint32_t *m, const uint32_t *v)
{
    for (long i = 0; i < n; i++) {
        uint32_t sum = 0;
        for (long j = 0; j < n; j++)
            sum += m[i * n + j] * v[j];
        out[i] = sum;
    }
}

int main(int argc, char **argv)
{
    const struct wl_opt opts[] = {
        {'n', &n, 1, 2000, "rows and columns"},
        {'t', &threads, 1, 64, "threads"},
        {'b', &tile, 0, 2000, "tile, 0 for none"},
        {'s', &seed, 0, 1 << 30, "seed"},
        {0},
    };
    wl_options(argc, argv, opts);
    size_t cells = (size_t)(n * n);
    a = wl_alloc(cells, sizeof *a);
    b = wl_alloc(cells, sizeof *b);
    c = wl_alloc(cells, sizeof *c);
    uint32_t state = (uint32_t)seed;
    for (size_t i = 0; i < cells; i++) {
        a[i] = wl_rand(&state);
        b[i] = wl_rand(&state);
    }

    pthread_t tid[64];
    for (long i = 0; i < threads; i++)
        WL_MUST(pthread_create(&tid[i], NULL, worker, (void *)(intptr_t)i));
    for (long i = 0; i < threads; i++)
        WL_MUST(pthread_join(tid[i], NULL));

    uint32_t *v = wl_alloc((size_t)n * 4, sizeof *v);
    for (long i = 0; i < n; i++)
        v[i] = wl_rand(&state);
    times_vector(v + n, b, v);
    times_vector(v + 2 * n, a, v + n);
    times_vector(v + 3 * n, c, v);
    bool ok = memcmp(v + 2 * n, v + 3 * n, (size_t)n * sizeof *v) == 0;
    uint32_t sum = wl_hash(WL_HASH_INIT, c, cells * sizeof *c);
    free(a);
    free(b);
    free(c);
    free(v);
    return wl_result("mm", ok, "n=%ld threads=%ld tile=%ld sum=%08lx", n, threads, tile,
                     (unsigned long)sum);
}
