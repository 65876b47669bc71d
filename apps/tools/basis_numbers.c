/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parallel regions of numerical programs, for predictors of how regions scale (docs/adaptation.md):
 * each function has one, over arrays of a given size, with an amount of work per
 * element such that the share of waiting for memory differs in each.
 *     basis_numbers [-k KB of an array] [-w work per element] [-r executions]
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE 4 /* doubles in a line of the caches */

static long kb = 64, work = 2, runs = 4;
static long n;    /* elements of an array */
static long side; /* of a square of them */
static long edge; /* of a cube of them */
static double *a, *b, *c;
static unsigned *at;
static double sink[64];

static double spend(double v, long times)
{
    for (long k = 0; k < times; k++)
        v = v * 0.5 + 1.25;
    return v;
}

static unsigned next(unsigned v)
{
    return v * 1664525U + 1013904223U;
}

/* ---- along the arrays ---------------------------------------------------------------- */

static void scales(void)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++)
        a[i] *= 1.0001;
}

static void sets(void)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++)
        a[i] = 1.0;
}

static void copies(void)
{
#pragma omp parallel
    {
        const long part = n / omp_get_num_threads();
        memcpy(b + omp_get_thread_num() * part, a + omp_get_thread_num() * part,
               (size_t)part * sizeof(*a));
    }
}

static void adds(void)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++)
        a[i] = b[i] + 0.5 * c[i];
}

static void worked_adds(void)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++)
        a[i] = spend(b[i] + c[i], work);
}

static void much_worked_adds(void)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++)
        a[i] = spend(b[i], 4 * work) + c[i];
}

static void dots(void)
{
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (long i = 0; i < n; i++)
        sum += a[i] * b[i];
    sink[0] = sum;
}

static void norms(void)
{
    double sum = 0;
    double most = 0;
#pragma omp parallel for reduction(+ : sum) reduction(max : most)
    for (long i = 0; i < n; i++) {
        sum += a[i] * a[i];
        most = a[i] > most ? a[i] : most;
    }
    sink[1] = sum + most;
}

static void quotients(void)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++)
        a[i] = 1.0 / (b[i] + 2.0);
}

/* ---- in steps ------------------------------------------------------------------------ */

static void one_per_line(void)
{
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (long i = 0; i < n; i += LINE)
        sum += spend(a[i], work / 2);
    sink[2] = sum;
}

static void one_per_line_written(void)
{
#pragma omp parallel for
    for (long i = 0; i < n; i += LINE)
        a[i] = spend(a[i], work / 2);
}

static void one_per_two_lines(void)
{
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (long i = 0; i < n; i += 2 * LINE)
        sum += a[i] + b[i];
    sink[3] = sum;
}

static void columns(void)
{
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (long j = 0; j < side; j++) {
        for (long i = 0; i < side; i++)
            sum += a[i * side + j];
    }
    sink[4] = sum;
}

static void turned(void)
{
#pragma omp parallel for
    for (long i = 0; i < side; i++) {
        for (long j = 0; j < side; j++)
            b[j * side + i] = a[i * side + j];
    }
}

/* Combines pairs whose distance doubles. */
static void butterflies(void)
{
#pragma omp parallel
    for (long step = 1; step < n / 2; step *= 8) {
#pragma omp for
        for (long i = 0; i < n / 2; i++) {
            const long j = i / step * 2 * step + i % step;
            if (j + step < n) {
                const double v = a[j];
                a[j] = 0.5 * (v + a[j + step]);
                a[j + step] = 0.5 * (v - a[j + step]);
            }
        }
    }
}

/* ---- neighbours ---------------------------------------------------------------------- */

static void lines(void)
{
#pragma omp parallel for
    for (long i = 1; i < n - 1; i++)
        b[i] = 0.25 * (a[i - 1] + 2.0 * a[i] + a[i + 1]);
}

static void planes(void)
{
#pragma omp parallel for
    for (long i = 1; i < side - 1; i++) {
        for (long j = 1; j < side - 1; j++)
            b[i * side + j] = 0.25 * (a[(i - 1) * side + j] + a[(i + 1) * side + j] +
                                      a[i * side + j - 1] + a[i * side + j + 1]);
    }
}

static void cubes(void)
{
    const long e = edge;
    const long p = edge * edge;
#pragma omp parallel for
    for (long i = 1; i < e - 1; i++) {
        for (long j = 1; j < e - 1; j++) {
            for (long k = 1; k < e - 1; k++) {
                const double *const v = a + i * p + j * e + k;
                b[i * p + j * e + k] =
                    0.1 * (v[-1] + v[1] + v[-e] + v[e] + v[-p] + v[p]) + 0.4 * v[0];
            }
        }
    }
}

/* Computes each element from the one before it in its row: threads have rows. */
static void sweeps_along(void)
{
#pragma omp parallel for
    for (long i = 0; i < side; i++) {
        for (long j = 1; j < side; j++)
            a[i * side + j] = 0.5 * (a[i * side + j] + a[i * side + j - 1]);
    }
}

/* Computes each element from the one above it: threads have columns. */
static void sweeps_across(void)
{
#pragma omp parallel
    for (long i = 1; i < side; i++) {
#pragma omp for nowait
        for (long j = 0; j < side; j++)
            a[i * side + j] = 0.5 * (a[i * side + j] + a[(i - 1) * side + j]);
    }
}

