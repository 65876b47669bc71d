/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/store.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jansson.h>
#include <sqlite3.h>

#include "base/file.h"
#include "log/log.h"
#include "mpj_records.h"
#include "mpj_store_schema.h" /* generated from schema.sql */
#include "report/symbols.h"
#include "report_int.h"
#include "store/profile_put.h"
#include "store/settings.h"
#include "store/store_int.h"
#include "store/thread_fields.h"

#define PROFILE_SECTION 16U /* bytes of a section's header */
#define ID_OFFSET       68U /* of application_id in a file of SQLite */

int store_db_error(struct import *m)
{
    const int code = sqlite3_errcode(m->db);

    return mpj_err_set(m->err, code == SQLITE_FULL ? MPJ_E_FULL : MPJ_E_STORE,
                       "cannot write the store %s: %s", m->path, sqlite3_errmsg(m->db));
}

sqlite3_stmt *store_statement(struct import *m, const char *sql)
{
    sqlite3_stmt *stmt = NULL;

    for (size_t i = 0; i < m->cached; i++) {
        if (m->cache[i].sql == sql)
            return m->cache[i].stmt;
    }
    if (m->cached == STORE_STATEMENTS) {
        mpj_err_set(m->err, MPJ_E_STORE, "cannot write the store %s: too many kinds of statements",
                    m->path);
        return NULL;
    }
    if (sqlite3_prepare_v2(m->db, sql, -1, &stmt, NULL) != SQLITE_OK) {
        store_db_error(m);
        return NULL;
    }
    m->cache[m->cached].sql = sql;
    m->cache[m->cached++].stmt = stmt;
    return stmt;
}

/* Runs a bound statement and resets it. */
int store_run(struct import *m, sqlite3_stmt *stmt)
{
    const int result = sqlite3_step(stmt) == SQLITE_DONE ? MPJ_E_OK : store_db_error(m);

    sqlite3_reset(stmt);
    return result;
}

int store_put(struct import *m, const char *sql, const char *types, ...)
{
    sqlite3_stmt *const stmt = store_statement(m, sql);
    va_list ap;
    int at = 1;

    if (stmt == NULL)
        return m->err->code;
    va_start(ap, types);
    for (; *types != '\0'; types++, at++) {
        if (*types == 'i') {
            sqlite3_bind_int64(stmt, at, va_arg(ap, int64_t));
        } else if (*types == 's') {
            sqlite3_bind_text(stmt, at, va_arg(ap, const char *), -1, SQLITE_TRANSIENT);
        } else if (*types == 'b') {
            const void *const data = va_arg(ap, const void *);
            sqlite3_bind_blob64(stmt, at, data, va_arg(ap, size_t), SQLITE_TRANSIENT);
        } else if (*types == 'd') {
            sqlite3_bind_double(stmt, at, va_arg(ap, double));
        } else {
            sqlite3_bind_null(stmt, at);
        }
    }
    va_end(ap);
    return store_run(m, stmt);
}

int store_damaged(struct import *m, const char *what)
{
    return mpj_err_set(m->err, MPJ_E_LOG, "%s is corrupt: malformed %s record", m->log, what);
}

int store_unknown(struct import *m, const char *source, uint32_t event)
{
    return mpj_err_set(m->err, MPJ_E_LOG, "%s counts an unknown event: %s 0x%02x", m->log, source,
                       event);
}

/* ---- records ---------------------------------------------------------------- */

static int put_events(struct import *m, enum mpj_event_source source, int core,
                      const struct mpj_event_value *ev, uint32_t count)
{
    static const char *const name[MPJ_SOURCE_COUNT] = {"pmu", "scu", "l2"};

    for (uint32_t i = 0; i < count; i++) {
        const struct mpj_event_info *info = mpj_event_find(source, ev[i].event);
        if (info == NULL)
            return store_unknown(m, name[source], ev[i].event);
        if (store_put(m, "INSERT OR REPLACE INTO counter VALUES (?,?,?,?,?,?)", "isisii",
                      (int64_t)m->pass, name[source], (int64_t)core, info->name,
                      (int64_t)ev[i].value, (int64_t)ev[i].active) != MPJ_E_OK)
            return m->err->code;
    }
    return MPJ_E_OK;
}

