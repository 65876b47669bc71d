/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fits to programs whose power is known, and what verification says of them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "models/verify.h"

#define PROGRAMS 40U

static struct mpj_err err;
static struct mpj_dataset_program program[PROGRAMS];
static struct mpj_dataset_thread thread[PROGRAMS];
static struct mpj_dataset ds = {.programs = PROGRAMS, .program = program};
static struct mpj_model m;

static uint32_t noise(void)
{
    static uint32_t state = 1;

    state = state * 1664525U + 1013904223U;
    return state >> 12;
}

/* Two seconds; 500 mW, 1 nJ an instruction, 20 nJ an L220 request. One thread, on core 0. */
static void make(void)
{
    static char names[PROGRAMS][8];
    static char family[4][2] = {"a", "b", "c", "d"};
    static char nothing[1];

    for (unsigned i = 0; i < PROGRAMS; i++) {
        struct mpj_dataset_program *const p = &program[i];
        memset(p, 0, sizeof(*p));
        snprintf(names[i], sizeof(names[i]), "p%u", i);
        p->name = names[i];
        p->family = family[i % 4];
        p->description = nothing;
        p->complete = p->have_adc = true;
        p->time_s = 2;
        p->clock_hz = 210e6;
        p->cores_mask = 15;
        p->passes = 1;
        for (unsigned e = 0; e < MPJ_DATASET_EVENTS; e++) {
            p->chip[e] = noise();
            for (unsigned k = 0; k < MPJ_CORES_MAX; k++)
                p->core[k].ev[e] = k == 0 ? 50.0 * noise() : 0;
        }
        for (unsigned k = 0; k < MPJ_CORES_MAX; k++) {
            p->core[k].present = true;
            p->core[k].cycles = 420e6;
            p->core[k].wfi_cycles = k == 0 ? 300e6 - noise() : 420e6;
        }
        p->power_mw = 500 + 1e-6 * p->core[0].ev[mpj_event_index("instr")] / 2;
        p->power_mw +=
            2e-5 *
            (p->chip[mpj_event_index("l2_drreq")] + p->chip[mpj_event_index("l2_dwreq")] +
             p->chip[mpj_event_index("l2_irreq")]) /
            2;
        p->energy_uj = p->power_mw * 2000;
        p->profiled = 1;
        p->thread = &thread[i];
        thread[i] = (struct mpj_dataset_thread){.id = 1};
        thread[i].part.run_s = 2;
        thread[i].part.core_share[0] = 1;
        thread[i].part.cycles = p->core[0].cycles - p->core[0].wfi_cycles;
        memcpy(thread[i].part.ev, p->core[0].ev, sizeof(thread[i].part.ev));
    }
}

static void near(double a, double b)
{
    assert_true(fabs(a - b) <= 1e-6 * fabs(b) + 1e-9);
}

static void finds_it(void **state)
{
    struct mpj_model_options o = {.method = MPJ_METHOD_SUBSET, .max = 2};
    char hash[65];

    (void)state;
    make();
    assert_int_equal(mpj_model_fit(&m, &ds, &o, &err), MPJ_E_OK);
    assert_int_equal(m.terms, 2);
    assert_int_equal(m.term[0].predictor, mpj_predictor_find("instr"));
    assert_int_equal(m.term[1].predictor, mpj_predictor_find("l2_access"));
    near(m.constant_mw, 500);
    near(m.term[0].c, 1e-6);
    near(m.term[1].c, 2e-5);
    assert_int_equal(mpj_dataset_sha256(&ds, hash, &err), MPJ_E_OK);
    assert_string_equal(m.dataset_sha256, hash);
    program[7].power_mw += 1e-3;
    assert_int_equal(mpj_dataset_sha256(&ds, hash, &err), MPJ_E_OK);
    assert_string_not_equal(m.dataset_sha256, hash);

    /* what the cores do not count is no candidate, and may not be named */
    make();
    o.per_core = true;
    assert_int_equal(mpj_model_fit(&m, &ds, &o, &err), MPJ_E_OK);
    assert_true(m.per_core);
    for (size_t i = 0; i < m.terms; i++)
        assert_true(mpj_predictor_of_core((size_t)m.term[i].predictor));
    o.predictors = "instr,l2_access";
    assert_int_equal(mpj_model_fit(&m, &ds, &o, &err), MPJ_E_USAGE);
    assert_string_equal(err.text, "predictor l2_access is not counted by the cores");
}

