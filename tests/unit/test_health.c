/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The health of a board: what a session leaves there, with known samples and a known clock; what
 * puts a board in quarantine, and what only warns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "log_maker.h"
#include "run/health.h"
#include "test_dir.h"

static char id[] = "tile0";
static char port[] = "/dev/ttyTILE0";
static char tags[] = "pool";
static const struct mpj_board alone = {.id = id, .port = port};
static const struct mpj_board pooled = {.id = id, .port = port, .tags = tags};

/* Three seconds of samples: of a board in use, or of one whose ADC is like that. */
enum adc { MOVES, STUCK, NO_RAIL };

static void make_log(enum adc adc)
{
    log_begin("h.mplog", id, 0);
    for (unsigned k = 0; k < 300; k++) {
        const uint16_t n = adc == STUCK ? 0 : (uint16_t)(k % 5);
        const uint16_t code[MPJ_ADC_CHANNELS] = {
            [MPJ_ADC_CPU_V] = adc == NO_RAIL ? 0 : (uint16_t)(2000 + n),
            [MPJ_ADC_CPU_I] = adc == NO_RAIL ? 0 : (uint16_t)(1780 + n),
            [MPJ_ADC_PLL_V] = (uint16_t)(2037 + n),
            [MPJ_ADC_PLL_I] = (uint16_t)(1561 + n),
        };
        log_sample_all(k, (k + 1U) * LOG_PERIOD, code);
    }
    log_end(301U * LOG_PERIOD, 0);
}

/* Forgets all that was. */
static void forget(void)
{
    struct mpj_err err;

    unlink("mpjoule/boards/tile0.jsonl");
    assert_int_equal(mpj_quarantine_lift(getenv("MPJOULE_LOCKS"), &pooled, &err), MPJ_E_OK);
}

/* A session that ended well, whose board's clock is faster by ppm: records of 20 s, each 3 ms late
 * or more. */
static void session(const struct mpj_board *board, enum adc adc, double ppm)
{
    struct mpj_session_result r = {.rate = 921600, .line = {.frames = 10}};
    const struct mpj_err none = {.code = MPJ_E_OK};

    make_log(adc);
    for (unsigned k = 0; k < 200; k++)
        mpj_drift_add(&r.drift, 1000 + k * 0.1 + 0.003 + k % 7 * 0.001,
                      5 + k * 0.1 * (1 + ppm * 1e-6));
    run_health_note(board, MPJ_E_OK, &none, &r, "h.mplog");
}

/* The last line. */
static json_t *last(void)
{
    FILE *const f = fopen("mpjoule/boards/tile0.jsonl", "re");
    char line[2000];
    json_t *o = NULL;

    assert_non_null(f);
    while (fgets(line, sizeof(line), f) != NULL) {
        json_decref(o);
        o = json_loads(line, 0, NULL);
    }
    fclose(f);
    assert_non_null(o);
    return o;
}

static const char *quarantine(void)
{
    static char why[300];

    mpj_quarantine_get(getenv("MPJOULE_LOCKS"), &pooled, why, sizeof(why));
    return why;
}

static const char *warning(void)
{
    static char text[300];

    run_health_warning(&pooled, text, sizeof(text));
    return text;
}

static void text_is(json_t *o, const char *key, const char *words)
{
    const char *const text = json_string_value(json_object_get(o, key));

    if (words == NULL ? text != NULL : text == NULL || strstr(text, words) == NULL)
        fail_msg("%s: \"%s\", not \"%s\"", key, text != NULL ? text : "-",
                 words != NULL ? words : "-");
}

static void well(void **state)
{
    json_t *o;

    (void)state;
    forget();
    session(&pooled, MOVES, 0);
    o = last();
    assert_true(json_is_true(json_object_get(o, "ok")));
    text_is(o, "adc", "ok");
    text_is(o, "adc_says", NULL);
    assert_true(json_number_value(json_object_get(o, "clock_error_ppm")) < 200);
    json_decref(o);
    assert_string_equal(warning(), "");
    assert_string_equal(quarantine(), "");
}

