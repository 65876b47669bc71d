/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Predictors of how regions scale: the fit finds the line that data were made with and the event
 * that matters, and files are read as they were written, or not at all. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "models/scaling.h"
#include "test_dir.h"

#define PROGRAMS 4U
#define REGIONS  60U
#define EVENTS   3U

static const char *const names[EVENTS] = {"dcache_rd", "instr", "lsu_stall"};
static const unsigned numbers[EVENTS] = {0x0a, 0x08, 0x12};
static struct mpj_scaling_region region[REGIONS];
static struct mpj_scaling_choice choice[EVENTS];

static double noise(uint32_t *state)
{
    *state = *state * 1664525U + 1013904223U;
    return (double)(*state >> 8) / (double)(1U << 24);
}

/* With n of 4 threads the speed is n / 4 and what stalls gain: by lsu_stall alone. */
static void make(void)
{
    uint32_t state = 1;

    for (unsigned i = 0; i < REGIONS; i++) {
        struct mpj_scaling_region *const r = &region[i];
        const double ipc = 0.2 + 3.0 * noise(&state);
        const double stall = 800.0 * noise(&state);
        const double other = 300.0 * noise(&state);

        *r = (struct mpj_scaling_region){.program = i % PROGRAMS};
        snprintf(r->name, sizeof(r->name), "function_%u", i / 2U);
        for (unsigned n = 1; n <= MPJ_SCALING_THREADS; n++) {
            const double speed = n / 4.0 + (4.0 - n) / 4.0 * stall / 1000.0;
            r->s[n - 1U] = 1e-3 / speed;
            r->ipc[n - 1U] = ipc * speed;
            r->busy[n - 1U] = 0.9 + 0.1 * noise(&state);
            r->rate[n - 1U][0] = other;
            r->rate[n - 1U][2] = stall;
            r->mw[n - 1U] = 540.0 + 8.0 * n;
        }
    }
}

static void fits(void **state)
{
    struct mpj_scaling p = {0};
    struct mpj_scaling_accuracy a;
    struct mpj_err err;

    (void)state;
    make();
    assert_int_equal(mpj_scaling_fit(&p, region, REGIONS, names, numbers, EVENTS, choice, &err),
                     MPJ_E_OK);
    assert_string_equal(p.event[0], "instr");
    assert_string_equal(p.event[1], "lsu_stall");
    assert_int_equal(p.programs, PROGRAMS);
    assert_true(p.unseen.mean > 99.0);
    assert_true(isnan(choice[1].accuracy));
    assert_true(choice[0].accuracy < choice[2].accuracy);
    mpj_scaling_judge(&p, region, REGIONS, 2, &a);
    assert_int_equal(a.predictions, 3 * REGIONS);
    assert_true(a.mean > 99.0 && a.power_mean > 99.0);
    for (unsigned i = 0; i < REGIONS; i++) /* nor does the controller see them again */
        region[i].once = i % 3U == 0;
    mpj_scaling_judge(&p, region, REGIONS, 2, &a);
    assert_int_equal(a.predictions, 2 * REGIONS);
    for (unsigned i = 0; i < REGIONS; i++) /* too short for the controller */
        region[i].s[3] = 1e-4;
    mpj_scaling_judge(&p, region, REGIONS, 2, &a);
    assert_int_equal(a.predictions, 0);
}

/* Every term of a line, by hand: the numbers of test_adapt, whose prediction is the target's. */
static void terms(void **state)
{
    struct mpj_scaling p = {
        .knot = {0.9, 0.4, 2.5, 0.7},
        .ipc[2] = {[1] = {0.01, 0.5, 0.25, -0.1, 0.4, 0.3, 0.2, 0.5, 0.375},
                   [2] = {0.01, 0.5, 0.25, -0.1, 0.4, 0.3, 0.2, 0.5, 0.375}},
        .power[2] = {[1] = {0.05, -10, 20, 540}},
    };
    struct mpj_scaling_region r = {.ipc[3] = 0.5, .busy[3] = 0.2, .rate[3] = {[2] = 200}};
    double ipc;
    double mw;

    (void)state;
    mpj_scaling_predict(&p, &r, 2, 4, 2, &ipc, &mw);
    assert_true(fabs(ipc - 0.5 * 0.779) < 1e-9);
    assert_true(fabs(mw - 558.0) < 1e-9);
    r.ipc[3] = 1.0;
    r.busy[3] = 0.9;
    mpj_scaling_predict(&p, &r, 2, 4, 3, &ipc, &mw);
    assert_true(fabs(ipc - 0.879444) < 1e-6);
    p.ipc[2][1][8] = -1e9; /* bounded */
    mpj_scaling_predict(&p, &r, 2, 4, 2, &ipc, &mw);
    assert_true(fabs(ipc - 0.375) < 1e-9);
    p.ipc[2][1][8] = 1e9;
    mpj_scaling_predict(&p, &r, 2, 4, 2, &ipc, &mw);
    assert_true(fabs(ipc - 2.0) < 1e-9);
}

