/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Regions and worksharing: prints results that must not depend on the OpenMP library,
 * the number of threads or the schedule. Built twice and compared (see compare.sh). */
#include "prog.h"

#define N 997

static int hits[N + 8];
static int counter;
static int tp = 5;
#pragma omp threadprivate(tp)

static long check_hits(int from, int to)
{
    long bad = 0;
    for (int i = 0; i < N; i++) {
        int expected = i >= from && i < to;
        if (hits[i] != expected)
            bad++;
        hits[i] = 0;
    }
    return bad;
}

static void hit(long i)
{
    __atomic_fetch_add(&hits[i], 1, __ATOMIC_RELAXED);
}

#define LOOP(clause)                                                                               \
    do {                                                                                           \
        _Pragma("omp parallel num_threads(threads)")                                               \
        {                                                                                          \
            OMP(omp for clause)                                                                    \
            for (int i = 0; i < N; i++)                                                            \
                hit(i);                                                                            \
            if (hits[0] != 1 || hits[N - 1] != 1)                                                  \
                fail("work after the loop's barrier");                                             \
        }                                                                                          \
        CHECK(check_hits(0, N) == 0);                                                              \
    } while (0)

static void loops(int threads)
{
    LOOP(schedule(static));
    LOOP(schedule(static, 3));
    LOOP(schedule(dynamic));
    LOOP(schedule(dynamic, 7));
    LOOP(schedule(guided));
    LOOP(schedule(guided, 5));
    LOOP(schedule(monotonic : dynamic, 2));
    LOOP(schedule(nonmonotonic : guided));
    LOOP(schedule(auto));
    for (int kind = 1; kind <= 4; kind++) {
        omp_set_schedule((omp_sched_t)kind, kind);
        LOOP(schedule(runtime));
        LOOP(schedule(monotonic : runtime));
        LOOP(schedule(nonmonotonic : runtime));
#pragma omp parallel for num_threads(threads) schedule(runtime)
        for (int i = N - 1; i >= 0; i--)
            hit(i);
        CHECK(check_hits(0, N) == 0);
#pragma omp parallel for num_threads(threads) schedule(runtime)
        for (unsigned long long i = 10; i < 500; i += 1)
            hit((long)i);
        CHECK(check_hits(10, 500) == 0);
    }
}

static void odd_ranges(int threads)
{
    long sum = 0;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 3) reduction(+ : sum)
    for (long i = 1000; i > -1000; i -= 7)
        sum += i;
    show("down %ld\n", sum);
    sum = 0;
#pragma omp parallel for num_threads(threads) schedule(guided) reduction(+ : sum)
    for (unsigned long long i = ~0ull - 100; i < ~0ull - 3; i += 9)
        sum += (long)(i & 0xff);
    show("top %ld\n", sum);
    sum = 0;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1000000) reduction(+ : sum)
    for (unsigned long long i = 50; i > 20; i -= 4)
        sum += (long)i;
    show("ull down %ld\n", sum);
    sum = 0;
#pragma omp parallel for num_threads(threads) schedule(dynamic) reduction(+ : sum)
    for (int i = 5; i < 5; i++)
        sum += 1;
    show("empty %ld\n", sum);
    sum = 0;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 4) collapse(3) reduction(+ : sum)
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < 5; j++)
            for (int k = 2; k < 11; k += 4)
                sum += i * 100 + j * 10 + k;
    show("collapse %ld\n", sum);
    int last = -1;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 2) lastprivate(last)
    for (int i = 0; i < 77; i++)
        last = i * 3;
    show("lastprivate %d\n", last);
    int cond = -1;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 2) lastprivate(conditional : cond)
    for (int i = 0; i < 77; i++)
        if (i % 10 == 4)
            cond = i;
    show("conditional %d\n", cond);
}