static int put_core(struct import *m, const struct mpj_rec *rec)
{
    struct mpj_core_rec c;

    if (mpj_core_get(rec, &c) != 0 || c.core >= MPJ_CORES_MAX)
        return store_damaged(m, "CORE");
    if (store_put(m,
                  "INSERT OR REPLACE INTO core (pass, core, time, cycles, inexact, wfi_cycles) "
                  "VALUES (?,?,?,?,?,?)",
                  c.flags & MPJ_COUNTER_WFI ? "iiiiii" : "iiiiin", (int64_t)m->pass,
                  (int64_t)c.core, (int64_t)c.time, (int64_t)c.cycles,
                  (int64_t) !!(c.flags & MPJ_COUNTER_INEXACT), (int64_t)c.wfi_cycles) != MPJ_E_OK)
        return m->err->code;
    return put_events(m, MPJ_SOURCE_PMU, (int)c.core, c.ev, c.count);
}

static int put_chip(struct import *m, const struct mpj_rec *rec, enum mpj_event_source source)
{
    struct mpj_chip_rec c;

    if (mpj_chip_get(rec, &c) != 0)
        return store_damaged(m, source == MPJ_SOURCE_SCU ? "SCU" : "L2");
    return put_events(m, source, -1, c.ev, c.count);
}

static int put_adc(struct import *m, const struct mpj_rec *rec)
{
    static const char sql[] = "INSERT OR REPLACE INTO adc VALUES (?,?,?,?,?,?,?)";
    _Static_assert(TILE_POWER_MAX == 4, "a mark for each code");
    struct mpj_adc_rec *a = malloc(sizeof(*a));
    sqlite3_stmt *stmt;
    int result = MPJ_E_OK;

    if (a == NULL)
        return mpj_err_nomem(m->err);
    if (mpj_adc_get(rec, a) != 0) {
        result = store_damaged(m, "ADC");
        goto out;
    }
    stmt = store_statement(m, sql);
    if (stmt == NULL) {
        result = m->err->code;
        goto out;
    }
    for (uint32_t i = 0; i < a->count && result == MPJ_E_OK; i++) {
        const struct mpj_adc_sample *const s = &a->s[i];
        sqlite3_bind_int(stmt, 1, m->pass);
        sqlite3_bind_int64(stmt, 2, (int64_t)(a->first + i));
        sqlite3_bind_int64(stmt, 3, (int64_t)s->time);
        for (int k = 0; k < TILE_POWER_MAX; k++)
            sqlite3_bind_int(stmt, 4 + k, s->code[k]);
        result = store_run(m, stmt);
    }
out:
    free(a);
    return result;
}

static int put_error(struct import *m, const struct mpj_rec *rec)
{
    struct mpj_error_rec e;
    char *text;
    int result;

    if (mpj_error_get(rec, &e) != 0)
        return store_damaged(m, "ERROR");
    text = store_text(e.text);
    if (text == NULL)
        return mpj_err_nomem(m->err);
    if (e.code == MPJ_TERR_DEADLOCK) {
        struct mpj_symbols *symbols = NULL;
        struct mpj_err ignored;
        char *plain = text;

        if (m->elf != NULL)
            (void)mpj_symbols_open(&symbols, m->elf, &ignored);
        text = mpj_deadlock_names(symbols, plain);
        mpj_symbols_free(symbols);
        free(plain);
        if (text == NULL)
            return mpj_err_nomem(m->err);
    }
    result = store_put(m, "INSERT INTO error VALUES (?,?,?,?,?,?,?)", "iiiiiis", (int64_t)m->pass,
                       (int64_t)m->seq++, (int64_t)e.code, (int64_t)e.core, (int64_t)e.time,
                       (int64_t)e.detail, text);
    free(text);
    return result;
}

