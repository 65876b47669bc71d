/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Matrix multiply as an OpenMP program with one parallel region (ePRO-OMP,
 * figure 3). Checked with a random vector: C*r must be A*(B*r), modulo 2^32.
 */
#include "wl_openmp.h"

static long n = 128, seed;
static uint32_t *a, *b, *c;

static void multiply(void)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < n; j++) {
            uint32_t sum = 0;
            for (long k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
    }
}

int main(int argc, char **argv)
{
    seed = wl_omp_options(argc, argv, (struct wl_opt){'n', &n, 1, 2000, "rows and columns"});
    size_t cells = (size_t)(n * n);
    a = wl_alloc(cells, sizeof *a);
    b = wl_alloc(cells, sizeof *b);
    c = wl_alloc(cells, sizeof *c);
    uint32_t state = (uint32_t)seed;
    for (size_t i = 0; i < cells; i++) {
        a[i] = wl_rand(&state);
        b[i] = wl_rand(&state);
    }
    multiply();

    uint32_t *r = wl_alloc((size_t)n * 2, sizeof *r);
    bool ok = true;
    for (long i = 0; i < n; i++)
        r[i] = wl_rand(&state);
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            r[n + i] += b[i * n + j] * r[j];
    for (long i = 0; i < n; i++) {
        uint32_t d = 0;
        for (long j = 0; j < n; j++)
            d += a[i * n + j] * r[n + j] - c[i * n + j] * r[j];
        ok = ok && d == 0;
    }
    uint32_t sum = wl_hash(WL_HASH_INIT, c, cells * sizeof *c);
    free(a);
    free(b);
    free(c);
    free(r);
    return wl_result("omp_mm", ok, "n=%ld sum=%08lx", n, (unsigned long)sum);
}
