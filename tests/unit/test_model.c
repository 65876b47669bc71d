/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Model files: the published one, a round trip, and what is refused with one line. */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "models/model.h"

static struct mpj_err err;
static struct mpj_model m, again;

/* A model that cannot be written leaves the older one. */
static void full_disk(const struct mpj_model *model, const char *path)
{
    const struct rlimit small = {100, 100};
    int status = 1;
    const pid_t child = fork();

    if (child == 0) {
        signal(SIGXFSZ, SIG_IGN);
        _exit(setrlimit(RLIMIT_FSIZE, &small) == 0 &&
                      mpj_model_save(model, path, &err) == MPJ_E_FULL
                  ? 0
                  : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void published(void **state)
{
    struct mpj_dataset_program p = {.time_s = 2, .clock_hz = 210e6};
    char path[] = "/tmp/mpjoule-model-XXXXXX";
    const int fd = mkstemp(path);

    (void)state;
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(mpj_model_load(&m, MPJ_PUBLISHED, &err), MPJ_E_OK);
    assert_int_equal(m.terms, 5);
    p.core[1].present = true;
    p.core[1].ev[mpj_event_index("instr")] = 2e8; /* 1e8 a second: 25.6 mW */
    assert_true(fabs(mpj_model_power(&m, &p, MPJ_MODEL_CHIP) - 814.6) < 1e-9);
    assert_true(fabs(mpj_model_power(&m, &p, 1) - (789.0 / 4 + 25.6)) < 1e-9);
    assert_true(fabs(mpj_model_power(&m, &p, 0) - 789.0 / 4) < 1e-9);
    assert_int_equal(mpj_model_missing(&m, &p), -1);
    p.core[1].ev[mpj_event_index("ddep_stall")] = NAN;
    assert_int_equal(mpj_model_missing(&m, &p), mpj_predictor_find("ddep_stall"));
    m.term[0].low = 0;
    m.term[0].high = 1e7;
    assert_int_equal(mpj_model_outside(&m, &p), 0);
    assert_int_equal(mpj_model_save(&m, path, &err), MPJ_E_OK);
    assert_int_equal(mpj_model_load(&again, path, &err), MPJ_E_OK);
    assert_string_equal(m.source, again.source);
    assert_true(again.constant_mw == 789 && again.term[2].c == 2.76e-5 &&
                again.term[0].high == 1e7);
    full_disk(&m, path);
    assert_int_equal(mpj_model_load(&again, path, &err), MPJ_E_OK);
    unlink(path);
}

/* The file that was there stays, whole, when the new one cannot be written to its end. */
static void not_written(void **state)
{
    char path[] = "/tmp/mpjoule-model-XXXXXX";
    const struct rlimit few = {100, RLIM_INFINITY}; /* bytes */
    const struct rlimit any = {RLIM_INFINITY, RLIM_INFINITY};
    const int fd = mkstemp(path);

    (void)state;
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(mpj_model_load(&m, MPJ_PUBLISHED, &err), MPJ_E_OK);
    assert_int_equal(mpj_model_save(&m, path, &err), MPJ_E_OK);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &few), 0);
    assert_int_not_equal(mpj_model_save(&m, path, &err), MPJ_E_OK);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &any), 0);
    assert_non_null(strstr(err.text, path));
    assert_int_equal(mpj_model_load(&again, path, &err), MPJ_E_OK);
    unlink(path);
}

static void refused(void **state)
{
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"", "not a model file"},
        {"[]", "format"},
        {"{\"format\":\"mpjoule-model/9\"}", "mpjoule-model/9"},
        {"{\"format\":\"mpjoule-model/1\"}", "name"},
        {"{\"format\":\"mpjoule-model/1\",\"name\":\"a\",\"method\":\"\"}",
         "empty: field \"method\""},
        {"{\"format\":\"mpjoule-model/1\",\"name\":\"a\",\"method\":\"b\",\"constant_mw\":1,"
         "\"terms\":[{\"predictor\":\"magic\"}]}",
         "magic"},
        {"{\"format\":\"mpjoule-model/1\",\"name\":\"a\",\"method\":\"b\",\"constant_mw\":1,"
         "\"terms\":[{\"predictor\":\"instr\"}]}",
         "coefficient_mw_s"},
        {"{\"format\":\"mpjoule-model/1\",\"name\":\"a\",\"method\":\"b\",\"constant_mw\":1,"
         "\"terms\":[{\"predictor\":\"instr\",\"coefficient_mw_s\":1,"
         "\"range_per_s\":[\"0\",1]}]}",
         "range_per_s"},
        {"{\"format\":\"mpjoule-model/1\",\"name\":\"a\",\"method\":\"b\",\"constant_mw\":1,"
         "\"terms\":[{\"predictor\":\"instr\",\"coefficient_mw_s\":1,"
         "\"range_per_s\":[2,1]}]}",
         "range_per_s"},
        {"{\"format\":\"mpjoule-model/1\",\"name\":\"a\",\"method\":\"b\",\"constant_mw\":1,"
         "\"terms\":[],\"provenance\":{\"programs\":-1},\"statistics\":{}}",
         "programs"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(mpj_model_parse(&m, bad[i].text, strlen(bad[i].text), "x.json", &err),
                         MPJ_E_STORE);
        assert_non_null(strstr(err.text, bad[i].says));
        assert_null(strchr(err.text, '\n'));
    }
}

