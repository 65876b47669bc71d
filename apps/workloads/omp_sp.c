/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In the spirit of NPB SP: as BT, but the lines are scalar pentadiagonal
 * systems: little arithmetic for the memory touched.
 * Regions: state, operator along x, y, z (the right side), solver along x, y,
 * z, update.
 * Checked: the right side is made from a known increment, which must come out.
 */
#include "wl_cube.h"
#include "wl_openmp.h"
#include <math.h>

#define MAXSIDE 64

static const long class_side[] = {6, 18, 36, 60};
static const long class_steps[] = {2, 6, 6, 8};

static long class = 1, seed, n;
static double *u, *r, *known, *scratch;

/* Computes the five elements of a row, from the state at its cell. */
static void make_row(double a[5], long cell)
{
    double s = u[cell];
    a[0] = 0.05 * s;
    a[1] = -0.3;
    a[2] = 1.5 + 0.1 * s;
    a[3] = -0.25;
    a[4] = 0.04 * s;
}

static void apply_line(int direction, long line)
{
    long first = wl_line_start(n, direction, line), stride = wl_stride(n, direction);
    for (long k = 0; k < n; k++) {
        long cell = first + k * stride;
        double a[5], sum = 0;
        make_row(a, cell);
        for (int d = -2; d <= 2; d++)
            if (k + d >= 0 && k + d < n)
                sum += a[d + 2] * r[cell + d * stride];
        scratch[cell] = sum;
    }
    for (long k = 0; k < n; k++)
        r[first + k * stride] = scratch[first + k * stride];
}

/* Eliminates (Gauss) down the line, then substitutes up. */
static void solve_line(int direction, long line)
{
    long first = wl_line_start(n, direction, line), stride = wl_stride(n, direction);
    double up[MAXSIDE][2]; /* the two right neighbours, diagonal made 1 */
    for (long k = 0; k < n; k++) {
        long cell = first + k * stride;
        double a[5], rhs = r[cell];
        make_row(a, cell);
        if (k > 1) {
            rhs -= a[0] * r[cell - 2 * stride];
            a[1] -= a[0] * up[k - 2][0];
            a[2] -= a[0] * up[k - 2][1];
        }
        if (k > 0) {
            rhs -= a[1] * r[cell - stride];
            a[2] -= a[1] * up[k - 1][0];
            a[3] -= a[1] * up[k - 1][1];
        }
        double pivot = 1 / a[2];
        up[k][0] = a[3] * pivot;
        up[k][1] = a[4] * pivot;
        r[cell] = rhs * pivot;
    }
    for (long k = n - 2; k >= 0; k--) {
        long cell = first + k * stride;
        r[cell] -= up[k][0] * r[cell + stride];
        if (k + 2 < n)
            r[cell] -= up[k][1] * r[cell + 2 * stride];
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
        double d = fabs(r[cell] - known[cell]);
        error = d > error ? d : error;
        u[cell] += 0.1 * r[cell];
    }
    return error;
}

int main(int argc, char **argv)
{
    seed = wl_omp_options(
        argc, argv, (struct wl_opt){'c', &class, 0, 3, "class: 6^3, 18^3, 36^3 or 60^3 cells"});
    n = class_side[class];
    size_t cells = (size_t)(n * n * n);
    u = wl_alloc(cells, sizeof *u);
    r = wl_alloc(cells, sizeof *r);
    known = wl_alloc(cells, sizeof *known);
    scratch = wl_alloc(cells, sizeof *scratch);
#pragma omp parallel for
    for (long cell = 0; cell < n * n * n; cell++) {
        uint32_t state = (uint32_t)seed + (uint32_t)cell * 2654435769u;
        u[cell] = 0.5 + wl_frand(&state);
        known[cell] = wl_frand(&state) - 0.5;
    }
    double error = 0, sum = 0;
    for (long s = 0; s < class_steps[class]; s++)
        error = fmax(error, step());
    for (size_t cell = 0; cell < cells; cell++)
        sum += u[cell];
    free(u);
    free(r);
    free(known);
    free(scratch);
    return wl_result("omp_sp", error < 1e-11, "side=%ld steps=%ld sum=%.6f", n, class_steps[class],
                     sum);
}
