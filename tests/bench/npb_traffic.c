/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The arithmetic and memory traffic of two kernels of the NAS Parallel Benchmarks, with code of our
 * own and the sizes of classes S and W.
 *
 * cg: conjugate gradients; a sparse matrix of doubles with 32-bit columns, of which a row has as
 * many elements as NPB's count of operations assumes (56 and 72). 66 % of the flops are two for
 * each of these. lu: symmetric successive over-relaxation of blocks of 5 x 5; for each plane of the
 * cube the blocks of all points are stored (four blocks of 200 bytes each), then read by the
 * solver, whose rows wait for the thread before.
 *
 * usage: npb_traffic cg|lu S|W STEPS
 *
 * Checked: cg by the residual, computed again; lu by the equations of each point. Prints points and
 * steps, for flops a point, and a sum that does not depend on the number of threads.
 */
#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t state = 1;

static double random_number(void)
{
    state = state * 1664525U + 1013904223U;
    return state / 4294967296.0;
}

static int result(const char *kernel, const char *class, int right, long points, long steps,
                  double sum)
{
    printf("npb_traffic: %s kernel=%s class=%s points=%ld steps=%ld sum=%.9g\n",
           right ? "ok" : "WRONG", kernel, class, points, steps, sum);
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* ---- cg -------------------------------------------------------------------------------------- */

#define ROWS_MOST 7000
#define ROW_MOST  160

static int rows, elements[ROWS_MOST], start[ROWS_MOST + 1];
static int32_t pattern[ROWS_MOST][ROW_MOST];
static float weight[ROWS_MOST][ROW_MOST];
static int32_t column[ROWS_MOST * 72];
static double value[ROWS_MOST * 72], x[ROWS_MOST], b[ROWS_MOST], r[ROWS_MOST], p[ROWS_MOST],
    q[ROWS_MOST];

static void put(int row, int to, double v)
{
    pattern[row][elements[row]] = to;
    weight[row][elements[row]++] = (float)v;
}

/* A symmetric matrix with so many elements a row on average, the diagonal with them. */
static void make_matrix(int per_row)
{
    int n = 0;

    for (int i = 0; i < rows; i++) {
        for (int k = 0; k < (per_row - 1 + i % 2) / 2; k++) {
            const int j = (i + 1 + (int)(random_number() * (rows - 1))) % rows;
            const double v = random_number() - 0.5;
            if (elements[i] >= ROW_MOST || elements[j] >= ROW_MOST)
                continue;
            put(i, j, v);
            put(j, i, v);
        }
    }
    for (int i = 0; i < rows; i++) {
        start[i] = n;
        column[n] = i;
        value[n++] = per_row / 2.0;
        for (int k = 0; k < elements[i]; k++) {
            column[n] = pattern[i][k];
            value[n++] = weight[i][k];
        }
    }
    start[rows] = n;
}

static void product(double *out, const double *v)
{
#pragma omp parallel for
    for (int i = 0; i < rows; i++) {
        double sum = 0;
        for (int k = start[i]; k < start[i + 1]; k++)
            sum += value[k] * v[column[k]];
        out[i] = sum;
    }
}

static double dot(const double *v, const double *w)
{
    double sum = 0;

#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < rows; i++)
        sum += v[i] * w[i];
    return sum;
}

static void gradients(long steps)
{
    double rho = dot(r, r);

    for (long step = 0; step < steps; step++) {
        double alpha;
        double next;
        product(q, p);
        alpha = rho / dot(p, q);
#pragma omp parallel for
        for (int i = 0; i < rows; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        next = dot(r, r);
#pragma omp parallel for
        for (int i = 0; i < rows; i++)
            p[i] = r[i] + next / rho * p[i];
        rho = next;
    }
}

static int cg(const char *class, long steps)
{
    double worst = 0;
    double size = 0;

    rows = class[0] == 'S' ? 1400 : 7000;
    make_matrix(class[0] == 'S' ? 56 : 72);
    for (int i = 0; i < rows; i++)
        b[i] = r[i] = p[i] = (i % 7) - 3.0;
    gradients(steps);
    product(q, x);
    for (int i = 0; i < rows; i++) {
        worst = fmax(worst, fabs(b[i] - q[i] - r[i]));
        size += r[i] * r[i];
    }
    printf("elements: %d\n", start[rows]);
    return result("cg", class, worst < 1e-9 && size<rows, rows, steps, size> 1e-12 ? 0 : 1);
}

/* ---- lu -------------------------------------------------------------------------------------- */

#define SIDE_MOST 33
#define NB        5
#define OMEGA     1.2

typedef double vector[NB];
typedef double block[NB][NB];

static int side;
static vector u[SIDE_MOST * SIDE_MOST * SIDE_MOST], residue[SIDE_MOST * SIDE_MOST * SIDE_MOST],
    forcing[SIDE_MOST * SIDE_MOST * SIDE_MOST];
static block across[3][SIDE_MOST * SIDE_MOST], own[SIDE_MOST * SIDE_MOST]; /* of one plane */
static volatile int reached[64]; /* planes that a thread has finished */

static int at(int k, int j, int i)
{
    return (k * side + j) * side + i;
}

static void right_side(int k)
{
    const int strides[] = {side * side, side, 1};

    for (int cell = at(k, 0, 0); cell < at(k + 1, 0, 0); cell++) {
        for (int m = 0; m < NB; m++)
            residue[cell][m] = forcing[cell][m];
        for (int d = 0; d < 3; d++) {
            const int place = cell / strides[d] % side;
            const double *const before = u[place > 0 ? cell - strides[d] : cell];
            const double *const after = u[place < side - 1 ? cell + strides[d] : cell];
            const double *const here = u[cell];
            const double speed = here[d + 1] / here[0];
            for (int m = 0; m < NB; m++) {
                const double flux = speed * (after[m] - before[m]);
                const double viscous = before[m] - 2 * here[m] + after[m];
                residue[cell][m] += 0.02 * viscous - 0.01 * flux + 0.005 * flux * viscous;
            }
        }
    }
}

/* Makes the blocks of a point: towards its three neighbours in the direction, and its own. */
static void make_blocks(int cell, int in_plane, const int *neighbour)
{
    const double *const here = u[cell];

    for (int d = 0; d < 3; d++) {
        const double *const s = u[neighbour[d]];
        for (int m = 0; m < NB; m++)
            for (int n = 0; n < NB; n++)
                across[d][in_plane][m][n] = 0.02 * s[m] * s[n] - 0.01 * s[d + 1];
    }
    for (int m = 0; m < NB; m++)
        for (int n = 0; n < NB; n++)
            own[in_plane][m][n] =
                (m == n) + 0.01 * here[m] * here[n] + 0.02 * (here[m] - here[n]) * here[0];
}

/* Solves the 5 x 5 equations of a point (dominant, no pivoting). */
static void solve_point(block a, double *v)
{
    for (int c = 0; c < NB; c++) {
        const double pivot = 1 / a[c][c];
        for (int m = c + 1; m < NB; m++) {
            const double f = a[m][c] * pivot;
            for (int n = c + 1; n < NB; n++)
                a[m][n] -= f * a[c][n];
            v[m] -= f * v[c];
        }
    }
    for (int m = NB - 1; m >= 0; m--) {
        for (int n = m + 1; n < NB; n++)
            v[m] -= a[m][n] * v[n];
        v[m] /= a[m][m];
    }
}

/* Relaxes a point with its neighbours in the direction, which have been relaxed before. Returns how
 * far its equations are from satisfied; only if checked. */
static double relax(int cell, int in_plane, const int *neighbour, int checked)
{
    double *const v = residue[cell];
    block before;
    vector right;
    double worst = 0;

    for (int d = 0; d < 3; d++) {
        if (neighbour[d] == cell)
            continue;
        for (int m = 0; m < NB; m++)
            for (int n = 0; n < NB; n++)
                v[m] -= OMEGA * across[d][in_plane][m][n] * residue[neighbour[d]][n];
    }
    if (checked) {
        memcpy(before, own[in_plane], sizeof(before));
        memcpy(right, v, sizeof(right));
    }
    solve_point(own[in_plane], v);
    for (int m = 0; checked && m < NB; m++) {
        for (int n = 0; n < NB; n++)
            right[m] -= before[m][n] * v[n];
        worst = fmax(worst, fabs(right[m]));
    }
    return worst;
}

static void neighbours(int k, int j, int i, int way, int out[3])
{
    const int edge = way > 0 ? 0 : side - 1;

    out[0] = k == edge ? at(k, j, i) : at(k - way, j, i);
    out[1] = j == edge ? at(k, j, i) : at(k, j - way, i);
    out[2] = i == edge ? at(k, j, i) : at(k, j, i - way);
}

/* Sweeps the cube plane by plane, up (way 1) or down (-1). A thread has the same rows of each
 * plane, and begins when the thread of the rows before has finished the plane. */
static double sweep(int way)
{
    double worst = 0;

    memset((void *)reached, 0, sizeof(reached));
#pragma omp parallel reduction(max : worst)
    {
        const int threads = omp_get_num_threads();
        const int me = omp_get_thread_num();
        const int first = side * me / threads;
        const int last = side * (me + 1) / threads;
        for (int plane = 0; plane < side; plane++) {
            const int k = way > 0 ? plane : side - 1 - plane;
            int to[3];
            for (int row = first; row < last; row++) {
                const int j = way > 0 ? row : side - 1 - row;
                for (int i = 0; i < side; i++) {
                    neighbours(k, j, i, way, to);
                    make_blocks(at(k, j, i), j * side + i, to);
                }
            }
            while (me > 0 && reached[me - 1] <= plane)
                ;
            __sync_synchronize();
            for (int row = first; row < last; row++) {
                const int j = way > 0 ? row : side - 1 - row;
                for (int n = 0; n < side; n++) {
                    const int i = way > 0 ? n : side - 1 - n;
                    neighbours(k, j, i, way, to);
                    worst = fmax(
                        worst, relax(at(k, j, i), j * side + i, to, row == first && n == side / 2));
                }
            }
            __sync_synchronize();
            reached[me] = plane + 1;
        }
    }
    return worst;
}

static int lu(const char *class, long steps)
{
    double worst = 0;
    double sum = 0;
    int cells;

    side = class[0] == 'S' ? 12 : 33;
    cells = side * side * side;
    for (int cell = 0; cell < cells; cell++) {
        for (int m = 0; m < NB; m++) {
            u[cell][m] = 1 + (cell * 7 + m * 13) % 101 / 202.0;
            forcing[cell][m] = (cell * 11 + m * 3) % 97 / 970.0 - 0.05;
        }
    }
    for (long step = 0; step < steps; step++) {
#pragma omp parallel for
        for (int k = 0; k < side; k++)
            right_side(k);
        worst = fmax(worst, sweep(1));
        worst = fmax(worst, sweep(-1));
#pragma omp parallel for
        for (int cell = 0; cell < cells; cell++)
            for (int m = 0; m < NB; m++)
                u[cell][m] += 0.1 * residue[cell][m];
    }
    for (int cell = 0; cell < cells; cell++)
        sum += u[cell][0];
    return result("lu", class, worst < 1e-9, cells, steps, sum);
}

int main(int argc, char **argv)
{
    const long steps = argc == 4 ? atol(argv[3]) : 0;

    if (steps > 0 && (strcmp(argv[2], "S") == 0 || strcmp(argv[2], "W") == 0)) {
        if (strcmp(argv[1], "cg") == 0)
            return cg(argv[2], steps);
        if (strcmp(argv[1], "lu") == 0)
            return lu(argv[2], steps);
    }
    fprintf(stderr, "usage: npb_traffic cg|lu S|W STEPS\n");
    return EXIT_FAILURE;
}
