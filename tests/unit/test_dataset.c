/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The data set of a campaign: what goes in comes out, whatever the order; what is missing is said.
 */
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

#include <sqlite3.h>

#include "models/dataset.h"
#include "test_dir.h"

#define PASSES 2U

static struct mpj_err err;

static struct mpj_dataset_writer *begin(const char *path, unsigned programs)
{
    struct mpj_dataset_writer *w;

    assert_int_equal(mpj_dataset_open(&w, path, &err), MPJ_E_OK);
    assert_int_equal(mpj_dataset_label(w, "kind", "random", &err), MPJ_E_OK);
    assert_int_equal(mpj_dataset_label(w, "calibration", "mprofiler", &err), MPJ_E_OK);
    assert_int_equal(mpj_dataset_label(w, "generator_seed", "18446744073709551615", &err),
                     MPJ_E_OK);
    assert_int_equal(mpj_dataset_label(w, "passes", "2", &err), MPJ_E_OK);
    for (unsigned i = 0; i < programs; i++) {
        char name[16];
        const struct mpj_dataset_plan plan = {name, i % 2 == 0 ? "alu" : "memory", "says \"a, b\"",
                                              i + 1};
        snprintf(name, sizeof(name), "p%03u", i);
        assert_int_equal(mpj_dataset_program(w, i, &plan, &err), MPJ_E_OK);
    }
    assert_int_equal(mpj_dataset_begin(w, &err), MPJ_E_OK);
    return w;
}

/* Records a run as text that another machine has made of it. */
static void send(struct mpj_dataset_writer *w, unsigned id, unsigned pass,
                 const struct mpj_run *run)
{
    json_t *rows;
    char *text;

    assert_int_equal(mpj_dataset_rows(&rows, id, pass, run, &err), MPJ_E_OK);
    text = json_dumps(rows, JSON_COMPACT | JSON_REAL_PRECISION(17));
    json_decref(rows);
    rows = json_loads(text, 0, NULL);
    assert_int_equal(mpj_dataset_put(w, id, pass, rows, &err), MPJ_E_OK);
    json_decref(rows);
    free(text);
}

static bool travels; /* how record() records */
static unsigned board_cores = 4;

/* Pass 0 counts instr on two cores, pass 1 ddep_stall; times differ by 1 %. */
static void record(struct mpj_dataset_writer *w, unsigned id, unsigned pass)
{
    struct mpj_run run = {.clock_hz = 210000000,
                          .machine.cores = board_cores,
                          .cores_mask = 3,
                          .complete = true,
                          .time_s = pass == 0 ? 0.1 : 0.101,
                          .have_adc = true,
                          .adc_samples = 100,
                          .have_truth = pass == 0};
    struct mpj_value counted[2][MPJ_RUN_EVENTS_MAX] = {{{.present = false}}};
    struct mpj_thread_result t[2] = {{.id = 1, .run_s = 0.09, .cycles = 18900000, .ev = counted[0]},
                                     {.id = 2, .ev = counted[1]}};
    __typeof__(*run.truth.thread) truth = {.id = 1, .cycles = 18900007, .energy_uj = 8888};

    mpj_run_columns(&run, NULL);
    run.threads = 2;
    run.thread = t;
    run.truth.threads = 1;
    run.truth.thread = &truth;
    run.processor.energy_uj = (600.0 + pass) * 1e3 * run.time_s;
    mpj_supplies_of(&mpj_machine_unstated, &run.supplies);
    run.rail[1].energy_uj = 20.0 * 1e3 * run.time_s;
    for (unsigned k = 0; k < 2; k++) {
        run.core[k].present = run.core[k].have_wfi = true;
        run.core[k].cycles = 21000000;
        run.core[k].wfi_cycles = k * 1000;
        run.core[k].ev[mpj_event_index(pass == 0 ? "instr" : "ddep_stall")] =
            (struct mpj_value){.present = true, .value = 101000 * (k + 1), .coverage = 1.0};
    }
    run.chip[mpj_event_index("l2_drreq")] =
        (struct mpj_value){.present = pass == 0, .value = 77, .coverage = 1.0};
    run.truth.cycles = 21000000;
    run.truth.energy_uj = 60000;
    run.truth.shared_energy_uj = 20000;
    for (unsigned k = 0; k < MPJ_CORES_MAX; k++)
        run.truth.core[k].energy_uj = 10000 + k;
    t[0].ev[mpj_event_index(pass == 0 ? "instr" : "ddep_stall")] =
        (struct mpj_value){.present = true, .value = 50500, .coverage = 1.0};
    if (travels)
        send(w, id, pass, &run);
    else
        assert_int_equal(mpj_dataset_record(w, id, pass, &run, &err), MPJ_E_OK);
}

