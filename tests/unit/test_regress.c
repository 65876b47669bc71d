/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Regression against certified values (NIST StRD, Longley) and cases that must be refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "models/regress.h"

static const double longley_y[16] = {60323, 61122, 60171, 61187, 63221, 63639, 64989, 63761,
                                     66019, 67857, 68169, 66513, 68655, 69564, 69331, 70551};
static const double longley_x[16 * 6] = {
    83.0,  234289, 2356, 1590, 107608, 1947, 88.5,  259426, 2325, 1456, 108632, 1948,
    88.2,  258054, 3682, 1616, 109773, 1949, 89.5,  284599, 3351, 1650, 110929, 1950,
    96.2,  328975, 2099, 3099, 112075, 1951, 98.1,  346999, 1932, 3594, 113270, 1952,
    99.0,  365385, 1870, 3547, 115094, 1953, 100.0, 363112, 3578, 3350, 116219, 1954,
    101.2, 397469, 2904, 3048, 117388, 1955, 104.6, 419180, 2822, 2857, 118734, 1956,
    108.4, 442769, 2936, 2798, 120445, 1957, 110.8, 444546, 4681, 2637, 121950, 1958,
    112.6, 482704, 3813, 2552, 123366, 1959, 114.2, 502601, 3931, 2514, 125368, 1960,
    115.7, 518173, 4806, 2572, 127852, 1961, 116.9, 554894, 4007, 2827, 130081, 1962};

static struct mpj_err err;

static void close_to(double is, double should, double relative)
{
    if (!(fabs(is - should) <= relative * fabs(should)))
        fail_msg("%.15g instead of %.15g", is, should);
}

static void longley(void **state)
{
    static const double c[6] = {15.0618722713733,  -0.358191792925910E-01, -2.02022980381683,
                                -1.03322686717359, -0.511041056535807E-01, 1829.15146461355};
    static const double se[6] = {84.9149257747669,  0.334910077722432E-01, 0.488399681651699,
                                 0.214274163161675, 0.226073200069370,     455.478499142212};
    double w[16];
    struct mpj_fit f;

    (void)state;
    for (size_t i = 0; i < 16; i++)
        w[i] = 4;
    for (unsigned weighted = 0; weighted < 2; weighted++) {
        assert_int_equal(mpj_regress(&f, longley_x, longley_y, weighted ? w : NULL, 16, 6, &err),
                         MPJ_E_OK);
        close_to(f.constant.c, -3482258.63459582, 1e-8);
        close_to(f.constant.se, 890420.383607373, 1e-8);
        for (size_t j = 0; j < 6; j++) {
            close_to(f.term[j].c, c[j], 1e-7);
            close_to(f.term[j].se, se[j], 1e-7);
        }
        close_to(f.sigma, 304.854073561965 * (weighted ? 2 : 1), 1e-8);
        close_to(f.r2, 0.995479004577296, 1e-9);
        close_to(f.condition, 43275, 1e-3);
        assert_true(f.term[1].vif > 1000 && f.term[3].vif < 10);
    }
}

/* Every subset of sizes 1 to 6 of Longley's six, by the search and one by one. Returns how many
 * sizes there are with no variance inflation beyond the limit. */
static unsigned compare_subsets(double most_vif)
{
    struct mpj_subset best[6];
    double least[6] = {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY};
    unsigned sizes = 0;

    assert_int_equal(
        mpj_regress_subsets(best, 6, longley_x, longley_y, NULL, 16, 6, most_vif, &err), MPJ_E_OK);
    for (unsigned mask = 1; mask < 64; mask++) {
        double x[16 * 6];
        struct mpj_fit f;
        size_t q = 0;
        double vif = 0;
        for (unsigned j = 0; j < 6; j++)
            q += mask >> j & 1U;
        for (size_t i = 0, k = 0; i < 16; i++) {
            for (unsigned j = 0; j < 6; j++) {
                if (mask >> j & 1U)
                    x[k++] = longley_x[i * 6 + j];
            }
        }
        assert_int_equal(mpj_regress(&f, x, longley_y, NULL, 16, q, &err), MPJ_E_OK);
        for (size_t j = 0; j < q; j++)
            vif = fmax(vif, f.term[j].vif);
        if (most_vif == 0 || vif <= most_vif)
            least[q - 1] = fmin(least[q - 1], f.rss);
    }
    for (size_t k = 0; k < 6; k++) {
        if (isinf(least[k])) {
            assert_int_equal(best[k].size, 0);
            continue;
        }
        assert_int_equal(best[k].size, k + 1);
        close_to(best[k].rss, least[k], 1e-6);
        sizes++;
    }
    return sizes;
}

