/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The thread-level profile: from records made here to figures, JSON and views. */
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
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>
#include <libxml/parser.h>

#include "log_maker.h"
#include "report/report.h"
#include "report/store.h"
#include "test_dir.h"
#include "tile_board.h"

#define BEGIN 500U

static struct mpj_err err;
static struct mpj_run *run;

static void thread(uint32_t id, uint64_t created, uint64_t ended, uint64_t ran, uint64_t block,
                   const char *name)
{
    struct mpj_thread_rec t = {.id = id,
                               .parent = id > 1,
                               .flags = id == 1 ? MPJ_THREAD_MAIN : 0,
                               .entry = 0x8000 + id,
                               .created = BEGIN + created,
                               .ended = BEGIN + ended,
                               .run = ran,
                               .block = block,
                               .kernel = ran / 10,
                               .switches = 3,
                               .cycles = ran * 210,
                               .host = id == 2 ? 6000 : 0,
                               .count = 1,
                               .ev = {{0x08, ran * 100, ran}},
                               .name = {(const uint8_t *)name, strlen(name)}};

    t.core_run[(id - 1) % MPJ_CORES_MAX] = ran;
    log_data(mpj_thread_put(log_payload(), &t));
}

static void region(uint32_t fn, uint32_t caller, uint32_t id, uint64_t ran, uint64_t barrier)
{
    const struct mpj_region_rec g = {.fn = fn,
                                     .caller = caller,
                                     .thread = id,
                                     .size = 2,
                                     .calls = 5,
                                     .wall = 10000,
                                     .run = ran,
                                     .barrier = barrier,
                                     .cycles = ran * 210,
                                     .host = ran / 10};

    log_data(mpj_region_put(log_payload(), &g));
}

/* Thread 1 lives 100 ms, runs 60 and waits 30; thread 2 lives from 20 to 70 ms, runs 40, with one
 * event counted half the time. */
static int setup(void **state)
{
    const struct mpj_wait_rec wait = {1, 4, 0x9000, 2, 0x8104, 7, 30000, 20000};
    const struct mpj_parallel_rec parallel = {{10000, 80000, 10000, 0, 0}};
    struct mpj_timeline_rec line = {.thread = 1, .width = 50000, .count = 2};
    const char *const logs[] = {"a.mplog"};

    if (test_dir_enter(state) != 0)
        return 1;
    log_begin("a.mplog", "sim", BEGIN);
    log_meta("calibration", "mprofiler");
    log_meta("firmware_sha256", "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef");
    log_sample(0, BEGIN + 50000, 2000, 1000);
    thread(1, 0, 100000, 60000, 30000, "");
    thread(2, 20000, 70000, 40000, 0, "worker");
    log_data(mpj_wait_put(log_payload(), &wait));
    region(0x8200, 0x8300, 1, 9000, 1000);
    region(0x8200, 0x8310, 1, 9000, 0);
    region(0x8200, 0x8300, 2, 3000, 7000);
    line.bin[0].run = 50000;
    line.bin[1].run = 10000;
    line.bin[1].block = 30000;
    line.bin[1].host = 4000;
    log_data(mpj_timeline_put(log_payload(), &line));
    log_data(mpj_parallel_put(log_payload(), &parallel));
    log_end(BEGIN + 100000, 0);
    assert_int_equal(mpj_store_build("r.mpj", logs, 1, NULL, &err), 0);
    assert_int_equal(mpj_run_load(&run, "r.mpj", &err), 0);
    return 0;
}

static int teardown(void **state)
{
    mpj_run_free(run);
    return test_dir_leave(state);
}

static void near(double a, double b)
{
    assert_true(a > b - 1e-9 && a < b + 1e-9);
}

