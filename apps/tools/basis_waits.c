/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parallel regions whose threads wait for each other or share data, for predictors of how regions
 * scale (docs/adaptation.md): each function has one, whose behaviour follows from the arguments.
 *     basis_waits [-n entries or iterations] [-h work within locks] [-o work outside of them]
 *                 [-k KB of the arrays] [-r executions]
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static long n = 400, held = 20, outside = 100, kb = 32, runs = 4;
static long elements;
static unsigned *a, *b;
static unsigned sink[64];
static unsigned bin[256];
static omp_lock_t lock[4];

static unsigned spend(unsigned v, long work)
{
    for (long k = 0; k < work; k++)
        v = v * 1664525U + 1013904223U;
    return v;
}

static void critical_all(void)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++) {
#pragma omp critical(all)
        sink[0] += spend((unsigned)i, held + outside);
    }
}

static void critical_half(void)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        const unsigned v = spend((unsigned)i, held);
#pragma omp critical(half)
        sink[1] += spend(v, held);
    }
}

static void critical_share(void)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        const unsigned v = spend((unsigned)i, outside);
#pragma omp critical(share)
        sink[2] += spend(v, held);
    }
}

static void critical_seldom(void)
{
#pragma omp parallel for
    for (long i = 0; i < n / 4; i++) {
        const unsigned v = spend((unsigned)i, 8 * outside);
#pragma omp critical(seldom)
        sink[3] += spend(v, held);
    }
}

/* Updates memory that all threads write. */
static void critical_data(void)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        const unsigned v = spend((unsigned)i, outside);
#pragma omp critical(data)
        for (long k = 0; k < held; k++)
            bin[(v >> 8 ^ (unsigned)k * 37U) % 256U] += v;
    }
}

static void locks(void)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        const unsigned v = spend((unsigned)i, outside / 2);
        omp_set_lock(&lock[0]);
        sink[4] += spend(v, held);
        omp_unset_lock(&lock[0]);
    }
}

static void many_locks(void)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        const unsigned v = spend((unsigned)i * 2654435761U, outside);
        omp_set_lock(&lock[v >> 30]);
        bin[v >> 24] += spend(v, held);
        omp_unset_lock(&lock[v >> 30]);
    }
}

static void atomics_only(void)
{
#pragma omp parallel for
    for (long i = 0; i < 4 * n; i++) {
#pragma omp atomic
        sink[5] += (unsigned)i;
    }
}

static void atomic_bins(void)
{
#pragma omp parallel for
    for (long i = 0; i < 4 * n; i++) {
        const unsigned v = spend((unsigned)i, held / 4);
#pragma omp atomic
        bin[v >> 24]++;
    }
}

static void false_sharing(void)
{
#pragma omp parallel
    {
        volatile unsigned *const mine = &sink[32 + omp_get_thread_num()];
#pragma omp for
        for (long i = 0; i < 2 * n; i++) {
            *mine += spend((unsigned)i, held / 4);
        }
    }
}

static void singles(void)
{
#pragma omp parallel
    for (int round = 0; round < 8; round++) {
#pragma omp single
        sink[6] += spend((unsigned)round, n * held / 16);
#pragma omp for
        for (long i = 0; i < n / 8; i++)
            a[i % elements] += spend((unsigned)i, outside);
    }
}

static void masters(void)
{
#pragma omp parallel
    {
#pragma omp master
        sink[7] += spend(1, n * outside / 4);
#pragma omp for
        for (long i = 0; i < n; i++)
            a[i % elements] += spend((unsigned)i, outside);
    }
}

static void two_sections(void)
{
#pragma omp parallel sections
    {
#pragma omp section
        sink[8] += spend(1, n * outside);
#pragma omp section
        sink[16] += spend(2, n * outside / 2);
    }
}

static void three_sections(void)
{
#pragma omp parallel sections
    {
#pragma omp section
        sink[9] += spend(1, n * outside / 2);
#pragma omp section
        sink[17] += spend(2, n * outside / 2);
#pragma omp section
        for (long i = 0; i < n * outside / 16; i++)
            sink[25] += a[i % elements];
    }
}

static void growing(void)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++)
        a[i % elements] += spend((unsigned)i, 2 * outside * i / n);
}

static void shrinking(void)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++)
        a[i % elements] += spend((unsigned)i, 2 * outside * (n - i) / n);
}

/* Has as many iterations as three threads can share. */
static void in_threes(void)
{
    unsigned sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (long i = 0; i < 3; i++)
        sum += spend((unsigned)i, n * outside / 4);
    sink[10] += sum;
}

static void in_fives(void)
{
    unsigned sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (long i = 0; i < 5; i++) {
        for (long k = 0; k < n * outside / 32; k++)
            sum += a[k % elements] + (unsigned)i;
    }
    sink[11] += sum;
}

static void in_sixes(void)
{
    unsigned sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(dynamic)
    for (long i = 0; i < 6; i++)
        sum += spend((unsigned)i, n * outside / 8);
    sink[12] += sum;
}

static void short_rounds(void)
{
#pragma omp parallel
    for (int round = 0; round < 40; round++) {
#pragma omp for
        for (long i = 0; i < n / 8; i++)
            a[i % elements] = spend((unsigned)i, held);
    }
}