static void subsets(void **state)
{
    (void)state;
    assert_int_equal(compare_subsets(0), 6);
    assert_int_equal(compare_subsets(1000), 5);
    assert_int_equal(compare_subsets(50), 4);
    assert_in_range(compare_subsets(10), 2, 3);
    assert_in_range(compare_subsets(2), 1, 2);
}

/* The limit of inflation is that of a fit, which knows no weights: in the observations that weigh
 * much the two predictors are nearly one, in all of them they are not. */
static void weighted_subsets(void **state)
{
    static const double x[] = {1, 1.1, 2, 1.9, 3, 3.1, 4, 3.9, 1, 4, 2, 3, 3, 2, 4, 1};
    static const double w[] = {1, 1, 1, 1, 1e-4, 1e-4, 1e-4, 1e-4};
    struct mpj_subset best[2];
    struct mpj_fit f;
    double y[8];

    (void)state;
    for (unsigned i = 0; i < 8; i++)
        y[i] = x[2 * i] + 2 * x[2 * i + 1];
    assert_int_equal(mpj_regress_subsets(best, 2, x, y, w, 8, 2, 10, &err), MPJ_E_OK);
    assert_int_equal(best[1].size, 2);
    assert_int_equal(mpj_regress(&f, x, y, w, 8, 2, &err), MPJ_E_OK);
    assert_true(f.term[0].vif < 1.1);
}

/* y = 5 + 3 a - 2 b, c does nothing, d = a + b. */
static void make(double *x, double *y, size_t n)
{
    uint32_t r = 1;

    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < 3; j++) {
            r = r * 1664525U + 1013904223U;
            x[i * 4 + j] = (r >> 8) / 16777216.0;
        }
        x[i * 4 + 3] = x[i * 4] + x[i * 4 + 1];
        r = r * 1664525U + 1013904223U;
        y[i] = 5 + 3 * x[i * 4] - 2 * x[i * 4 + 1] + 1e-3 * ((r >> 8) / 16777216.0 - 0.5);
    }
}

static void selection(void **state)
{
    double x[40 * 4];
    double y[40];
    unsigned char keep[4];
    static const int sign[4] = {1, 1, 1, 0};
    struct mpj_fit f;

    (void)state;
    make(x, y, 40);
    assert_int_equal(mpj_regress(&f, x, y, NULL, 40, 4, &err), MPJ_E_USAGE);
    assert_non_null(strstr(err.text, "linearly dependent"));
    assert_int_equal(mpj_regress_backward(&f, keep, x, y, NULL, 40, 4, 1e-4, &err), MPJ_E_OK);
    assert_true(keep[0] && keep[1] && !keep[2] && !keep[3]);
    close_to(f.term[0].c, 3, 1e-3);
    close_to(f.term[1].c, -2, 1e-3);
    assert_int_equal(mpj_regress(&f, x, y, NULL, 5, 4, &err), MPJ_E_USAGE);
    assert_non_null(strstr(err.text, "too few"));
    /* d = a + b is free, a and b are not: y = 5 + 5 a - 2 d */
    assert_int_equal(mpj_regress_signs(&f, x, y, NULL, 40, 4, sign, &err), MPJ_E_OK);
    assert_true(f.term[0].c >= 0 && f.term[1].c >= 0 && f.term[2].c >= 0);
    close_to(f.term[0].c, 5, 1e-3);
    close_to(f.term[3].c, -2, 1e-3);
}

/* Six points of y = 2 x and one that is 1 above, alone in its group; weights 1 and, for it, 3. */
static void unseen(void **state)
{
    static const double x[] = {1, 2, 3, 4, 5, 6, 7};
    static const double y[] = {2, 4, 6, 8, 10, 12, 15};
    static const double w[] = {1, 1, 1, 1, 1, 1, 3};
    static const unsigned group[] = {1, 1, 1, 2, 2, 2, 0};
    double error[7];
    double rmse;
    double sum = 0;

    (void)state;
    assert_int_equal(mpj_regress_unseen(error, x, y, w, group, 7, 1, &err), MPJ_E_OK);
    close_to(error[6], 1, 1e-9);
    /* the others: 4, 5, 6 and the odd one with weight 3 give y = -7/4 + 19/8 x */
    close_to(error[0], 2 - (-1.75 + 2.375), 1e-9);
    for (unsigned i = 0; i < 7; i++)
        sum += w[i] * error[i] * error[i];
    assert_int_equal(mpj_regress_crossvalidate(&rmse, x, y, w, group, 7, 1, &err), MPJ_E_OK);
    close_to(rmse, sqrt(sum / 9), 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(longley),   cmocka_unit_test(subsets), cmocka_unit_test(weighted_subsets),
        cmocka_unit_test(selection), cmocka_unit_test(unseen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
