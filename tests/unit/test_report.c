/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From logs made here to the figures of a run. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "log_maker.h"
#include "report/report.h"
#include "report/store.h"
#include "test_dir.h"

static struct mpj_err err;

static void counter(uint32_t core, uint32_t event, uint64_t value, uint64_t active)
{
    const struct mpj_core_rec c = {.core = core,
                                   .flags = 1,
                                   .time = 1,
                                   .cycles = 1000 + core,
                                   .count = 1,
                                   .ev = {{event, value, active}}};

    log_data(mpj_core_put(log_payload(), &c));
}

static struct mpj_run *load(const char *const *logs, size_t n)
{
    struct mpj_run *run = NULL;

    assert_int_equal(mpj_store_build("r.mpj", logs, n, NULL, &err), 0);
    assert_int_equal(mpj_run_load(&run, "r.mpj", &err), 0);
    return run;
}

/* Samples at 10, 20 and 40 ms of a run of 50 ms stand for 15, 15 and 20 ms. Samples outside
 * the run do not count. */
static void energy(void **state)
{
    static const char *const logs[] = {"a.mplog"};
    struct mpj_run *run;

    (void)state;
    log_begin("a.mplog", "sim", 100000);
    log_sample(0, 90000, 4000, 4000);
    log_sample(1, 110000, 2000, 1000);
    log_sample(2, 120000, 2000, 2000);
    log_sample(4, 140000, 1000, 2000);
    log_sample(5, 160000, 4000, 4000);
    log_end(150000, 3);
    run = load(logs, 1);
    assert_true(run->complete);
    assert_float_equal(run->time_s, 0.05, 1e-12);
    assert_true(run->have_adc);
    assert_int_equal(run->adc_samples, 3);
    assert_int_equal(run->adc_lost, 1);
    assert_int_equal(run->adc_period_us, 10000);
    /* codes * 610 uV, codes * 244 uA */
    assert_float_equal(run->processor.v_avg_uv, 610.0 * (2000 * 30 + 1000 * 20) / 50, 1e-6);
    assert_float_equal(run->processor.i_avg_ua, 244.0 * (1000 * 15 + 2000 * 35) / 50, 1e-6);
    assert_float_equal(run->processor.energy_uj,
                       0.61 * 0.244 * (2000e3 * 15 + 4000e3 * 15 + 2000e3 * 20) * 1e-3, 1e-6);
    assert_true(run->have_exit);
    assert_int_equal(run->exit_status, 3);
    assert_false(run->have_truth);
    mpj_run_free(run);
}

static void no_samples(void **state)
{
    static const char *const logs[] = {"a.mplog"};
    struct mpj_run *run;

    (void)state;
    log_begin("a.mplog", "sim", 0);
    log_end(5000, 3);
    run = load(logs, 1);
    assert_false(run->have_adc);
    mpj_run_free(run);
}

static void spread(uint32_t owner, uint32_t id, struct mpj_event_spread e)
{
    struct mpj_spread_rec s = {.owner = owner, .id = id, .count = 1};

    s.ev[0] = e;
    log_data(mpj_spread_put(log_payload(), &s));
}

/* Error of events counted in turn: four turns of 10 cycles with 1, 3, 1, 3 counts, half of the
 * time: variance (1 - 1/2) * 4/3 / 4 of a mean of 2; 1.197 is Student's for three. */
