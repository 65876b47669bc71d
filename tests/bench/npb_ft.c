/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The arithmetic and memory traffic of NPB FT, classes S and W, in its OpenMP version in C, with
 * code of our own: a heat equation on a periodic box, by 3-D FFT. Each step reads the spectrum and
 * the index of each point's factor of decay (4 bytes), and writes the decayed spectrum; then it is
 * transformed back along z, y and x, in place but for x. A transform gathers 16 lines at a time,
 * 256 bytes from each place, into a buffer of the thread, and transforms these between two such
 * buffers (Stockham's algorithm, radix 2). Class S is 64 x 64 x 64 points, three arrays of 4 MB; W
 * is 128 x 128 x 32, three of 8 MB.
 *
 * apps/workloads/omp_ft.c gathers one line at a time, 16 bytes from each place.
 *
 * usage: npb_ft S|W STEPS
 *
 * Checked: a frequency of the first spectrum, and a point of the last step, by direct sums. Prints
 * points and steps, for flops a point, and a sum that does not depend on the number of threads.
 */
#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINES       16 /* transformed together */
#define ROW         18 /* room for these: rows are not a power of two apart */
#define LONGEST     128
#define POINTS_MOST (128 * 128 * 32)
#define STEPS_MOST  6
#define DECAYS_MOST (STEPS_MOST * (64 * 64 + 64 * 64 + 16 * 16) + 1)
#define THREADS     4
#define PI          3.14159265358979323846

struct complex {
    double re, im;
};

typedef struct complex row[ROW];

static int nx, ny, nz;
static struct complex spectrum[POINTS_MOST], decayed[POINTS_MOST], field[POINTS_MOST];
static int32_t decay_index[POINTS_MOST];
static double decay[DECAYS_MOST];
static struct complex root[LONGEST]; /* [g + i]: of a stage of g groups, exp(i pi i / g) */
static row buffer[THREADS][2 * LONGEST];

static struct complex times(struct complex a, struct complex b)
{
    return (struct complex){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* Does one stage of the transforms of n points, of all lines together. */
static void stage(row *from, row *to, int n, int groups, int sign)
{
    const int size = n / 2 / groups;

    for (int g = 0; g < groups; g++) {
        const struct complex w = {root[groups + g].re, sign * root[groups + g].im};
        for (int k = 0; k < size; k++) {
            const struct complex *const a = from[g * size + k];
            const struct complex *const b = from[g * size + k + n / 2];
            struct complex *const sum = to[2 * g * size + k];
            struct complex *const difference = to[2 * g * size + k + size];
            for (int i = 0; i < LINES; i++) {
                const struct complex d = {a[i].re - b[i].re, a[i].im - b[i].im};
                sum[i] = (struct complex){a[i].re + b[i].re, a[i].im + b[i].im};
                difference[i] = times(w, d);
            }
        }
    }
}

/* Transforms 16 lines of n points (not scaled); the first of the two buffers has them. */
static void transform(row *lines, int n, int sign)
{
    row *from = lines;
    row *to = lines + n;

    for (int groups = n / 2; groups > 0; groups /= 2) {
        row *const last = from;
        stage(from, to, n, groups, sign);
        from = to;
        to = last;
    }
    if (from != lines)
        for (int k = 0; k < n; k++)
            memcpy(lines[k], from[k], LINES * sizeof(struct complex));
}

static void along_x(const struct complex *from, struct complex *to, int sign)
{
#pragma omp parallel for
    for (int z = 0; z < nz; z++) {
        row *const lines = buffer[omp_get_thread_num()];
        for (int y = 0; y < ny; y += LINES) {
            const int first = (z * ny + y) * nx;
            for (int i = 0; i < LINES; i++)
                for (int x = 0; x < nx; x++)
                    lines[x][i] = from[first + i * nx + x];
            transform(lines, nx, sign);
            for (int i = 0; i < LINES; i++)
                for (int x = 0; x < nx; x++)
                    to[first + i * nx + x] = lines[x][i];
        }
    }
}

/* Transforms the n points that are a stride apart, of 16 neighbours along x. */
static void across_x(struct complex *from, struct complex *to, int n, int stride, int sign)
{
    row *const lines = buffer[omp_get_thread_num()];

    for (int x = 0; x < nx; x += LINES) {
        for (int k = 0; k < n; k++)
            for (int i = 0; i < LINES; i++)
                lines[k][i] = from[k * stride + x + i];
        transform(lines, n, sign);
        for (int k = 0; k < n; k++)
            for (int i = 0; i < LINES; i++)
                to[k * stride + x + i] = lines[k][i];
    }
}

static void along_y(struct complex *v, int sign)
{
#pragma omp parallel for
    for (int z = 0; z < nz; z++)
        across_x(v + z * ny * nx, v + z * ny * nx, ny, nx, sign);
}

static void along_z(struct complex *from, struct complex *to, int sign)
{
#pragma omp parallel for
    for (int y = 0; y < ny; y++)
        across_x(from + y * nx, to + y * nx, nz, ny * nx, sign);
}

static void start(void)
{
    const double most = nx * nx / 4 + ny * ny / 4 + nz * nz / 4;

    for (int groups = 1; groups < LONGEST; groups *= 2)
        for (int i = 0; i < groups; i++)
            root[groups + i] = (struct complex){cos(PI * i / groups), sin(PI * i / groups)};
    decay[0] = 1;
    for (int i = 1; i <= STEPS_MOST * most; i++)
        decay[i] = decay[i - 1] * exp(-4e-6 * PI * PI);
#pragma omp parallel for
    for (int z = 0; z < nz; z++) {
        uint32_t state = (uint32_t)z * 2654435769U + 1;
        for (int y = 0; y < ny; y++) {
            for (int x = 0; x < nx; x++) {
                const int fx = x - (x >= nx / 2) * nx;
                const int fy = y - (y >= ny / 2) * ny;
                const int fz = z - (z >= nz / 2) * nz;
                const int at = (z * ny + y) * nx + x;
                decay_index[at] = fx * fx + fy * fy + fz * fz;
                state = state * 1664525U + 1013904223U;
                decayed[at].re = state / 4294967296.0;
                state = state * 1664525U + 1013904223U;
                decayed[at].im = state / 4294967296.0;
            }
        }
    }
}

static void evolve(int step)
{
#pragma omp parallel for
    for (int z = 0; z < nz; z++) {
        for (int at = z * ny * nx; at < (z + 1) * ny * nx; at++) {
            const double factor = decay[step * decay_index[at]];
            decayed[at] = (struct complex){spectrum[at].re * factor, spectrum[at].im * factor};
        }
    }
}

/* exp(sign 2 pi i at k / n) for k of an axis. */
static void waves(struct complex *out, int at, int n, int sign)
{
    for (int k = 0; k < n; k++) {
        const double angle = 2 * PI * (at * k % n) / n;
        out[k] = (struct complex){cos(angle), sign * sin(angle)};
    }
}

/* Returns the transform of v at (x, y, z), multiplied by the decay of a step: a direct sum. */
static struct complex direct(const struct complex *v, int x, int y, int z, int sign, int step)
{
    struct complex wx[LONGEST];
    struct complex wy[LONGEST];
    struct complex wz[LONGEST];
    double re = 0;
    double im = 0;

    waves(wx, x, nx, sign);
    waves(wy, y, ny, sign);
    waves(wz, z, nz, sign);
#pragma omp parallel for reduction(+ : re, im)
    for (int k = 0; k < nz; k++) {
        for (int j = 0; j < ny; j++) {
            const struct complex w = times(wy[j], wz[k]);
            struct complex sum = {0, 0};
            for (int i = 0; i < nx; i++) {
                const int at = (k * ny + j) * nx + i;
                const double factor = decay[step * decay_index[at]];
                const struct complex term = times(wx[i], v[at]);
                sum.re += term.re * factor;
                sum.im += term.im * factor;
            }
            sum = times(w, sum);
            re += sum.re;
            im += sum.im;
        }
    }
    return (struct complex){re, im};
}

/* How far a result is from its direct sum, of all that was summed up. */
static double apart(struct complex a, struct complex b)
{
    return (fabs(a.re - b.re) + fabs(a.im - b.im)) / (double)(nx * ny * nz);
}

int main(int argc, char **argv)
{
    const int steps = argc == 3 ? atoi(argv[2]) : 0;
    const struct complex *found;
    struct complex expected;
    double worst;
    double sum = 0;
    int points;

    if (steps < 1 || steps > STEPS_MOST || omp_get_max_threads() > THREADS ||
        (strcmp(argv[1], "S") != 0 && strcmp(argv[1], "W") != 0)) {
        fprintf(stderr, "usage: npb_ft S|W STEPS   (1 to %d, %d threads at most)\n", STEPS_MOST,
                THREADS);
        return EXIT_FAILURE;
    }
    nx = ny = argv[1][0] == 'S' ? 64 : 128;
    nz = argv[1][0] == 'S' ? 64 : 32;
    points = nx * ny * nz;
    start();
    expected = direct(decayed, 3, 5, 7, 1, 0);
    along_x(decayed, decayed, 1);
    along_y(decayed, 1);
    along_z(decayed, spectrum, 1);
    worst = apart(expected, spectrum[(7 * ny + 5) * nx + 3]);
    for (int step = 1; step <= steps; step++) {
        evolve(step);
        along_z(decayed, decayed, -1);
        along_y(decayed, -1);
        along_x(decayed, field, -1);
        for (int i = 1; i <= 1024; i++)
            sum += field[((5 * i % nz) * ny + 3 * i % ny) * nx + i % nx].re / points;
    }
    found = &field[(3 * ny + 7) * nx + 11];
    worst = fmax(worst, apart(direct(spectrum, 11, 7, 3, -1, steps), *found));
    printf("npb_ft: %s class=%s points=%d steps=%d sum=%.9g\n", worst < 1e-9 ? "ok" : "WRONG",
           argv[1], points, steps, sum);
    return worst < 1e-9 ? EXIT_SUCCESS : EXIT_FAILURE;
}