static int put_mark(struct import *m, const struct mpj_rec *rec)
{
    struct mpj_mark k;
    char *text;
    int result;

    if (mpj_mark_get(rec, &k) != 0 || k.core >= MPJ_CORES_MAX)
        return store_damaged(m, "MARK");
    if (k.origin != MPJ_MARK_HOST)
        text = store_line(k.name);
    else
        text = k.value >= 1 && (uint64_t)k.value <= m->labels ? strdup(m->label[k.value - 1])
                                                              : strdup("(no text)");
    if (text == NULL)
        return mpj_err_nomem(m->err);
    result = store_put(m, "INSERT INTO mark VALUES (?,?,?,?,?,?,?)", "iiiiisi", (int64_t)m->pass,
                       (int64_t)m->seq++, (int64_t)k.time, (int64_t)k.core,
                       k.origin == MPJ_MARK_HOST ? (int64_t)-1 : (int64_t)k.thread, text, k.value);
    free(text);
    return result;
}

/* A setting (mpj_settings.h) in the statement that takes it. */
#define COLUMN(kind, option, field, ...) ", " #field "=nullif(?,0)"
#define FORMAT(...)                      "i"
#define VALUE(kind, option, field, ...)  (int64_t) r.field,

static int put_run(struct import *m, const struct mpj_rec *rec)
{
    struct mpj_run_rec r;

    if (mpj_run_get(rec, &r) != 0)
        return store_damaged(m, "RUN");
    if (rec->kind == MPJ_REC_RUN_END)
        return store_put(m, "UPDATE pass SET time_end=? WHERE id=?", "ii", (int64_t)r.time,
                         (int64_t)m->pass);
    return store_put(
        m, "UPDATE pass SET time_begin=?, cores_mask=?" MPJ_SETTINGS_ALL(COLUMN) " WHERE id=?",
        "ii" MPJ_SETTINGS_ALL(FORMAT) "i", (int64_t)r.time, (int64_t)r.cores_mask,
        MPJ_SETTINGS_ALL(VALUE)(int64_t) m->pass);
}

/* Writes the losses of moments: the others are counted in END. */
static int put_dropped(struct import *m, const struct mpj_rec *rec)
{
    struct mpj_dropped d;
    int result = MPJ_E_OK;

    if (mpj_dropped_get(rec, &d) != 0)
        return store_damaged(m, "DROPPED");
    for (uint32_t i = 0; i < d.count && result == MPJ_E_OK; i++) {
        if (d.d[i].kind == MPJ_REC_MOMENTS)
            result = profile_lost(m, MPJ_PROF_SAMPLES, d.d[i].records);
    }
    return result;
}

static int put_record(struct import *m, const struct mpj_rec *rec)
{
    switch (rec->kind) {
    case MPJ_REC_CONSOLE_OUT:
    case MPJ_REC_CONSOLE_ERR:
        return store_put(m, "INSERT INTO console VALUES (?,?,?,?)", "iiib", (int64_t)m->pass,
                         (int64_t)m->seq++, (int64_t)(rec->kind == MPJ_REC_CONSOLE_OUT ? 1 : 2),
                         (const void *)rec->body, rec->len);
    case MPJ_REC_MACHINE:
        return store_machine(m, rec);
    case MPJ_REC_CORE:
        return put_core(m, rec);
    case MPJ_REC_SCU:
        return put_chip(m, rec, MPJ_SOURCE_SCU);
    case MPJ_REC_L2:
        return put_chip(m, rec, MPJ_SOURCE_L2);
    case MPJ_REC_ADC:
        return put_adc(m, rec);
    case MPJ_REC_FAULT:
        return store_fault(m, rec);
    case MPJ_REC_FAULT_STACK:
        return store_fault_stack(m, rec);
    case MPJ_REC_ERROR:
        return put_error(m, rec);
    case MPJ_REC_MARK:
        return put_mark(m, rec);
    case MPJ_REC_FUNCTION:
        return store_entry(m, rec);
    case MPJ_REC_FUNC_GROUPS:
        return store_entry_groups(m, rec);
    case MPJ_REC_MOMENTS:
        return store_moments(m, rec);
    case MPJ_REC_DROPPED:
        return put_dropped(m, rec);
    case MPJ_REC_RUN_BEGIN:
    case MPJ_REC_RUN_END:
        return put_run(m, rec);
    default:
        return store_thread_record(m, rec);
    }
}

/* ---- frames ----------------------------------------------------------------- */

