/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Red-black relaxation of a grid in the manner of SPLASH-2's Ocean: bands of
 * rows, two barriers per sweep, the error summed under a mutex every sweep.
 * Neighbours share the lines at the edges of their bands.
 * Checked: the known grid of the default sizes and seed; for others, or with
 * -v 1, that the same sweeps by one thread give the same grid, bit for bit.
 */
#include "wl_common.h"
#include <math.h>
#include <pthread.h>

static long n = 96, sweeps = 20, threads = 4, seed = 1, verify;
static const uint32_t known_hash = 0xd2f8a878;
static double *grid, *reference;
static double change, last_change;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;

static void wait_all(void)
{
    int r = pthread_barrier_wait(&barrier);
    if (r != PTHREAD_BARRIER_SERIAL_THREAD)
        WL_MUST(r);
}

/* Relaxes one colour of rows [lo, hi); returns the largest change. */
static double relax(double *g, long lo, long hi, long colour)
{
    double most = 0;
    for (long i = lo; i < hi; i++) {
        for (long j = 1 + (i + colour) % 2; j <= n; j += 2) {
            double *p = g + i * (n + 2) + j;
            double v = 0.25 * (p[-1] + p[1] + p[-(n + 2)] + p[n + 2]);
            double by = v > *p ? v - *p : *p - v;
            most = by > most ? by : most;
            *p = v;
        }
    }
    return most;
}

static void *worker(void *arg)
{
    long id = (long)(intptr_t)arg;
    long lo = 1 + n * id / threads, hi = 1 + n * (id + 1) / threads;
    for (long s = 0; s < sweeps; s++) {
        double red = relax(grid, lo, hi, 0);
        wait_all();
        double black = relax(grid, lo, hi, 1);
        WL_MUST(pthread_mutex_lock(&lock));
        change = fmax(change, fmax(red, black));
        WL_MUST(pthread_mutex_unlock(&lock));
        wait_all();
        if (id == 0) {
            last_change = change;
            change = 0;
        }
        wait_all();
    }
    return NULL;
}

static bool same_alone(void)
{
    double most = 0;
    for (long s = 0; s < sweeps; s++) {
        most = relax(reference, 1, n + 1, 0);
        most = fmax(most, relax(reference, 1, n + 1, 1));
    }
    return last_change == most &&
           memcmp(grid, reference, (size_t)((n + 2) * (n + 2)) * sizeof *grid) == 0;
}

int main(int argc, char **argv)
{
    const struct wl_opt opts[] = {
        {'n', &n, 2, 2000, "rows and columns"},
        {'p', &sweeps, 1, 10000, "sweeps"},
        {'t', &threads, 1, 64, "threads"},
        {'v', &verify, 0, 1, "1: compare with one thread in any case"},
        {'s', &seed, 0, 1 << 30, "seed"},
        {0},
    };
    wl_options(argc, argv, opts);
    size_t cells = (size_t)((n + 2) * (n + 2));
    grid = wl_alloc(cells, sizeof *grid);
    reference = wl_alloc(cells, sizeof *reference);
    uint32_t state = (uint32_t)seed;
    for (size_t i = 0; i < cells; i++)
        grid[i] = reference[i] = wl_frand(&state);

    pthread_t tid[64];
    WL_MUST(pthread_barrier_init(&barrier, NULL, (unsigned)threads));
    for (long i = 0; i < threads; i++)
        WL_MUST(pthread_create(&tid[i], NULL, worker, (void *)(intptr_t)i));
    for (long i = 0; i < threads; i++)
        WL_MUST(pthread_join(tid[i], NULL));
    WL_MUST(pthread_barrier_destroy(&barrier));

    uint32_t hash = wl_hash(WL_HASH_INIT, grid, cells * sizeof *grid);
    bool known = n == 96 && sweeps == 20 && seed == 1, ok = !known || hash == known_hash;
    if (verify || !known)
        ok = ok && same_alone();
    free(grid);
    free(reference);
    return wl_result("ocean", ok, "n=%ld sweeps=%ld threads=%ld change=%.9f sum=%08lx", n, sweeps,
                     threads, last_change, (unsigned long)hash);
}
