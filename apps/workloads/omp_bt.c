/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In the spirit of NPB BT: an implicit step on a cube factored into the three
 * directions; along each line a block-tridiagonal system with 5 x 5 blocks is
 * solved. Regions: state, operator along x, y, z (the right side), solver along
 * x, y, z, update.
 * Checked: the right side is made from a known increment, which must come out.
 */
#include "wl_cube.h"
#include "wl_openmp.h"
#include <math.h>

#define NB      5
#define MAXSIDE 32

typedef double block[NB][NB];

static const long class_side[] = {4, 8, 14, 24};
static const long class_steps[] = {1, 2, 3, 4};

static long class = 1, seed, n;
static double (*u)[NB], (*r)[NB], (*known)[NB], (*scratch)[NB];

/* Makes the block on the diagonal (side 0) or next to it from the state at a cell: full, dominant
 * diagonal. */
static void make_block(block b, long cell, int side)
{
    const double *s = u[cell];
    for (int i = 0; i < NB; i++)
        for (int j = 0; j < NB; j++)
            b[i][j] = 0.02 * s[i] * s[j];
    for (int i = 0; i < NB; i++)
        b[i][i] += side ? -0.15 - 0.01 * side : 1.4;
}

static void add_product(double *out, block b, const double *v, double sign)
{
    for (int i = 0; i < NB; i++)
        for (int j = 0; j < NB; j++)
            out[i] += sign * b[i][j] * v[j];
}

/* Turns b into its inverse (Gauss-Jordan; diagonally dominant, no pivoting). */
static void invert(block b)
{
    for (int k = 0; k < NB; k++) {
        double pivot = 1 / b[k][k];
        b[k][k] = 1;
        for (int j = 0; j < NB; j++)
            b[k][j] *= pivot;
        for (int i = 0; i < NB; i++) {
            if (i == k)
                continue;
            double f = b[i][k];
            b[i][k] = 0;
            for (int j = 0; j < NB; j++)
                b[i][j] -= f * b[k][j];
        }
    }
}

/* Computes r = M r along one line, through scratch. */
static void apply_line(int direction, long line)
{
    long first = wl_line_start(n, direction, line), stride = wl_stride(n, direction);
    for (long k = 0; k < n; k++) {
        long cell = first + k * stride;
        memset(scratch[cell], 0, sizeof scratch[cell]);
        for (int side = -1; side <= 1; side++) {
            if (k + side < 0 || k + side >= n)
                continue;
            block b;
            make_block(b, cell, side);
            add_product(scratch[cell], b, r[cell + side * stride], 1);
        }
    }
    for (long k = 0; k < n; k++)
        memcpy(r[first + k * stride], scratch[first + k * stride], sizeof *r);
}

/* Solves M x = r along one line, x in r: block Thomas algorithm. */
static void solve_line(int direction, long line)
{
    long first = wl_line_start(n, direction, line), stride = wl_stride(n, direction);
    block upper[MAXSIDE]; /* inverse(diagonal) * right neighbour */
    for (long k = 0; k < n; k++) {
        long cell = first + k * stride;
        block diagonal, lower, right;
        double rhs[NB];
        make_block(diagonal, cell, 0);
        make_block(right, cell, 1);
        memcpy(rhs, r[cell], sizeof rhs);
        if (k > 0) {
            make_block(lower, cell, -1);
            add_product(rhs, lower, r[cell - stride], -1);
            for (int i = 0; i < NB; i++)
                for (int j = 0; j < NB; j++)
                    for (int m = 0; m < NB; m++)
                        diagonal[i][j] -= lower[i][m] * upper[k - 1][m][j];
        }
        invert(diagonal);
        memset(r[cell], 0, sizeof r[cell]);
        add_product(r[cell], diagonal, rhs, 1);
        for (int i = 0; i < NB; i++) {
            for (int j = 0; j < NB; j++) {
                upper[k][i][j] = 0;
                for (int m = 0; m < NB; m++)
                    upper[k][i][j] += diagonal[i][m] * right[m][j];
            }
        }
    }
    for (long k = n - 2; k >= 0; k--) {
        long cell = first + k * stride;
        add_product(r[cell], upper[k], r[cell + stride], -1);
    }
}

static double step(void)
{
    double error = 0;
    memcpy(r, known, (size_t)(n * n * n) * sizeof *r);
#pragma omp parallel for
    for (long line = 0; line < n * n; line++)
        apply_line(2, line);
#pragma omp parallel for
    for (long line = 0; line < n * n; line++)
        apply_line(1, line);
#pragma omp parallel for
    for (long line = 0; line < n * n; line++)
        apply_line(0, line);
#pragma omp parallel for
    for (long line = 0; line < n * n; line++)
        solve_line(0, line);
#pragma omp parallel for
    for (long line = 0; line < n * n; line++)
        solve_line(1, line);
#pragma omp parallel for
    for (long line = 0; line < n * n; line++)
        solve_line(2, line);
#pragma omp parallel for reduction(max : error)
    for (long cell = 0; cell < n * n * n; cell++) {
        for (int i = 0; i < NB; i++) {
            error = fmax(error, fabs(r[cell][i] - known[cell][i]));
            u[cell][i] += 0.1 * r[cell][i];
        }
    }
    return error;
}

int main(int argc, char **argv)
{
    seed = wl_omp_options(
        argc, argv, (struct wl_opt){'c', &class, 0, 3, "class: 4^3, 8^3, 14^3 or 24^3 cells"});
    n = class_side[class];
    size_t cells = (size_t)(n * n * n);
    u = wl_alloc(cells, sizeof *u);
    r = wl_alloc(cells, sizeof *r);
    known = wl_alloc(cells, sizeof *known);
    scratch = wl_alloc(cells, sizeof *scratch);
#pragma omp parallel for
    for (long cell = 0; cell < n * n * n; cell++) {
        uint32_t state = (uint32_t)seed + (uint32_t)cell * 2654435769u;
        for (int i = 0; i < NB; i++) {
            u[cell][i] = 0.5 + wl_frand(&state);
            known[cell][i] = wl_frand(&state) - 0.5;
        }
    }
    double error = 0, sum = 0;
    for (long s = 0; s < class_steps[class]; s++)
        error = fmax(error, step());
    for (size_t cell = 0; cell < cells; cell++)
        sum += u[cell][0];
    free(u);
    free(r);
    free(known);
    free(scratch);
    return wl_result("omp_bt", error < 1e-9, "side=%ld steps=%ld sum=%.6f", n, class_steps[class],
                     sum);
}