static int put_hello(struct import *m, const struct mpj_frame *f)
{
    struct mpj_reader r;
    struct mpj_rec rec;
    struct mpj_hello h;

    mpj_reader_init(&r, f->payload, f->len);
    if (mpj_rec_next(&r, &rec) != 1 || mpj_hello_get(&rec, &h) != 0)
        return store_damaged(m, "HELLO");
    return store_put(m,
                     "UPDATE pass SET protocol=?, abi=?, midr=?, sys_id=?, cores=?, clock_hz=?, "
                     "time_hz=? WHERE id=?",
                     "iiiiiiii", (int64_t)h.protocol, (int64_t)h.abi, (int64_t)h.midr,
                     (int64_t)h.sys_id, (int64_t)h.cores, (int64_t)h.clock_hz, (int64_t)h.time_hz,
                     (int64_t)m->pass);
}

static int put_end(struct import *m, const struct mpj_frame *f)
{
    struct mpj_reader r;
    struct mpj_rec rec;
    struct mpj_end e;

    mpj_reader_init(&r, f->payload, f->len);
    if (mpj_rec_next(&r, &rec) != 1 || rec.kind != MPJ_REC_END || mpj_end_get(&rec, &e) != 0)
        return store_damaged(m, "END");
    if (store_put(m, "UPDATE pass SET end_reason=?, records=?, dropped=? WHERE id=?", "iiii",
                  (int64_t)e.reason, (int64_t)e.records, (int64_t)e.dropped,
                  (int64_t)m->pass) != MPJ_E_OK)
        return m->err->code;
    if (e.reason != MPJ_END_EXIT && e.reason != MPJ_END_ABORT)
        return MPJ_E_OK;
    return store_put(m, "UPDATE pass SET exit_status=? WHERE id=?", "ii", (int64_t)e.exit_status,
                     (int64_t)m->pass);
}

static int put_meta(struct import *m, const struct mpj_frame *f)
{
    struct mpj_reader r;
    char *key;
    char *value;
    int result;

    mpj_reader_init(&r, f->payload, f->len);
    key = store_line(mpj_get_bytes(&r));
    value = store_line(mpj_get_bytes(&r));
    if (key == NULL || value == NULL)
        result = mpj_err_nomem(m->err);
    else if (r.malformed)
        result = store_damaged(m, "META");
    else /* the first pass names the run */
        result = store_put(m, "INSERT OR IGNORE INTO meta VALUES (?,?)", "ss", key, value);
    free(key);
    free(value);
    return result;
}

static int put_close(struct import *m, const struct mpj_frame *f)
{
    struct mpj_reader r;
    int64_t code;
    char *text;
    int result;

    mpj_reader_init(&r, f->payload, f->len);
    code = mpj_get_signed(&r);
    m->went_well = code == MPJ_E_OK;
    text = store_text(mpj_get_bytes(&r));
    if (text == NULL)
        return mpj_err_nomem(m->err);
    result = store_put(m, "UPDATE pass SET outcome=?, message=nullif(?,'') WHERE id=?", "isi", code,
                       text, (int64_t)m->pass);
    free(text);
    return result;
}

/* Appends a piece to a file that arrives in pieces, and a 0; NULL: an error is set. */
static char *joined(struct import *m, char *file, size_t len, const struct mpj_frame *f)
{
    char *const more = realloc(file, len + f->len + 1);

    if (more == NULL) {
        mpj_err_nomem(m->err);
        return NULL;
    }
    memcpy(more + len, f->payload, f->len);
    more[len + f->len] = '\0';
    return more;
}

static int put_truth(struct import *m, const struct mpj_frame *f)
{
    char *const more = joined(m, m->truth, m->truth_len, f);

    if (more == NULL)
        return m->err->code;
    m->truth = more;
    m->truth_len += f->len;
    return MPJ_E_OK;
}

static int put_profile(struct import *m, const struct mpj_frame *f)
{
    char *const more = joined(m, m->profile, m->profile_len, f);

    if (more == NULL)
        return m->err->code;
    m->profile = more;
    m->profile_len += f->len;
    return MPJ_E_OK;
}

