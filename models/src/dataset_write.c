/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "models/model.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <sqlite3.h>

#include "base/file.h"
#include "base/sql.h"
#include "dataset_int.h"
#include "dataset_schema.h" /* mpj_dataset_schema, generated from dataset.sql */

#define BUSY_MS 10000 /* a reader locks the file only for a moment */

struct mpj_dataset_writer {
    sqlite3 *db;
    int lock; /* the file, locked: one campaign at a time; readers are not excluded */
    char *path;
    bool open; /* a transaction for labels and plan is open */
};

static int db_error(struct mpj_dataset_writer *w, struct mpj_err *err)
{
    const int code = sqlite3_errcode(w->db);

    return mpj_err_set(err, code == SQLITE_FULL ? MPJ_E_FULL : MPJ_E_STORE, "cannot write %s: %s",
                       w->path, sqlite3_errmsg(w->db));
}

static int exec(struct mpj_dataset_writer *w, const char *sql, struct mpj_err *err)
{
    return sqlite3_exec(w->db, sql, NULL, NULL, NULL) == SQLITE_OK ? MPJ_E_OK : db_error(w, err);
}

/* Commits a transaction, or rolls it back; returns result, or the failure to commit. */
static int finish(struct mpj_dataset_writer *w, int result, struct mpj_err *err)
{
    if (result == MPJ_E_OK)
        result = exec(w, "COMMIT", err);
    if (result != MPJ_E_OK)
        sqlite3_exec(w->db, "ROLLBACK", NULL, NULL, NULL);
    return result;
}

static int prepare(struct mpj_dataset_writer *w, sqlite3_stmt **s, const char *sql,
                   struct mpj_err *err)
{
    return sqlite3_prepare_v2(w->db, sql, -1, s, NULL) == SQLITE_OK ? MPJ_E_OK : db_error(w, err);
}

/* Runs a statement that returns nothing, and frees it. */
static int run_once(struct mpj_dataset_writer *w, sqlite3_stmt *s, struct mpj_err *err)
{
    const int result = sqlite3_step(s) == SQLITE_DONE ? MPJ_E_OK : db_error(w, err);

    sqlite3_finalize(s);
    return result;
}

/* Returns the single number of a query; 0 without a row. */
static int number(struct mpj_dataset_writer *w, const char *sql, int64_t *out, struct mpj_err *err)
{
    sqlite3_stmt *s;
    int result = prepare(w, &s, sql, err);
    int step;

    if (result != MPJ_E_OK)
        return result;
    step = sqlite3_step(s);
    *out = step == SQLITE_ROW ? sqlite3_column_int64(s, 0) : 0;
    if (step != SQLITE_ROW && step != SQLITE_DONE)
        result = db_error(w, err);
    sqlite3_finalize(s);
    return result;
}

/* Creates the tables of a new file, or checks that an old one is a data set. */
static int check_or_make(struct mpj_dataset_writer *w, struct mpj_err *err)
{
    char *sql;
    int64_t tables = 0;
    int64_t id = 0;
    int64_t version = 0;
    int result;

    if (number(w, "SELECT count(*) FROM sqlite_master", &tables, err) != MPJ_E_OK ||
        number(w, "PRAGMA application_id", &id, err) != MPJ_E_OK ||
        number(w, "PRAGMA user_version", &version, err) != MPJ_E_OK)
        return err->code;
    if (tables == 0 && id == 0) {
        sql = sqlite3_mprintf("BEGIN IMMEDIATE; PRAGMA application_id = %d; "
                              "PRAGMA user_version = %d; %s",
                              MPJ_DATASET_APPLICATION_ID, MPJ_DATASET_VERSION, mpj_dataset_schema);
        if (sql == NULL)
            return mpj_err_nomem(err);
        result = finish(w, exec(w, sql, err), err);
        sqlite3_free(sql);
        return result;
    }
    if (id != MPJ_DATASET_APPLICATION_ID)
        return mpj_err_set(err, MPJ_E_STORE, "%s is not the data set of a campaign", w->path);
    if (version != MPJ_DATASET_VERSION)
        return mpj_err_set(err, MPJ_E_STORE,
                           "%s has data set version %" PRId64 ", this program writes %d", w->path,
                           version, MPJ_DATASET_VERSION);
    return dataset_check(w->db, w->path, MPJ_DATASET_VERSION, err);
}