static void lives(void **state)
{
    const struct mpj_thread_result *const t = run->thread;

    (void)state;
    assert_int_equal(run->threads, 2);
    assert_string_equal(t[0].name, "main");
    assert_string_equal(t[1].name, "worker");
    near(t[0].life_s, 0.1);
    near(t[0].run_s, 0.06);
    near(t[0].block_s, 0.03);
    near(t[0].other_s, 0.01);
    near(t[1].created_s, 0.02);
    near(t[1].life_s, 0.05);
    near(t[1].core_run_s[1], 0.04);
    near(t[1].host_s, 0.006);
    near(t[1].other_s, 0.004);
    assert_int_equal(t[0].bins, 2);
    assert_true(mpj_thread_bin(&t[0], 1).block_s > 0.0299F &&
                mpj_thread_bin(&t[0], 1).block_s < 0.0301F);
    assert_true(mpj_thread_bin(&t[0], 1).host_s > 0.00399F &&
                mpj_thread_bin(&t[0], 1).host_s < 0.00401F);
    near(run->parallel_s[1], 0.08);
    assert_int_equal(run->columns, 1);
    assert_true(mpj_run_value(run, t[1].ev, mpj_event_index("instr")).present);
    assert_int_equal(mpj_run_value(run, t[1].ev, mpj_event_index("instr")).value, 4000000);
    assert_false(mpj_run_value(run, t[1].ev, mpj_event_index("branch")).present);
}

/* Shares: 60 and 40 ms of 100 ms busy and 300 ms waiting cores. */
static void energy(void **state)
{
    const double all = 0.1 + TILE_WAITING_WEIGHT * 0.3;

    (void)state;
    assert_true(run->have_adc);
    near(run->thread[0].energy_uj, run->processor.energy_uj * 0.06 / all);
    near(run->thread[0].energy_uj + run->thread[1].energy_uj + run->idle_energy_uj,
         run->processor.energy_uj);
}

/* Two callers are one construct; the rest of main's time is the serial part. */
static void regions(void **state)
{
    const struct mpj_region_result *const g = run->region;

    (void)state;
    assert_int_equal(run->regions, 2);
    assert_string_equal(g[0].name, "serial");
    near(g[0].run_s, 0.042);
    near(g[0].wall_s, 0.08);
    assert_string_equal(g[1].name, "0x00008200");
    assert_int_equal(g[1].calls, 10);
    assert_int_equal(g[1].parts, 2);
    near(g[1].wall_s, 0.02);
    near(g[1].barrier_s, 0.008);
    near(g[1].imbalance, 0.2);
}

static void waits(void **state)
{
    (void)state;
    assert_int_equal(run->waits, 1);
    assert_string_equal(mpj_wait_name(run->wait[0].kind), "join");
    assert_string_equal(mpj_wait_name(1000), "other");
    near(run->wait[0].longest_s, 0.02);
    assert_int_equal(run->wait[0].owner, 2);
}

static char *text_of(const char *view)
{
    char *text = NULL;
    size_t n = 0;
    FILE *const f = open_memstream(&text, &n);

    assert_non_null(f);
    assert_int_equal(mpj_report_text(run, view, f, &err), 0);
    fclose(f);
    return text;
}

static void has(const char *view, const char *what)
{
    char *const text = text_of(view);

    if (strstr(text, what) == NULL)
        fail_msg("\"%s\" is not in:\n%s", what, text);
    free(text);
}

static void views(void **state)
{
    (void)state;
    setenv("LC_ALL", "C", 1);
    has("timeline", "1 main             |##############################::::::::");
    has("timeline", "1 core    80.0 %");
    has("threads", "2 worker               20.000     50.000     40.000");
    has("sync",
        "join          0x00009000                 1         7      30.000      20.000   20.0 %");
    has("regions", "serial");
    setenv("LC_ALL", "C.UTF-8", 1);
    has("timeline", "██▂");
}