static char *csv_of(const char *path)
{
    struct mpj_dataset *ds;
    char *text = NULL;
    size_t size = 0;
    FILE *const f = open_memstream(&text, &size);

    assert_int_equal(mpj_dataset_load(&ds, path, &err), MPJ_E_OK);
    assert_int_equal(mpj_dataset_csv(ds, f, &err), MPJ_E_OK);
    fclose(f);
    mpj_dataset_free(ds);
    return text;
}

/* A damaged data set is told in one line that names the place. */
static void test_damage(void **state)
{
    static const struct {
        const char *sql, *says;
    } damage[] = {
        {"DROP TABLE meta; CREATE TABLE meta (key, value); "
         "INSERT INTO meta VALUES ('kind', 'a'), ('kind', 'b'), ('passes', '2')",
         "d.mpc is damaged: a label occurs twice"},
        {"UPDATE meta SET value = x'00'", "meta.value is X'00'"},
        {"UPDATE program SET name = x'41' WHERE id = 0", "program.name is X'41'"},
        {"UPDATE program SET threads = -1", "program.threads is -1"},
        {"UPDATE run SET time_s = -0.1", "run.time_s is -0.1"},
        {"UPDATE run SET energy_uj = 'x'", "run.energy_uj is 'x'"},
        {"UPDATE run SET adc_samples = -3", "run.adc_samples is -3"},
        {"UPDATE core SET cycles = -1", "core.cycles is -1"},
        {"UPDATE core SET wfi_cycles = 1 << 40", "core 0 waited for"},
        {"UPDATE observation SET value = 1.5", "observation.value is 1.5"},
        {"UPDATE truth SET energy_uj = -1", "truth.energy_uj is -1.0"},
        {"UPDATE thread SET run_s = -1", "thread.run_s is -1.0"},
        {"UPDATE thread_truth SET energy_uj = 9e999", "thread_truth.energy_uj is "},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(damage) / sizeof(damage[0]); i++) {
        struct mpj_dataset_writer *const w = begin("d.mpc", 1);
        struct mpj_dataset *ds;
        sqlite3 *db = NULL;

        record(w, 0, 0);
        record(w, 0, 1);
        mpj_dataset_close(w);
        assert_int_equal(mpj_dataset_load(&ds, "d.mpc", &err), MPJ_E_OK);
        mpj_dataset_free(ds);
        assert_int_equal(sqlite3_open("d.mpc", &db), SQLITE_OK);
        assert_int_equal(sqlite3_exec(db, damage[i].sql, NULL, NULL, NULL), SQLITE_OK);
        sqlite3_close(db);
        assert_int_equal(mpj_dataset_load(&ds, "d.mpc", &err), MPJ_E_STORE);
        if (strstr(err.text, damage[i].says) == NULL)
            fail_msg("%s: \"%s\" instead of \"%s\"", damage[i].sql, err.text, damage[i].says);
        unlink("d.mpc");
    }
}

