/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads a recording: from its raw log, up to its end or damage, and from a store. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sql.h"
#include "log/log.h"
#include "mpj_machine_record.h"
#include "report/store.h"
#include "report_int.h"
#include "store/energy_int.h"
#include "store/machine_int.h"
#include "store/store_int.h"

/* ---- raw log -------------------------------------------------------------------- */

/* Texts of the marks set from the host, by number. */
struct labels {
    char **text;
    size_t n;
};

struct log_reading {
    struct energy_scan *s; /* NULL: pass the samples on */
    energy_sample take;
    void *ctx;
    struct mpj_err *err;
    struct labels labels;
    bool numbered; /* a numbered frame of the target was received */
    uint16_t next;
};

static int damaged(struct log_reading *r, const char *what)
{
    return mpj_err_set(r->err, MPJ_E_LOG, "malformed %s", what);
}

static int on_meta(struct log_reading *r, const struct mpj_frame *f)
{
    struct mpj_energy *const e = r->s->e;
    const struct {
        const char *key;
        char **field;
    } known[] = {
        {"target", &e->target},           {"program", &e->program},
        {"arguments", &e->arguments},     {"firmware_sha256", &e->firmware_sha256},
        {"calibration", &e->calibration},
    };
    struct mpj_reader in;
    char *key;
    char *value;

    mpj_reader_init(&in, f->payload, f->len);
    key = store_line(mpj_get_bytes(&in));
    value = store_line(mpj_get_bytes(&in));
    if (key != NULL && value != NULL && strcmp(key, "planned_s") == 0)
        e->planned_s = strtod(value, NULL);
    for (size_t i = 0; key != NULL && i < sizeof(known) / sizeof(known[0]); i++) {
        if (strcmp(key, known[i].key) == 0 && *known[i].field == NULL) {
            *known[i].field = value;
            value = NULL;
        }
    }
    free(key);
    free(value);
    return in.malformed ? damaged(r, "META frame") : MPJ_E_OK;
}

static int on_label(struct log_reading *r, const struct mpj_frame *f)
{
    struct mpj_reader in;
    uint64_t number;
    char **more;

    mpj_reader_init(&in, f->payload, f->len);
    number = mpj_get_varint(&in);
    if (number != r->labels.n + 1U) /* numbers start at 1 */
        return damaged(r, "LABEL frame");
    more = realloc(r->labels.text, (r->labels.n + 1) * sizeof(*more));
    if (more == NULL)
        return mpj_err_nomem(r->err);
    r->labels.text = more;
    more[r->labels.n++] = store_line(mpj_get_bytes(&in));
    return MPJ_E_OK;
}

static int on_mark(struct log_reading *r, const struct mpj_rec *rec)
{
    struct energy_mark m;
    struct mpj_mark k;

    if (mpj_mark_get(rec, &k) != 0)
        return damaged(r, "MARK record");
    m = (struct energy_mark){
        .time = k.time, .value = k.value, .by_host = k.origin == MPJ_MARK_HOST};
    if (!m.by_host)
        m.name = store_line(k.name);
    else if (k.value >= 1 && (uint64_t)k.value <= r->labels.n &&
             r->labels.text[k.value - 1] != NULL)
        m.name = strdup(r->labels.text[k.value - 1]);
    else
        m.name = strdup("(no text)");
    return energy_add_mark(r->s, m, r->err);
}

static int on_run(struct log_reading *r, const struct mpj_rec *rec)
{
    struct mpj_run_rec run;

    if (mpj_run_get(rec, &run) != 0)
        return damaged(r, "RUN record");
    if (rec->kind == MPJ_REC_RUN_BEGIN) {
        r->s->have_begin = true;
        r->s->e->begin = run.time;
        r->s->e->period_s = run.adc_period_us / 1e6;
    } else {
        r->s->have_end = true;
        r->s->e->end = run.time;
    }
    return MPJ_E_OK;
}

