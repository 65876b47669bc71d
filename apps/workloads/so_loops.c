/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stress of OpenMP loops: every schedule (static, dynamic, guided, auto,
 * runtime; with and without chunk), forward, backward, strided, unsigned and
 * 64-bit, empty, nowait, collapse, lastprivate, ordered, and sections. Every
 * iteration must run exactly once, in the right thread for static.
 */
#include "wl_openmp.h"

#define MAXN 2000

static long rounds = 6;
static int failures;
static int hits[MAXN];

static void expect(bool held, const char *what, long n)
{
    if (!held) {
        failures++;
        fprintf(stderr, "so_loops: %s, n=%ld\n", what, n);
    }
}

/* Expects each of n cells to be hit `times` times; clears them. */
static void expect_hits(const char *what, long n, int times)
{
    bool ok = true;
    for (long i = 0; i < MAXN; i++) {
        ok = ok && hits[i] == (i < n ? times : 0);
        hits[i] = 0;
    }
    expect(ok, what, n);
}

static void hit(long i)
{
#pragma omp atomic
    hits[i]++;
}

static void schedules(long n, int chunk)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++)
        hit(i);
    expect_hits("default", n, 1);
#pragma omp parallel for schedule(static, chunk)
    for (long i = 0; i < n; i++)
        hit(i);
    expect_hits("static, chunk", n, 1);
#pragma omp parallel for schedule(dynamic)
    for (long i = 0; i < n; i++)
        hit(i);
    expect_hits("dynamic", n, 1);
#pragma omp parallel for schedule(dynamic, chunk)
    for (int i = 0; i < (int)n; i++)
        hit(i);
    expect_hits("dynamic, chunk", n, 1);
#pragma omp parallel for schedule(guided)
    for (long i = 0; i < n; i++)
        hit(i);
    expect_hits("guided", n, 1);
#pragma omp parallel for schedule(guided, chunk)
    for (long i = n - 1; i >= 0; i--)
        hit(i);
    expect_hits("guided, chunk, backward", n, 1);
#pragma omp parallel for schedule(auto)
    for (long i = 0; i < n; i++)
        hit(i);
    expect_hits("auto", n, 1);
    static const omp_sched_t kind[] = {omp_sched_static, omp_sched_dynamic, omp_sched_guided,
                                       omp_sched_auto};
    for (int k = 0; k < 4; k++) {
        omp_set_schedule(kind[k], chunk);
#pragma omp parallel for schedule(runtime)
        for (long i = 0; i < n; i++)
            hit(i);
        expect_hits("runtime", n, 1);
    }
#pragma omp parallel for schedule(monotonic : dynamic, chunk)
    for (long i = 0; i < n; i++)
        hit(i);
    expect_hits("monotonic dynamic", n, 1);
}

static void shapes(long n, long step)
{
#pragma omp parallel for schedule(dynamic, 3)
    for (long i = 0; i < n; i += step)
        hit(i / step);
    expect_hits("stride", (n + step - 1) / step, 1);
#pragma omp parallel for schedule(static)
    for (unsigned i = 0; i < (unsigned)n; i++)
        hit((long)i);
    expect_hits("unsigned", n, 1);
    unsigned long long base = 1ull << 40;
#pragma omp parallel for schedule(dynamic, 5)
    for (unsigned long long i = base; i < base + (unsigned long long)n; i++)
        hit((long)(i - base));
    expect_hits("64 bits, dynamic", n, 1);
#pragma omp parallel for schedule(guided)
    for (long long i = -(long long)n; i < 0; i++)
        hit((long)(i + n));
    expect_hits("64 bits, guided", n, 1);
    omp_set_schedule(omp_sched_guided, 2);
#pragma omp parallel for schedule(runtime)
    for (unsigned long long i = base; i < base + (unsigned long long)n; i++)
        hit((long)(i - base));
    expect_hits("64 bits, runtime", n, 1);
    long rows = n / 20, columns = 20;
#pragma omp parallel for collapse(2) schedule(dynamic, 7)
    for (long i = 0; i < rows; i++)
        for (long j = 0; j < columns; j++)
            hit(i * columns + j);
    expect_hits("collapse", rows * columns, 1);
    long last = -1;
#pragma omp parallel for lastprivate(last) schedule(dynamic, 2)
    for (long i = 0; i < n; i++)
        last = i;
    expect(last == n - 1 || n == 0, "lastprivate", n);
}

/* Uses constant bounds, for which the compiler joins region and loop into one call. */
static void constant_bounds(void)
{
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < 333; i++)
        hit(i);
    expect_hits("constant bounds, dynamic", 333, 1);
#pragma omp parallel for schedule(dynamic, 10)
    for (int i = 332; i >= 0; i--)
        hit(i);
    expect_hits("constant bounds, dynamic, chunk, backward", 333, 1);
#pragma omp parallel for schedule(guided, 4)
    for (int i = 0; i < 999; i += 3)
        hit(i / 3);
    expect_hits("constant bounds, guided", 333, 1);
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < 333; i++)
        hit(i);
    expect_hits("constant bounds, runtime", 333, 1);
#pragma omp parallel for schedule(monotonic : dynamic, 2)
    for (int i = 0; i < 333; i++)
        hit(i);
    expect_hits("constant bounds, monotonic", 333, 1);
