/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blocked LU factorisation of a dense, diagonally dominant matrix without
 * pivoting, in the manner of SPLASH-2's LU: blocks belong to threads in a 2-D
 * pattern, three barriers per step (diagonal block, its row and column, the
 * rest). Less and less work per step towards the end: threads wait at barriers.
 * Checked: L * (U * v) against A * v for a random vector.
 */
#include "wl_common.h"
#include <math.h>
#include <pthread.h>

static long n = 160, bs = 16, threads = 4, rows = 2, cols = 2, seed = 1;
static double *m, *original;
static pthread_barrier_t barrier;

static double *at(long i, long j)
{
    return m + i * n + j;
}

static long least(long x, long y)
{
    return x < y ? x : y;
}

static bool mine(long bi, long bj, long id)
{
    return (bi % rows) * cols + bj % cols == id;
}

static void wait_all(void)
{
    int r = pthread_barrier_wait(&barrier);
    if (r != PTHREAD_BARRIER_SERIAL_THREAD)
        WL_MUST(r);
}

static void diagonal(long k0, long k1)
{
    for (long k = k0; k < k1; k++) {
        for (long i = k + 1; i < k1; i++) {
            double f = *at(i, k) /= *at(k, k);
            for (long j = k + 1; j < k1; j++)
                *at(i, j) -= f * *at(k, j);
        }
    }
}

/* Multiplies a block to the right of the diagonal block by L's inverse. */
static void row_block(long k0, long k1, long j0, long j1)
{
    for (long k = k0; k < k1; k++)
        for (long i = k + 1; i < k1; i++)
            for (long j = j0; j < j1; j++)
                *at(i, j) -= *at(i, k) * *at(k, j);
}

/* Multiplies a block below by U's inverse. */
static void column_block(long k0, long k1, long i0, long i1)
{
    for (long i = i0; i < i1; i++) {
        for (long k = k0; k < k1; k++) {
            double f = *at(i, k) /= *at(k, k);
            for (long j = k + 1; j < k1; j++)
                *at(i, j) -= f * *at(k, j);
        }
    }
}

static void inner_block(long k0, long k1, long i0, long i1, long j0, long j1)
{
    for (long i = i0; i < i1; i++) {
        for (long k = k0; k < k1; k++) {
            double f = *at(i, k);
            for (long j = j0; j < j1; j++)
                *at(i, j) -= f * *at(k, j);
        }
    }
}

static void *worker(void *arg)
{
    long id = (long)(intptr_t)arg, count = (n + bs - 1) / bs;
    for (long k = 0; k < count; k++) {
        long k0 = k * bs, k1 = least(k0 + bs, n);
        if (mine(k, k, id))
            diagonal(k0, k1);
        wait_all();
        for (long b = k + 1; b < count; b++) {
            if (mine(k, b, id))
                row_block(k0, k1, b * bs, least(b * bs + bs, n));
            if (mine(b, k, id))
                column_block(k0, k1, b * bs, least(b * bs + bs, n));
        }
        wait_all();
        for (long i = k + 1; i < count; i++)
            for (long j = k + 1; j < count; j++)
                if (mine(i, j, id))
                    inner_block(k0, k1, i * bs, least(i * bs + bs, n), j * bs,
                                least(j * bs + bs, n));
        wait_all();
    }
    return NULL;
}

/* Returns the largest relative difference between L*(U*v) and A*v. */
static double error(uint32_t state)
{
    double *v = wl_alloc((size_t)n * 2, sizeof *v), *uv = v + n, worst = 0;
    for (long i = 0; i < n; i++)
        v[i] = wl_frand(&state) - 0.5;
    for (long i = 0; i < n; i++)
        for (long j = i; j < n; j++)
            uv[i] += *at(i, j) * v[j];
    for (long i = 0; i < n; i++) {
        double have = uv[i], want = 0;
        for (long j = 0; j < i; j++)
            have += *at(i, j) * uv[j];
        for (long j = 0; j < n; j++)
            want += original[i * n + j] * v[j];
        worst = fmax(worst, fabs(have - want) / (double)n);
    }
    free(v);
    return worst;
}

int main(int argc, char **argv)
{
    const struct wl_opt opts[] = {
        {'n', &n, 1, 2000, "rows and columns"},
        {'b', &bs, 1, 256, "block"},
        {'t', &threads, 1, 64, "threads"},
        {'s', &seed, 0, 1 << 30, "seed"},
        {0},
    };
    wl_options(argc, argv, opts);
    for (rows = 1; (rows + 1) * (rows + 1) <= threads; rows++)
        ;
    while (threads % rows)
        rows--;
    cols = threads / rows;
    m = wl_alloc((size_t)(n * n), sizeof *m);
    original = wl_alloc((size_t)(n * n), sizeof *original);
    uint32_t state = (uint32_t)seed;
    for (long i = 0; i < n * n; i++)
        original[i] = m[i] = wl_frand(&state) + (i % (n + 1) == 0 ? (double)n : 0.0);

    pthread_t tid[64];
    WL_MUST(pthread_barrier_init(&barrier, NULL, (unsigned)threads));
    for (long i = 1; i < threads; i++)
        WL_MUST(pthread_create(&tid[i], NULL, worker, (void *)(intptr_t)i));
    worker(NULL);
    for (long i = 1; i < threads; i++)
        WL_MUST(pthread_join(tid[i], NULL));
    WL_MUST(pthread_barrier_destroy(&barrier));

    double err = error(state);
    double last = *at(n - 1, n - 1);
    free(m);
    free(original);
    return wl_result("lu", err < 1e-12, "n=%ld block=%ld threads=%ld last=%.6f", n, bs, threads,
                     last);
}
