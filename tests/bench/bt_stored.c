/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory traffic of NPB BT, class S, in its OpenMP version in C: for each of the three
 * directions, the Jacobians of all cells (400 bytes a cell), then the blocks of all cells (600) are
 * stored, and read again by the solver of the lines. With 12 x 12 x 12 cells these are 1.7 MB, more
 * than the L2. apps/workloads/omp_bt.c makes the blocks where it needs them, and stays in the
 * caches.
 *
 * usage: bt_stored [STEPS]    (-DN=24: class W)
 *
 * Checked: the solution of a line satisfies its equations. Prints the sum of the state, which
 * does not depend on the number of threads.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef N
#define N 12 /* class S; W: 24 */
#endif
#define CELLS (N * N * N)
#define NB    5

typedef double block[NB][NB];
struct jacobian {
    block flux, viscous;
};
struct equation {
    block lower, diagonal, upper;
};

static double u[CELLS][NB], forcing[CELLS][NB], r[CELLS][NB];
static struct jacobian jacobian[CELLS];
static struct equation equation[CELLS];

static int stride(int direction)
{
    return direction == 0 ? N * N : direction == 1 ? N : 1;
}

/* First cell of a line; lines of a direction are numbered from 0. */
static int line_start(int direction, int line)
{
    const int a = line / N;
    const int b = line % N;

    return direction == 0 ? a * N + b : direction == 1 ? a * N * N + b : (a * N + b) * N;
}

static void make_right_side(int plane)
{
    for (int cell = plane * N * N; cell < (plane + 1) * N * N; cell++) {
        for (int i = 0; i < NB; i++) {
            r[cell][i] = forcing[cell][i];
            for (int d = 0; d < 3; d++) {
                const int at = cell / stride(d) % N;
                const double *const before = u[at > 0 ? cell - stride(d) : cell];
                const double *const after = u[at < N - 1 ? cell + stride(d) : cell];
                r[cell][i] += 0.05 * (before[i] + after[i] - 2 * u[cell][i]);
            }
        }
    }
}

static void make_jacobian(int cell, int direction)
{
    const double *const s = u[cell];
    struct jacobian *const j = &jacobian[cell];

    for (int i = 0; i < NB; i++) {
        for (int k = 0; k < NB; k++) {
            j->flux[i][k] = 0.02 * s[i] * s[k] + 0.01 * s[direction + 1];
            j->viscous[i][k] = 0.01 * (s[i] - s[k]) * s[0];
        }
        j->flux[i][i] += 0.1;
        j->viscous[i][i] += 0.2;
    }
}

/* From the Jacobians of the cell and of its neighbours along the line. */
static void make_equation(int cell, int direction)
{
    const int at = cell / stride(direction) % N;
    const struct jacobian *const here = &jacobian[cell];
    const struct jacobian *const before = at > 0 ? here - stride(direction) : here;
    const struct jacobian *const after = at < N - 1 ? here + stride(direction) : here;
    struct equation *const e = &equation[cell];

    for (int i = 0; i < NB; i++) {
        for (int k = 0; k < NB; k++) {
            e->lower[i][k] = -0.3 * before->flux[i][k] - 0.2 * before->viscous[i][k];
            e->diagonal[i][k] = (i == k) + 0.4 * here->viscous[i][k];
            e->upper[i][k] = 0.3 * after->flux[i][k] - 0.2 * after->viscous[i][k];
        }
    }
}

static void subtract_product(double *out, block b, const double *v)
{
    for (int i = 0; i < NB; i++)
        for (int k = 0; k < NB; k++)
            out[i] -= b[i][k] * v[k];
}

/* Divides a row of blocks by its diagonal (Gauss-Jordan; dominant, no pivoting). */
static void eliminate(struct equation *e, double *rhs)
{
    for (int p = 0; p < NB; p++) {
        const double pivot = 1 / e->diagonal[p][p];
        for (int k = p; k < NB; k++)
            e->diagonal[p][k] *= pivot;
        for (int k = 0; k < NB; k++)
            e->upper[p][k] *= pivot;
        rhs[p] *= pivot;
        for (int i = 0; i < NB; i++) {
            const double f = e->diagonal[i][p];
            if (i == p)
                continue;
            for (int k = p; k < NB; k++)
                e->diagonal[i][k] -= f * e->diagonal[p][k];
            for (int k = 0; k < NB; k++)
                e->upper[i][k] -= f * e->upper[p][k];
            rhs[i] -= f * rhs[p];
        }
    }
}

static void solve_line(int direction, int line)
{
    const int s = stride(direction);
    const int first = line_start(direction, line);
    const int last = first + (N - 1) * s;

    for (int c = first; c <= last; c += s) {
        if (c > first) {
            subtract_product(r[c], equation[c].lower, r[c - s]);
            for (int i = 0; i < NB; i++)
                for (int k = 0; k < NB; k++)
                    for (int m = 0; m < NB; m++)
                        equation[c].diagonal[i][k] -=
                            equation[c].lower[i][m] * equation[c - s].upper[m][k];
        }
        eliminate(&equation[c], r[c]);
    }
    for (int c = last - s; c >= first; c -= s)
        subtract_product(r[c], equation[c].upper, r[c + s]);
}

/* How far the solution of line 0 is from satisfying the equations for `right`. */
static double residual(int direction, double right[N][NB])
{
    const int s = stride(direction);
    double worst = 0;

    for (int k = 0; k < N; k++) {
        const int c = line_start(direction, 0) + k * s;
        make_equation(c, direction);
        subtract_product(right[k], equation[c].diagonal, r[c]);
        if (k > 0)
            subtract_product(right[k], equation[c].lower, r[c - s]);
        if (k < N - 1)
            subtract_product(right[k], equation[c].upper, r[c + s]);
        for (int i = 0; i < NB; i++)
            worst = fmax(worst, fabs(right[k][i]));
    }
    return worst;
}

static double solve(int direction)
{
    double right[N][NB];

#pragma omp parallel for
    for (int cell = 0; cell < CELLS; cell++)
        make_jacobian(cell, direction);
#pragma omp parallel for
    for (int cell = 0; cell < CELLS; cell++)
        make_equation(cell, direction);
    for (int k = 0; k < N; k++)
        memcpy(right[k], r[line_start(direction, 0) + k * stride(direction)], sizeof(right[k]));
#pragma omp parallel for
    for (int line = 0; line < N * N; line++)
        solve_line(direction, line);
    return residual(direction, right);
}

int main(int argc, char **argv)
{
    const int steps = argc > 1 ? atoi(argv[1]) : 3;
    double worst = 0;
    double sum = 0;

    for (int cell = 0; cell < CELLS; cell++) {
        for (int i = 0; i < NB; i++) {
            u[cell][i] = 0.5 + (cell * 7 + i * 13) % 101 / 101.0;
            forcing[cell][i] = (cell * 11 + i * 3) % 97 / 97.0 - 0.5;
        }
    }
    for (int step = 0; step < steps; step++) {
#pragma omp parallel for
        for (int plane = 0; plane < N; plane++)
            make_right_side(plane);
        for (int direction = 0; direction < 3; direction++)
            worst = fmax(worst, solve(direction));
#pragma omp parallel for
        for (int cell = 0; cell < CELLS; cell++)
            for (int i = 0; i < NB; i++)
                u[cell][i] += 0.1 * r[cell][i];
    }
    for (int cell = 0; cell < CELLS; cell++)
        sum += u[cell][0];
    printf("bt_stored: %s steps=%d sum=%.9f\n", worst < 1e-9 ? "ok" : "WRONG", steps, sum);
    return worst < 1e-9 ? 0 : 1;
}