static void turns(void **state)
{
    static const char *const logs[] = {"a.mplog"};
    struct mpj_run *run;
    struct mpj_value v;
    char text[4000];
    FILE *f;

    (void)state;
    log_begin("a.mplog", "sim", 0);
    counter(0, MPJ_EVENT_INSTR, 8, 5000);
    counter(1, MPJ_EVENT_INSTR, 24, 5000);
    counter(0, MPJ_EVENT_BRANCH, 100, 5000);
    counter(0, MPJ_EVENT_DCACHE_RD, 0, 0); /* its turn never came */
    counter(0, MPJ_EVENT_PC_CHANGE, 7, 10000);
    spread(MPJ_SPREAD_CORE, 0, (struct mpj_event_spread){MPJ_EVENT_INSTR, 4, 40, 8, 400, 80, 20});
    spread(MPJ_SPREAD_CORE, 1,
           (struct mpj_event_spread){MPJ_EVENT_INSTR, 4, 40, 24, 400, 240, 148});
    spread(MPJ_SPREAD_CORE, 0, (struct mpj_event_spread){MPJ_EVENT_BRANCH, 1, 10, 2, 100, 20, 4});
    log_end(10000, 3);
    run = load(logs, 1);
    v = mpj_core_value(&run->core[0], "instr");
    assert_int_equal(v.value, 16);
    assert_float_equal(v.error, 1.197 * sqrt(0.5 * 4.0 / 3.0 / 4.0) / 2.0, 1e-12);
    v = mpj_run_total(run, mpj_event_index("instr"));
    assert_int_equal(v.value, 64);
    assert_float_equal(v.error, 1.197 * 16.0 * sqrt(0.5 * 4.0 / 3.0 / 4.0) / 64.0, 1e-12);
    v = mpj_core_value(&run->core[0], "branch");
    assert_int_equal(v.value, 200);
    assert_true(isnan(v.error)); /* one turn says nothing of the others */
    assert_false(mpj_core_value(&run->core[0], "dcache_rd").present);
    assert_true(mpj_core_value(&run->core[0], "pc_change").error == 0.0);
    f = fmemopen(text, sizeof(text), "w");
    assert_int_equal(mpj_report_text(run, "cores", f, &err), 0);
    fclose(f);
    assert_non_null(strstr(text, "~16"));
    assert_non_null(strstr(text, "unknown"));
    assert_null(strstr(text, "~7"));
    mpj_run_free(run);
}

/* Two passes are merged; what was counted half of the time is scaled and says so. */
static void passes(void **state)
{
    static const char *const logs[] = {"a.mplog", "b.mplog"};
    struct mpj_run *run;
    struct mpj_value v;

    (void)state;
    log_begin("a.mplog", "sim", 0);
    counter(0, MPJ_EVENT_INSTR, 700, 10000);
    counter(1, MPJ_EVENT_INSTR, 300, 5000);
    log_end(10000, 3);
    log_begin("b.mplog", "sim", 50);
    counter(0, MPJ_EVENT_INSTR, 999, 10000); /* the first pass has it already */
    counter(1, MPJ_EVENT_BRANCH, 30, 10000);
    log_end(10050, 3);
    run = load(logs, 2);
    assert_int_equal(run->passes, 2);
    v = mpj_core_value(&run->core[0], "instr");
    assert_int_equal(v.value, 700);
    assert_true(v.coverage == 1.0);
    v = mpj_core_value(&run->core[1], "instr");
    assert_int_equal(v.value, 600);
    assert_true(v.coverage == 0.5);
    v = mpj_run_total(run, mpj_event_index("instr"));
    assert_int_equal(v.value, 1300);
    assert_true(v.coverage == 0.5);
    assert_false(mpj_core_value(&run->core[0], "branch").present);
    assert_int_equal(mpj_core_value(&run->core[1], "branch").value, 30);
    assert_int_equal(run->cycles, 1001);
    assert_false(run->core[2].present);
    mpj_run_free(run);
}

/* The last reading of a counter wins: readings under way are progress, not results. */
static void readings(void **state)
{
    static const char *const logs[] = {"a.mplog"};
    struct mpj_run *run;

    (void)state;
    log_begin("a.mplog", "sim", 0);
    counter(0, MPJ_EVENT_INSTR, 10, 100);
    counter(0, MPJ_EVENT_INSTR, 90, 10000);
    log_end(10000, 3);
    run = load(logs, 1);
    assert_int_equal(mpj_core_value(&run->core[0], "instr").value, 90);
    mpj_run_free(run);
}

/* A store that cannot be finished does not replace the one that is there. */
static void all_or_nothing(void **state)
{
    static const char *const good[] = {"a.mplog"};
    static const char *const bad[] = {"a.mplog", "missing.mplog"};
    struct mpj_run *run;

    (void)state;
    run = load(good, 1);
    mpj_run_free(run);
    assert_int_equal(mpj_store_build("r.mpj", bad, 2, NULL, &err), MPJ_E_IO);
    assert_int_equal(mpj_run_load(&run, "r.mpj", &err), 0);
    assert_int_equal(run->passes, 1);
    mpj_run_free(run);
    assert_int_equal(access("r.mpj.new", F_OK), -1);
}

/* A pass that could not begin leaves no log: the store of the others has the failure of the run; a
 * log that has one of its own keeps it. */