static int take(struct mpj_dataset_writer *w, struct mpj_err *err)
{
    char *place;

    w->lock = -1;
    if (mpj_file_place(&place, w->path, "data set", err) != MPJ_E_OK)
        return err->code;
    free(place);
    w->lock = open(w->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (w->lock < 0)
        return mpj_err_errno(err, "cannot write %s", w->path);
    if (flock(w->lock, LOCK_EX | LOCK_NB) != 0)
        return errno == EWOULDBLOCK
                   ? mpj_err_set(err, MPJ_E_STORE, "another campaign is writing to %s", w->path)
                   : mpj_err_errno(err, "cannot lock %s", w->path);
    if (mpj_sql_journal(w->path, err) != MPJ_E_OK)
        return err->code;
    if (sqlite3_open(w->path, &w->db) != SQLITE_OK)
        return db_error(w, err);
    sqlite3_busy_timeout(w->db, BUSY_MS);
    return exec(w, "PRAGMA synchronous = NORMAL", err);
}

int mpj_dataset_open(struct mpj_dataset_writer **out, const char *path, struct mpj_err *err)
{
    struct mpj_dataset_writer *const w = calloc(1, sizeof(*w));
    int result;

    *out = NULL;
    if (w == NULL || (w->path = strdup(path)) == NULL) {
        free(w);
        return mpj_err_nomem(err);
    }
    result = take(w, err);
    if (result == MPJ_E_OK)
        result = check_or_make(w, err);
    if (result == MPJ_E_OK)
        result = exec(w, "BEGIN IMMEDIATE", err);
    if (result != MPJ_E_OK) {
        mpj_dataset_close(w);
        return result;
    }
    w->open = true;
    *out = w;
    return MPJ_E_OK;
}

void mpj_dataset_close(struct mpj_dataset_writer *w)
{
    if (w == NULL)
        return;
    sqlite3_close(w->db);
    /* not before: closing any descriptor of the file ends SQLite's own locks on it */
    if (w->lock >= 0)
        close(w->lock);
    free(w->path);
    free(w);
}

int mpj_dataset_begin(struct mpj_dataset_writer *w, struct mpj_err *err)
{
    if (!w->open)
        return MPJ_E_OK;
    w->open = false;
    return finish(w, MPJ_E_OK, err);
}

int mpj_dataset_label(struct mpj_dataset_writer *w, const char *key, const char *value,
                      struct mpj_err *err)
{
    sqlite3_stmt *s;
    int result = prepare(w, &s, "SELECT value FROM meta WHERE key = ?", err);
    int step;

    if (result != MPJ_E_OK)
        return result;
    sqlite3_bind_text(s, 1, key, -1, SQLITE_STATIC);
    step = sqlite3_step(s);
    if (step == SQLITE_ROW) {
        const char *const old = (const char *)sqlite3_column_text(s, 0);
        if (old == NULL || strcmp(old, value) != 0)
            result = mpj_err_set(err, MPJ_E_USAGE,
                                 "%s belongs to another campaign: its %s is %s, not %s", w->path,
                                 key, old != NULL ? old : "missing", value);
    } else if (step != SQLITE_DONE) {
        result = db_error(w, err);
    }
    sqlite3_finalize(s);
    if (step == SQLITE_ROW || result != MPJ_E_OK)
        return result;
    result = prepare(w, &s, "INSERT INTO meta VALUES (?, ?)", err);
    if (result != MPJ_E_OK)
        return result;
    sqlite3_bind_text(s, 1, key, -1, SQLITE_STATIC);
    sqlite3_bind_text(s, 2, value, -1, SQLITE_STATIC);
    return run_once(w, s, err);
}

int mpj_dataset_meter(struct mpj_dataset_writer *w, const char *channel, struct mpj_err *err)
{
    sqlite3_stmt *s;
    int result =
        prepare(w, &s, "SELECT count(*), max(value) FILTER (WHERE key = 'meter') FROM meta", err);

    if (result != MPJ_E_OK)
        return result;
    if (sqlite3_step(s) != SQLITE_ROW) {
        result = db_error(w, err);
    } else if (sqlite3_column_int64(s, 0) > 0) { /* the campaign is resumed */
        const char *const old = (const char *)sqlite3_column_text(s, 1);
        if ((old == NULL) != (channel == NULL) || (old != NULL && strcmp(old, channel) != 0))
            result = mpj_err_set(
                err, MPJ_E_USAGE,
                "%s belongs to another campaign: its power is by %s%s, not by %s%s", w->path,
                old != NULL ? "the meter, channel " : "the ADC", old != NULL ? old : "",
                channel != NULL ? "the meter, channel " : "the ADC",
                channel != NULL ? channel : "");
    }
    sqlite3_finalize(s);
    return result == MPJ_E_OK && channel != NULL ? mpj_dataset_label(w, "meter", channel, err)
                                                 : result;
}

/* Returns a column's text; "" for null, which a table of another schema may have. */
static const char *text_of(sqlite3_stmt *s, int column)
{
    const char *const text = (const char *)sqlite3_column_text(s, column);

    return text != NULL ? text : "";
}

static bool is_text(sqlite3_stmt *s, int column, const char *text)
{
    return strcmp(text_of(s, column), text) == 0;
}

int mpj_dataset_program(struct mpj_dataset_writer *w, unsigned id,
                        const struct mpj_dataset_plan *plan, struct mpj_err *err)
{
    sqlite3_stmt *s;
    int result =
        prepare(w, &s, "SELECT name, family, threads, description FROM program WHERE id = ?", err);
    int step;

    if (result != MPJ_E_OK)
        return result;
    sqlite3_bind_int64(s, 1, id);
    step = sqlite3_step(s);
    if (step == SQLITE_ROW) {
        if (!is_text(s, 0, plan->name) || !is_text(s, 1, plan->family) ||
            sqlite3_column_int64(s, 2) != plan->threads || !is_text(s, 3, plan->description))
            result = mpj_err_set(err, MPJ_E_USAGE,
                                 "%s belongs to another campaign: its program %u is \"%s\", not %s",
                                 w->path, id, text_of(s, 0), plan->name);
    } else if (step != SQLITE_DONE) {
        result = db_error(w, err);
    }
    sqlite3_finalize(s);
    if (step == SQLITE_ROW || result != MPJ_E_OK)
        return result;
    result = prepare(w, &s, "INSERT INTO program VALUES (?, ?, ?, ?, ?)", err);
    if (result != MPJ_E_OK)
        return result;
    sqlite3_bind_int64(s, 1, id);
    sqlite3_bind_text(s, 2, plan->name, -1, SQLITE_STATIC);
    sqlite3_bind_text(s, 3, plan->family, -1, SQLITE_STATIC);
    sqlite3_bind_int64(s, 4, plan->threads);
    sqlite3_bind_text(s, 5, plan->description, -1, SQLITE_STATIC);
    return run_once(w, s, err);
}

int mpj_dataset_state(struct mpj_dataset_writer *w, unsigned id, unsigned pass,
                      enum mpj_dataset_state *state, struct mpj_err *err)
{
    char sql[140];
    int64_t n = 0;

    snprintf(sql, sizeof(sql),
             "SELECT count(*) + coalesce(max(outcome = 0), 0) FROM run WHERE program = %u "
             "AND pass = %u",
             id, pass);
    *state = MPJ_DATASET_NEW;
    if (number(w, sql, &n, err) != MPJ_E_OK)
        return err->code;
    *state = n == 0 ? MPJ_DATASET_NEW : n == 1 ? MPJ_DATASET_FAILED : MPJ_DATASET_DONE;
    return MPJ_E_OK;
}

/* ---- one pass --------------------------------------------------------------- */

static int forget(struct mpj_dataset_writer *w, unsigned id, unsigned pass, struct mpj_err *err)
{
    static const char *const table[] = {"run", "core", "observation", "thread_observation"};
    char sql[120];

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        snprintf(sql, sizeof(sql), "DELETE FROM %s WHERE program = %u AND pass = %u", table[i], id,
                 pass);
        if (exec(w, sql, err) != MPJ_E_OK)
            return err->code;
    }
    if (pass > 0)
        return MPJ_E_OK;
    snprintf(sql, sizeof(sql),
             "DELETE FROM thread WHERE program = %u; DELETE FROM thread_truth WHERE program = %u",
             id, id);
    return exec(w, sql, err);
}

