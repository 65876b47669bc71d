/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Formulas and counter groups: what they compute, and what is said of bad files. */
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

#include "report/expr.h"
#include "report/groups.h"
#include "test_dir.h"

static struct mpj_err err;

/* ---- formulas ------------------------------------------------------------------- */

/* a = 6, b = 4, z = 0, u = unknown */
static int resolve(void *ctx, const char *name, size_t len)
{
    static const char names[] = "abzu";
    const char *const at = memchr(names, name[0], 4);

    (void)ctx;
    return len == 1 && at != NULL ? (int)(at - names) : -1;
}

static double value(void *ctx, int number)
{
    const double v[] = {6.0, 4.0, 0.0, NAN};

    (void)ctx;
    return v[number];
}

static double eval(const char *text)
{
    struct mpj_expr *e;
    double v;

    assert_int_equal(mpj_expr_compile(&e, text, resolve, NULL, &err), MPJ_E_OK);
    v = mpj_expr_eval(e, value, NULL);
    mpj_expr_free(e);
    return v;
}

static void test_formulas(void **state)
{
    (void)state;
    assert_true(eval("1") == 1.0);
    assert_true(eval("1 + 2 * 3") == 7.0);
    assert_true(eval("(1 + 2) * 3") == 9.0);
    assert_true(eval("a - b - 1") == 1.0);
    assert_true(eval("a / b / 3") == 0.5);
    assert_true(eval("-a + - -b") == -2.0);
    assert_true(eval("2.5e1*b") == 100.0);
    assert_true(eval("min(a, b) + max(a,b)") == 10.0);
    assert_true(eval("100 * (a - b) / (a + b)") == 20.0);
    assert_true(isnan(eval("a / z")));
    assert_true(isnan(eval("z / z")));
    assert_true(isnan(eval("u * 0")));
    assert_true(isnan(eval("min(u, 1)")));
    assert_true(isnan(eval("max(1, u)")));
}

static void test_bad_formulas(void **state)
{
    static const char *const bad[][2] = {
        {"", "a number or a name expected at its end"},
        {"1 +", "a number or a name expected at its end"},
        {"(1", ") expected at its end"},
        {"1)", "something unexpected at \")\""},
        {"1 2", "something unexpected at \"2\""},
        {"q", "there is no \"q\""},
        {"aa", "there is no \"aa\""},
        {"a $ b", "something unexpected at \"$ b\""},
        {"min(a)", ", expected at \")\""},
        {"max a", "( expected at \"a\""},
        {"1e999", "a number or a name expected at \"1e999\""},
        {"* 2", "a number or a name expected at \"* 2\""},
    };
    struct mpj_expr *e;
    char deep[300];

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(mpj_expr_compile(&e, bad[i][0], resolve, NULL, &err), MPJ_E_USAGE);
        assert_string_equal(err.text, bad[i][1]);
        assert_null(e);
    }
    memset(deep, '(', sizeof(deep) - 1);
    deep[sizeof(deep) - 1] = '\0';
    assert_int_equal(mpj_expr_compile(&e, deep, resolve, NULL, &err), MPJ_E_USAGE);
    memset(deep, '-', sizeof(deep) - 1);
    assert_int_equal(mpj_expr_compile(&e, deep, resolve, NULL, &err), MPJ_E_USAGE);
}

static void test_long_formula(void **state)
{
    char text[1000] = "1";
    struct mpj_expr *e;

    (void)state;
    while (strlen(text) < 2U * 99U)
        strcat(text, "+1");
    assert_true(eval(text) == 100.0);
    while (strlen(text) < 2U * 110U)
        strcat(text, "+1");
    assert_int_equal(mpj_expr_compile(&e, text, resolve, NULL, &err), MPJ_E_USAGE);
}

/* ---- groups --------------------------------------------------------------------- */