static void missing_pass(void **state)
{
    static const char *const logs[] = {"whole.mplog", "half.mplog"};
    static const struct mpj_err why = {MPJ_E_IO, "the emulator ended early"};
    struct stat whole;
    struct mpj_run *run;

    (void)state;
    log_begin(logs[0], "sim", 100000);
    log_end(150000, 3);
    log_begin(logs[1], "sim", 100000);
    log_end(150000, 3);
    assert_int_equal(stat(logs[1], &whole), 0);
    assert_int_equal(truncate(logs[1], whole.st_size - 4), 0);
    assert_int_equal(mpj_store_build_failed("r.mpj", logs, 1, NULL, &why, &err), 0);
    assert_int_equal(mpj_run_load(&run, "r.mpj", &err), 0);
    assert_int_equal(run->outcome, MPJ_E_IO);
    assert_string_equal(run->message, "the emulator ended early");
    mpj_run_free(run);
    assert_int_equal(mpj_store_build_failed("r.mpj", logs, 2, NULL, &why, &err), 0);
    assert_int_equal(mpj_run_load(&run, "r.mpj", &err), 0);
    assert_int_equal(run->outcome, MPJ_E_LOG);
    assert_null(run->message);
    mpj_run_free(run);
}

static void truth(const char *piece)
{
    struct mpj_writer *w = log_payload();

    mpj_put_raw(w, (const uint8_t *)piece, strlen(piece));
    log_frame(MPJ_LOG_TRUTH);
}

static char *shown(const struct mpj_report *r, const char *format)
{
    char *text = NULL;
    size_t n = 0;
    FILE *const f = open_memstream(&text, &n);

    assert_non_null(f);
    assert_int_equal(mpj_report_show(r, mpj_exporter_find(format, &err), f, &err), 0);
    fclose(f);
    return text;
}

/* Views and formats are found by their whole name; a group comes in every format. */
static void tables(void **state)
{
    static const char *const logs[] = {"t.mplog"};
    struct mpj_run *run;
    struct mpj_group *group;
    struct mpj_report r = {.group = &group, .groups = 1, .folder = "groups"};
    char *text;

    (void)state;
    assert_null(mpj_view_find("core", &err));
    assert_int_equal(err.code, MPJ_E_USAGE);
    assert_string_equal(err.text,
                        "no view is called \"core\" (summary, cores, threads, sync, "
                        "regions, timeline, memory, energy, samples, groups, functions, calls, "
                        "flame, energy-stack, events, over-time, adapt)");
    assert_null(mpj_exporter_find("svg", &err));
    assert_string_equal(err.text,
                        "no format is called \"svg\" (text, json, csv, xml, html, callgrind, "
                        "firefox, perfetto, pprof, folded)");
    log_begin("t.mplog", "sim", 100000);
    counter(0, MPJ_EVENT_INSTR, 250, 50000);
    log_end(150000, 0);
    run = load(logs, 1);
    assert_int_equal(mpj_report_run(run, "summary", "csv", stdout, &err), MPJ_E_USAGE);
    assert_string_equal(err.text, "the view summary does not come as csv (text, json, xml, "
                                  "html, callgrind, firefox, perfetto, pprof, folded)");
    assert_int_equal(mpj_report_run(run, "groups", "text", stdout, &err), MPJ_E_USAGE);
    assert_int_equal(mpj_group_parse(&group, "g",
                                     "title = T\nevents = instr branch\n"
                                     "metric = \"ipc\" | core | 1 | instr / cycles\n"
                                     "metric = unknown | chip | 1 | branch\n",
                                     &err),
                     MPJ_E_OK);
    r.run = run;
    r.view = mpj_view_find("groups", &err);
    text = shown(&r, "text");
    assert_non_null(strstr(text, "T (group g)"));
    free(text);
    text = shown(&r, "csv");
    assert_string_equal(text, "group,metric,unit,core,value\n\"g\",\"\"\"ipc\"\"\",\"1\",0,0.25\n"
                              "\"g\",\"\"\"ipc\"\"\",\"1\",all,0.25\n\"g\",\"unknown\",\"1\",,\n");
    free(text);
    text = shown(&r, "json");
    assert_non_null(strstr(text, "\"schema\": \"mpjoule-groups/1\""));
    assert_non_null(strstr(text, "\"value\": 0.25"));
    free(text);
    free(shown(&r, "xml"));
    assert_int_equal(system("grep -q '<value core=\"0\">0.25<' groups/group.g.xml"), 0);
    mpj_group_free(group);
    mpj_run_free(run);
}