static int insert_run(struct mpj_dataset_writer *w, unsigned id, unsigned pass,
                      const struct mpj_run *run, struct mpj_err *err)
{
    const struct mpj_rail *const pll = mpj_run_rail(run, MPJ_SUPPLY_PLL);
    const struct mpj_run_power power = mpj_run_power(run);
    sqlite3_stmt *s;

    if (prepare(w, &s, "INSERT INTO run VALUES (?, ?, 0, NULL, 1, ?, ?, ?, ?, ?, ?, ?, ?)", err) !=
        MPJ_E_OK)
        return err->code;
    sqlite3_bind_int64(s, 1, id);
    sqlite3_bind_int64(s, 2, pass);
    sqlite3_bind_double(s, 3, run->time_s);
    sqlite3_bind_double(s, 4, run->clock_hz);
    sqlite3_bind_int64(s, 5, run->cores_mask);
    if (power.present) { /* otherwise these stay NULL */
        sqlite3_bind_int64(s, 6, power.samples);
        sqlite3_bind_double(s, 9, power.energy_uj);
    }
    if (power.present && power.meter == NULL) {
        sqlite3_bind_double(s, 7, run->processor.v_avg_uv);
        sqlite3_bind_double(s, 8, run->processor.i_avg_ua);
        sqlite3_bind_double(s, 10, pll != NULL ? pll->energy_uj : 0.0);
    }
    return run_once(w, s, err);
}

