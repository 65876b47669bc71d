/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In the spirit of NPB MG: V-cycles of multigrid for Poisson's equation on a
 * periodic cube. Nine parallel regions (ePRO-OMP, figure 6, counts nine):
 * charges, zero, residual, smooth, smooth's update, restrict, interpolate,
 * norm, final mean. Much memory traffic, and tiny grids at the bottom where
 * threads only wait.
 * Checked: every cycle reduces the residual at least threefold.
 */
#include "wl_openmp.h"
#include <math.h>

#define LEVELS 6

static const long class_side[] = {8, 32, 64, 64};
static const long class_cycles[] = {2, 2, 2, 8};

static long class = 1, seed;
static double *u[LEVELS + 1], *r[LEVELS + 1], *f[LEVELS + 1], *scratch;

/* Returns the row of a cube at i, j, wrapped round; n is a power of two. */
static long row(long n, long i, long j)
{
    return ((i & (n - 1)) * n + (j & (n - 1))) * n;
}

/* A row and its four neighbours, and sums of neighbours along it. */
struct rows {
    const double *here, *beside[4];
    long mask;
};

static struct rows rows_at(const double *v, long n, long i, long j)
{
    return (struct rows){
        v + row(n, i, j),
        {v + row(n, i - 1, j), v + row(n, i + 1, j), v + row(n, i, j - 1), v + row(n, i, j + 1)},
        n - 1};
}

static double neighbours(const struct rows *near, long k)
{
    return near->here[(k - 1) & near->mask] + near->here[(k + 1) & near->mask] +
           near->beside[0][k] + near->beside[1][k] + near->beside[2][k] + near->beside[3][k];
}

static void zero(double *v, long n)
{
#pragma omp parallel for
    for (long i = 0; i < n * n * n; i++)
        v[i] = 0;
}

/* Computes out = rhs - A v with A = 6 - neighbours (grid width 1 on every level). */
static void residual(double *out, const double *rhs, const double *v, long n)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < n; j++) {
            struct rows near = rows_at(v, n, i, j);
            long at = row(n, i, j);
            for (long k = 0; k < n; k++)
                out[at + k] = rhs[at + k] - 6 * v[at + k] + neighbours(&near, k);
        }
    }
}

/* Computes one damped Jacobi step, v += w ((rhs + neighbours) / 6 - v). */
static void smooth(double *v, const double *rhs, long n)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < n; j++) {
            struct rows near = rows_at(v, n, i, j);
            long at = row(n, i, j);
            for (long k = 0; k < n; k++)
                scratch[at + k] = rhs[at + k] + neighbours(&near, k);
        }
    }
#pragma omp parallel for
    for (long i = 0; i < n * n * n; i++)
        v[i] += 6.0 / 7.0 * (scratch[i] * (1.0 / 6.0) - v[i]);
}

/* Returns the weighted sum of three cells of a row. */
static double three(const double *v, long k, long mask)
{
    return v[(k - 1) & mask] + 2 * v[k] + v[(k + 1) & mask];
}

/* Restricts by full weighting; the coarse grid is twice as wide, hence 4 times the right side. */
static void restrict_to(double *coarse, const double *fine, long n)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < n; j++) {
            for (long k = 0; k < n; k++) {
                double sum = 0;
                for (int c = 0; c < 9; c++) {
                    int di = c / 3 - 1, dj = c % 3 - 1;
                    const double *v = fine + row(2 * n, 2 * i + di, 2 * j + dj);
                    sum += (2 - abs(di)) * (2 - abs(dj)) * three(v, 2 * k, 2 * n - 1);
                }
                coarse[row(n, i, j) + k] = sum * 4 / 64;
            }
        }
    }
}

/* Adds the trilinear interpolation of coarse to fine. */
static void interpolate(double *fine, const double *coarse, long n)
{
#pragma omp parallel for
    for (long i = 0; i < 2 * n; i++) {
        for (long j = 0; j < 2 * n; j++) {
            const double *a = coarse + row(n, i / 2, j / 2),
                         *b = coarse + row(n, i / 2, (j + 1) / 2),
                         *c = coarse + row(n, (i + 1) / 2, j / 2),
                         *d = coarse + row(n, (i + 1) / 2, (j + 1) / 2);
            double *to = fine + row(2 * n, i, j);
            for (long k = 0; k < n; k++) {
                long next = (k + 1) & (n - 1);
                double left = a[k] + b[k] + c[k] + d[k];
                double right = a[next] + b[next] + c[next] + d[next];
                to[2 * k] += left / 4;
                to[2 * k + 1] += (left + right) / 8;
            }
        }
    }
}

static double norm(const double *v, long n)
{
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (long i = 0; i < n * n * n; i++)
        sum += v[i] * v[i];
    return sqrt(sum / (double)(n * n * n));
}

static void cycle(int level, long n)
{
    if (n == 2) {
        for (int i = 0; i < 8; i++)
            smooth(u[level], f[level], n);
        return;
    }
    smooth(u[level], f[level], n);
    smooth(u[level], f[level], n);
    residual(r[level], f[level], u[level], n);
    restrict_to(f[level - 1], r[level], n / 2);
    zero(u[level - 1], n / 2);
    cycle(level - 1, n / 2);
    interpolate(u[level], u[level - 1], n / 2);
    smooth(u[level], f[level], n);
    smooth(u[level], f[level], n);
}

int main(int argc, char **argv)
{
    seed = wl_omp_options(
        argc, argv,
        (struct wl_opt){'c', &class, 0, 3, "class: 8^3, 32^3, 64^3, 64^3 with more cycles"});
    long n = class_side[class], points = n * n * n;
    int top = 0;
    for (long m = n; m >= 2; m /= 2)
        top++;
    for (int l = top; l > 0; l--) {
        size_t cells = (size_t)(points >> 3 * (top - l));
        u[l] = wl_alloc(cells, sizeof(double));
        r[l] = wl_alloc(cells, sizeof(double));
        f[l] = wl_alloc(cells, sizeof(double));
    }
    scratch = wl_alloc((size_t)points, sizeof *scratch);

#pragma omp parallel for
    for (long i = 0; i < points; i++)
        f[top][i] = 0;
    uint32_t state = (uint32_t)seed;
    for (int i = 0; i < 20; i++) /* ten charges each, the mean stays zero */
        f[top][wl_below(&state, (uint32_t)points)] += i < 10 ? 1 : -1;

    double first = norm(f[top], n), before = first, now = first;
    bool ok = true;
    for (long c = 0; c < class_cycles[class]; c++) {
        cycle(top, n);
        residual(r[top], f[top], u[top], n);
        now = norm(r[top], n);
        ok = ok && now < before / 3;
        before = now;
    }
    double mean = 0;
#pragma omp parallel for reduction(+ : mean)
    for (long i = 0; i < points; i++)
        mean += u[top][i];
    ok = ok && fabs(mean / (double)points) < 1e-9;
    for (int l = 1; l <= top; l++) {
        free(u[l]);
        free(r[l]);
        free(f[l]);
    }
    free(scratch);
    return wl_result("omp_mg", ok, "side=%ld cycles=%ld residual=%.4e of %.4e", n,
                     class_cycles[class], now, first);
}
