/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any file as a store, and any values in the tables of a sound one: errors or reports, never a
 * crash. The first byte says which: odd, the rest is a file; even, each four bytes are a change of
 * a column's values in a store without constraints.
 */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#include "fuzz_file.h"
#include "log/log.h"
#include "mpj_energy.h"
#include "mpj_records.h"
#include "mpj_report.h"
#include "mpj_store.h"

#define COLUMNS 200U

static uint8_t *good;
static size_t good_size;
static char *column[COLUMNS]; /* "UPDATE table SET column = " */
static unsigned columns;

static const char *const values[] = {
    "NULL", "-1",          "0",     "1",   "5",          "99",      "4294967295", "1 << 61",
    "1.5",  "-1e300",      "9e999", "''",  "'instr'",    "x'00ff'", "char(0)",    "'\xff'",
    "1e18", "'[]'",        "'{}'",  "2",   "1000000",    "'main'",  "-(1 << 62)", "65536",
    "3",    "zeroblob(9)", "15",    "100", "time_begin", "cycles",  "rowid",      "ended - 1",
};

static void must(int result)
{
    if (result != 0)
        abort();
}

static void slurp(const char *path)
{
    FILE *const f = fopen(path, "rb");

    must(f == NULL || fseek(f, 0, SEEK_END) != 0);
    free(good);
    good_size = (size_t)ftell(f);
    good = malloc(good_size);
    rewind(f);
    must(good == NULL || fread(good, 1, good_size, f) != good_size);
    fclose(f);
}

static int on_column(void *ctx, int n, char **text, char **names)
{
    (void)ctx;
    (void)n;
    (void)names;
    if (columns < COLUMNS &&
        asprintf(&column[columns], "UPDATE %s SET %s = ", text[0], text[1]) > 0)
        columns++;
    return 0;
}

static struct mpj_log *out;
static uint8_t payload[MPJ_FRAME_PAYLOAD_MAX];
static struct mpj_writer w;

static struct mpj_writer *next(void)
{
    mpj_writer_init(&w, payload, sizeof(payload));
    return &w;
}

static void send(uint8_t type)
{
    struct mpj_err err;

    must(mpj_log_frame(out, type, 0, payload, (size_t)(w.at - payload), &err));
}

static void make_log(const char *path)
{
    const struct mpj_hello hello = {
        .protocol = 1, .abi = 1, .cores = 4, .clock_hz = 210000000, .time_hz = 1000000};
    const struct mpj_run_rec begin = {1000, 15, 1000};
    const struct mpj_run_rec last = {9000, 15, 1000};
    const struct mpj_core_rec core = {
        .flags = MPJ_COUNTER_WFI, .cycles = 9, .wfi_cycles = 1, .count = 1, .ev = {{8, 5, 4000}}};
    const struct mpj_thread_rec thread = {.id = 1,
                                          .flags = MPJ_THREAD_MAIN,
                                          .created = 1000,
                                          .ended = 9000,
                                          .run = 800,
                                          .cycles = 900,
                                          .count = 1,
                                          .ev = {{8, 5, 400}}};
    const struct mpj_region_rec region = {.fn = 0x8000,
                                          .thread = 1,
                                          .size = 1,
                                          .calls = 1,
                                          .wall = 10,
                                          .count = 1,
                                          .ev = {{8, 5, 4}}};
    const struct mpj_wait_rec wait = {.thread = 1, .kind = 1, .count = 1, .total = 9, .longest = 9};
    const struct mpj_mark mark = {.time = 2000, .thread = 1, .name = {(const uint8_t *)"m", 1}};
    const struct mpj_end end = {.time = 9000};
    static struct mpj_adc_rec adc = {.period = 1000, .count = 3};
    struct mpj_err err;

    for (unsigned i = 0; i < 3; i++)
        adc.s[i].time = 2000 + 1000 * i;
    must(mpj_log_create(&out, path, &err));
    must(mpj_log_meta(out, "target", "sim", &err));
    mpj_hello_put(next(), &hello);
    send(MPJ_FRAME_HELLO);
    next();
    mpj_run_put(&w, MPJ_REC_RUN_BEGIN, &begin);
    mpj_core_put(&w, &core);
    mpj_thread_put(&w, &thread);
    mpj_region_put(&w, &region);
    mpj_wait_put(&w, &wait);
    mpj_mark_put(&w, &mark);
    mpj_adc_put(&w, &adc);
    mpj_run_put(&w, MPJ_REC_RUN_END, &last);
    send(MPJ_FRAME_DATA);
    mpj_end_put(next(), &end);
    send(MPJ_FRAME_END);
    must(mpj_log_close(out, MPJ_E_OK, "", &err));
}