static int put_label(struct import *m, const struct mpj_frame *f)
{
    struct mpj_reader r;
    char **more;

    mpj_reader_init(&r, f->payload, f->len);
    if (mpj_get_varint(&r) != m->labels + 1U)
        return store_damaged(m, "LABEL");
    more = realloc(m->label, (m->labels + 1) * sizeof(*more));
    if (more == NULL)
        return mpj_err_nomem(m->err);
    m->label = more;
    more[m->labels] = store_line(mpj_get_bytes(&r));
    if (more[m->labels] == NULL)
        return mpj_err_nomem(m->err);
    m->labels++;
    return MPJ_E_OK;
}

static void forget_labels(struct import *m)
{
    while (m->labels > 0)
        free(m->label[--m->labels]);
    free(m->label);
    m->label = NULL;
}

static int put_frame(struct import *m, const struct mpj_frame *f)
{
    struct mpj_reader r;
    struct mpj_rec rec;
    int result;

    switch (f->type) {
    case MPJ_FRAME_HELLO:
        return put_hello(m, f);
    case MPJ_FRAME_DATA:
        mpj_reader_init(&r, f->payload, f->len);
        while ((result = mpj_rec_next(&r, &rec)) == 1) {
            if (put_record(m, &rec) != MPJ_E_OK)
                return m->err->code;
        }
        return result < 0 ? store_damaged(m, "cut") : MPJ_E_OK;
    case MPJ_FRAME_START:
        store_samples_asked(m, f);
        return MPJ_E_OK;
    case MPJ_FRAME_END:
        return put_end(m, f);
    case MPJ_LOG_META:
        return put_meta(m, f);
    case MPJ_LOG_TRUTH:
        return put_truth(m, f);
    case MPJ_LOG_PROFILE:
        return put_profile(m, f);
    case MPJ_LOG_CLOSE:
        return put_close(m, f);
    case MPJ_LOG_LABEL:
        return put_label(m, f);
    default:
        return MPJ_E_OK; /* junk and additions of later versions */
    }
}

/* True if complete: a log may have been truncated within the emulator's truth. */
static bool is_json(const char *text)
{
    json_t *const root = json_loads(text, 0, NULL);

    json_decref(root);
    return root != NULL;
}

/* True if the emulator's profile is not cut off: an emulator that was killed wrote a part of it. */
static bool has_whole_profile(const struct import *m)
{
    static const char end[] = "END ";

    return m->profile_len >= PROFILE_SECTION &&
           memcmp(m->profile + m->profile_len - PROFILE_SECTION, end, strlen(end)) == 0;
}

static int import_log(struct import *m)
{
    struct mpj_log_reader *log = NULL;
    struct mpj_frame f;
    int result;

    m->seq = 0;
    m->truth_len = m->profile_len = 0;
    m->went_well = false;
    if (mpj_log_open(&log, m->log, m->err) != MPJ_E_OK)
        return m->err->code;
    result = store_put(m, "INSERT INTO pass (id) VALUES (?)", "i", (int64_t)m->pass);
    while (result == MPJ_E_OK) {
        result = mpj_log_next(log, &f, NULL, m->err);
        if (result <= 0)
            break;
        result = put_frame(m, &f);
    }
    if (result == MPJ_E_OK)
        result = store_fault_end(m);
    store_fault_free(m);
    if (result == MPJ_E_OK && m->truth_len > 0 && (m->went_well || is_json(m->truth)))
        result = store_put(m, "INSERT INTO truth VALUES (?,?)", "is", (int64_t)m->pass, m->truth);
    if (result == MPJ_E_OK && m->profile_len > 0 && (m->went_well || has_whole_profile(m)))
        result = store_profile(m, m->profile, m->profile_len);
    if (result == MPJ_E_OK && m->truth_len > 0 && (m->went_well || is_json(m->truth)))
        result = profile_check_sums(m);
    if (result == MPJ_E_OK)
        result = store_samples_end(m);
    if (result == MPJ_E_OK)
        result = store_entries_end(m);
    store_samples_free(m);
    store_entries_free(m);
    forget_labels(m);
    mpj_log_reader_free(log);
    return result;
}

/* ---- the file --------------------------------------------------------------- */

static int exec(struct import *m, const char *sql)
{
    return sqlite3_exec(m->db, sql, NULL, NULL, NULL) == SQLITE_OK ? MPJ_E_OK : store_db_error(m);
}

