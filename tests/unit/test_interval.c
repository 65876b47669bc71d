/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prediction intervals out of errors whose quantiles are known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model_int.h"

#define PROGRAMS 39U

static struct mpj_err err;
static struct mpj_dataset_program program[PROGRAMS];
static const struct mpj_dataset_program *all[PROGRAMS];
static double error[PROGRAMS];

static char nothing[] = "", two_alike[] = "rounds=4 seed=7 0=alu_zero:3,alu_logic:3,sleep:9";

/* Each is predicted 10 mW above 1000 mW; the errors are 1, 2, .. 39 % of these 10 mW and the 5 mW
 * that are half a percent of the constant. The first ones are of two pieces in one thread. */
static void make(unsigned single)
{
    for (unsigned i = 0; i < PROGRAMS; i++) {
        error[i] = (i % 2 == 0 ? 0.15 : -0.15) * (i + 1);
        program[i] = (struct mpj_dataset_program){.power_mw = 1010 + error[i],
                                                  .description = i < single ? two_alike : nothing};
        all[i] = &program[i];
    }
}

static void near(double a, double b)
{
    assert_true(fabs(a - b) < 1e-9);
}

static void quantiles(void **state)
{
    struct mpj_model_interval i;

    (void)state;
    make(20);
    assert_int_equal(mpj_interval_make(&i, 1000, all, error, PROGRAMS, &err), MPJ_E_OK);
    near(i.level, 0.95);
    near(i.least_mw, 5);
    near(i.share[MPJ_OF_PROGRAM], 0.38);      /* 38 of the 39, and of 40 with an unseen one */
    near(i.share[MPJ_OF_THREAD], 0.38);       /* not 0.20 * root of two, which is smaller */
    near(i.share[MPJ_OF_FUNCTION], 0.20 * 2); /* all 20 of them */
}

/* Errors of two equal pieces are smaller than that of one by the root of two, if both err; a
 * program or thread may be one piece. */
static void pieces(void **state)
{
    struct mpj_model_interval i;

    (void)state;
    make(PROGRAMS);
    assert_int_equal(mpj_interval_make(&i, 1000, all, error, PROGRAMS, &err), MPJ_E_OK);
    near(i.share[MPJ_OF_PROGRAM], 0.38 * sqrt(2));
    near(i.share[MPJ_OF_THREAD], 0.38 * sqrt(2));
    near(i.share[MPJ_OF_FUNCTION], 0.38 * 2);
}

static void too_few(void **state)
{
    struct mpj_model_interval i;

    (void)state;
    make(19); /* what 19 programs consist of says nothing of functions */
    assert_int_equal(mpj_interval_make(&i, 1000, all, error, PROGRAMS, &err), MPJ_E_OK);
    near(i.share[MPJ_OF_THREAD], 0.38);
    assert_true(isnan(i.share[MPJ_OF_FUNCTION]));
    assert_int_equal(mpj_interval_make(&i, 1000, all, error, 19, &err), MPJ_E_OK);
    assert_true(i.level == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles),
        cmocka_unit_test(pieces),
        cmocka_unit_test(too_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