/* A store whose tables take anything. */
static void make_good(void)
{
    const char *const path = fuzz_file((const uint8_t *)"", 0);
    char log[100];
    const char *const logs[] = {log};
    char *tables[40];
    unsigned n = 0;
    struct mpj_err err;
    sqlite3 *db = NULL;
    sqlite3_stmt *s = NULL;

    snprintf(log, sizeof(log), "%s.mplog", path);
    make_log(log);
    must(mpj_store_build(path, logs, 1, NULL, &err));
    remove(log);
    must(sqlite3_open(path, &db));
    must(sqlite3_prepare_v2(db, "SELECT name FROM sqlite_master WHERE type = 'table'", -1, &s, 0));
    while (sqlite3_step(s) == SQLITE_ROW && n < 40)
        tables[n++] = strdup((const char *)sqlite3_column_text(s, 0));
    sqlite3_finalize(s);
    while (n > 0) {
        char *const sql = sqlite3_mprintf(
            "CREATE TABLE other AS SELECT * FROM %s; DROP TABLE %s; ALTER TABLE other RENAME TO %s",
            tables[n - 1], tables[n - 1], tables[n - 1]);
        must(sqlite3_exec(db, sql, NULL, NULL, NULL));
        sqlite3_free(sql);
        free(tables[--n]);
    }
    must(sqlite3_exec(db,
                      "INSERT INTO truth VALUES (0, '{\"schema\":\"mpjoule-truth/1\","
                      "\"windows\":1}'); SELECT m.name, c.name FROM sqlite_master m, "
                      "pragma_table_info(m.name) c ORDER BY 1, c.cid",
                      on_column, NULL, NULL));
    must(sqlite3_close(db));
    slurp(path);
}

static void change(const char *path, const uint8_t *data, size_t size)
{
    sqlite3 *db = NULL;

    must(sqlite3_open(path, &db));
    for (; size >= 2; data += 2, size -= 2) {
        char *const sql = sqlite3_mprintf("%s%s", column[data[0] % columns],
                                          values[data[1] % (sizeof(values) / sizeof(values[0]))]);
        (void)sqlite3_exec(db, sql, NULL, NULL, NULL); /* a column that is not there, for one */
        sqlite3_free(sql);
    }
    must(sqlite3_close(db));
}

static void read_all(const char *path)
{
    static const char *const views[] = {"summary", "cores", "threads", "regions", "sync"};
    struct mpj_energy *e = NULL;
    struct mpj_run *run = NULL;
    struct mpj_err err;
    FILE *const null = fopen("/dev/null", "w");

    if (mpj_run_load(&run, path, &err) == MPJ_E_OK) {
        for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++)
            mpj_report_text(run, views[i], null, &err);
        mpj_report_json(run, null, &err);
    } else if (run != NULL || strchr(err.text, '\n') != NULL) {
        abort();
    }
    mpj_run_free(run);
    if (mpj_energy_load(&e, path, NULL, NULL, &err) == MPJ_E_OK) {
        mpj_energy_text(e, null, &err);
        mpj_energy_json(e, null, &err);
    }
    mpj_energy_free(e);
    fclose(null);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path;

    if (size == 0)
        return 0;
    if (good == NULL)
        make_good();
    path = data[0] % 2 != 0 ? fuzz_file(data + 1, size - 1) : fuzz_file(good, good_size);
    if (data[0] % 2 == 0)
        change(path, data + 1, size - 1 < 16 ? size - 1 : 16);
    read_all(path);
    return 0;
}

size_t fuzz_seed(uint8_t *to, size_t cap, uint32_t (*rng)(void))
{
    const size_t n = 1 + 2 * (size_t)(rng() % 4U);

    for (size_t i = 0; i < n && i < cap; i++)
        to[i] = (uint8_t)rng();
    to[0] &= 0xfe;
    return n;
}
