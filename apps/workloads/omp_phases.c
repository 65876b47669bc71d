/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Four kinds of parallel phase, run again and again, for the programs that
 * choose the number of threads while running (online predictors, D1..D5):
 *   compute   registers only: scales with the cores
 *   stream    three arrays larger together than L2: bound by memory
 *   gather    random reads of a table larger than L1: bound by latency
 *   locked    short work in a critical section: more threads only cost
 * Each phase is one region of its own, executed -i times.
 * Checked: every phase's result by its closed form or a serial run.
 */
#include "wl_common.h"
#include <omp.h>

static long iterations = 10, work = 240, n = 100000, entries = 400, threads, seed = 1;
static uint32_t *a, *b, *c;
static uint32_t *table;

static uint32_t compute(void)
{
    uint32_t sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(static)
    for (long i = 0; i < work; i++)
        sum += wl_work(1);
    return sum;
}

static void stream(void)
{
#pragma omp parallel for schedule(static)
    for (long i = 0; i < n; i++)
        a[i] = b[i] + 3 * c[i];
}

static uint32_t gather(void)
{
    uint32_t sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(static)
    for (long i = 0; i < n; i++) {
        uint32_t state = (uint32_t)i;
        sum += table[wl_rand(&state) & 0xffff];
    }
    return sum;
}

static uint32_t locked(void)
{
    uint32_t sum = 0;
#pragma omp parallel for schedule(static)
    for (long i = 0; i < entries; i++) {
#pragma omp critical(sum)
        {
            for (uint32_t k = 0; k < 50; k++)
                sum += (uint32_t)i ^ k;
        }
    }
    return sum;
}

int main(int argc, char **argv)
{
    const struct wl_opt opts[] = {
        {'i', &iterations, 1, 100000, "executions of each phase"},
        {'w', &work, 0, 100000, "compute: units of work"},
        {'n', &n, 1, 4000000, "stream, gather: elements"},
        {'e', &entries, 0, 1000000, "locked: entries into the critical section"},
        {'t', &threads, 0, 64, "threads, 0 as the environment says"},
        {'s', &seed, 0, 1 << 30, "seed"},
        {0},
    };
    wl_options(argc, argv, opts);
    if (threads > 0)
        omp_set_num_threads((int)threads);
    a = wl_alloc((size_t)n, sizeof *a);
    b = wl_alloc((size_t)n, sizeof *b);
    c = wl_alloc((size_t)n, sizeof *c);
    table = wl_alloc(1 << 16, sizeof *table);
    uint32_t state = (uint32_t)seed;
    for (long i = 0; i < n; i++) {
        b[i] = wl_rand(&state);
        c[i] = wl_rand(&state);
    }
    for (long i = 0; i < 1 << 16; i++)
        table[i] = wl_rand(&state);

    uint32_t want_gather = 0, want_locked = 0;
    for (long i = 0; i < n; i++) {
        uint32_t s = (uint32_t)i;
        want_gather += table[wl_rand(&s) & 0xffff];
    }
    for (long i = 0; i < entries; i++)
        for (uint32_t k = 0; k < 50; k++)
            want_locked += (uint32_t)i ^ k;
    uint32_t want_compute = (uint32_t)work * wl_work(1);

    bool ok = true;
    for (long it = 0; it < iterations; it++) {
        ok = compute() == want_compute && ok;
        stream();
        ok = gather() == want_gather && ok;
        ok = locked() == want_locked && ok;
    }
    for (long i = 0; i < n; i++)
        ok = ok && a[i] == b[i] + 3 * c[i];
    free(a);
    free(b);
    free(c);
    free(table);
    return wl_result("omp_phases", ok, "iterations=%ld gather=%08lx locked=%08lx", iterations,
                     (unsigned long)want_gather, (unsigned long)want_locked);
}