static void write_group(const char *name, const char *text)
{
    FILE *const f = fopen(name, "w");

    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static struct mpj_run *make_run(void)
{
    struct mpj_run *const run = calloc(1, sizeof(*run));

    assert_non_null(run);
    run->complete = true;
    run->time_s = 0.5;
    run->clock_hz = 1000;
    for (unsigned k = 0; k < 2; k++) {
        run->core[k].present = run->core[k].have_wfi = true;
        run->core[k].cycles = 500;
        run->core[k].wfi_cycles = 100 * k;
        run->core[k].ev[mpj_event_index("instr")] =
            (struct mpj_value){.present = true, .value = 300 + 100 * k, .coverage = 1.0};
    }
    for (unsigned k = 0; k < 4; k++)
        run->chip[mpj_event_index("scu_c2c_cpu0") + (int)k] =
            (struct mpj_value){.present = true, .value = k + 1, .coverage = 1.0};
    run->have_adc = true;
    run->processor.energy_uj = 250000;
    return run;
}

static void test_group(void **state)
{
    struct mpj_group *g;
    struct mpj_run *const run = make_run();
    char *text = NULL;
    size_t size = 0;
    FILE *const f = open_memstream(&text, &size);

    (void)state;
    write_group("good.conf", "# a comment\n title = Good things # and another\n\n"
                             "events = instr, branch\nevents=scu_c2c_cpu0 scu_c2c_cpu1 "
                             "scu_c2c_cpu2\tscu_c2c_cpu3\n"
                             "metric = IPC | core | 1 | instr / busy\n"
                             "metric = branches | core | % | 100 * branch / instr\n"
                             "metric=transfers|core|1|scu_c2c\r\n"
                             "metric = power | chip | W | power\n"
                             "metric = rate | chip | 1/s | instr / time");
    assert_int_equal(mpj_group_load(&g, ".", "good", &err), MPJ_E_OK);
    assert_string_equal(g->title, "Good things");
    assert_int_equal(g->metrics, 5);
    assert_true(g->want[mpj_event_index("branch")] && g->want[mpj_event_index("scu_c2c_cpu3")]);
    assert_false(g->want[mpj_event_index("folded")]);
    assert_true(mpj_group_value(g, 0, run, 0) == 300.0 / 500.0);
    assert_true(mpj_group_value(g, 0, run, 1) == 1.0);
    assert_true(mpj_group_value(g, 0, run, -1) == 700.0 / 900.0);
    assert_true(isnan(mpj_group_value(g, 0, run, 3)));
    assert_true(isnan(mpj_group_value(g, 1, run, 0)));
    assert_true(mpj_group_value(g, 2, run, 1) == 2.0);
    assert_true(mpj_group_value(g, 2, run, -1) == 10.0);
    assert_true(mpj_group_value(g, 3, run, -1) == 0.5);
    assert_true(mpj_group_value(g, 4, run, -1) == 1400.0);
    assert_int_equal(mpj_group_print(g, run, f, &err), MPJ_E_OK);
    fclose(f);
    assert_string_equal(
        text, "\nGood things (group good)\n"
              "                                             core 0         core 1            all\n"
              "  IPC                                         0.600          1.000          0.778\n"
              "  branches (%)                                    -              -              -\n"
              "  transfers                                   1.000          2.000         10.000\n"
              "  power (W)                                   0.500\n"
              "  rate (1/s)                                 1400.0\n");
    free(text);
    mpj_group_free(g);
    free(run);
    unlink("good.conf");
}

/* Sums over the cores that counted, estimates, what a core has without WFI. */
static void test_figures(void **state)
{
    static const char text[] = "title = T\nevents = instr branch\n"
                               "metric = a | core | events | instr | 0\n"
                               "metric = b | core | 1 | 100 * branch / running | 2\n";
    struct mpj_run *const run = make_run();
    struct mpj_group *g;
    struct mpj_figure f;

    (void)state;
    assert_int_equal(mpj_group_parse(&g, "t", text, &err), MPJ_E_OK);
    assert_int_equal(g->metric[0].decimals, 0);
    assert_int_equal(g->metric[1].decimals, 2);
    run->core[1].have_wfi = false;
    run->core[1].ev[mpj_event_index("branch")] =
        (struct mpj_value){.present = true, .value = 50, .coverage = 0.5};
    f = mpj_group_figure(g, 1, run, 1, false);
    assert_true(f.value == 100.0 * 50 / 500 && f.estimate);
    f = mpj_group_figure(g, 0, run, 1, false);
    assert_true(f.value == 400 && !f.estimate);
    f = mpj_group_figure(g, 1, run, -1, false);
    assert_true(isnan(f.value));
    f = mpj_group_figure(g, 1, run, -1, true);
    assert_true(f.value == 100.0 * 50 / 1000 && f.estimate);
    mpj_group_free(g);
    assert_int_equal(mpj_group_parse(&g, "t", "title = T\n", &err), MPJ_E_USAGE);
    assert_string_equal(err.text, "t has no metric");
    assert_null(g);
    free(run);
}

static void test_bad_groups(void **state)
{
    static const char *const bad[][2] = {
        {"title = A\n", "./bad.conf has no metric"},
        {"events = instr\nmetric = a | core | 1 | instr\n", "./bad.conf has no title"},
        {"title\n", "./bad.conf, line 1: not `key = value`: title"},
        {"color = red\n",
         "./bad.conf, line 1: there is no such key (title, events, metric): color"},
        {"title = A\nevents = instr nonsense\n",
         "./bad.conf, line 2: there is no such event: nonsense"},
        {"metric = a | core | 1 | 1\n",
         "./bad.conf, line 1: the events must come before the metrics: a | core | 1 | 1"},
        {"events = instr\nmetric = a | core | instr\n",
         "./bad.conf, line 2: not `metric = name | core or chip | unit | formula`: a"},
        {"events = instr\nmetric = a | cpu | 1 | instr\n",
         "./bad.conf, line 2: neither core nor chip: cpu"},
        {"events = instr\nmetric = a | core | 1 | instr | x\n",
         "./bad.conf, line 2: decimals are a digit: x"},
        {"events = instr\nmetric = a | core | 1 | instr | 2 | 3\n",
         "./bad.conf, line 2: decimals are a digit: 2 | 3"},
        {"events = instr\nmetric = a | core | 1 | instr *\n",
         "./bad.conf, line 2: a: a number or a name expected at its end"},
        {"events = instr\nmetric = a | core | 1 | watts\n",
         "./bad.conf, line 2: a: there is no \"watts\""},
        {"events = instr\nmetric = a | core | 1 | branch\n",
         "./bad.conf, line 2: the formula uses an event that `events` does not list: branch"},
        {"events = scu_c2c_cpu0\nmetric = a | core | 1 | scu_c2c\n",
         "./bad.conf, line 2: the formula uses an event that `events` does not list: "
         "scu_c2c_cpu3"},
    };
    struct mpj_group *g;
    struct mpj_group **all;
    size_t n;

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        write_group("bad.conf", bad[i][0]);
        assert_int_equal(mpj_group_load(&g, ".", "bad", &err), MPJ_E_USAGE);
        assert_string_equal(err.text, bad[i][1]);
        assert_null(g);
    }
    assert_int_equal(mpj_group_all(&all, &n, ".", &err), MPJ_E_USAGE);
    assert_null(all);
    assert_int_equal(mpj_group_load(&g, ".", "none", &err), MPJ_E_USAGE);
    assert_string_equal(err.text, "no counter group is called \"none\" (bad)");
    assert_int_equal(mpj_group_load(&g, ".", "../bad", &err), MPJ_E_USAGE);
    assert_int_equal(mpj_group_load(&g, ".", "", &err), MPJ_E_USAGE);
    assert_int_equal(mpj_group_load(&g, "nowhere", "bad", &err), MPJ_E_IO);
    unlink("bad.conf");
}

/* Those that come with the program. */
static void test_ours(void **state)
{
    static const char *const name[] = {"branch", "cache", "coherence", "energy",
                                       "ipc",    "stall", "tlb"};
    struct mpj_group **all;
    size_t n;

    (void)state;
    assert_int_equal(mpj_group_all(&all, &n, MPJ_GROUPS, &err), MPJ_E_OK);
    assert_true(n >= sizeof(name) / sizeof(name[0]));
    for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
        bool found = false;
        for (size_t k = 0; k < n; k++)
            found = found || strcmp(all[k]->name, name[i]) == 0;
        assert_true(found);
    }
    for (size_t i = 0; i < n; i++)
        mpj_group_free(all[i]);
    free(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formulas),     cmocka_unit_test(test_bad_formulas),
        cmocka_unit_test(test_long_formula), cmocka_unit_test(test_group),
        cmocka_unit_test(test_figures),      cmocka_unit_test(test_bad_groups),
        cmocka_unit_test(test_ours),
    };

    return cmocka_run_group_tests(tests, test_dir_enter, test_dir_leave);
}