static char *shown(struct mpj_report r, const char *view)
{
    char *text = NULL;
    size_t size;
    FILE *const f = open_memstream(&text, &size);

    r.run = run;
    r.view = mpj_view_find(view, &err);
    assert_int_equal(mpj_report_show(&r, mpj_exporter_find("text", &err), f, &err), 0);
    fclose(f);
    return text;
}

static void says(char *text, const char *const *lines)
{
    const char *at = text;

    for (; *lines != NULL; lines++) {
        const char *const next = strstr(at, *lines);
        if (next == NULL)
            fail_msg("no \"%s\" in\n%s", *lines, at);
        at = next + 1;
    }
    free(text);
}

/* Mutex 0x9000: 10 ms of thread 1, 6 of thread 2 from two places; barrier 0x9100: 12 ms; two
 * threads without work. */
static void wait_groups(void **state)
{
    static const struct mpj_wait_rec wait[] = {
        {1, 1, 0x9000, 2, 0x8104, 3, 10000, 4000}, {2, 1, 0x9000, 1, 0x8104, 2, 1000, 900},
        {2, 1, 0x9000, 1, 0x8204, 9, 5000, 5000},  {2, 3, 0x9100, 0, 0x8304, 1, 12000, 12000},
        {1, 15, 0x9200, 0, 0, 1, 2000, 2000},      {2, 15, 0x9300, 0, 0, 1, 1000, 1000},
    };
    static const char *const all[] = {
        "mutex         0x00009000                 2        14      16.000       5.000   10.7 %  "
        "0x00008104, held by 2 worker\n",
        "  barrier       0x00009100                 1         1      12.000      12.000    8.0 %  "
        "0x00008304\n",
        "  omp idle      -                          2         2       3.000       2.000    2.0 %",
        "each thread's waits: --details\n", NULL};
    static const char *const top[] = {"  mutex ", "  2 more, shorter ones (--top 0 shows all)\n",
                                      NULL};
    static const char *const details[] = {
        "  mutex ",
        "    1 main              0x00008104                   3      10.000       4.000           "
        "held by 2 worker\n",
        "    2 worker            0x00008204                   9       5.000       5.000           "
        "held by 1 main\n",
        "    2 worker            0x00008104                   2       1.000       0.900           "
        "held by 1 main\n",
        "  barrier ",
        NULL};
    const char *const logs[] = {"w.mplog"};
    struct mpj_run *const two = run;

    (void)state;
    log_begin("w.mplog", "sim", BEGIN);
    thread(1, 0, 100000, 60000, 30000, "");
    thread(2, 20000, 70000, 40000, 0, "worker");
    for (size_t i = 0; i < sizeof(wait) / sizeof(wait[0]); i++)
        log_data(mpj_wait_put(log_payload(), &wait[i]));
    log_end(BEGIN + 100000, 0);
    assert_int_equal(mpj_store_build("w.mpj", logs, 1, NULL, &err), 0);
    assert_int_equal(mpj_run_load(&run, "w.mpj", &err), 0);
    says(shown((struct mpj_report){.top = -1}, "sync"), all);
    says(shown((struct mpj_report){.top = 1}, "sync"), top);
    says(shown((struct mpj_report){.top = 0, .details = true}, "sync"), details);
    mpj_run_free(run);
    run = two;
}

/* Constructs one line each, the most expensive first; who took part on request. */
static void region_lines(void **state)
{
    static const char *const all[] = {"  serial ", "  0x00008200              10      2 ",
                                      "each thread's part: --details\n", NULL};
    static const char *const top[] = {"  serial ", "  1 more, of less cost (--top 0 shows all)\n",
                                      NULL};
    static const char *const details[] = {"  0x00008200 ", "    1 main ", "    2 worker ", NULL};
    char *text;

    (void)state;
    says(shown((struct mpj_report){.top = -1}, "regions"), all);
    text = shown((struct mpj_report){.top = 1}, "regions");
    assert_null(strstr(text, "0x00008200"));
    says(text, top);
    says(shown((struct mpj_report){.top = -1, .details = true}, "regions"), details);
    text = shown((struct mpj_report){.top = -1}, "regions");
    assert_null(strstr(text, "2 worker"));
    free(text);
}