static void test_round_trip(void **state)
{
    struct mpj_dataset_writer *const w = begin("a.mpc", 2);
    struct mpj_dataset *ds;
    const struct mpj_dataset_program *p;

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned pass = 0; pass < PASSES; pass++)
            record(w, i, pass);
    }
    mpj_dataset_close(w);
    assert_int_equal(mpj_dataset_load(&ds, "a.mpc", &err), MPJ_E_OK);
    assert_string_equal(ds->kind, "random");
    assert_string_equal(ds->calibration, "mprofiler");
    assert_null(ds->target);
    assert_true(ds->generator_seed == UINT64_MAX);
    assert_int_equal(ds->passes, 2);
    assert_int_equal(ds->programs, 2);
    p = &ds->program[1];
    assert_string_equal(p->name, "p001");
    assert_string_equal(p->family, "memory");
    assert_int_equal(p->threads, 2);
    assert_true(p->complete);
    assert_null(p->missing);
    assert_true(p->time_s == 0.1);
    assert_int_equal(p->cores_mask, 3);
    assert_int_equal(p->adc_samples, 200);
    assert_true(fabs(p->power_mw - 600.5) < 1e-9);
    assert_true(fabs(p->power_sd_mw - sqrt(0.5)) < 1e-6);
    assert_true(fabs(p->energy_uj - 60050.0) < 1e-6);
    assert_true(fabs(p->pll_power_mw - 20.0) < 1e-9);
    assert_true(p->core[0].present && p->core[1].present && !p->core[2].present);
    assert_true(p->core[1].wfi_cycles == 1000.0);
    assert_true(p->core[1].ev[mpj_event_index("instr")] == 202000.0);
    /* a longer pass is scaled to the first */
    assert_true(fabs(p->core[0].ev[mpj_event_index("ddep_stall")] - 100000.0) < 1e-6);
    assert_true(isnan(p->core[0].ev[mpj_event_index("branch")]));
    assert_true(p->chip[mpj_event_index("l2_drreq")] == 77.0);
    assert_true(isnan(p->chip[mpj_event_index("l2_drhit")]));
    assert_true(mpj_dataset_total(p, mpj_event_index("instr")) == 303000.0);
    assert_true(isnan(mpj_dataset_total(p, mpj_event_index("branch"))));
    assert_true(p->have_truth);
    assert_true(p->truth_window_s == 0.1);
    assert_true(p->truth_energy_uj == 60000.0 && p->truth_shared_uj == 20000.0);
    assert_true(p->truth_core_uj[3] == 10003.0);
    assert_int_equal(p->profiled, 2);
    assert_int_equal(p->thread[0].id, 1);
    assert_true(p->thread[0].part.run_s == 0.09 && p->thread[0].part.cycles == 18900000);
    assert_true(p->thread[0].part.ev[mpj_event_index("instr")] == 50500);
    assert_true(fabs(p->thread[0].part.ev[mpj_event_index("ddep_stall")] - 50000) < 1e-6);
    assert_true(isnan(p->thread[0].part.ev[mpj_event_index("branch")]));
    assert_true(p->thread[0].have_truth && p->thread[0].truth_uj == 8888 &&
                p->thread[0].truth_cycles == 18900007);
    /* one that never ran needs no counts, and has no truth */
    assert_true(p->thread[1].part.ev[mpj_event_index("branch")] == 0);
    assert_false(p->thread[1].have_truth);
    mpj_dataset_free(ds);
}

/* Two threads share out work as they go: thread 2 gets a third of it in one pass, half in the
 * other.
 */