static int insert_core(struct mpj_dataset_writer *w, unsigned id, unsigned pass, unsigned core,
                       const struct mpj_core_result *c, struct mpj_err *err)
{
    sqlite3_stmt *s;

    if (prepare(w, &s, "INSERT INTO core VALUES (?, ?, ?, ?, ?)", err) != MPJ_E_OK)
        return err->code;
    sqlite3_bind_int64(s, 1, id);
    sqlite3_bind_int64(s, 2, pass);
    sqlite3_bind_int64(s, 3, core);
    sqlite3_bind_int64(s, 4, (int64_t)c->cycles);
    if (c->have_wfi)
        sqlite3_bind_int64(s, 5, (int64_t)c->wfi_cycles);
    return run_once(w, s, err);
}

/* Inserts values. scope: of a core or the chip; of_thread: a thread's number. */
static int insert_values(struct mpj_dataset_writer *w, unsigned id, unsigned pass, int64_t scope,
                         bool of_thread, const struct mpj_value *v, struct mpj_err *err)
{
    const char *const sql = of_thread ? "INSERT INTO thread_observation VALUES (?, ?, ?, ?, ?, ?)"
                                      : "INSERT INTO observation VALUES (?, ?, ?, ?, ?, ?)";
    size_t n;
    const struct mpj_event_info *const table = mpj_event_table(&n);

    for (size_t i = 0; i < n; i++) {
        sqlite3_stmt *s;
        if (!v[i].present)
            continue;
        if (prepare(w, &s, sql, err) != MPJ_E_OK)
            return err->code;
        sqlite3_bind_int64(s, 1, id);
        sqlite3_bind_text(s, 2, table[i].name, -1, SQLITE_STATIC);
        sqlite3_bind_int64(s, 3, scope);
        sqlite3_bind_int64(s, 4, pass);
        sqlite3_bind_int64(s, 5, (int64_t)v[i].value);
        sqlite3_bind_double(s, 6, v[i].coverage);
        if (run_once(w, s, err) != MPJ_E_OK)
            return err->code;
    }
    return MPJ_E_OK;
}

