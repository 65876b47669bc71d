/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A campaign's data set with bytes or values changed: errors, or numbers; never a crash. */
#include "fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sqlite3.h>

#include "mpj_verify.h"

#define PROGRAMS 9U

static char good_path[64], bad_path[64];
static uint8_t *good;
static size_t good_size;

static void cleanup(void)
{
    unlink(good_path);
    unlink(bad_path);
    free(good);
}

static void must(int result)
{
    if (result != MPJ_E_OK)
        abort();
}

static void record(struct mpj_dataset_writer *w, unsigned id, struct mpj_err *err)
{
    static struct mpj_run run;
    struct mpj_thread_result thread = {.id = 1, .run_s = 0.01 * (id + 1), .cycles = 1000U * id};

    memset(&run, 0, sizeof(run));
    run.complete = run.have_adc = true;
    run.time_s = 0.1;
    run.clock_hz = 210000000;
    run.cores_mask = 1;
    run.core[0].present = run.core[0].have_wfi = true;
    run.core[0].cycles = 21000000;
    run.processor.energy_uj = 60000 + 100 * id;
    run.adc_samples = 9;
    run.have_truth = true;
    run.truth.cycles = 21000000;
    for (unsigned e = 0; e < MPJ_RUN_EVENTS_MAX; e++)
        run.core[0].ev[e] = run.chip[e] = thread.ev[e] = (struct mpj_value){
            .present = true, .value = (uint64_t)(e + 1) * (id * id + 3 * e + 7), .coverage = 1.0};
    run.threads = 1;
    run.thread = &thread;
    must(mpj_dataset_record(w, id, 0, &run, err));
}

static void make_good(void)
{
    struct mpj_dataset_writer *w;
    struct mpj_err err;
    struct stat st;
    FILE *f;

    snprintf(good_path, sizeof(good_path), "/tmp/mpjoule-fuzz-%d.mpc", (int)getpid());
    snprintf(bad_path, sizeof(bad_path), "/tmp/mpjoule-fuzz-%d.bad.mpc", (int)getpid());
    atexit(cleanup);
    must(mpj_dataset_open(&w, good_path, &err));
    must(mpj_dataset_label(w, "passes", "1", &err));
    for (unsigned i = 0; i < PROGRAMS; i++) {
        char name[16];
        const struct mpj_dataset_plan plan = {name, i % 2 ? "a" : "b", "", 1};
        snprintf(name, sizeof(name), "p%u", i);
        must(mpj_dataset_program(w, i, &plan, &err));
    }
    must(mpj_dataset_begin(w, &err));
    for (unsigned i = 0; i < PROGRAMS; i++)
        record(w, i, &err);
    mpj_dataset_close(w);
    f = fopen(good_path, "rb");
    if (f == NULL || fstat(fileno(f), &st) != 0)
        abort();
    good_size = (size_t)st.st_size;
    good = malloc(good_size);
    if (good == NULL || fread(good, 1, good_size, f) != good_size)
        abort();
    fclose(f);
}

/* Five bytes of input each: where, and what. */
static void damage_bytes(uint8_t *copy, const uint8_t *data, size_t size)
{
    for (size_t i = 0; i + 5 <= size && i < 40; i += 5) {
        const uint32_t at =
            (uint32_t)data[i] | (uint32_t)data[i + 1] << 8 | (uint32_t)data[i + 2] << 16;
        copy[(at ^ (uint32_t)data[i + 3] << 7) % good_size] = data[i + 4];
    }
}

/* Values no campaign writes, in columns of the input's choice. */
static void damage_values(const uint8_t *data, size_t size)
{
    static const char *const column[] = {"run SET time_s",          "run SET clock_hz",
                                         "run SET energy_uj",       "run SET adc_samples",
                                         "run SET outcome",         "run SET pass",
                                         "core SET cycles",         "core SET wfi_cycles",
                                         "core SET core",           "observation SET value",
                                         "observation SET scope",   "observation SET event",
                                         "truth SET energy_uj",     "truth SET window_s",
                                         "truth SET scope",         "thread SET run_s",
                                         "thread SET id",           "thread SET core1",
                                         "thread_truth SET cycles", "thread_observation SET value",
                                         "meta SET value",          "program SET name",
                                         "program SET id",          "program SET threads"};
    static const char *const value[] = {
        "0",  "-1",    "1e308", "-1e308", "9e999", "'x'", "x'00'", "NULL", "9223372036854775807",
        "''", "1e-320"};
    sqlite3 *db;

    if (sqlite3_open(bad_path, &db) == SQLITE_OK) {
        sqlite3_exec(db, "PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF", NULL, NULL, NULL);
        for (size_t i = 1; i + 3 <= size && i < 10; i += 3) {
            char sql[200];
            snprintf(sql, sizeof(sql), "UPDATE OR IGNORE %s = %s%s",
                     column[data[i] % (sizeof(column) / sizeof(column[0]))],
                     value[data[i + 1] % (sizeof(value) / sizeof(value[0]))],
                     data[i + 2] % 3 == 0 || strncmp(column[data[i] % 24], "meta", 4) == 0 ? ""
                     : strncmp(column[data[i] % 24], "program ", 8) == 0 ? " WHERE id = 4"
                                                                         : " WHERE program = 4");
            sqlite3_exec(db, sql, NULL, NULL, NULL);
        }
    }
    sqlite3_close(db);
}

static void use(struct mpj_dataset *ds)
{
    static struct mpj_model m;
    const struct mpj_model_options o = {
        .method = MPJ_METHOD_SUBSET, .max = 2, .predictors = "instr,branch,l2_access,run_cycles"};
    struct mpj_verify v;
    struct mpj_err err;
    char hash[65];
    FILE *const null = fopen("/dev/null", "w");

    if (null == NULL)
        abort();
    must(mpj_dataset_sha256(ds, hash, &err));
    if (mpj_model_fit(&m, ds, &o, &err) == MPJ_E_OK) {
        if (mpj_verify_make(&v, &m, ds, m.constant_mw, &err) == MPJ_E_OK) {
            mpj_verify_print(&v, null);
            mpj_verify_compare(&v, 1, null);
            mpj_verify_csv(&v, 1, null, &err);
            mpj_verify_svg(&v, null, &err);
        }
        mpj_verify_free(&v);
    }
    fclose(null);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mpj_dataset *ds;
    struct mpj_err err;
    uint8_t *copy;
    FILE *f;

    if (good == NULL)
        make_good();
    copy = malloc(good_size);
    f = fopen(bad_path, "wb");
    if (copy == NULL || f == NULL)
        abort();
    memcpy(copy, good, good_size);
    if (size > 0 && data[0] % 2 == 0)
        damage_bytes(copy, data, size);
    fwrite(copy, 1, good_size, f);
    fclose(f);
    free(copy);
    if (size > 0 && data[0] % 2 == 1)
        damage_values(data, size);
    if (mpj_dataset_load(&ds, bad_path, &err) == MPJ_E_OK)
        use(ds);
    else if (strchr(err.text, '\n') != NULL)
        abort();
    mpj_dataset_free(ds);
    return 0;
}

size_t fuzz_seed(uint8_t *out, size_t cap, uint32_t (*rng)(void))
{
    const size_t n = cap < 12 ? cap : 12;

    for (size_t i = 0; i < n; i++)
        out[i] = (uint8_t)rng();
    return n;
}