/* An interval of another version is none; one of this version must be whole. */
static void intervals(void **state)
{
    static const char head[] = "{\"format\":\"mpjoule-model/1\",\"name\":\"a\",\"method\":\"b\","
                               "\"constant_mw\":1,\"terms\":[],\"provenance\":{},"
                               "\"statistics\":{},\"interval\":{\"version\":";
    static const struct {
        const char *rest, *says; /* NULL: taken */
        double level;
    } all[] = {
        {"2,\"level\":\"high\"}}", NULL, 0},
        {"1,\"level\":0.9,\"least_mw\":1,\"program_share\":0.5}}", NULL, 0.9},
        {"1,\"level\":0.9,\"least_mw\":1}}", "program_share", 0},
        {"1,\"level\":0.9,\"program_share\":0.5}}", "least_mw", 0},
        {"1,\"level\":0.9,\"least_mw\":-1,\"program_share\":0.5}}", "least_mw", 0},
        {"1,\"level\":1,\"least_mw\":1,\"program_share\":0.5}}", "level", 0},
        {"1,\"level\":0.9,\"least_mw\":1,\"program_share\":0.5,\"thread_share\":-1}}",
         "thread_share", 0},
        {"1,\"level\":0.9,\"least_mw\":1,\"program_share\":\"much\"}}", "program_share", 0},
    };
    char path[] = "/tmp/mpjoule-model-XXXXXX";
    const int fd = mkstemp(path);
    char text[400];

    (void)state;
    assert_true(fd >= 0);
    close(fd);
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        snprintf(text, sizeof(text), "%s%s", head, all[i].rest);
        assert_int_equal(mpj_model_parse(&m, text, strlen(text), "x.json", &err),
                         all[i].says != NULL ? MPJ_E_STORE : MPJ_E_OK);
        if (all[i].says != NULL)
            assert_non_null(strstr(err.text, all[i].says));
        else
            assert_true(m.interval.level == all[i].level);
    }
    assert_int_equal(mpj_model_load(&m, MPJ_PUBLISHED, &err), MPJ_E_OK);
    assert_true(m.interval.level == 0);
    m.interval =
        (struct mpj_model_interval){.level = 0.95, .least_mw = 2.5, .share = {0.125, 0.25, NAN}};
    assert_int_equal(mpj_model_save(&m, path, &err), MPJ_E_OK);
    assert_int_equal(mpj_model_load(&again, path, &err), MPJ_E_OK);
    assert_true(again.interval.level == 0.95 && again.interval.least_mw == 2.5 &&
                again.interval.share[MPJ_OF_PROGRAM] == 0.125 &&
                again.interval.share[MPJ_OF_THREAD] == 0.25 &&
                isnan(again.interval.share[MPJ_OF_FUNCTION]));
    unlink(path);
}

/* One that is a difference needs both of its events, and is shared as the L220's others are. */
static void difference(void **state)
{
    struct mpj_dataset_program p = {.time_s = 2, .clock_hz = 210e6};
    const int misses = mpj_predictor_find("l2_dr_miss");
    const int lines = mpj_predictor_find("mem_lines");
    bool want[MPJ_RUN_EVENTS_MAX] = {false};

    (void)state;
    p.chip[mpj_event_index("l2_drreq")] = 1000;
    p.chip[mpj_event_index("l2_drhit")] = 600;
    p.chip[mpj_event_index("l2_irreq")] = 50;
    p.chip[mpj_event_index("l2_irhit")] = 20;
    p.chip[mpj_event_index("l2_castout")] = 7;
    assert_true(mpj_predictor_rate((size_t)misses, &p, MPJ_MODEL_CHIP) == 200);
    assert_true(mpj_predictor_rate((size_t)lines, &p, MPJ_MODEL_CHIP) == 437 / 2.0);
    assert_false(mpj_predictor_of_core((size_t)misses));
    mpj_predictor_events((size_t)misses, false, want);
    assert_true(want[mpj_event_index("l2_drreq")] && want[mpj_event_index("l2_drhit")]);
    assert_false(want[mpj_event_index("l2_irreq")]);
    p.chip[mpj_event_index("l2_drhit")] = NAN;
    assert_true(isnan(mpj_predictor_rate((size_t)misses, &p, MPJ_MODEL_CHIP)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published),   cmocka_unit_test(difference), cmocka_unit_test(intervals),
        cmocka_unit_test(not_written), cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