static int insert_truth(struct mpj_dataset_writer *w, unsigned id, const struct mpj_run *run,
                        struct mpj_err *err)
{
    const struct mpj_truth *const t = &run->truth;

    if (!run->have_truth || run->clock_hz == 0)
        return MPJ_E_OK;
    for (int scope = -2; scope < (int)MPJ_CORES_MAX; scope++) {
        sqlite3_stmt *s;
        if (prepare(w, &s, "INSERT OR REPLACE INTO truth VALUES (?, ?, ?, ?)", err) != MPJ_E_OK)
            return err->code;
        sqlite3_bind_int64(s, 1, id);
        sqlite3_bind_int64(s, 2, scope);
        sqlite3_bind_double(s, 3, (double)t->cycles / run->clock_hz);
        sqlite3_bind_double(s, 4,
                            scope == -2   ? t->energy_uj
                            : scope == -1 ? t->shared_energy_uj
                                          : t->core[scope].energy_uj);
        if (run_once(w, s, err) != MPJ_E_OK)
            return err->code;
    }
    return MPJ_E_OK;
}

/* Inserts a row of numbers: an integer for each i of types, a double for each d. */
static int insert_row(struct mpj_dataset_writer *w, const char *sql, const char *types,
                      const double *v, struct mpj_err *err)
{
    sqlite3_stmt *s;

    if (prepare(w, &s, sql, err) != MPJ_E_OK)
        return err->code;
    for (int i = 0; types[i] != '\0'; i++) {
        if (types[i] == 'i')
            sqlite3_bind_int64(s, i + 1, (int64_t)v[i]);
        else
            sqlite3_bind_double(s, i + 1, v[i]);
    }
    return run_once(w, s, err);
}

/* Inserts the threads themselves, and the emulator's truth for them: once. */
static int insert_threads(struct mpj_dataset_writer *w, unsigned id, const struct mpj_run *run,
                          struct mpj_err *err)
{
    struct mpj_dataset_program p;
    int result = mpj_model_program(&p, run, err);