#define ORDERED(clause)                                                                            \
    do {                                                                                           \
        n = 0;                                                                                     \
        _Pragma("omp parallel num_threads(threads)")                                               \
        {                                                                                          \
            OMP(omp for ordered clause)                                                            \
            for (int i = 0; i < 60; i++) {                                                         \
                wobble(i);                                                                         \
                if (i % 5 != 2) {                                                                  \
                    OMP(omp ordered)                                                               \
                    order[n++] = i;                                                                \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
        CHECK(n == 48);                                                                            \
        for (int i = 1; i < n; i++)                                                                \
            CHECK(order[i] > order[i - 1]);                                                        \
    } while (0)

static void ordered(int threads)
{
    static int order[64];
    int n;
    ORDERED(schedule(static));
    ORDERED(schedule(static, 2));
    ORDERED(schedule(dynamic));
    ORDERED(schedule(dynamic, 4));
    ORDERED(schedule(guided));
    omp_set_schedule(omp_sched_dynamic, 3);
    ORDERED(schedule(runtime));
    n = 0;
#pragma omp parallel for num_threads(threads) ordered schedule(dynamic)
    for (unsigned long long i = 40; i > 0; i--) {
#pragma omp ordered
        order[n++] = (int)i;
    }
    for (int i = 0; i < 40; i++)
        CHECK(order[i] == 40 - i);
}

static void doacross(int threads)
{
    static long a[40][30];
    for (int i = 0; i < 40; i++)
        for (int j = 0; j < 30; j++)
            a[i][j] = i == 0 || j == 0;
#pragma omp parallel for num_threads(threads) ordered(2) schedule(dynamic, 2)
    for (int i = 1; i < 40; i++)
        for (int j = 1; j < 30; j++) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
            a[i][j] = (a[i - 1][j] + a[i][j - 1]) % 1000003;
#pragma omp ordered depend(source)
        }
    show("doacross %ld\n", a[39][29]);
    static long b[500];
    b[0] = 1;
#pragma omp parallel for num_threads(threads) ordered(1) schedule(static, 1)
    for (unsigned long long i = 1; i < 500; i++) {
#pragma omp ordered depend(sink : i - 1)
        b[i] = b[i - 1] * 3 % 1009;
#pragma omp ordered depend(source)
    }
    show("doacross 1 %ld\n", b[499]);
}

static void sections(int threads)
{
    int seen[5] = {0};
#pragma omp parallel sections num_threads(threads)
    {
#pragma omp section
        seen[0]++;
#pragma omp section
        seen[1]++;
#pragma omp section
        seen[2]++;
    }
    int last = 0;
#pragma omp parallel num_threads(threads)
    {
#pragma omp sections nowait
        {
#pragma omp section
            seen[3]++;
#pragma omp section
            seen[4]++;
        }
#pragma omp sections lastprivate(last)
        {
#pragma omp section
            last = 1;
#pragma omp section
            last = 2;
        }
        CHECK(last == 2);
    }
    show("sections %d %d %d %d %d %d\n", seen[0], seen[1], seen[2], seen[3], seen[4], last);
}

static void single_and_master(int threads)
{
    int singles = 0;
    int masters = 0;
    long copies = 0;
#pragma omp parallel num_threads(threads)
    {
        for (int i = 0; i < 50; i++) {
#pragma omp single nowait
            {
#pragma omp atomic
                singles++;
            }
        }
#pragma omp barrier
        int value = -1;
        for (int i = 0; i < 20; i++) {
#pragma omp single copyprivate(value)
            {
                value = i * i;
                wobble(i);
            }
            CHECK(value == i * i);
        }
#pragma omp atomic
        copies += value;
#pragma omp master
        masters++;
#pragma omp barrier
#pragma omp single
        CHECK(singles == 50);
    }
    CHECK(copies == 361L * threads);
    show("single %d master %d\n", singles, masters);
}

/* One thread runs far ahead through loops without barriers. */
static void run_ahead(int threads)
{
    long sum = 0;
    int go = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
    {
        if (omp_get_thread_num() == omp_get_num_threads() - 1 && threads > 1) {
            while (!__atomic_load_n(&go, __ATOMIC_ACQUIRE))
                yield_now();
        }
        for (int k = 0; k < 40; k++) {
#pragma omp for schedule(dynamic) nowait
            for (int i = 0; i < 10; i++)
                sum += i + k;
        }
        if (omp_get_thread_num() == 0)
            __atomic_store_n(&go, 1, __ATOMIC_RELEASE);
    }
    show("ahead %ld\n", sum);
}

static void sync(int threads)
{
    int plain = 0;
    int named = 0;
    double at = 0;
    long double at2 = 0;
    int phase[16] = {0};
#pragma omp parallel num_threads(threads)
    {
        for (int i = 0; i < 200; i++) {
#pragma omp critical
            plain++;
#pragma omp critical(name)
            {
                int old = named;
                if (i % 32 == 0)
                    wobble(i);
                named = old + 1;
            }
#pragma omp atomic
            at += 0.5;
#pragma omp atomic
            at2 += 1;
        }
        int me = omp_get_thread_num();
        int n = omp_get_num_threads();
        for (int p = 1; p < 60; p++) {
            __atomic_store_n(&phase[me], p, __ATOMIC_RELAXED);
            wobble(me + p);
#pragma omp barrier
            for (int i = 0; i < n; i++)
                CHECK(__atomic_load_n(&phase[i], __ATOMIC_RELAXED) == p);
#pragma omp barrier
        }
    }
    CHECK(plain == 200 * threads && named == 200 * threads);
    CHECK(at == 100.0 * threads && at2 == 200.0L * threads);
}

static void reductions(int threads)
{
    int mul = 1;
    int mx = -1;
    unsigned bits = 0;
    double arr[4] = {0};
    int all = 1;
#pragma omp parallel for num_threads(threads) reduction(* : mul) reduction(max : mx)              \
    reduction(| : bits) reduction(+ : arr) reduction(&& : all)
    for (int i = 1; i < 12; i++) {
        mul *= i % 3 + 1;
        if (i * 37 % 41 > mx)
            mx = i * 37 % 41;
        bits |= 1u << i;
        arr[i % 4] += i;
        all = all && i < 12;
    }
    show("red %d %d %x %g %g %g %g %d\n", mul, mx, bits, arr[0], arr[1], arr[2], arr[3], all);
    static int pre[200];
    int acc = 0;
#pragma omp parallel for num_threads(threads) reduction(inscan, + : acc)
    for (int i = 0; i < 200; i++) {
        acc += i;
#pragma omp scan inclusive(acc)
        pre[i] = acc;
    }
    show("scan %d %d %d\n", pre[3], pre[100], pre[199]);
}

static void thread_private(int threads)
{
    long bad = 0;
    tp = 40;
#pragma omp parallel num_threads(threads) copyin(tp) reduction(+ : bad)
    {
        bad += tp != 40;
        tp = 100 + omp_get_thread_num();
    }
#pragma omp parallel num_threads(threads) reduction(+ : bad)
    bad += tp != 100 + omp_get_thread_num();
    CHECK(bad == 0);
    tp = 7;
    counter = 0;
#pragma omp parallel num_threads(threads)
    {
#pragma omp single copyprivate(tp)
        tp = 9;
#pragma omp atomic
        counter += tp;
    }
    CHECK(counter == 9 * threads);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 1;
    int most = argc > 2 ? atoi(argv[2]) : 8;
    omp_set_dynamic(0);
    for (int r = 0; r < rounds; r++) {
        for (int threads = 1; threads <= most; threads++) {
            quiet = r > 0;
            show("threads %d\n", threads);
            loops(threads);
            odd_ranges(threads);
            ordered(threads);
            doacross(threads);
            sections(threads);
            single_and_master(threads);
            run_ahead(threads);
            sync(threads);
            reductions(threads);
            thread_private(threads);
        }
    }
    return finish();
}