/* 24 lines of 80 characters, whatever the run; but names in a command are not cut. */
static void fits(const char *text)
{
    unsigned lines = 0;

    for (const char *at = text; *at != '\0'; lines++) {
        const size_t n = strcspn(at, "\n");
        char *const line = strndup(at, n);
        size_t characters = 0;
        for (size_t i = 0; i < n; i++)
            characters += ((unsigned char)line[i] & 0xc0) != 0x80;
        if (characters > 80 && strstr(line, "mpjoule r") == NULL)
            fail_msg("%zu characters: %s", characters, line);
        free(line);
        at += n + 1;
    }
    if (lines > 24)
        fail_msg("%u lines:\n%s", lines, text);
}

static void screen(void **state)
{
    /* 3 of 4 cores idle; 30 ms of 150 waited; 21 of 63 ms in the region */
    static const char *const hints[] = {
        "Threads      2, on average 1.00 of 4 cores busy, only one 80.0 % of the time\n",
        "\nLook next\n",
        "  Idle cores: 3.00 of 4 on average; only one busy 80.0 % of the time\n"
        "    mpjoule report --view timeline 'a b.mpj'\n",
        "  Region 0x00008200: 33.3 % of the threads' time, imbalance 20.0 %\n"
        "    mpjoule report --view regions --details 'a b.mpj'\n",
        "  Waits for join: 30.000 ms, 20.0 % of the threads' lives\n"
        "    mpjoule report --view sync 'a b.mpj'\n",
        "  All of it: mpjoule report --details 'a b.mpj'\n",
        NULL};
    static const char *const events[] = {
        "instr",          "ddep_stall", "ifetch_stall", "lsu_stall", "dcache_rd",
        "dcache_rd_miss", "dcache_wr",  "icache_miss",  "branch",    "branch_mispred"};
    static char name[] = "a program with a name that is as long as a path may become in a folder "
                         "of somebody who likes them long.elf";
    const struct mpj_report r = {.file = "a b.mpj", .top = -1};
    char *const program = run->program;
    char *const arguments = run->arguments;
    char *text;

    (void)state;
    text = shown(r, "summary");
    fits(text);
    says(text, hints);
    /* everything counted, in turn, a model, an overhead, lost samples and records */
    run->program = run->arguments = name;
    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
        for (unsigned k = 0; k < MPJ_CORES_MAX; k++) {
            run->core[k].present = run->core[k].have_wfi = true;
            run->core[k].cycles = 21000000;
            run->core[k].ev[mpj_event_index(events[i])] = (struct mpj_value){
                .present = true, .value = 10000000 + i, .coverage = 0.1, .error = 0.5};
        }
    }
    run->bare = (struct mpj_bare){.present = true, .time_s = 0.09};
    run->model = (struct mpj_run_model){.present = true,
                                        .name = "a model of a very long name, too",
                                        .energy_uj = 123456,
                                        .stated_percent = 4.9,
                                        .adc_percent = 123.45,
                                        .meter = "the ADC",
                                        .outside = "dcache_evict"};
    run->have_truth = true;
    run->truth.energy_uj = 123456;
    run->truth.cycles = 21000000;
    run->dropped = 1000000;
    text = shown(r, "summary");
    assert_non_null(strstr(text, "against the ADC, too few samples to judge the model\n"));
    free(text);
    run->adc_samples = 10;
    text = shown(r, "summary");
    fits(text);
    assert_non_null(strstr(text, "Program      a program with"));
    assert_non_null(strstr(text, "...  (sha256 0123456789ab)\n"));
    assert_non_null(strstr(text, "100.00 % of data cache reads miss\n"));
    assert_non_null(
        strstr(text, "+123.45 % against the ADC, MORE than the stated error of 4.90 %\n"));
    free(text);
    run->program = program;
    run->arguments = arguments;
}