static int on_adc(struct log_reading *r, const struct mpj_rec *rec)
{
    struct mpj_adc_rec a;

    if (mpj_adc_get(rec, &a) != 0)
        return damaged(r, "ADC record");
    for (uint32_t i = 0; i < a.count; i++) {
        if (r->s == NULL) {
            if (r->take(r->ctx, a.first + i, &a.s[i], r->err) != MPJ_E_OK)
                return r->err->code;
            continue;
        }
        if (!r->s->have_sample)
            r->s->first = a.s[i].time;
        r->s->have_sample = true;
        r->s->last = a.s[i].time;
        r->s->period = a.period;
    }
    return MPJ_E_OK;
}

static int on_record(struct log_reading *r, const struct mpj_rec *rec)
{
    struct mpj_dropped d;

    if (rec->kind == MPJ_REC_ADC)
        return on_adc(r, rec);
    if (r->s == NULL)
        return MPJ_E_OK;
    switch (rec->kind) {
    case MPJ_REC_MACHINE:
        return mpj_machine_get(rec, &r->s->e->machine) == 0 ? MPJ_E_OK
                                                            : damaged(r, "MACHINE record");
    case MPJ_REC_MARK:
        return on_mark(r, rec);
    case MPJ_REC_RUN_BEGIN:
    case MPJ_REC_RUN_END:
        return on_run(r, rec);
    case MPJ_REC_DROPPED:
        if (mpj_dropped_get(rec, &d) != 0)
            return damaged(r, "DROPPED record");
        for (uint32_t i = 0; i < d.count; i++)
            r->s->e->dropped += d.d[i].records;
        return MPJ_E_OK;
    default:
        return MPJ_E_OK;
    }
}

static int on_hello(struct log_reading *r, const struct mpj_frame *f)
{
    struct mpj_reader in;
    struct mpj_rec rec;
    struct mpj_hello h;

    mpj_reader_init(&in, f->payload, f->len);
    if (mpj_rec_next(&in, &rec) != 1 || mpj_hello_get(&rec, &h) != 0 || h.time_hz == 0)
        return damaged(r, "HELLO record");
    r->s->e->time_hz = h.time_hz;
    return MPJ_E_OK;
}

static int on_close(struct log_reading *r, const struct mpj_frame *f)
{
    struct mpj_energy *const e = r->s->e;
    struct mpj_reader in;

    mpj_reader_init(&in, f->payload, f->len);
    e->outcome = (int)mpj_get_signed(&in);
    free(e->message);
    e->message = store_text(mpj_get_bytes(&in));
    if (e->message != NULL && e->message[0] == '\0') {
        free(e->message);
        e->message = NULL;
    }
    e->closed = true;
    return MPJ_E_OK;
}

static int on_frame(struct log_reading *r, const struct mpj_frame *f)
{
    struct mpj_reader in;
    struct mpj_rec rec;
    int result;

    if (f->type == MPJ_FRAME_DATA || f->type == MPJ_FRAME_END || f->type == MPJ_FRAME_IO_REQ) {
        if (r->s != NULL)
            r->s->e->lost_frames += (uint16_t)(f->seq - (r->numbered ? r->next : 0));
        r->numbered = true;
        r->next = (uint16_t)(f->seq + 1U);
    }
    switch (f->type) {
    case MPJ_FRAME_DATA:
        mpj_reader_init(&in, f->payload, f->len);
        while ((result = mpj_rec_next(&in, &rec)) == 1) {
            if (on_record(r, &rec) != MPJ_E_OK)
                return r->err->code;
        }
        return result < 0 ? damaged(r, "record") : MPJ_E_OK;
    case MPJ_FRAME_HELLO:
        return r->s != NULL ? on_hello(r, f) : MPJ_E_OK;
    case MPJ_FRAME_END:
        if (r->s != NULL)
            r->s->e->ended = true;
        return MPJ_E_OK;
    case MPJ_LOG_META:
        return r->s != NULL ? on_meta(r, f) : MPJ_E_OK;
    case MPJ_LOG_LABEL:
        return r->s != NULL ? on_label(r, f) : MPJ_E_OK;
    case MPJ_LOG_CLOSE:
        return r->s != NULL ? on_close(r, f) : MPJ_E_OK;
    default:
        return MPJ_E_OK;
    }
}