static void too_few(void **state)
{
    struct mpj_scaling p = {0};
    struct mpj_err err;

    (void)state;
    make();
    assert_int_equal(mpj_scaling_fit(&p, region, 8, names, numbers, EVENTS, choice, &err),
                     MPJ_E_USAGE);
    assert_non_null(strstr(err.text, "too few"));
    assert_int_equal(mpj_scaling_fit(&p, region, 1, names, numbers, EVENTS, NULL, &err),
                     MPJ_E_USAGE);
    for (unsigned i = 0; i < REGIONS; i++)
        region[i].rate[3][0] = region[i].rate[3][2] = 0;
    assert_int_equal(mpj_scaling_fit(&p, region, REGIONS, names, numbers, EVENTS, NULL, &err),
                     MPJ_E_USAGE);
    assert_non_null(strstr(err.text, "no event"));
}

/* The text with other words at a place. */
static void refused(const char *whole, size_t at, const char *other, const char *why)
{
    char *const text = strdup(whole);
    struct mpj_scaling p;
    struct mpj_err err;
    FILE *const f = fopen("other.predictor", "w");

    assert_non_null(text);
    assert_non_null(f);
    memcpy(text + at, other, strlen(other));
    fputs(text, f);
    fclose(f);
    free(text);
    assert_int_equal(mpj_scaling_load(&p, "other.predictor", &err), MPJ_E_USAGE);
    assert_non_null(strstr(err.text, why));
}

static void file(void **state)
{
    struct mpj_scaling p = {.abi = 1, .chip = "tile", .calibration = "here", .version = "1"};
    struct mpj_scaling q;
    struct mpj_err err;
    char text[MPJ_SCALING_TEXT];
    char again[MPJ_SCALING_TEXT];
    char *whole = NULL;
    size_t size = 0;
    FILE *f;

    (void)state;
    make();
    assert_int_equal(mpj_scaling_fit(&p, region, REGIONS, names, numbers, EVENTS, NULL, &err),
                     MPJ_E_OK);
    for (unsigned i = 0; i < 2; i++) { /* what was rounded once stays */
        f = fopen("p.predictor", "w");
        assert_non_null(f);
        assert_int_equal(mpj_scaling_put(i == 0 ? &p : &q, f, &err), MPJ_E_OK);
        fclose(f);
        assert_int_equal(mpj_scaling_load(&q, "p.predictor", &err), MPJ_E_OK);
        assert_int_equal(mpj_scaling_text(&q, i == 0 ? text : again, &err), MPJ_E_OK);
    }
    assert_string_equal(text, again);
    assert_string_equal(q.calibration, "here");
    /* cut off after every line: never half a predictor */
    f = open_memstream(&whole, &size);
    assert_non_null(f);
    assert_int_equal(mpj_scaling_put(&p, f, &err), MPJ_E_OK);
    fclose(f);
    for (char *end = strchr(whole, '\n'); end != NULL && end[1] != '\0';
         end = strchr(end + 1, '\n')) {
        f = fopen("cut.predictor", "w");
        assert_non_null(f);
        fwrite(whole, 1, (size_t)(end + 1 - whole), f);
        fclose(f);
        assert_int_not_equal(mpj_scaling_load(&q, "cut.predictor", &err), MPJ_E_OK);
    }
    refused(whole, 0, "MPJOULE", "not a predictor");
    refused(whole, sizeof("mpjoule-predictor"), "1", "train it again"); /* of an older version */
    refused(whole, (size_t)(strstr(whole, "ipc 4 2") - whole), "ipc 4 1", "a duplicate");
    refused(whole, (size_t)(strstr(whole, "ipc 4 2") - whole) + 8, " nan ", "not a line");
    free(whole);
    assert_int_not_equal(mpj_scaling_load(&q, "none.predictor", &err), MPJ_E_OK);
    /* texts are shown: none of them commands a terminal */
    snprintf(p.chip, sizeof(p.chip), "X\x1b]0;Y\x07");
    snprintf(p.calibration, sizeof(p.calibration), "a\xc2\x9b");
    snprintf(p.version, sizeof(p.version), "b\xe2\x80\xae");
    f = fopen("p.predictor", "w");
    assert_non_null(f);
    assert_int_equal(mpj_scaling_put(&p, f, &err), MPJ_E_OK);
    fclose(f);
    assert_int_equal(mpj_scaling_load(&q, "p.predictor", &err), MPJ_E_OK);
    assert_string_equal(q.chip, "X ]0;Y ");
    assert_string_equal(q.calibration, "a  ");
    assert_string_equal(q.version, "b   ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fits),
        cmocka_unit_test(terms),
        cmocka_unit_test(too_few),
        cmocka_unit_test(file),
    };

    return cmocka_run_group_tests(tests, test_dir_enter, test_dir_leave);
}