static void rounds(void)
{
#pragma omp parallel
    for (int round = 0; round < 12; round++) {
#pragma omp for
        for (long i = 0; i < elements; i++)
            a[i] = b[elements - 1 - i] + (unsigned)round;
#pragma omp for
        for (long i = 0; i < elements; i++)
            b[i] = a[i] + 1U;
    }
}

/* Computes rows that need the one before: a chain of barriers with little work between them. */
static void rows(void)
{
    const long wide = 64;
#pragma omp parallel
    for (long row = 1; row < elements / wide; row++) {
#pragma omp for
        for (long i = 0; i < wide; i++)
            a[row * wide + i] += spend(a[(row - 1) * wide + i], held);
    }
}

static void pieces(void)
{
    unsigned sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(dynamic, 1)
    for (long i = 0; i < 2 * n; i++)
        sum += spend((unsigned)i, held);
    sink[13] += sum;
}

static void guided(void)
{
    unsigned sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(guided)
    for (long i = 0; i < n; i++)
        sum += spend((unsigned)i, i % 7 == 0 ? 4 * outside : outside);
    sink[14] += sum;
}

static void ordered_ends(void)
{
#pragma omp parallel for ordered schedule(static, 1)
    for (long i = 0; i < n / 2; i++) {
        const unsigned v = spend((unsigned)i, outside);
#pragma omp ordered
        sink[15] += spend(v, held);
    }
}

/* Fills bins of each thread, added up in a critical section. */
static void private_bins(void)
{
#pragma omp parallel
    {
        unsigned mine[256] = {0};
#pragma omp for nowait
        for (long i = 0; i < 8 * n; i++)
            mine[a[i % elements] % 256U]++;
#pragma omp critical(bins)
        for (int i = 0; i < 256; i++)
            bin[i] += mine[i];
    }
}

/* Reads, in another thread, data that one region writes. */
static void handed_on(void)
{
#pragma omp parallel
    {
        const long threads = omp_get_num_threads();
        const long part = elements / threads;
        for (int round = 0; round < 6; round++) {
            unsigned *const mine = a + (omp_get_thread_num() + round) % threads * part;
            for (long i = 0; i < part; i++)
                mine[i] += (unsigned)round;
#pragma omp barrier
        }
    }
}

/* ---- one thread works, the others have little to do ---------------------------------- */

static void one_computes(void)
{
#pragma omp parallel
    {
#pragma omp master
        sink[18] += spend(1, n * outside);
    }
}

static void one_reads(void)
{
#pragma omp parallel
    {
#pragma omp master
        for (long round = 0; round < 4; round++) {
            for (long i = 0; i < elements; i++)
                sink[19] += a[i];
        }
    }
}

static void one_copies(void)
{
#pragma omp parallel
    {
#pragma omp master
        for (long round = 0; round < 4; round++) {
            for (long i = 0; i < elements; i++)
                a[i] = b[i] + 1U;
        }
    }
}

static void one_draws(void)
{
#pragma omp parallel
    {
#pragma omp single nowait
        for (long i = 0; i < 8 * n; i++)
            a[(unsigned long)spend((unsigned)i, 2) % (unsigned long)elements]++;
    }
}

static void one_fills(void)
{
#pragma omp parallel
    {
#pragma omp master
        for (long round = 0; round < 8; round++) {
            for (long i = 0; i < elements; i++)
                b[i] = (unsigned)i;
        }
#pragma omp for
        for (long i = 0; i < n; i++)
            a[i % elements] += spend((unsigned)i, held);
    }
}

/* Computes rows of a triangle, in memory. */
static void triangles(void)
{
    unsigned sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (long i = 0; i < 64; i++) {
        for (long k = 0; k < i * elements / 64; k++)
            sum += a[k];
    }
    sink[20] += sum;
}

static void (*const all[])(void) = {
    critical_all, critical_half, critical_share, critical_seldom, critical_data,
    locks,        many_locks,    atomics_only,   atomic_bins,     false_sharing,
    singles,      masters,       two_sections,   three_sections,  growing,
    shrinking,    in_threes,     in_fives,       in_sixes,        short_rounds,
    rounds,       rows,          pieces,         guided,          ordered_ends,
    private_bins, handed_on,     one_computes,   one_reads,       one_copies,
    one_draws,    one_fills,     triangles,
};

int main(int argc, char **argv)
{
    int option;

    while ((option = getopt(argc, argv, "n:h:o:k:r:")) != -1) {
        const long v = strtol(optarg, NULL, 10);
        if (v <= 0 || option == '?')
            return 2;
        *(option == 'n'   ? &n
          : option == 'h' ? &held
          : option == 'o' ? &outside
          : option == 'k' ? &kb
                          : &runs) = v;
    }
    elements = kb * 1024 / (long)sizeof(*a);
    a = calloc((size_t)elements, sizeof(*a));
    b = calloc((size_t)elements, sizeof(*b));
    if (!a || !b)
        return 1;
    for (int i = 0; i < 4; i++)
        omp_init_lock(&lock[i]);
    for (long run = 0; run < runs; run++) {
        for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
            all[i]();
    }
    printf("basis_waits: %ld entries, %ld within, %ld outside, %u\n", n, held, outside, sink[0]);
    return 0;
}