static void weighs(void **state)
{
    struct mpj_model_options plain = {.method = MPJ_METHOD_PAPER, .predictors = "instr,l2_access"};
    struct mpj_model_options weighted = plain;

    (void)state;
    make();
    plain.weights = MPJ_WEIGHTS_EQUAL;
    weighted.weights = MPJ_WEIGHTS_PASSES;
    for (unsigned i = 0; i < PROGRAMS; i += 2) { /* every other one is wrong, and unsteady */
        program[i].power_mw += 10 + i;
        program[i].power_sd_mw = 50;
    }
    assert_int_equal(mpj_model_fit(&m, &ds, &plain, &err), MPJ_E_OK);
    assert_true(m.constant_mw > 505);
    assert_int_equal(mpj_model_fit(&m, &ds, &weighted, &err), MPJ_E_OK);
    assert_true(fabs(m.constant_mw - 500) < 0.01);
}

/* A program that draws ten times as much above the least one weighs a tenth. */
static void weighs_dynamic(void **state)
{
    struct mpj_model_options o = {.method = MPJ_METHOD_PAPER, .predictors = "instr"};
    const int instr = mpj_event_index("instr");

    (void)state;
    make();
    ds.programs = 6;
    for (unsigned i = 0; i < 6; i++) { /* three of 500 mW, two quiet ones, a loud one 30 mW off */
        program[i].core[0].ev[instr] = i < 3 ? 0 : i < 5 ? 20e6 : 200e6; /* of two seconds */
        program[i].power_mw = i < 3 ? 500 : i < 5 ? 510 : 630;
    }
    assert_int_equal(mpj_model_fit(&m, &ds, &o, &err), MPJ_E_OK);
    /* weights 1 / 5 (a hundredth of the least), 1 / 10, 1 / 130; x = 0, 1, 10 */
    near(m.constant_mw, 500 + -10 / 17.0);
    near(m.term[0].c, 640 / 51.0 * 1e-7);
    ds.programs = PROGRAMS;
}

/* One program that draws no more than the quietest, whatever it does, does not bend the others. */
static void ignores_bounded(void **state)
{
    const struct mpj_model_options o = {.method = MPJ_METHOD_SUBSET, .max = 2};

    (void)state;
    make();
    for (unsigned i = 0; i < PROGRAMS; i++) /* not exact, so that there is a spread */
        program[i].power_mw += i % 2 == 0 ? 0.1 : -0.1;
    program[9].power_mw = 501;
    assert_int_equal(mpj_model_fit(&m, &ds, &o, &err), MPJ_E_OK);
    assert_int_equal(m.terms, 2);
    assert_true(fabs(m.constant_mw - 500) < 0.5); /* with its full weight: by 4 */
    assert_true(fabs(m.term[0].c - 1e-6) < 2e-8);
}

static void refuses(void **state)
{
    const struct mpj_model_options two = {.method = MPJ_METHOD_PAPER,
                                          .predictors = "instr,dcache_rd"};
    const struct mpj_model_options five = {.method = MPJ_METHOD_PAPER};

    (void)state;
    make();
    ds.programs = 6;
    assert_int_equal(mpj_model_fit(&m, &ds, &five, &err), MPJ_E_USAGE);
    assert_non_null(strstr(err.text, "too few"));
    ds.programs = PROGRAMS;
    for (unsigned i = 0; i < PROGRAMS; i++)
        program[i].core[0].ev[mpj_event_index("dcache_rd")] =
            3 * program[i].core[0].ev[mpj_event_index("instr")];
    assert_int_equal(mpj_model_fit(&m, &ds, &two, &err), MPJ_E_USAGE);
    assert_non_null(strstr(err.text, "linearly dependent"));
    program[5].core[0].ev[mpj_event_index("dcache_rd")] = NAN;
    assert_int_equal(mpj_model_fit(&m, &ds, &two, &err), MPJ_E_USAGE);
    assert_string_equal(err.text, "the data set has no counts for dcache_rd (dcache_rd)");
    for (unsigned i = 0; i < PROGRAMS; i++)
        program[i].complete = false;
    assert_int_equal(mpj_model_fit(&m, &ds, &two, &err), MPJ_E_USAGE);
    assert_string_equal(err.text, "the data set has no complete program");
}

static size_t lines_with(const char *text, const char *word)
{
    size_t n = 0;

    for (const char *s = text; (s = strstr(s, word)) != NULL; s++)
        n++;
    return n;
}

