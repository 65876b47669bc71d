/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stress of OpenMP data: every reduction operator, several at once, of arrays
 * and of a type of one's own; private, firstprivate, lastprivate; threadprivate
 * that lasts from region to region, copyin, copyprivate of it; if and
 * num_threads clauses; default(none).
 */
#include "wl_openmp.h"
#include <math.h>

static long rounds = 10;

static void reductions(long n)
{
    long sum = 5, difference = 9, product = 1, most = -1000000, least = 1000000;
    unsigned both = 0xffffffffu, any = 0, odd = 0;
    int all = 1, some = 0;
    double real = 0.25;
#pragma omp parallel for reduction(+ : sum, real) reduction(- : difference)                        \
    reduction(* : product) reduction(max : most) reduction(min : least) reduction(& : both)        \
    reduction(| : any) reduction(^ : odd) reduction(&& : all) reduction(|| : some)
    for (long i = 1; i <= n; i++) {
        sum += i;
        real += 0.5;
        difference -= i;
        product *= i % 7 == 0 ? -1 : 1;
        most = i * 7 % 101 > most ? i * 7 % 101 : most;
        least = -i * 5 % 103 < least ? -i * 5 % 103 : least;
        both &= ~(1u << (i % 31));
        any |= 1u << (i % 17);
        odd ^= (unsigned)i;
        all = all && i > 0;
        some = some || i == n;
    }
    long w_most = -1000000, w_least = 1000000, w_product = 1;
    unsigned w_both = 0xffffffffu, w_any = 0, w_odd = 0;
    for (long i = 1; i <= n; i++) {
        w_product *= i % 7 == 0 ? -1 : 1;
        w_most = i * 7 % 101 > w_most ? i * 7 % 101 : w_most;
        w_least = -i * 5 % 103 < w_least ? -i * 5 % 103 : w_least;
        w_both &= ~(1u << (i % 31));
        w_any |= 1u << (i % 17);
        w_odd ^= (unsigned)i;
    }
    WL_HOLDS(sum == 5 + n * (n + 1) / 2 && difference == 9 - n * (n + 1) / 2, "reduction + -");
    WL_HOLDS(real == 0.25 + 0.5 * (double)n && product == w_product, "reduction of double, *");
    WL_HOLDS(most == w_most && least == w_least, "reduction max min");
    WL_HOLDS(both == w_both && any == w_any && odd == w_odd, "reduction & | ^");
    WL_HOLDS(all == 1 && some == (n > 0), "reduction && ||");
}

struct extent {
    long lo, hi;
};

static void extend(struct extent *out, const struct extent *in)
{
    out->lo = in->lo < out->lo ? in->lo : out->lo;
    out->hi = in->hi > out->hi ? in->hi : out->hi;
}

#pragma omp declare reduction(span                                                                 \
                              : struct extent                                                      \
                              : extend(&omp_out, &omp_in))                                         \
    initializer(omp_priv = {1L << 30, -(1L << 30)})

static void own_reductions(long n)
{
    struct extent e = {1L << 30, -(1L << 30)};
    long bin[8] = {0}, total = 0;
#pragma omp parallel for reduction(span : e) reduction(+ : bin[:8]) schedule(dynamic, 3)
    for (long i = 0; i < n; i++) {
        struct extent one = {i * 3, i * 3};
        extend(&e, &one);
        bin[i % 8]++;
    }
    for (int k = 0; k < 8; k++)
        total += bin[k];
    WL_HOLDS(total == n && bin[0] == (n + 7) / 8, "reduction of an array");
    WL_HOLDS(n == 0 || (e.lo == 0 && e.hi == 3 * (n - 1)), "reduction of one's own");
    long sum = 0, wrong = 0;
#pragma omp parallel reduction(+ : wrong)
    {
        for (int k = 1; k <= 3; k++) {
#pragma omp for reduction(+ : sum)
            for (long i = 0; i < n; i++)
                sum += 1;
            wrong += sum != k * n; /* complete after the loop's barrier */
#pragma omp barrier
        }
    }
    WL_HOLDS(wrong == 0 && sum == 3 * n, "reduction of a loop in a region");
}

static void copies(long n)
{
    long first = 40, last = 0, kept = 3, wrong = 0;
    double room[16];
    for (int i = 0; i < 16; i++)
        room[i] = i;
#pragma omp parallel default(none) shared(n) firstprivate(first, room) private(kept)               \
    reduction(+ : wrong)
    {
        kept = omp_get_thread_num();
        for (int i = 0; i < 16; i++) {
            wrong += room[i] != i;
            room[i] = kept;
        }
        first += kept;
        wrong += first != 40 + kept;
#pragma omp barrier
        for (int i = 0; i < 16; i++)
            wrong += room[i] != (double)kept;
        (void)n;
    }
#pragma omp parallel for firstprivate(first) lastprivate(last) schedule(dynamic, 2)
    for (long i = 0; i < n; i++)
        last = first + i;
    WL_HOLDS(wrong == 0 && kept == 3 && first == 40 && room[15] == 15, "private and firstprivate");
    WL_HOLDS(n == 0 || last == 40 + n - 1, "lastprivate");
}

static long own = 100;
static double own_array[32];
#pragma omp threadprivate(own, own_array)

static void threadprivates(int team)
{
    long wrong = 0, spread = 0;
    own = 7;
    own_array[31] = 2.5;
#pragma omp parallel num_threads(team) copyin(own, own_array) reduction(+ : wrong)
    {
        wrong += own != 7 || own_array[31] != 2.5;
        own += omp_get_thread_num();
    }
    /* Again with the same team: the values have stayed with their threads. */
#pragma omp parallel num_threads(team) reduction(+ : wrong, spread)
    {
        wrong += own != 7 + omp_get_thread_num();
        spread += own;
#pragma omp barrier
#pragma omp single copyprivate(own)
        own = 55;
        wrong += own != 55;
    }
    WL_HOLDS(wrong == 0, "threadprivate");
    WL_HOLDS(spread == 7L * team + team * (team - 1) / 2, "threadprivate, sum");
    WL_HOLDS(own == 55, "threadprivate of main");
}

static void clauses(void)
{
    int inside = -1, team = 0;
#pragma omp parallel if (rounds < 0)
    {
#pragma omp master
        {
            inside = omp_in_parallel();
            team = omp_get_num_threads();
        }
    }
    WL_HOLDS(!inside && team == 1, "if clause");
    for (int want = 1; want <= 5; want++) {
        int got[8] = {0};
#pragma omp parallel num_threads(want)
        {
#pragma omp atomic
            got[omp_get_thread_num()]++;
#pragma omp single
            team = omp_get_num_threads();
        }
        WL_HOLDS(team == want, "num_threads");
        for (int i = 0; i < 8; i++)
            WL_HOLDS(got[i] == (i < want), "thread numbers");
    }
}

int main(int argc, char **argv)
{
    const long seed =
        wl_omp_options(argc, argv, (struct wl_opt){'n', &rounds, 1, 1000000, "rounds"});
    omp_set_dynamic(0);
    uint32_t state = (uint32_t)seed;
    for (long r = 0; r < rounds; r++) {
        long n = r == 0 ? 0 : r == 1 ? 1 : (long)wl_below(&state, r % 2 ? 30 : 800);
        reductions(n);
        own_reductions(n);
        copies(n);
        threadprivates(1 + (int)wl_below(&state, 6));
    }
    clauses();
    return wl_result("so_data", wl_failures == 0, "rounds=%ld seed=%ld", rounds, seed);
}