#pragma omp parallel for schedule(monotonic : guided)
    for (int i = 0; i < 333; i++)
        hit(i);
    expect_hits("constant bounds, monotonic guided", 333, 1);
#pragma omp parallel for schedule(nonmonotonic : runtime)
    for (int i = 0; i < 333; i++)
        hit(i);
    expect_hits("constant bounds, nonmonotonic runtime", 333, 1);
#pragma omp parallel for schedule(static, 7)
    for (int i = 0; i < 333; i++)
        hit(i);
    expect_hits("constant bounds, static", 333, 1);
}

/* Runs several loops in one region, without and with barriers between. */
static void in_one_region(long n)
{
#pragma omp parallel
    {
#pragma omp for schedule(dynamic, 1) nowait
        for (long i = 0; i < n; i++)
            hit(i);
#pragma omp for schedule(static) nowait
        for (long i = 0; i < n; i++)
            hit(i);
#pragma omp for schedule(guided) nowait
        for (long i = 0; i < n; i++)
            hit(i);
        for (int k = 0; k < 12; k++) {
#pragma omp for schedule(dynamic, 16) nowait
            for (long i = 0; i < n; i++)
                hit(i);
        }
#pragma omp for schedule(dynamic, 4)
        for (long i = 0; i < n; i++)
            hit(i);
#pragma omp single
        expect(n == 0 || hits[n - 1] == 16, "barrier after a loop", n);
    }
    expect_hits("loops in one region", n, 16);
}

/* Checks that the threads of a static loop are fixed: equal bounds, equal threads. */
static void static_is_fixed(long n)
{
    static int who[MAXN];
    long moved = 0;
#pragma omp parallel
    {
#pragma omp for schedule(static)
        for (long i = 0; i < n; i++)
            who[i] = omp_get_thread_num();
#pragma omp for schedule(static) reduction(+ : moved)
        for (long i = 0; i < n; i++)
            moved += who[i] != omp_get_thread_num();
    }
    expect(moved == 0, "static fixed", n);
}

static void in_order(long n)
{
    long next = 0, wrong = 0;
#pragma omp parallel for ordered schedule(dynamic, 3)
    for (long i = 0; i < n; i++) {
        hit(i);
#pragma omp ordered
        wrong += next++ != i;
    }
    expect(wrong == 0 && next == n, "ordered, dynamic", n);
    next = 0;
#pragma omp parallel for ordered schedule(static, 1)
    for (long i = 0; i < n; i++) {
        if (i % 3 == 0) { /* not every iteration has an ordered part */
#pragma omp ordered
            wrong += next != i / 3, next++;
        }
    }
    expect(wrong == 0, "ordered, static", n);
    next = 0;
#pragma omp parallel for ordered schedule(guided)
    for (long i = 0; i < n; i++) {
#pragma omp ordered
        wrong += next++ != i;
    }
    expect(wrong == 0, "ordered, guided", n);
    next = 0;
#pragma omp parallel for ordered
    for (long i = n; i > 0; i--) {
#pragma omp ordered
        wrong += next++ != n - i;
    }
    expect(wrong == 0, "ordered, backward", n);
    next = 0;
    omp_set_schedule(omp_sched_dynamic, 4);
#pragma omp parallel for ordered schedule(runtime)
    for (unsigned long long i = 0; i < (unsigned long long)n; i++) {
#pragma omp ordered
        wrong += next++ != (long)i;
    }
    expect(wrong == 0, "ordered, 64 bits, runtime", n);
    expect_hits("ordered", n, 1);
}

static void in_sections(void)
{
    int last = 0;
#pragma omp parallel sections lastprivate(last)
    {
        hit(0);
#pragma omp section
        hit(1);
#pragma omp section
        hit(2);
#pragma omp section
        hit(3);
#pragma omp section
        hit(4);
#pragma omp section
        {
            hit(5);
            last = 6;
        }
    }
    expect_hits("parallel sections", 6, 1);
    expect(last == 6, "lastprivate of sections", 6);
#pragma omp parallel
    {
        for (int k = 0; k < 5; k++) {
#pragma omp sections nowait
            {
                hit(0);
#pragma omp section
                hit(1);
            }
        }
#pragma omp sections
        {
            hit(2);
#pragma omp section
            hit(2);
#pragma omp section
            hit(2);
#pragma omp section
            hit(2);
#pragma omp section
            hit(2);
        }
    }
    expect_hits("sections", 3, 5);
}

int main(int argc, char **argv)
{
    const long seed =
        wl_omp_options(argc, argv, (struct wl_opt){'n', &rounds, 1, 1000000, "rounds"});
    uint32_t state = (uint32_t)seed;
    for (long r = 0; r < rounds; r++) {
        long n = r == 0 ? 0 : r == 1 ? 1 : (long)wl_below(&state, r % 2 ? 20 : 1000);
        schedules(n, 1 + (int)wl_below(&state, 12));
        shapes(n, 1 + (long)wl_below(&state, 9));
        constant_bounds();
        in_one_region(n);
        static_is_fixed(n);
        in_order(n / 2);
        in_sections();
    }
    return wl_result("so_loops", failures == 0, "rounds=%ld seed=%ld", rounds, seed);
}