/* Computes like sweeps_across(), with a barrier after each row. */
static void sweeps_together(void)
{
#pragma omp parallel
    for (long i = 1; i < side; i++) {
#pragma omp for
        for (long j = 0; j < side; j++)
            a[i * side + j] = 0.5 * (a[i * side + j] + a[(i - 1) * side + j]);
    }
}

/* ---- everywhere ---------------------------------------------------------------------- */

static void reads_by_index(void)
{
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (long i = 0; i < n; i++)
        sum += a[at[i]];
    sink[5] = sum;
}

static void sparse_rows(void)
{
#pragma omp parallel for
    for (long i = 0; i < n / 8; i++) {
        double sum = 0;
        for (long k = 0; k < 8; k++)
            sum += b[i * 8 + k] * a[at[i * 8 + k]];
        c[i] = sum;
    }
}

static void writes_by_index(void)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++)
        b[at[i]] = a[i];
}

static void counts_by_index(void)
{
#pragma omp parallel
    {
        unsigned count[512] = {0};
#pragma omp for
        for (long i = 0; i < n; i++)
            count[at[i] % 512U]++;
#pragma omp critical
        sink[6] += count[0];
    }
}

static void random_reads(void)
{
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (long i = 0; i < n / 2; i++) {
        unsigned v = next((unsigned)i);
        for (long k = 0; k < work; k++)
            v = next(v);
        sum += a[(v >> 4) % (unsigned long)n];
    }
    sink[7] = sum;
}

/* ---- in registers and L1 ------------------------------------------------------------- */

static void small_products(void)
{
#pragma omp parallel for
    for (long block = 0; block < n / 64; block++) {
        const double *const x = a + block * 64;
        double *const y = b + block * 64;
        for (int i = 0; i < 5; i++) {
            for (int j = 0; j < 5; j++) {
                double sum = 0;
                for (int k = 0; k < 5; k++)
                    sum += x[i * 5 + k] * x[25 + k * 5 + j];
                y[i * 5 + j] = sum;
            }
        }
    }
}

static void products(void)
{
    const long m = side < 48 ? side : 48;
#pragma omp parallel for
    for (long i = 0; i < m; i++) {
        for (long j = 0; j < m; j++) {
            double sum = 0;
            for (long k = 0; k < m; k++)
                sum += a[i * side + k] * b[k * side + j];
            c[i * side + j] = sum;
        }
    }
}

static void powers(void)
{
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (long i = 0; i < n / 4; i++)
        sum += spend((double)(i & 15), 8 * work);
    sink[8] = sum;
}

static void chances(void)
{
    double sum = 0;
    long hits = 0;
#pragma omp parallel for reduction(+ : sum, hits)
    for (long i = 0; i < n / 2; i++) {
        unsigned v = (unsigned)i;
        for (long k = 0; k < work; k++) {
            v = next(v);
            const double x = (double)(v >> 8) * (1.0 / 16777216.0);
            if (x * x < 0.5) {
                sum += x;
                hits++;
            }
        }
    }
    sink[9] = sum + (double)hits;
}

/* Runs a part in registers and a part in memory, one after the other. */
static void alternates(void)
{
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (long i = 0; i < n / 64; i++) {
        for (long k = 0; k < 64; k++)
            sum += a[i * 64 + k];
        sum = spend(sum, 16 * work);
    }
    sink[10] = sum;
}

/* Runs one loop of each kind in a region. */
static void mixed(void)
{
    double sum = 0;
#pragma omp parallel reduction(+ : sum)
    {
#pragma omp for nowait
        for (long i = 0; i < n / 4; i++)
            sum += spend(a[i], work);
#pragma omp for
        for (long i = 0; i < n; i++)
            b[i] = c[i];
#pragma omp for
        for (long i = 0; i < n / 4; i++)
            sum += a[at[i]];
    }
    sink[11] = sum;
}

static void (*const all[])(void) = {
    scales,
    sets,
    copies,
    adds,
    worked_adds,
    much_worked_adds,
    dots,
    norms,
    quotients,
    one_per_line,
    one_per_line_written,
    one_per_two_lines,
    columns,
    turned,
    butterflies,
    lines,
    planes,
    cubes,
    sweeps_along,
    sweeps_across,
    sweeps_together,
    reads_by_index,
    sparse_rows,
    writes_by_index,
    counts_by_index,
    random_reads,
    small_products,
    products,
    powers,
    chances,
    alternates,
    mixed,
};

int main(int argc, char **argv)
{
    unsigned v = 1;
    int option;

    while ((option = getopt(argc, argv, "k:w:r:")) != -1) {
        const long value = strtol(optarg, NULL, 10);
        if (value <= 0 || option == '?')
            return 2;
        *(option == 'k' ? &kb : option == 'w' ? &work : &runs) = value;
    }
    n = kb * 1024 / (long)sizeof(*a);
    for (side = 1; (side + 1) * (side + 1) <= n;)
        side++;
    for (edge = 1; (edge + 1) * (edge + 1) * (edge + 1) <= n;)
        edge++;
    a = calloc((size_t)n, sizeof(*a));
    b = calloc((size_t)n, sizeof(*b));
    c = calloc((size_t)n, sizeof(*c));
    at = calloc((size_t)n, sizeof(*at));
    if (!a || !b || !c || !at)
        return 1;
    for (long i = 0; i < n; i++) {
        v = next(v);
        at[i] = (v >> 4) % (unsigned)n;
        a[i] = (double)i;
    }
    for (long run = 0; run < runs; run++) {
        for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
            all[i]();
    }
    printf("basis_numbers: %ld KB, work %ld, %ld\n", kb, work, (long)sink[9]);
    return 0;
}