static void verifies(void **state)
{
    const struct mpj_model_options o = {.method = MPJ_METHOD_PAPER,
                                        .predictors = "instr,l2_access"};
    struct mpj_verify v;
    char *text = NULL;
    size_t size;
    FILE *f;

    (void)state;
    make();
    assert_int_equal(mpj_model_fit(&m, &ds, &o, &err), MPJ_E_OK);
    snprintf(m.name, sizeof(m.name), "m");
    for (unsigned i = 0; i < PROGRAMS; i++) {
        struct mpj_dataset_program *const p = &program[i];
        p->have_truth = true;
        p->truth_window_s = 2;
        p->truth_shared_uj = 4e5;
        p->truth_energy_uj = p->energy_uj / 1.02;
        for (unsigned k = 0; k < MPJ_CORES_MAX; k++)
            p->truth_core_uj[k] = mpj_model_core_uj(&m, p, k) / 1.01 - 1e5;
        thread[i].have_truth = true;
        thread[i].truth_cycles = 420e6;
        thread[i].truth_uj = mpj_model_part_uj(&m, p, &thread[i].part) / 1.03 - 1e5;
    }
    program[3].power_mw *= 0.96; /* 4.17 % off */
    program[4].complete = false;
    thread[5].part.run_s = 0.001; /* too short to count */
    m.interval = (struct mpj_model_interval){.level = 0.95, .least_mw = 5, .share = {0.1, 1, NAN}};
    assert_int_equal(mpj_verify_make(&v, &m, &ds, 500, &err), MPJ_E_OK);
    assert_int_equal(v.rows, PROGRAMS - 1);
    near(v.power.max, 100 * (1 / 0.96 - 1));
    near(v.power.mean, v.power.max / (PROGRAMS - 1));
    near(v.energy.max, 2);
    near(v.energy.mean, 2);
    near(v.core.mean, 1);
    assert_int_equal(v.core.n, 4 * (PROGRAMS - 1));
    near(v.thread.mean, 3);
    assert_int_equal(v.programs.n, PROGRAMS - 1);
    assert_int_equal(v.programs.inside, PROGRAMS - 2); /* but for the one whose power was changed */
    assert_int_equal(v.threads.n, PROGRAMS - 2);
    assert_int_equal(v.threads.inside, PROGRAMS - 2);
    assert_int_equal(v.thread.n, PROGRAMS - 2);
    assert_int_equal(v.outside, 0);
    f = open_memstream(&text, &size);
    mpj_verify_print(&v, f);
    mpj_verify_compare(&v, 1, f);
    v.core.mean = 16378.45; /* wider than its column */
    v.core.max = 16378.45;
    mpj_verify_compare(&v, 1, f);
    assert_int_equal(mpj_verify_csv(&v, 1, f, &err), MPJ_E_OK);
    assert_int_equal(mpj_verify_svg(&v, f, &err), MPJ_E_OK);
    fclose(f);
    assert_int_equal(lines_with(text, "\nm,p"), 6 * (PROGRAMS - 1));
    assert_int_equal(lines_with(text, ",thread,1,"), PROGRAMS - 1);
    assert_int_equal(lines_with(text, "class=\"p\""), PROGRAMS); /* bars and legend */
    assert_non_null(strstr(text, "</svg>"));
    assert_non_null(
        strstr(text, "inside the interval of 95 %: 38 of 39 programs, 38 of 38 threads\n"));
    assert_non_null(strstr(text, " 1.6e+04 16378.45 "));
    free(text);
    mpj_verify_free(&v);

    program[6].chip[mpj_event_index("l2_irreq")] = NAN;
    assert_int_equal(mpj_verify_make(&v, &m, &ds, 500, &err), MPJ_E_USAGE);
    assert_string_equal(err.text, "p6: it did not count what model m needs: l2_access "
                                  "(l2_drreq + l2_dwreq + l2_irreq)");
    mpj_verify_free(&v);
    ds.calibration = (char[]){"epro-mp"};
    snprintf(m.calibration, sizeof(m.calibration), "mprofiler");
    assert_int_equal(mpj_verify_make(&v, &m, &ds, 500, &err), MPJ_E_USAGE);
    assert_non_null(strstr(err.text, "fitted to calibration mprofiler"));
    mpj_verify_free(&v);
    ds.calibration = NULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_it),       cmocka_unit_test(weighs),
        cmocka_unit_test(weighs_dynamic), cmocka_unit_test(ignores_bounded),
        cmocka_unit_test(refuses),        cmocka_unit_test(verifies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