static void test_shares_of_passes(void **state)
{
    const int counted[] = {mpj_event_index("instr"), mpj_event_index("ddep_stall")};
    struct mpj_dataset_writer *const w = begin("shares.mpc", 1);
    struct mpj_dataset *ds;

    (void)state;
    for (unsigned pass = 0; pass < 2; pass++) {
        struct mpj_value ev[2][MPJ_RUN_EVENTS_MAX] = {{{.present = false}}};
        struct mpj_thread_result t[2] = {
            {.id = 1, .run_s = 0.04, .cycles = pass == 0 ? 200 : 150, .ev = ev[0]},
            {.id = 2, .run_s = 0.02, .cycles = pass == 0 ? 100 : 150, .ev = ev[1]}};
        struct mpj_run run = {.clock_hz = 210000000,
                              .machine.cores = 4,
                              .cores_mask = 1,
                              .complete = true,
                              .time_s = 0.1,
                              .have_adc = true,
                              .threads = 2,
                              .thread = t};
        mpj_run_columns(&run, NULL);
        for (unsigned i = 0; i < 2; i++)
            t[i].ev[counted[pass]] =
                (struct mpj_value){.present = true, .value = 6 * t[i].cycles, .coverage = 1.0};
        assert_int_equal(mpj_dataset_record(w, 0, pass, &run, &err), MPJ_E_OK);
    }
    mpj_dataset_close(w);
    assert_int_equal(mpj_dataset_load(&ds, "shares.mpc", &err), MPJ_E_OK);
    for (unsigned e = 0; e < 2; e++) {
        assert_true(fabs(ds->program[0].thread[0].part.ev[counted[e]] - 1200) < 1e-6);
        assert_true(fabs(ds->program[0].thread[1].part.ev[counted[e]] - 600) < 1e-6);
    }
    mpj_dataset_free(ds);
}

/* What a core did in another pass is its own only if all cores took the same time in both. */
static void test_alike(void **state)
{
    const int event = mpj_event_index("branch");

    (void)state;
    for (unsigned off = 0; off < 2; off++) {
        const char *const path = off == 0 ? "alike.mpc" : "unlike.mpc";
        struct mpj_dataset_writer *const w = begin(path, 1);
        struct mpj_dataset *ds;

        for (unsigned pass = 0; pass < 2; pass++) {
            struct mpj_run run = {.clock_hz = 210000000,
                                  .machine.cores = 4,
                                  .cores_mask = 3,
                                  .complete = true,
                                  .time_s = 0.1};
            for (unsigned k = 0; k < 2; k++) {
                run.core[k].present = run.core[k].have_wfi = true;
                run.core[k].cycles = 21000000 + k * pass * off;
                run.core[k].ev[event] =
                    (struct mpj_value){.present = pass == 1, .value = 5, .coverage = 1.0};
            }
            assert_int_equal(mpj_dataset_record(w, 0, pass, &run, &err), MPJ_E_OK);
        }
        mpj_dataset_close(w);
        assert_int_equal(mpj_dataset_load(&ds, path, &err), MPJ_E_OK);
        assert_true(ds->program[0].core[0].ev[event] == 5);
        assert_int_equal(ds->program[0].core[0].later[event], off == 1);
        mpj_dataset_free(ds);
    }
}

/* Another order, an interruption, a repeated pass, passes from elsewhere: the same bytes of CSV. */
static void test_order(void **state)
{
    struct mpj_dataset_writer *w = begin("b.mpc", 2);
    char *a;
    char *b;
    enum mpj_dataset_state recorded;

    (void)state;
    record(w, 1, 1);
    assert_int_equal(mpj_dataset_failure(w, 0, 1, MPJ_E_LINK, "lost", 3, &err), MPJ_E_OK);
    mpj_dataset_close(w);
    w = begin("b.mpc", 2);
    assert_int_equal(mpj_dataset_state(w, 1, 1, &recorded, &err), MPJ_E_OK);
    assert_int_equal(recorded, MPJ_DATASET_DONE);
    assert_int_equal(mpj_dataset_state(w, 0, 1, &recorded, &err), MPJ_E_OK);
    assert_int_equal(recorded, MPJ_DATASET_FAILED);
    assert_int_equal(mpj_dataset_state(w, 1, 0, &recorded, &err), MPJ_E_OK);
    assert_int_equal(recorded, MPJ_DATASET_NEW);
    travels = true;
    record(w, 1, 0);
    record(w, 1, 1);
    record(w, 0, 1);
    travels = false;
    record(w, 0, 0);
    mpj_dataset_close(w);
    a = csv_of("a.mpc");
    b = csv_of("b.mpc");
    assert_string_equal(a, b);
    assert_non_null(strstr(a, ",\"says \"\"a, b\"\"\"\r\n"));
    assert_non_null(strstr(a, "\r\n0,p000,alu,1,1,0.1,210000000,200,600.5,"));
    free(a);
    free(b);
}

