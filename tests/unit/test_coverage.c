/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Coverage of the event space, on a data set whose spread is known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "models/coverage.h"

#define N 5U

static struct mpj_err err;
static struct mpj_dataset_program program[N + 1U];
static struct mpj_dataset ds = {.programs = N + 1U, .program = program};

/* instr: 0, 10, ..., 40 per second on two cores; branch: the reverse; l2_drreq: the same as instr;
 * the last program is incomplete and must not count. Nothing else was observed, but on no core. */
static int setup(void **state)
{
    (void)state;
    for (unsigned i = 0; i <= N; i++) {
        struct mpj_dataset_program *const p = &program[i];
        p->complete = i < N;
        p->time_s = 0.5;
        for (unsigned e = 0; e < MPJ_DATASET_EVENTS; e++) {
            p->chip[e] = NAN;
            for (unsigned k = 0; k < MPJ_CORES_MAX; k++)
                p->core[k].ev[e] = NAN;
        }
        for (unsigned k = 0; k < 2; k++) {
            p->core[k].present = true;
            p->core[k].ev[mpj_event_index("instr")] = 2.5 * i;
            p->core[k].ev[mpj_event_index("branch")] = 10.0 - 2.5 * i;
        }
        p->chip[mpj_event_index("l2_drreq")] = 5.0 * i;
        p->chip[mpj_event_index("l2_dwtreq")] = 0.0;
    }
    return 0;
}

static const struct mpj_coverage_event *event(const struct mpj_coverage *c, const char *name)
{
    for (unsigned i = 0; i < c->events; i++) {
        if (c->event[i].index == mpj_event_index(name))
            return &c->event[i];
    }
    return NULL;
}

static void test_spread(void **state)
{
    struct mpj_coverage c;
    const struct mpj_coverage_event *e;

    (void)state;
    assert_int_equal(mpj_coverage_make(&c, &ds, &err), MPJ_E_OK);
    assert_int_equal(c.programs, N);
    assert_int_equal(c.events, 4);
    e = event(&c, "instr");
    assert_non_null(e);
    assert_true(e->min == 0.0 && e->quarter == 10.0 && e->median == 20.0);
    assert_true(e->three_quarters == 30.0 && e->max == 40.0);
    assert_int_equal(e->bin[0], 1);
    assert_int_equal(e->bin[5], 1);
    assert_int_equal(e->bin[MPJ_COVERAGE_BINS - 1U], 1);
    assert_int_equal(e->empty, MPJ_COVERAGE_BINS - N);
    assert_null(event(&c, "folded"));
    /* l2_dwtreq does not vary: three pairs are left */
    assert_int_equal(c.pairs, 3);
    for (unsigned i = 0; i < 3; i++)
        assert_true(fabs(fabs(c.pair[i].r) - 1.0) < 1e-12);
    mpj_coverage_free(&c);
}

static void test_print(void **state)
{
    struct mpj_coverage c;
    char *text = NULL;
    size_t size = 0;
    FILE *const f = open_memstream(&text, &size);

    (void)state;
    assert_int_equal(mpj_coverage_make(&c, &ds, &err), MPJ_E_OK);
    assert_int_equal(mpj_coverage_print(&c, 0.9, f, &err), MPJ_E_OK);
    fclose(f);
    assert_non_null(strstr(text, "1....1....1....1...1  15/20"));
    assert_non_null(strstr(text, "never seen"));
    assert_non_null(strstr(text, "instr              l2_drreq           +1.0000"));
    assert_non_null(strstr(text, "-1.0000"));
    free(text);
    mpj_coverage_free(&c);
}

static void test_too_few(void **state)
{
    struct mpj_coverage c;
    struct mpj_dataset few = {.programs = 1, .program = program};

    (void)state;
    assert_int_equal(mpj_coverage_make(&c, &few, &err), MPJ_E_USAGE);
    assert_string_equal(err.text, "1 programs are complete: coverage needs at least 2");
    few.programs = 0;
    assert_int_equal(mpj_coverage_make(&c, &few, &err), MPJ_E_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spread),
        cmocka_unit_test(test_print),
        cmocka_unit_test(test_too_few),
    };

    return cmocka_run_group_tests(tests, setup, NULL);
}