    for (unsigned i = 0; result == MPJ_E_OK && i < p.profiled; i++) {
        const struct mpj_dataset_thread *const t = &p.thread[i];
        const double *const on = t->part.core_share;
        const double row[] = {id, t->id, t->part.run_s, t->part.cycles, on[0], on[1], on[2], on[3]};
        const double truth[] = {id, t->id, t->truth_cycles, t->truth_uj};
        result = insert_row(w, "INSERT OR REPLACE INTO thread VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                            "iididddd", row, err);
        if (result == MPJ_E_OK && t->have_truth)
            result = insert_row(w, "INSERT OR REPLACE INTO thread_truth VALUES (?, ?, ?, ?)",
                                "iiid", truth, err);
    }
    mpj_dataset_program_clear(&p);
    return result;
}

/* Stores the number of cores of the board, the same in all runs of a data set. */
static int label_cores(struct mpj_dataset_writer *w, uint32_t n, struct mpj_err *err)
{
    char cores[12];

    snprintf(cores, sizeof(cores), "%" PRIu32, n);
    return mpj_dataset_label(w, "cores", cores, err);
}

int mpj_dataset_record(struct mpj_dataset_writer *w, unsigned id, unsigned pass,
                       const struct mpj_run *run, struct mpj_err *err)
{
    int result;

    if (!run->complete || run->time_s <= 0.0)
        return mpj_err_set(err, MPJ_E_LOG, "the record of the run has no beginning or no end");
    result = exec(w, "BEGIN IMMEDIATE", err);
    if (result != MPJ_E_OK)
        return result;
    result = forget(w, id, pass, err);
    if (result == MPJ_E_OK)
        result = label_cores(w, run->machine.cores, err);
    if (result == MPJ_E_OK)
        result = insert_run(w, id, pass, run, err);
    for (unsigned k = 0; k < MPJ_CORES_MAX && result == MPJ_E_OK; k++) {
        if (!run->core[k].present)
            continue;
        result = insert_core(w, id, pass, k, &run->core[k], err);
        if (result == MPJ_E_OK)
            result = insert_values(w, id, pass, (int)k, false, run->core[k].ev, err);
    }
    if (result == MPJ_E_OK)
        result = insert_values(w, id, pass, -1, false, run->chip, err);
    if (result == MPJ_E_OK && pass == 0)
        result = insert_truth(w, id, run, err);
    if (result == MPJ_E_OK && pass == 0)
        result = insert_threads(w, id, run, err);
    for (unsigned i = 0; i < run->threads && result == MPJ_E_OK; i++) {
        struct mpj_value ev[MPJ_RUN_EVENTS_MAX];
        mpj_run_values(run, run->thread[i].ev, ev);
        result = insert_values(w, id, pass, run->thread[i].id, true, ev, err);
        if (result == MPJ_E_OK)
            result = insert_row(
                w, "INSERT INTO thread_observation VALUES (?, 'run_cycles', ?, ?, ?, 1)", "iiii",
                (double[]){id, run->thread[i].id, pass, (double)run->thread[i].cycles}, err);
    }
    return finish(w, result, err);
}

/* ---- a pass that was recorded elsewhere --------------------------------------- */

/* The tables of a pass; without a column of passes: of the first pass. */
static const struct {
    const char *name;
    bool passes;
} tables[] = {
    {"run", true},    {"core", true},    {"observation", true},  {"thread_observation", true},
    {"truth", false}, {"thread", false}, {"thread_truth", false}};

static json_t *cell(sqlite3_stmt *s, int column)
{
    switch (sqlite3_column_type(s, column)) {
    case SQLITE_INTEGER:
        return json_integer(sqlite3_column_int64(s, column));
    case SQLITE_FLOAT:
        return json_real(sqlite3_column_double(s, column));
    case SQLITE_TEXT:
        return json_string((const char *)sqlite3_column_text(s, column));
    default:
        return json_null();
    }
}

static int rows_of(struct mpj_dataset_writer *w, const char *table, json_t *out,
                   struct mpj_err *err)
{
    char sql[64];
    sqlite3_stmt *s;
    int step;
    int result;

    snprintf(sql, sizeof(sql), "SELECT * FROM %s", table);
    result = prepare(w, &s, sql, err);
    if (result != MPJ_E_OK)
        return result;
    while ((step = sqlite3_step(s)) == SQLITE_ROW) {
        json_t *const row = json_array();
        for (int i = 0; i < sqlite3_column_count(s); i++)
            json_array_append_new(row, cell(s, i));
        json_array_append_new(out, row);
    }
    if (step != SQLITE_DONE)
        result = db_error(w, err);
    sqlite3_finalize(s);
    return result;
}

int mpj_dataset_rows(json_t **out, unsigned id, unsigned pass, const struct mpj_run *run,
                     struct mpj_err *err)
{
    static char name[] = "a data set in memory";
    struct mpj_dataset_writer w = {.lock = -1, .path = name};
    int result = MPJ_E_OK;