static void clock_drifts(void **state)
{
    json_t *o;

    (void)state;
    forget();
    for (unsigned i = 0; i < 4; i++)
        session(&pooled, MOVES, -2500);
    o = last();
    assert_true(json_number_value(json_object_get(o, "clock_ppm")) > -2700);
    assert_true(json_number_value(json_object_get(o, "clock_ppm")) < -2300);
    json_decref(o);
    assert_non_null(strstr(warning(), "ppm slower than this machine's"));
    assert_string_equal(quarantine(), ""); /* its times are its own: a warning */
    session(&pooled, MOVES, 1e6);          /* twice as fast: not a clock that drifts */
    o = last();
    assert_null(json_object_get(o, "clock_ppm"));
    assert_true(json_number_value(json_object_get(o, "clock_speed")) > 1.99);
    json_decref(o);
    assert_non_null(strstr(warning(), "2 times the speed"));
}

static void samples(void **state)
{
    static const char *const says[] = {
        [STUCK] = "the ADC is stuck", [NO_RAIL] = "out of range: processor voltage 300 times"};
    json_t *o;

    (void)state;
    for (enum adc adc = STUCK; adc <= NO_RAIL; adc++) {
        forget();
        session(&pooled, adc, 0);
        session(&pooled, adc, 0);
        o = last();
        assert_true(json_is_true(json_object_get(o, "ok"))); /* the program ended well */
        text_is(o, "adc", "bad");
        text_is(o, "adc_says", says[adc]);
        json_decref(o);
        assert_non_null(strstr(warning(), says[adc]));
        assert_string_equal(quarantine(), "");
        session(&pooled, MOVES, 0); /* not in a row */
        session(&pooled, adc, 0);
        session(&pooled, adc, 0);
        assert_string_equal(quarantine(), "");
        session(&pooled, adc, 0);
        assert_non_null(strstr(quarantine(), "3 sessions in a row failed, the last one: samples"));
        assert_non_null(strstr(quarantine(), says[adc]));
    }
    forget();
    for (unsigned i = 0; i < 4; i++)
        session(&alone, STUCK, 0); /* nothing else would be chosen for it */
    assert_string_equal(quarantine(), "");
}

/* Bad samples and failed sessions count together; a session that was interrupted does not. */
static void together(void **state)
{
    const struct mpj_session_result r = {.rate = 921600};
    struct mpj_err err;

    (void)state;
    forget();
    session(&pooled, STUCK, 0);
    mpj_err_set(&err, MPJ_E_CANCELLED, "interrupted");
    run_health_note(&pooled, err.code, &err, &r, NULL);
    session(&pooled, STUCK, 0);
    mpj_err_set(&err, MPJ_E_LINK, "the board was lost");
    run_health_note(&pooled, err.code, &err, &r, "nothing.mplog");
    assert_non_null(strstr(quarantine(), "the last one: the board was lost"));
}

/* A board that was mended starts anew: what failed before its quarantine ended does not count. */
static void lifted(void **state)
{
    struct mpj_err err;

    (void)state;
    forget();
    for (unsigned i = 0; i < RUN_HEALTH_ROW; i++)
        session(&pooled, STUCK, 0);
    assert_string_not_equal(quarantine(), "");
    assert_int_equal(run_health_lift(&pooled, &err), MPJ_E_OK);
    assert_string_equal(quarantine(), "");
    for (unsigned i = 1; i < RUN_HEALTH_ROW; i++)
        session(&pooled, STUCK, 0);
    assert_string_equal(quarantine(), "");
    session(&pooled, STUCK, 0);
    assert_string_not_equal(quarantine(), "");
}

static int enter(void **state)
{
    char folder[1000];

    if (test_dir_enter(state) != 0 || getcwd(folder, sizeof(folder)) == NULL)
        return -1;
    return setenv("XDG_STATE_HOME", folder, 1) + setenv("MPJOULE_LOCKS", folder, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(well),     cmocka_unit_test(clock_drifts), cmocka_unit_test(samples),
        cmocka_unit_test(together), cmocka_unit_test(lifted),
    };

    return cmocka_run_group_tests(tests, enter, test_dir_leave);
}
