/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parallel regions of many kinds, for predictors of how regions scale (docs/adaptation.md): each
 * function has one, whose behaviour follows from the arguments.
 *     basis_omp [-k KB of the arrays] [-w work per element] [-r executions]
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static long kb = 64, work = 4, runs = 4;
static long n; /* elements of an array */
static unsigned *a, *b, *c;
static float *x, *y;
static unsigned slot[64];

static void integers(void)
{
    unsigned sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (long i = 0; i < n; i++) {
        unsigned v = (unsigned)i;
        for (long k = 0; k < 2 * work; k++)
            v = v * 1664525U + 1013904223U;
        sum += v;
    }
    slot[0] += sum;
}

static void floats(void)
{
    float sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (long i = 0; i < n; i++) {
        float v = (float)(i & 15);
        for (long k = 0; k < work; k++)
            v = v * 0.5F + 1.25F;
        sum += v;
    }
    slot[1] += (unsigned)sum;
}

static void divides(void)
{
    float sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (long i = 0; i < n / 2; i++) {
        float v = (float)(i & 15) + 2.0F;
        for (long k = 0; k < work; k++)
            v = 3.0F / v + 1.0F;
        sum += v;
    }
    slot[2] += (unsigned)sum;
}

static void branches(void)
{
    unsigned sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (long i = 0; i < n; i++) {
        unsigned v = (unsigned)i * 2654435761U;
        for (long k = 0; k < work; k++)
            v = v & 0x10000U ? v * 5U + 1U : v >> 1 ^ 0x9e3779b9U;
        sum += v;
    }
    slot[3] += sum;
}

static void copies(void)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++)
        a[i] = b[i];
}

static void triads(void)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++)
        a[i] = b[i] + 3U * c[i];
}

static void fills(void)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++)
        c[i] = (unsigned)i;
}

static void sums(void)
{
    unsigned sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (long i = 0; i < n; i++)
        sum += b[i];
    slot[4] += sum;
}

static void worked_sums(void)
{
    unsigned sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (long i = 0; i < n; i++) {
        unsigned v = b[i];
        for (long k = 0; k < work; k++)
            v = v * 1664525U + 1013904223U;
        sum += v;
    }
    slot[5] += sum;
}

static void lines(void)
{
    unsigned sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (long k = 0; k < 8; k++) {
        for (long i = k; i < n; i += 8)
            sum += b[i];
    }
    slot[6] += sum;
}

static void gathers(void)
{
    unsigned sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (long i = 0; i < n / 2; i++)
        sum += b[((unsigned)i * 2654435761U) % (unsigned long)n];
    slot[7] += sum;
}

static void scatters(void)
{
#pragma omp parallel for
    for (long i = 0; i < n / 2; i++)
        a[((unsigned)i * 2654435761U) % (unsigned long)n] = (unsigned)i;
}

static void stencils(void)
{
#pragma omp parallel for
    for (long i = 1; i < n - 1; i++)
        y[i] = 0.25F * (x[i - 1] + 2.0F * x[i] + x[i + 1]);
}

static void locks(void)
{
#pragma omp parallel for
    for (long i = 0; i < n / 32; i++) {
        unsigned v = (unsigned)i;
        for (long k = 0; k < 8 * work; k++)
            v = v * 1664525U + 1013904223U;
#pragma omp critical
        slot[8] += v;
    }
}

static void atomics(void)
{
#pragma omp parallel for
    for (long i = 0; i < n / 16; i++) {
        unsigned v = (unsigned)i;
        for (long k = 0; k < 2 * work; k++)
            v = v * 1664525U + 1013904223U;
#pragma omp atomic
        slot[9] += v;
    }
}

static void barriers(void)
{
#pragma omp parallel
    for (int round = 0; round < 16; round++) {
#pragma omp for
        for (long i = 0; i < n / 16; i++)
            a[i] = b[i] + (unsigned)round;
    }
}

static void uneven(void)
{
    unsigned sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (long i = 0; i < n / 16; i++) {
        unsigned v = (unsigned)i;
        for (long k = 0; k < 32 * work * i / n; k++)
            v = v * 1664525U + 1013904223U;
        sum += v;
    }
    slot[10] += sum;
}

static void dynamic(void)
{
    unsigned sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(dynamic, 16)
    for (long i = 0; i < n / 4; i++) {
        unsigned v = b[i];
        for (long k = 0; k < work; k++)
            v = v * 1664525U + 1013904223U;
        sum += v;
    }
    slot[11] += sum;
}

static void shared_lines(void)
{
#pragma omp parallel
    {
        volatile unsigned *const mine = &slot[32 + omp_get_thread_num()];
#pragma omp for
        for (long i = 0; i < n / 8; i++)
            *mine += (unsigned)i;
    }
}

static void (*const all[])(void) = {
    integers, floats,   divides,  branches, copies,  triads,   fills,  sums,    worked_sums,  lines,
    gathers,  scatters, stencils, locks,    atomics, barriers, uneven, dynamic, shared_lines,
};

int main(int argc, char **argv)
{
    int option;

    while ((option = getopt(argc, argv, "k:w:r:")) != -1) {
        const long v = strtol(optarg, NULL, 10);
        if (v <= 0 || option == '?')
            return 2;
        *(option == 'k' ? &kb : option == 'w' ? &work : &runs) = v;
    }
    n = kb * 1024 / (long)sizeof(*a);
    a = calloc((size_t)n, sizeof(*a));
    b = calloc((size_t)n, sizeof(*b));
    c = calloc((size_t)n, sizeof(*c));
    x = calloc((size_t)n, sizeof(*x));
    y = calloc((size_t)n, sizeof(*y));
    if (!a || !b || !c || !x || !y)
        return 1;
    for (long run = 0; run < runs; run++) {
        for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
            all[i]();
    }
    printf("basis_omp: %ld KB, work %ld, %u\n", kb, work, slot[0]);
    return 0;
}