char *store_columns(const char *name, unsigned n, const char *after)
{
    char *out = NULL;
    size_t size = 0;
    FILE *const f = open_memstream(&out, &size);

    if (f == NULL)
        return NULL;
    for (unsigned i = 0; i < n; i++)
        fprintf(f, "%s%s%u%s", i > 0 ? ", " : "", name, i, after);
    return fclose(f) == 0 ? out : NULL;
}

/* Replaces the mark in the text by columns and a comma; frees both. NULL: out of memory. */
static char *with_columns(char *text, const char *mark, char *columns)
{
    const char *const at = text != NULL ? strstr(text, mark) : NULL;
    char *out = NULL;

    if (at == NULL || columns == NULL ||
        asprintf(&out, "%.*s%s,%s", (int)(at - text), text, columns, at + strlen(mark)) < 0)
        out = NULL;
    free(text);
    free(columns);
    return out;
}

/* Executes schema.sql, with the number of columns given by a table or a bound. */
static int make_tables(struct import *m)
{
    static const char kind[] = " INTEGER NOT NULL";
    char *sql = strdup(mpj_store_schema);
    int result;

    sql = with_columns(sql, "@CODES@", store_columns("code", TILE_POWER_MAX, kind));
    sql = with_columns(sql, "@SETTINGS@", setting_columns(" INTEGER", MPJ_STORE_VERSION));
    sql = with_columns(sql, "@FIELDS@", thread_field_list("", kind, MPJ_STORE_VERSION));
    sql = with_columns(sql, "@CORES@", store_columns("core", MPJ_CORES_MAX, kind));
    result = sql != NULL ? exec(m, sql) : mpj_err_nomem(m->err);
    free(sql);
    return result;
}

/* Gives the run the failure of an attempt whose passes so far ended well. */
static int mark_failed(struct import *m)
{
    return store_put(m,
                     "UPDATE pass SET outcome=?, message=? WHERE id=0 AND NOT EXISTS "
                     "(SELECT 1 FROM pass WHERE outcome IS NULL OR outcome <> 0)",
                     "is", (int64_t)m->why->code, m->why->text);
}

static int fill(struct import *m, const char *const *logs, size_t count)
{
    char head[160];
    int result;

    /* the file is new and appears by renaming: no journal is needed to protect it; 64 MB of it stay
     * in memory for the check */
    snprintf(head, sizeof(head),
             "PRAGMA journal_mode=OFF; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-65536; "
             "PRAGMA application_id=%d; PRAGMA user_version=%d;",
             MPJ_STORE_APPLICATION_ID, MPJ_STORE_VERSION);
    result = exec(m, head);
    if (result == MPJ_E_OK)
        result = exec(m, "BEGIN");
    if (result == MPJ_E_OK)
        result = make_tables(m);
    for (size_t i = 0; i < count && result == MPJ_E_OK; i++) {
        m->pass = (int)i;
        m->log = logs[i];
        result = import_log(m);
    }
    if (result == MPJ_E_OK && m->why != NULL)
        result = mark_failed(m);
    if (result == MPJ_E_OK)
        result = store_places(m);
    if (result == MPJ_E_OK) {
        result = run_store_check(m->db, m->log, "cannot be true", MPJ_STORE_VERSION, m->err);
        if (result == MPJ_E_STORE) /* a rule is broken, by the log; or the file cannot be read */
            result = sqlite3_errcode(m->db) == SQLITE_OK ? (m->err->code = MPJ_E_LOG)
                                                         : store_db_error(m);
    }
    if (result == MPJ_E_OK)
        result = exec(m, "COMMIT");
    return result;
}

/* Returns the final path of the store; an existing file there must be ours or empty. */
static int find_own_place(char **place, const char *path, struct mpj_err *err)
{
    static const uint8_t id[] = {0x4d, 0x50, 0x4a, 0x31};
    static const char magic[] = "SQLite format 3";
    int ours;

    _Static_assert(MPJ_STORE_APPLICATION_ID == 0x4d504a31, "these bytes");
    if (mpj_file_place(place, path, "store", err) != MPJ_E_OK)
        return err->code;
    ours = mpj_file_begins(path, 0, magic, sizeof(magic));
    if (ours > 0)
        ours = mpj_file_begins(path, ID_OFFSET, id, sizeof(id));
    if (ours > 0)
        return MPJ_E_OK;
    if (ours < 0)
        mpj_err_errno(err, "cannot read the store %s", path);
    free(*place);
    *place = NULL;
    if (ours < 0)
        return err->code;
    return mpj_err_set(err, MPJ_E_USAGE,
                       "%s is not a run recorded by mpjoule: no store takes its place. Remove it, "
                       "or name another file",
                       path);
}

