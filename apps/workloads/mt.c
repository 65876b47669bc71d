/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Matrix transpose, back and forth between two matrices, rows shared out among
 * threads, a barrier after each pass. Little arithmetic, much memory traffic;
 * -b N goes by N x N tiles.
 * Checked cell by cell against the generator.
 */
#include "wl_common.h"
#include <pthread.h>

static long n = 256, threads = 4, tile = 0, passes = 8, seed = 1;
static uint32_t *m[2];
static pthread_barrier_t barrier;

static uint32_t cell(long i, long j)
{
    return (uint32_t)(i * 65599 + j * 31 + seed);
}

static void transpose(uint32_t *to, const uint32_t *from, long lo, long hi)
{
    long step = tile > 0 ? tile : n;
    for (long j0 = 0; j0 < n; j0 += step) {
        long j1 = j0 + step < n ? j0 + step : n;
        for (long i0 = lo; i0 < hi; i0 += step) {
            long i1 = i0 + step < hi ? i0 + step : hi;
            for (long i = i0; i < i1; i++)
                for (long j = j0; j < j1; j++)
                    to[i * n + j] = from[j * n + i];
        }
    }
}

static void *worker(void *arg)
{
    long id = (long)(intptr_t)arg;
    for (long p = 0; p < passes; p++) {
        transpose(m[(p + 1) & 1], m[p & 1], n * id / threads, n * (id + 1) / threads);
        int r = pthread_barrier_wait(&barrier);
        if (r != PTHREAD_BARRIER_SERIAL_THREAD)
            WL_MUST(r);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const struct wl_opt opts[] = {
        {'n', &n, 1, 4000, "rows and columns"},    {'t', &threads, 1, 64, "threads"},
        {'b', &tile, 0, 4000, "tile, 0 for none"}, {'p', &passes, 1, 1000, "passes"},
        {'s', &seed, 0, 1 << 30, "seed"},          {0},
    };
    wl_options(argc, argv, opts);
    for (int i = 0; i < 2; i++)
        m[i] = wl_alloc((size_t)(n * n), sizeof **m);
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            m[0][i * n + j] = cell(i, j);

    pthread_t tid[64];
    WL_MUST(pthread_barrier_init(&barrier, NULL, (unsigned)threads));
    for (long i = 0; i < threads; i++)
        WL_MUST(pthread_create(&tid[i], NULL, worker, (void *)(intptr_t)i));
    for (long i = 0; i < threads; i++)
        WL_MUST(pthread_join(tid[i], NULL));
    WL_MUST(pthread_barrier_destroy(&barrier));

    bool ok = true;
    const uint32_t *last = m[passes & 1];
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            ok = ok && last[i * n + j] == (passes & 1 ? cell(j, i) : cell(i, j));
    uint32_t sum = wl_hash(WL_HASH_INIT, last, (size_t)(n * n) * sizeof *last);
    free(m[0]);
    free(m[1]);
    return wl_result("mt", ok, "n=%ld threads=%ld tile=%ld passes=%ld sum=%08lx", n, threads, tile,
                     passes, (unsigned long)sum);
}