/* A program of 40 threads fits a screen, and nothing of it is lost. */
static void crowd(void **state)
{
    struct mpj_timeline_rec line = {.thread = 40, .width = 100000, .count = 1};
    const char *const logs[] = {"crowd.mplog"};
    struct mpj_run *const two = run;
    unsigned lines = 0;

    (void)state;
    log_begin("crowd.mplog", "sim", BEGIN);
    for (uint32_t id = 1; id <= 40; id++)
        thread(id, 0, 50000, id == 20 ? 30000 : 1000 + id, 2000, id == 1 ? "" : "worker");
    line.bin[0].run = 50000;
    log_data(mpj_timeline_put(log_payload(), &line));
    line.thread = 2;
    log_data(mpj_timeline_put(log_payload(), &line));
    log_end(BEGIN + 100000, 0);
    assert_int_equal(mpj_store_build("crowd.mpj", logs, 1, NULL, &err), 0);
    assert_int_equal(mpj_run_load(&run, "crowd.mpj", &err), 0);
    assert_int_equal(run->threads, 40);

    setenv("LC_ALL", "C", 1);
    /* 20 and 27 to 40 ran longest; 1 to 19 and 21 to 26 together: 25 * 1 ms + 331 us */
    has("threads", "  20 worker               0.000     50.000     30.000");
    has("threads", "  25 others                       1250.000     25.331     50.000");
    has("timeline", "  40 worker          |====");
    has("timeline", "  25 others          |====");
    has("timeline", "  busy cores         |1111");
    char *const text = text_of("threads");
    assert_null(strstr(text, "  26 worker"));
    assert_non_null(strstr(text, "  27 worker"));
    for (const char *at = text; (at = strstr(at, " worker ")) != NULL; at++)
        lines++;
    assert_int_equal(lines, 2 * 15);
    free(text);
    mpj_run_free(run);
    run = two;
}

/* Of a thread that began late, nothing is kept of the time before; it is shown all the same. */
static void late(void **state)
{
    struct mpj_timeline_rec line = {.thread = 1, .width = 10000, .first = 8, .count = 2};
    const char *const logs[] = {"late.mplog"};
    struct mpj_run *const two = run;
    const struct mpj_thread_result *t;
    char *text = NULL;
    size_t size;
    FILE *f;

    (void)state;
    log_begin("late.mplog", "sim", BEGIN);
    thread(1, 80000, 100000, 15000, 0, "");
    line.bin[0].run = 10000;
    line.bin[1].run = 5000;
    log_data(mpj_timeline_put(log_payload(), &line));
    log_end(BEGIN + 100000, 0);
    assert_int_equal(mpj_store_build("late.mpj", logs, 1, NULL, &err), 0);
    assert_int_equal(mpj_run_load(&run, "late.mpj", &err), 0);
    t = run->thread;
    assert_int_equal(t->bins, 10);
    assert_int_equal(t->first_bin, 8);
    assert_true(mpj_thread_bin(t, 7).run_s == 0 && mpj_thread_bin(t, 8).run_s > 0.0099F);
    setenv("LC_ALL", "C", 1);
    has("timeline", "1 main             |                                                ######");
    f = open_memstream(&text, &size);
    assert_int_equal(mpj_report_run(run, "timeline", "csv", f, &err), 0);
    fclose(f);
    assert_non_null(strstr(text, "\n1,0,0,0,0\n1,0.01,0,0,0\n"));
    assert_non_null(strstr(text, "\n1,0.07,0,0,0\n1,0.08,0.01,0,0\n1,0.09,0.005,0,0\n"));
    free(text);
    mpj_run_free(run);
    run = two;
}