/* Refuses a place whose older store was interrupted in a transaction: SQLite would write the
 * journal, by its name, into the new store. It is not rolled back here, as a journal from elsewhere
 * can make SQLite delete other files. */
static int find_place(char **place, const char *path, struct mpj_err *err)
{
    int result = find_own_place(place, path, err);
    char *journal = NULL;
    struct stat st;

    if (result != MPJ_E_OK)
        return result;
    if (asprintf(&journal, "%s-journal", *place) < 0) {
        journal = NULL;
        result = mpj_err_nomem(err);
    } else if (lstat(journal, &st) == 0) {
        result = mpj_err_set(err, MPJ_E_USAGE,
                             "%s has an interrupted transaction, in %s: no store takes its place. "
                             "Remove both, or name another file",
                             path, journal);
    }
    free(journal);
    if (result != MPJ_E_OK) {
        free(*place);
        *place = NULL;
    }
    return result;
}

int mpj_store_check(const char *path, struct mpj_err *err)
{
    char *place;
    const int result = find_place(&place, path, err);

    free(place);
    return result;
}

/* Builds the store in a new file next to its final path, which is locked, and renames it when it is
 * complete. */
static int build(struct import *m, const char *temp, const char *const *logs, size_t count)
{
    int result;

    if (sqlite3_open_v2(temp, &m->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW, NULL) !=
        SQLITE_OK)
        result = mpj_err_set(m->err, MPJ_E_STORE, "cannot create %s: %s", temp,
                             m->db != NULL ? sqlite3_errmsg(m->db) : "out of memory");
    else
        result = fill(m, logs, count);
    while (m->cached > 0)
        sqlite3_finalize(m->cache[--m->cached].stmt);
    free(m->thread_sql);
    sqlite3_close(m->db);
    if (result == MPJ_E_OK && m->complete != NULL)
        result = m->complete(m->complete_ctx, temp, m->err);
    if (result == MPJ_E_OK && rename(temp, m->path) != 0)
        result = mpj_err_errno(m->err, "cannot create %s", m->path);
    if (result != MPJ_E_OK)
        unlink(temp);
    free(m->truth);
    free(m->profile);
    return result;
}

/* Builds the store of logs at a path. */
static int build_at(struct import *m, const char *path, const char *const *logs, size_t count)
{
    char *place = NULL;
    char *temp = NULL;
    int result;
    int lock;

    m->log = logs[0];
    if (find_place(&place, path, m->err) != MPJ_E_OK)
        return m->err->code;
    m->path = place;
    if (asprintf(&temp, "%s.new", place) < 0) {
        free(place);
        return mpj_err_nomem(m->err);
    }
    lock = mpj_file_grow(temp, true, m->err);
    result = lock >= 0 ? build(m, temp, logs, count) : m->err->code;
    if (lock >= 0)
        close(lock);
    free(place);
    free(temp);
    return result;
}

int mpj_store_build(const char *path, const char *const *logs, size_t count, const char *elf,
                    struct mpj_err *err)
{
    struct import m = {.elf = elf, .err = err};

    return build_at(&m, path, logs, count);
}

int mpj_store_build_failed(const char *path, const char *const *logs, size_t count, const char *elf,
                           const struct mpj_err *why, struct mpj_err *err)
{
    struct import m = {.elf = elf, .why = why, .err = err};

    return build_at(&m, path, logs, count);
}

int mpj_store_build_with(const char *path, const char *const *logs, size_t count, const char *elf,
                         mpj_store_complete *complete, void *ctx, struct mpj_err *err)
{
    struct import m = {.elf = elf, .complete = complete, .complete_ctx = ctx, .err = err};

    return build_at(&m, path, logs, count);
}