/* What no table has is an error, not left out. */
static void unknown_event(void **state)
{
    static const char *const logs[] = {"u.mplog"};
    struct mpj_run *run = NULL;

    (void)state;
    log_begin("u.mplog", "sim", 100000);
    truth("{\"schema\":\"mpjoule-truth/1\",\"windows\":1,\"window\":{\"cycles\":7,");
    truth("\"scu\":{\"events\":{\"scu_mystery\":1}}}}");
    log_end(150000, 0);
    assert_int_equal(mpj_store_build("u.mpj", logs, 1, NULL, &err), 0);
    assert_int_equal(mpj_run_load(&run, "u.mpj", &err), MPJ_E_STORE);
    assert_non_null(strstr(err.text, "unknown event \"scu_mystery\""));
    assert_null(run);

    log_begin("u.mplog", "sim", 100000);
    counter(0, 0x77, 1, 50000);
    log_end(150000, 1);
    assert_int_equal(mpj_store_build("u.mpj", logs, 1, NULL, &err), MPJ_E_LOG);
    assert_non_null(strstr(err.text, "unknown event: pmu 0x77"));
}

/* A log that was cut off within the emulator's truth has everything else; one that says that all
 * went well has all of the truth, or is wrong. */
static void cut_in_the_truth(void **state)
{
    static const char *const logs[] = {"a.mplog"};
    struct mpj_run *run;
    long whole;
    FILE *f;

    (void)state;
    log_begin("a.mplog", "sim", 0);
    counter(0, MPJ_EVENT_INSTR, 90, 10000);
    truth("{\"schema\":\"mpjoule-truth/1\",");
    f = fopen("a.mplog", "rb");
    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    whole = ftell(f);
    fclose(f);
    truth("\"windows\":1,\"window\":{\"cycles\":7}}");
    log_end(10000, 3);
    run = load(logs, 1);
    assert_true(run->have_truth);
    mpj_run_free(run);
    assert_int_equal(truncate("a.mplog", whole + 10), 0);
    run = load(logs, 1);
    assert_false(run->have_truth);
    assert_int_equal(mpj_core_value(&run->core[0], "instr").value, 90);
    mpj_run_free(run);

    log_begin("a.mplog", "sim", 0);
    truth("{\"schema\":\"mpjoule-truth/1\",");
    log_end(10000, 3);
    assert_int_equal(mpj_store_build("r.mpj", logs, 1, NULL, &err), 0);
    assert_int_equal(mpj_run_load(&run, "r.mpj", &err), MPJ_E_STORE);
}

/* Cycles for which the calibration's equation was bounded: told from 1 % of the running ones on. */
static void bounded(void **state)
{
    static const char *const logs[] = {"a.mplog"};
    static const char *const cycles[] = {"2500", "99"};
    static char text[1 << 14];
    static char json[1 << 14];

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct mpj_run *run;
        FILE *f;

        log_begin("a.mplog", "sim", 0);
        counter(0, MPJ_EVENT_INSTR, 90, 10000);
        truth(
            "{\"schema\":\"mpjoule-truth/1\",\"windows\":1,\"window\":{\"cycles\":10000,\"cores\":["
            "{\"core\":0,\"cycles\":10000,\"wfi_cycles\":0,\"bounded_cycles\":");
        truth(cycles[i]);
        truth("},{\"core\":1,\"cycles\":10000,\"wfi_cycles\":10000,\"bounded_cycles\":0}]}}");
        log_end(10000, 3);
        run = load(logs, 1);
        f = fmemopen(text, sizeof(text), "w");
        assert_int_equal(mpj_report_text(run, MPJ_VIEW_SUMMARY, f, &err), 0);
        fclose(f);
        f = fmemopen(json, sizeof(json), "w");
        assert_int_equal(mpj_report_json(run, f, &err), 0);
        fclose(f);
        assert_true((strstr(text, "for 25.0 % of the time") != NULL) == (i == 0));
        assert_true((strstr(text, "Warning") != NULL) == (i == 0));
        assert_non_null(
            strstr(json, i == 0 ? "\"bounded_cycles\": 2500" : "\"bounded_cycles\": 99"));
        assert_null(strstr(json, "\"bounded_cycles\": 0"));
        mpj_run_free(run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns),          cmocka_unit_test(energy),
        cmocka_unit_test(no_samples),     cmocka_unit_test(passes),
        cmocka_unit_test(missing_pass),   cmocka_unit_test(readings),
        cmocka_unit_test(all_or_nothing), cmocka_unit_test(cut_in_the_truth),
        cmocka_unit_test(unknown_event),  cmocka_unit_test(tables),
        cmocka_unit_test(bounded),
    };
    return cmocka_run_group_tests(tests, test_dir_enter, test_dir_leave);
}