static void test_missing(void **state)
{
    struct mpj_dataset_writer *const w = begin("c.mpc", 3);
    struct mpj_dataset *ds;

    (void)state;
    record(w, 1, 1);
    record(w, 2, 0);
    assert_int_equal(mpj_dataset_failure(w, 2, 1, MPJ_E_FAULT, "data abort", 1, &err), MPJ_E_OK);
    /* read while the campaign goes on */
    assert_int_equal(mpj_dataset_load(&ds, "c.mpc", &err), MPJ_E_OK);
    assert_string_equal(ds->program[0].missing, "0 of 2 passes");
    assert_false(ds->program[0].have_adc);
    assert_true(isnan(ds->program[0].core[0].ev[0]));
    assert_string_equal(ds->program[1].missing, "1 of 2 passes");
    assert_true(ds->program[1].time_s == 0.101);
    assert_string_equal(ds->program[2].missing, "1 of 2 passes; pass 2 failed: data abort");
    assert_false(ds->program[2].complete);
    mpj_dataset_free(ds);
    mpj_dataset_close(w);
}

static void test_another_campaign(void **state)
{
    struct mpj_dataset_writer *w = begin("d.mpc", 1);
    struct mpj_dataset_writer *second;
    const struct mpj_dataset_plan other = {"p000", "alu", "something else", 1};

    (void)state;
    assert_int_equal(mpj_dataset_open(&second, "d.mpc", &err), MPJ_E_STORE);
    assert_string_equal(err.text, "another campaign is writing to d.mpc");
    mpj_dataset_close(w);
    assert_int_equal(mpj_dataset_open(&w, "d.mpc", &err), MPJ_E_OK);
    assert_int_equal(mpj_dataset_label(w, "calibration", "epro-mp", &err), MPJ_E_USAGE);
    assert_string_equal(
        err.text, "d.mpc belongs to another campaign: its calibration is mprofiler, not epro-mp");
    assert_int_equal(mpj_dataset_program(w, 0, &other, &err), MPJ_E_USAGE);
    mpj_dataset_close(w);
}

/* A board with two cores: no columns of others, and no run of another board. */
static void test_two_cores(void **state)
{
    struct mpj_dataset_writer *const w = begin("two.mpc", 1);
    struct mpj_dataset *ds;
    struct mpj_run run = {
        .clock_hz = 210000000, .machine.cores = 4, .complete = true, .time_s = 0.1};
    char *text;

    (void)state;
    board_cores = 2;
    record(w, 0, 0);
    board_cores = 4;
    assert_int_equal(mpj_dataset_record(w, 0, 1, &run, &err), MPJ_E_USAGE);
    assert_string_equal(err.text, "two.mpc belongs to another campaign: its cores is 2, not 4");
    mpj_dataset_close(w);
    assert_int_equal(mpj_dataset_load(&ds, "two.mpc", &err), MPJ_E_OK);
    assert_int_equal(ds->cores, 2);
    assert_int_equal(mpj_dataset_cores(&ds->program[0]), 2);
    mpj_dataset_free(ds);
    text = csv_of("two.mpc");
    assert_non_null(strstr(text, ",core1.instr,"));
    assert_non_null(strstr(text, ",truth.core1_uj,description"));
    assert_null(strstr(text, "core2"));
    free(text);
}