static void valid_json(double model_uj)
{
    FILE *const f = fopen("r.json", "w");

    assert_int_equal(mpj_report_json(run, f, &err), 0);
    fclose(f);
    assert_int_equal(system("\"" MPJ_SCHEMA_CHECK "\" \"" MPJ_SCHEMA "\" r.json"), 0);
    json_t *const data = json_load_file("r.json", 0, NULL);
    assert_non_null(data);
    assert_int_equal(json_array_size(json_object_get(data, "threads")), 2);
    assert_int_equal(json_array_size(json_object_get(data, "regions")), 2);
    assert_true(json_number_value(json_object_get(json_object_get(data, "model"), "energy_uj")) ==
                model_uj);
    json_decref(data);
}

static void json(void **state)
{
    const double energy = run->thread[0].energy_uj;

    (void)state;
    valid_json(0);
    run->model = (struct mpj_run_model){.present = true,
                                        .name = "m",
                                        .energy_uj = 5,
                                        .stated_percent = 1,
                                        .adc_percent = -2,
                                        .outside = "instr"};
    valid_json(5);
    run->model.stated_percent = run->model.adc_percent = run->thread[0].energy_uj = NAN;
    run->model.outside[0] = '\0';
    valid_json(5); /* what is not known is absent */
    run->model.present = false;
    run->thread[0].energy_uj = energy;
}

static void exports(void **state)
{
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);

    (void)state;
    assert_int_equal(mpj_report_run(run, "threads", "csv", f, &err), 0);
    assert_int_equal(mpj_report_run(run, "summary", "csv", f, &err), MPJ_E_USAGE);
    assert_int_equal(mpj_report_run(run, "cores", "csv", f, &err), 0);
    fclose(f);
    assert_non_null(strstr(text, "core,cycles,wfi_cycles,energy_uj"));
    assert_non_null(strstr(text, "\nchip,,,"));
    assert_non_null(strstr(text, ",energy_uj,instr\n1,\"main\",0,0.1,0.06,0.03,0.01,"));
    free(text);
    assert_int_equal(mpj_report_xml(run, "x", &err), 0);
    assert_int_equal(access("x/thread.2.xml", F_OK), 0);
    assert_int_equal(access("x/region.1.thread.2.xml", F_OK), 0);
    assert_int_equal(system("grep -q '<hwpcevent name=\"instr\">4000000<' x/thread.2.xml"), 0);
    assert_int_equal(mpj_report_xml(run, "/proc/none", &err), MPJ_E_IO);
}