/* Reads up to the first damage, which ends the reading and is recorded; it is not a failure. */
static int read_log(struct log_reading *r, const char *path)
{
    struct mpj_log_reader *log = NULL;
    struct mpj_frame f;
    bool cut = false;
    int result;

    if (mpj_log_open(&log, path, r->err) != MPJ_E_OK)
        return r->err->code;
    do {
        result = mpj_log_next(log, &f, &cut, r->err);
        if (result == 1 && on_frame(r, &f) != MPJ_E_OK)
            result = r->err->code;
    } while (result == 1);
    if (result == 0 && cut && r->s != NULL)
        r->s->e->cut_bytes = mpj_log_cut_bytes(log);
    if (result == MPJ_E_LOG) {
        if (r->s != NULL)
            r->s->e->damage = strdup(r->err->text);
        result = MPJ_E_OK;
    }
    mpj_log_reader_free(log);
    for (size_t i = 0; i < r->labels.n; i++)
        free(r->labels.text[i]);
    free(r->labels.text);
    return result;
}

int energy_scan_log(struct energy_scan *s, const char *path, struct mpj_err *err)
{
    struct log_reading r = {.s = s, .err = err};

    return read_log(&r, path);
}

int energy_samples_log(const char *path, energy_sample take, void *ctx, struct mpj_err *err)
{
    struct log_reading r = {.take = take, .ctx = ctx, .err = err};

    return read_log(&r, path);
}

/* ---- store ---------------------------------------------------------------------- */

struct store_reading {
    const char *path;
    struct energy_scan *s;
    energy_sample take;
    void *ctx;
    struct mpj_err *err;
};

static int pass_row(void *ctx, sqlite3_stmt *s)
{
    struct energy_scan *const scan = ((const struct store_reading *)ctx)->s;
    struct mpj_energy *const e = scan->e;

    e->time_hz = (uint32_t)sqlite3_column_int64(s, 0);
    e->period_s = (double)sqlite3_column_int64(s, 1) / 1e6;
    scan->have_begin = sqlite3_column_type(s, 2) != SQLITE_NULL;
    e->begin = (uint64_t)sqlite3_column_int64(s, 2);
    scan->have_end = sqlite3_column_type(s, 3) != SQLITE_NULL;
    e->end = (uint64_t)sqlite3_column_int64(s, 3);
    e->ended = sqlite3_column_type(s, 4) != SQLITE_NULL;
    e->dropped = (uint64_t)sqlite3_column_int64(s, 5);
    e->closed = sqlite3_column_type(s, 6) != SQLITE_NULL;
    e->outcome = sqlite3_column_int(s, 6);
    e->message = mpj_sql_text(s, 7);
    e->target = mpj_sql_text(s, 8);
    e->program = mpj_sql_text(s, 9);
    e->arguments = mpj_sql_text(s, 10);
    e->firmware_sha256 = mpj_sql_text(s, 11);
    e->calibration = mpj_sql_text(s, 12);
    e->planned_s = sqlite3_column_double(s, 13);
    scan->have_sample = sqlite3_column_type(s, 14) != SQLITE_NULL;
    scan->first = (uint64_t)sqlite3_column_int64(s, 14);
    scan->last = (uint64_t)sqlite3_column_int64(s, 15);
    scan->period = (uint64_t)(e->period_s * e->time_hz + 0.5);
    return MPJ_E_OK;
}

