/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Drift of clocks that is known, seen through records that arrive late. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "hil/drift.h"

static uint64_t rng;

static double uniform(void)
{
    rng = rng * 6364136223846793005U + 1442695040888963407U;
    return ((double)(rng >> 11) + 0.5) / 9007199254740992.0;
}

/* A board that is ppm faster, for so many seconds of its own, a record every `every` seconds, 2 ms
 * under way at least and `jitter` more on average. */
static struct mpj_drift watch(double ppm, double seconds, double every, double jitter)
{
    struct mpj_drift d = {0};

    rng = 7;
    for (double t = 0.0; t < seconds; t += every)
        mpj_drift_add(&d, 5000.0 + t / (1.0 + ppm * 1e-6) + 0.002 - jitter * log(uniform()),
                      3.0 + t);
    return d;
}

static void known(void **state)
{
    static const double ppm[] = {0.0, 37.0, -100.0, 900.0};
    static const double seconds[] = {60.0, 1200.0, 20000.0};

    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        for (unsigned k = 0; k < 3; k++) {
            const struct mpj_drift d = watch(ppm[i], seconds[k], 0.19, 0.004);
            struct mpj_drift_result r;
            assert_true(mpj_drift_get(&d, &r));
            assert_true(fabs(r.ppm - ppm[i]) < 2.0 * r.error + 0.5);
            assert_true(r.error < 2000.0 / seconds[k]);
            assert_float_equal(r.speed, 1.0 + ppm[i] * 1e-6, 1e-4);
            assert_true(r.span_s > 0.9 * seconds[k] && r.span_s <= seconds[k]);
        }
    }
}

/* A machine that is busy for seconds now and then delays records, but does not bend the line. */
static void busy(void **state)
{
    struct mpj_drift d = {0};
    struct mpj_drift_result r;

    (void)state;
    rng = 3;
    for (double t = 0.0; t < 1800.0; t += 0.19) {
        const double late = fmod(t, 97.0) < 4.0 ? 3.0 * uniform() : 0.003 * uniform();
        mpj_drift_add(&d, t * (1.0 - 20e-6) + late, t);
    }
    assert_true(mpj_drift_get(&d, &r));
    assert_true(fabs(r.ppm - 20.0) < 2.0);
}

static void too_short(void **state)
{
    const struct mpj_drift none = {0};
    const struct mpj_drift few = watch(10.0, 9.0, 0.19, 0.001);
    const struct mpj_drift rare = watch(10.0, 60.0, 20.0, 0.001);
    struct mpj_drift_result r;

    (void)state;
    assert_false(mpj_drift_get(&none, &r));
    assert_false(mpj_drift_get(&few, &r));
    assert_false(mpj_drift_get(&rare, &r));
}

/* An emulator that is fifty times as fast, and records that all come at once. */
static void no_clock(void **state)
{
    struct mpj_drift d = {0};
    struct mpj_drift_result r;

    (void)state;
    for (double t = 0.0; t < 1200.0; t += 0.19)
        mpj_drift_add(&d, t / 50.0, t);
    assert_true(mpj_drift_get(&d, &r));
    assert_float_equal(r.speed, 50.0, 0.5);
    d = (struct mpj_drift){0};
    for (double t = 0.0; t < 1200.0; t += 0.19)
        mpj_drift_add(&d, 1.0, t);
    assert_true(mpj_drift_get(&d, &r));
    assert_false(r.speed > 0.99 && r.speed < 1.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known),
        cmocka_unit_test(busy),
        cmocka_unit_test(too_short),
        cmocka_unit_test(no_clock),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