/* A folder of XML files is of one report, whole or as it was before. */
static void xml_folder(void **state)
{
    const struct rlimit small = {600, 600};
    int status = 1;
    pid_t child;

    (void)state;
    /* its name is not a URI */
    assert_int_equal(mkdir("r2", 0755), 0);
    assert_int_equal(mpj_report_xml(run, "r%32", &err), 0);
    assert_int_equal(access("r%32/thread.2.xml", F_OK), 0);
    assert_int_equal(rmdir("r2"), 0); /* empty */
    /* what an earlier report left goes, and nothing else does */
    assert_int_equal(system("cd r%32 && cp thread.2.xml thread.99.xml && "
                            "cp thread.2.xml region.9.thread.7.xml && cp thread.2.xml group.x.xml "
                            "&& : >thread.98.xml && cp thread.2.xml own.xml && "
                            "echo '<thread/>' >thread.own.xml && mkdir thread.d.xml && "
                            "ln -s own.xml thread.97.xml && ls | grep -v '9[789].xml\\|region.9' "
                            ">../kept && sha256sum own.xml >../sums && chmod 640 thread.2.xml"),
                     0);
    assert_int_equal(mpj_report_xml(run, "r%32", &err), 0);
    assert_int_equal(system("cd r%32 && sha256sum --quiet -c ../sums && "
                            "test $(stat -c %a thread.2.xml) = 640 && ls | cmp - ../kept"),
                     0);
    /* a full disk changes nothing */
    assert_int_equal(system("cp -r r%32 full && (cd full && sha256sum *.xml >../sums 2>&1); ls "
                            "full >kept"),
                     0);
    child = fork();
    if (child == 0) {
        signal(SIGXFSZ, SIG_IGN);
        _exit(setrlimit(RLIMIT_FSIZE, &small) == 0 &&
                      mpj_report_xml(run, "full", &err) == MPJ_E_FULL &&
                      strncmp(err.text, "cannot write full/thread.", 25) == 0 &&
                      mpj_report_xml(run, "none", &err) == MPJ_E_FULL
                  ? 0
                  : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(system("ls full | cmp - kept && cd full && sha256sum *.xml 2>&1 | cmp - "
                            "../sums"),
                     0);
    assert_int_equal(access("none", F_OK), -1);
}

/* What a program calls itself and its threads may be shown: to a terminal, as JSON, as XML. */
static void names(void **state)
{
    static const struct {
        const char *given, *shown;
    } table[] = {
        {"na\xc3\xafve <&\">", "na\xc3\xafve <&\">"},
        {"\x1b[31m\n\t\x7f", "\xef\xbf\xbd[31m\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
        {"a\xff\xc0\x80", "a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, /* no UTF-8; NUL, too long */
        {"cut \xe2\x82", "cut \xef\xbf\xbd\xef\xbf\xbd"},
        {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, /* half of a pair */
        {"\xc2\x9b \xf0\x9f\x98\x80", "\xef\xbf\xbd \xf0\x9f\x98\x80"},
        {"\xef\xbf\xbf", "\xef\xbf\xbd"}, /* not in XML */
        {"\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
    };
    const unsigned n = sizeof(table) / sizeof(table[0]);
    const char *const logs[] = {"names.mplog"};
    struct mpj_run *odd = NULL;
    FILE *f = fopen("names.json", "w");

    (void)state;
    assert_non_null(f);
    log_begin("names.mplog", "sim", BEGIN);
    log_meta("program", table[1].given);
    log_meta("arguments", table[2].given);
    for (unsigned i = 0; i < n; i++)
        thread(i + 1, 0, 100000, 60000, 30000, table[i].given);
    log_end(BEGIN + 100000, 0);
    assert_int_equal(mpj_store_build("names.mpj", logs, 1, NULL, &err), 0);
    assert_int_equal(mpj_run_load(&odd, "names.mpj", &err), 0);
    assert_string_equal(odd->program, table[1].shown);
    assert_string_equal(odd->arguments, table[2].shown);
    assert_int_equal(odd->threads, n);
    for (unsigned i = 0; i < n; i++)
        assert_string_equal(odd->thread[i].name, table[i].shown);
    assert_int_equal(mpj_report_json(odd, f, &err), 0);
    fclose(f);
    assert_int_equal(system("[ $(grep -c '\"name\":' names.json) -ge 8 ]"), 0);
    assert_int_equal(mpj_report_xml(odd, "names", &err), 0);
    mpj_run_free(odd);
    for (unsigned i = 0; i < n; i++) {
        char path[64];
        xmlDoc *doc;
        snprintf(path, sizeof(path), "names/thread.%u.xml", i + 1);
        doc = xmlReadFile(path, NULL, XML_PARSE_NOERROR);
        assert_non_null(doc);
        xmlFreeDoc(doc);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),       cmocka_unit_test(lives),        cmocka_unit_test(energy),
        cmocka_unit_test(regions),     cmocka_unit_test(waits),        cmocka_unit_test(views),
        cmocka_unit_test(wait_groups), cmocka_unit_test(region_lines), cmocka_unit_test(json),
        cmocka_unit_test(exports),     cmocka_unit_test(crowd),        cmocka_unit_test(late),
        cmocka_unit_test(screen),      cmocka_unit_test(xml_folder),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