    *out = json_object();
    if (sqlite3_open(":memory:", &w.db) != SQLITE_OK)
        result = db_error(&w, err);
    if (result == MPJ_E_OK)
        result = exec(&w, mpj_dataset_schema, err);
    if (result == MPJ_E_OK)
        result = mpj_dataset_record(&w, id, pass, run, err);
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]) && result == MPJ_E_OK; i++) {
        json_t *const rows = json_array();
        result = rows_of(&w, tables[i].name, rows, err);
        json_object_set_new(*out, tables[i].name, rows);
    }
    json_object_set_new(*out, "cores", json_integer(run->machine.cores));
    sqlite3_close(w.db);
    if (result != MPJ_E_OK) {
        json_decref(*out);
        *out = NULL;
    }
    return result;
}

static void bind(sqlite3_stmt *s, int at, const json_t *v)
{
    if (json_is_integer(v))
        sqlite3_bind_int64(s, at, json_integer_value(v));
    else if (json_is_real(v))
        sqlite3_bind_double(s, at, json_real_value(v));
    else if (json_is_string(v))
        sqlite3_bind_text(s, at, json_string_value(v), -1, SQLITE_STATIC);
}

static int insert_rows(struct mpj_dataset_writer *w, const char *table, const json_t *rows,
                       struct mpj_err *err)
{
    int result = MPJ_E_OK;
    size_t i;
    json_t *row;

    json_array_foreach(rows, i, row)
    {
        static const char places[] = "?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?";
        char sql[128];
        sqlite3_stmt *s;
        snprintf(sql, sizeof(sql), "INSERT OR REPLACE INTO %s VALUES (%.*s)", table,
                 2 * (int)json_array_size(row) - 1, places);
        result = prepare(w, &s, sql, err);
        if (result != MPJ_E_OK)
            break;
        for (size_t k = 0; k < json_array_size(row); k++)
            bind(s, (int)k + 1, json_array_get(row, k));
        result = run_once(w, s, err);
        if (result != MPJ_E_OK)
            break;
    }
    return result;
}

int mpj_dataset_put(struct mpj_dataset_writer *w, unsigned id, unsigned pass, const json_t *rows,
                    struct mpj_err *err)
{
    int result = exec(w, "BEGIN IMMEDIATE", err);

    if (result != MPJ_E_OK)
        return result;
    result = forget(w, id, pass, err);
    if (result == MPJ_E_OK)
        result = label_cores(w, (uint32_t)json_integer_value(json_object_get(rows, "cores")), err);
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]) && result == MPJ_E_OK; i++) {
        if (tables[i].passes || pass == 0)
            result = insert_rows(w, tables[i].name, json_object_get(rows, tables[i].name), err);
    }
    return finish(w, result, err);
}

int mpj_dataset_failure(struct mpj_dataset_writer *w, unsigned id, unsigned pass, int code,
                        const char *text, unsigned tries, struct mpj_err *err)
{
    sqlite3_stmt *s;
    int result = exec(w, "BEGIN IMMEDIATE", err);

    if (result != MPJ_E_OK)
        return result;
    result = forget(w, id, pass, err);
    if (result == MPJ_E_OK)
        result = prepare(w, &s,
                         "INSERT INTO run (program, pass, outcome, message, tries) "
                         "VALUES (?, ?, ?, ?, ?)",
                         err);
    if (result == MPJ_E_OK) {
        sqlite3_bind_int64(s, 1, id);
        sqlite3_bind_int64(s, 2, pass);
        sqlite3_bind_int64(s, 3, code);
        sqlite3_bind_text(s, 4, text, -1, SQLITE_STATIC);
        sqlite3_bind_int64(s, 5, tries);
        result = run_once(w, s, err);
    }
    return finish(w, result, err);
}