static void write_text(const char *path, const char *text)
{
    FILE *const f = fopen(path, "w");

    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void sql(const char *path, const char *text)
{
    sqlite3 *db;

    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static void test_bad_files(void **state)
{
    struct mpj_dataset *ds;
    struct mpj_dataset_writer *w;
    static const char *const damage[] = {
        "UPDATE run SET program = 99",
        "UPDATE run SET time_s = 0",
        "UPDATE program SET id = 5",
        "DELETE FROM meta WHERE key = 'passes'",
        "UPDATE observation SET scope = 7 WHERE scope = 1",
        "DELETE FROM run",
        "UPDATE truth SET scope = 9 WHERE scope = 3",
        "UPDATE core SET core = 4 WHERE core = 1",
    };

    (void)state;
    assert_int_equal(mpj_dataset_load(&ds, "none.mpc", &err), MPJ_E_STORE);
    write_text("text.mpc", "This is no data base, but a text that is long enough to be read.\n");
    assert_int_equal(mpj_dataset_load(&ds, "text.mpc", &err), MPJ_E_STORE);
    assert_int_equal(mpj_dataset_open(&w, "text.mpc", &err), MPJ_E_STORE);
    assert_int_equal(mpj_dataset_open(&w, "no/such/folder.mpc", &err), MPJ_E_IO);
    sql("run.mpj", "PRAGMA application_id = 1297107505; CREATE TABLE meta (a)");
    assert_int_equal(mpj_dataset_load(&ds, "run.mpj", &err), MPJ_E_STORE);
    assert_string_equal(err.text, "run.mpj is not the data set of a campaign");
    assert_int_equal(mpj_dataset_open(&w, "run.mpj", &err), MPJ_E_STORE);
    mpj_dataset_close(begin("v.mpc", 1));
    /* version 1 has no threads */
    sql("v.mpc", "DROP TABLE thread; DROP TABLE thread_observation; DROP TABLE thread_truth; "
                 "PRAGMA user_version = 1");
    assert_int_equal(mpj_dataset_load(&ds, "v.mpc", &err), MPJ_E_OK);
    mpj_dataset_free(ds);
    sql("v.mpc", "PRAGMA user_version = 9");
    assert_int_equal(mpj_dataset_load(&ds, "v.mpc", &err), MPJ_E_STORE);
    assert_string_equal(err.text, "v.mpc has data set version 9, this program reads 1 to 2");
    assert_int_equal(mpj_dataset_open(&w, "v.mpc", &err), MPJ_E_STORE);
    for (size_t i = 0; i < sizeof(damage) / sizeof(damage[0]); i++) {
        unlink("x.mpc");
        w = begin("x.mpc", 1);
        record(w, 0, 0);
        mpj_dataset_close(w);
        sql("x.mpc", damage[i]);
        assert_int_equal(mpj_dataset_load(&ds, "x.mpc", &err), MPJ_E_STORE);
        assert_non_null(strstr(err.text, "damaged"));
        assert_null(ds);
    }
}

/* A campaign that was killed while it wrote: the message says how the data set becomes readable. */
static void test_killed(void **state)
{
    struct mpj_dataset *ds;
    struct mpj_dataset_writer *w = begin("j.mpc", 1);
    sqlite3 *db;

    (void)state;
    record(w, 0, 0);
    mpj_dataset_close(w);
    assert_int_equal(sqlite3_open("j.mpc", &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "BEGIN; DELETE FROM run", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_db_cacheflush(db), SQLITE_OK);
    assert_int_equal(system("cp j.mpc k.mpc && cp j.mpc-journal k.mpc-journal"), 0);
    sqlite3_close(db);
    assert_int_equal(mpj_dataset_load(&ds, "k.mpc", &err), MPJ_E_STORE);
    assert_non_null(strstr(err.text, "start the campaign again"));
    assert_int_equal(mpj_dataset_open(&w, "k.mpc", &err), MPJ_E_OK);
    mpj_dataset_close(w);
    assert_int_equal(mpj_dataset_load(&ds, "k.mpc", &err), MPJ_E_OK);
    mpj_dataset_free(ds);
}

static void put32(FILE *f, uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        fputc((int)(value >> shift & 0xff), f);
}

/* Writes a journal that has nothing to undo, and ends with the name of a super-journal. */
static void write_journal(const char *path, uint32_t pages, const char *super)
{
    static const char magic[] = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
    FILE *const f = fopen(path, "w");
    uint32_t sum = 0;

    assert_non_null(f);
    fwrite(magic, 8, 1, f);
    put32(f, 0); /* records */
    put32(f, 0); /* nonce */
    put32(f, pages);
    put32(f, 512); /* a sector */
    put32(f, 4096);
    while (ftell(f) < 512)
        fputc(0, f);
    put32(f, 0x40000000 / 4096 + 1);
    fputs(super, f);
    for (const char *c = super; *c != '\0'; c++)
        sum += (uint32_t)(unsigned char)*c;
    put32(f, (uint32_t)strlen(super));
    put32(f, sum);
    fwrite(magic, 8, 1, f);
    fclose(f);
}

/* A journal from elsewhere that would have SQLite remove a file of ours. */
static void test_hostile_journal(void **state)
{
    static const char refusal[] = "-journal is none that mpjoule has left";
    struct mpj_dataset *ds;
    struct mpj_dataset_writer *w;
    char *victim;
    struct stat st;

    (void)state;
    mpj_dataset_close(begin("h.mpc", 1));
    write_text("victim", "mine\n");
    victim = realpath("victim", NULL);
    assert_non_null(victim);
    assert_int_equal(stat("h.mpc", &st), 0);
    write_journal("h.mpc-journal", (uint32_t)(st.st_size / 4096), victim);
    assert_int_equal(symlink("h.mpc", "link.mpc"), 0);
    assert_int_equal(mpj_dataset_open(&w, "link.mpc", &err), MPJ_E_STORE);
    assert_non_null(strstr(err.text, refusal));
    assert_int_equal(mpj_dataset_open(&w, "h.mpc", &err), MPJ_E_STORE);
    assert_non_null(strstr(err.text, refusal));
    assert_int_equal(mpj_dataset_load(&ds, "h.mpc", &err), MPJ_E_STORE);
    assert_non_null(strstr(err.text, refusal)); /* and no advice to open it in another way */
    assert_int_equal(access("victim", F_OK), 0);
    assert_int_equal(unlink("h.mpc-journal"), 0);
    assert_int_equal(mpj_dataset_open(&w, "h.mpc", &err), MPJ_E_OK);
    mpj_dataset_close(w);
    free(victim);
}

/* The data set that a campaign goes on with is from elsewhere: nothing of it is executed. */
static void test_hostile_schema(void **state)
{
    static const struct {
        const char *sql, *says;
    } schema[] = {
        {"DROP TABLE program; CREATE TABLE program (id INTEGER PRIMARY KEY, name, family, threads, "
         "description); INSERT INTO program (id, threads) VALUES (0, 1)",
         "f.mpc is damaged: program."},
        {"CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM program; END",
         "f.mpc is damaged: it has a trigger"},
        {"DROP TABLE core; CREATE VIEW core AS SELECT 1 AS program", "f.mpc is damaged: it has a "},
    };
    struct mpj_dataset_writer *w;

    (void)state;
    for (size_t i = 0; i < sizeof(schema) / sizeof(schema[0]); i++) {
        mpj_dataset_close(begin("f.mpc", 1));
        sql("f.mpc", schema[i].sql);
        assert_int_equal(mpj_dataset_open(&w, "f.mpc", &err), MPJ_E_STORE);
        if (strstr(err.text, schema[i].says) == NULL)
            fail_msg("\"%s\" instead of \"%s\"", err.text, schema[i].says);
        assert_int_equal(unlink("f.mpc"), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_shares_of_passes),
        cmocka_unit_test(test_alike),
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_another_campaign),
        cmocka_unit_test(test_two_cores),
        cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_killed),
        cmocka_unit_test(test_hostile_journal),
        cmocka_unit_test(test_hostile_schema),
    };

    return cmocka_run_group_tests(tests, test_dir_enter, test_dir_leave);
}