static int mark_row(void *ctx, sqlite3_stmt *s)
{
    const struct store_reading *const r = ctx;
    const struct energy_mark m = {.time = (uint64_t)sqlite3_column_int64(s, 0),
                                  .name = mpj_sql_text(s, 1),
                                  .value = sqlite3_column_int64(s, 2),
                                  .by_host = sqlite3_column_int(s, 3) < 0};

    return energy_add_mark(r->s, m, r->err);
}

static int sample_row(void *ctx, sqlite3_stmt *s)
{
    const struct store_reading *const r = ctx;
    struct mpj_adc_sample a = {.time = (uint64_t)sqlite3_column_int64(s, 1)};

    for (int i = 0; i < TILE_POWER_MAX; i++)
        a.code[i] = (uint16_t)sqlite3_column_int(s, 2 + i);
    return r->take(r->ctx, (uint64_t)sqlite3_column_int64(s, 0), &a, r->err);
}

const char *energy_columns(unsigned version)
{
    _Static_assert(TILE_POWER_MAX == 4, "a column for each channel");
    return version < MPJ_STORE_MACHINE ? "cpu_v, pll_v, cpu_i, pll_i"
                                       : "code0, code1, code2, code3";
}

/* Opens the store; the first of two readings checks its contents. */
static int open_store(struct store_reading *r, sqlite3 **db, unsigned *version)
{
    int has = 0;
    const int result = r->s != NULL ? run_store_open(db, r->path, version, r->err)
                                    : mpj_sql_open(db, r->path, &run_store_kind, &has, r->err);

    if (r->s == NULL)
        *version = (unsigned)has;
    return result;
}

int energy_scan_store(struct energy_scan *s, const char *path, struct mpj_err *err)
{
    static const struct mpj_sql_step steps[] = {
        {"SELECT time_hz, adc_period_us, time_begin, time_end, end_reason, dropped, outcome, "
         "message, "
         "(SELECT value FROM meta WHERE key = 'target'), "
         "(SELECT value FROM meta WHERE key = 'program'), "
         "(SELECT value FROM meta WHERE key = 'arguments'), "
         "(SELECT value FROM meta WHERE key = 'firmware_sha256'), "
         "(SELECT value FROM meta WHERE key = 'calibration'), "
         "(SELECT value FROM meta WHERE key = 'planned_s'), "
         "(SELECT time FROM adc WHERE pass = 0 ORDER BY idx LIMIT 1), "
         "(SELECT time FROM adc WHERE pass = 0 ORDER BY idx DESC LIMIT 1) "
         "FROM pass WHERE id = 0",
         pass_row},
        {"SELECT time, name, value, thread FROM mark WHERE pass = 0 ORDER BY seq", mark_row},
    };
    struct store_reading r = {.path = path, .s = s, .err = err};
    sqlite3 *db = NULL;
    unsigned version = 0;
    bool stated;
    int result = open_store(&r, &db, &version);

    if (result == MPJ_E_OK)
        result = mpj_sql_steps(db, path, steps, sizeof(steps) / sizeof(steps[0]), &r, err);
    if (result == MPJ_E_OK)
        result = machine_load(&s->e->machine, &stated, db, path, version, err);
    sqlite3_close(db);
    return result;
}

int energy_samples_store(const char *path, energy_sample take, void *ctx, struct mpj_err *err)
{
    struct mpj_sql_step step = {.row = sample_row};
    struct store_reading r = {.path = path, .take = take, .ctx = ctx, .err = err};
    sqlite3 *db = NULL;
    unsigned version = 0;
    char *sql = NULL;
    int result = open_store(&r, &db, &version);

    if (result == MPJ_E_OK &&
        asprintf(&sql, "SELECT idx, time, %s FROM adc WHERE pass = 0 ORDER BY idx",
                 energy_columns(version)) < 0) {
        sql = NULL;
        result = mpj_err_nomem(err);
    }
    step.sql = sql;
    if (result == MPJ_E_OK)
        result = mpj_sql_steps(db, path, &step, 1, &r, err);
    sqlite3_close(db);
    free(sql);
    return result;
}
