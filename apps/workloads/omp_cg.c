/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In the spirit of NPB CG: conjugate gradients on a sparse, symmetric,
 * diagonally dominant matrix of random pattern, so that the matrix product
 * gathers from all over the vector.
 * Regions: product, two dot products, two vector updates, start, residual.
 * Checked: the residual, computed again, and the known solution.
 */
#include "wl_common.h"
#include <math.h>
#include <omp.h>

static const long class_rows[] = {400, 4000, 8000, 16000};

static long class = 1, threads, per_row = 8, iterations = 16, seed = 1, n;
static long *start; /* of each row in column and value */
static int32_t *column;
static double *value, *x, *b, *r, *p, *q;

/* Makes a symmetric pattern: per_row / 2 random partners of each row, both ways. */
static void make_matrix(void)
{
    long half = per_row / 2;
    uint32_t state = (uint32_t)seed;
    int32_t *partner = wl_alloc((size_t)(n * half), sizeof *partner);
    double *weight = wl_alloc((size_t)(n * half), sizeof *weight);
    start = wl_alloc((size_t)n + 2, sizeof *start);
    for (long i = 0; i < n; i++) {
        start[i + 2]++;
        for (long k = 0; k < half; k++) {
            long j = (i + 1 + (long)wl_below(&state, (uint32_t)n - 1)) % n;
            partner[i * half + k] = (int32_t)j;
            weight[i * half + k] = wl_frand(&state) - 0.5;
            start[i + 2]++;
            start[j + 2]++;
        }
    }
    for (long i = 2; i < n + 2; i++)
        start[i] += start[i - 1];
    column = wl_alloc((size_t)start[n + 1], sizeof *column);
    value = wl_alloc((size_t)start[n + 1], sizeof *value);
    for (long i = 0; i < n; i++) { /* start[i + 1] runs through row i, ends as start of the next */
        column[start[i + 1]] = (int32_t)i;
        value[start[i + 1]++] = (double)per_row / 2;
        for (long k = 0; k < half; k++) {
            long j = partner[i * half + k];
            column[start[i + 1]] = (int32_t)j;
            value[start[i + 1]++] = weight[i * half + k];
            column[start[j + 1]] = (int32_t)i;
            value[start[j + 1]++] = weight[i * half + k];
        }
    }
    free(partner);
    free(weight);
}

static void product(double *out, const double *v)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        double sum = 0;
        for (long k = start[i]; k < start[i + 1]; k++)
            sum += value[k] * v[column[k]];
        out[i] = sum;
    }
}

static double dot(const double *u, const double *v)
{
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (long i = 0; i < n; i++)
        sum += u[i] * v[i];
    return sum;
}

static void solve(void)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        x[i] = 0;
        r[i] = p[i] = b[i];
    }
    double rho = dot(r, r);
    for (long it = 0; it < iterations && rho > 1e-22; it++) {
        product(q, p);
        double alpha = rho / dot(p, q);
#pragma omp parallel for
        for (long i = 0; i < n; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        double next = dot(r, r), beta = next / rho;
        rho = next;
#pragma omp parallel for
        for (long i = 0; i < n; i++)
            p[i] = r[i] + beta * p[i];
    }
}

int main(int argc, char **argv)
{
    const struct wl_opt opts[] = {
        {'c', &class, 0, 3, "class: 400, 4000, 8000 or 16000 rows"},
        {'z', &per_row, 2, 64, "off-diagonal elements per row"},
        {'i', &iterations, 1, 1000, "iterations"},
        {'t', &threads, 0, 64, "threads, 0 as the environment says"},
        {'s', &seed, 0, 1 << 30, "seed"},
        {0},
    };
    wl_options(argc, argv, opts);
    if (threads > 0)
        omp_set_num_threads((int)threads);
    n = class_rows[class];
    make_matrix();
    double **all[] = {&x, &b, &r, &p, &q};
    for (int i = 0; i < 5; i++)
        *all[i] = wl_alloc((size_t)n, sizeof(double));
    for (long i = 0; i < n; i++)
        p[i] = (double)(i % 7) - 3; /* the solution to be found */
    product(b, p);
    solve();

    double residual = 0, error = 0;
    product(q, x);
#pragma omp parallel for reduction(max : residual, error)
    for (long i = 0; i < n; i++) {
        residual = fmax(residual, fabs(b[i] - q[i]));
        error = fmax(error, fabs(x[i] - ((double)(i % 7) - 3)));
    }
    double limit = iterations >= 16 ? 1e-3 : 1.0;
    long elements = start[n];
    for (int i = 0; i < 5; i++)
        free(*all[i]);
    free(start);
    free(column);
    free(value);
    return wl_result("omp_cg", residual < limit && error < limit,
                     "rows=%ld elements=%ld iterations=%ld residual=%.1e", n, elements, iterations,
                     residual);
}
