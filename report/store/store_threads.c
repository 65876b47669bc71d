/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/store_int.h"
#include "store/thread_fields.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpj_adapt_records.h"
#include "report/store.h"
#include "report/symbols.h"

static int put_events(struct import *m, const char *sql, uint32_t key,
                      const struct mpj_event_value *ev, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const bool scu = ev[i].event >= MPJ_THREAD_SCU;
        const struct mpj_event_info *const info = mpj_event_find(
            scu ? MPJ_SOURCE_SCU : MPJ_SOURCE_PMU, ev[i].event - (scu ? MPJ_THREAD_SCU : 0U));
        if (info == NULL)
            return store_unknown(m, "thread", ev[i].event);
        if (store_put(m, sql, "iisii", (int64_t)m->pass, (int64_t)key, info->name,
                      (int64_t)ev[i].value, (int64_t)ev[i].active) != MPJ_E_OK)
            return m->err->code;
    }
    return MPJ_E_OK;
}

/* Prepares the INSERT of a thread: pass, name, run by core, then its fields. */
static sqlite3_stmt *insert_thread(struct import *m)
{
    char *columns;
    char *cores;
    char *marks;

    if (m->thread_sql != NULL)
        return store_statement(m, m->thread_sql);
    columns = thread_field_list("", "", MPJ_STORE_VERSION);
    marks = thread_field_list("@", "", MPJ_STORE_VERSION);
    cores = store_columns("core", MPJ_CORES_MAX, "");
    if (columns == NULL || marks == NULL || cores == NULL ||
        asprintf(&m->thread_sql,
                 "INSERT OR REPLACE INTO thread (pass, name, %s, %s) VALUES (?,?,?,?,?,?,%s)",
                 cores, columns, marks) < 0)
        m->thread_sql = NULL;
    _Static_assert(MPJ_CORES_MAX == 4, "a mark for each core");
    free(columns);
    free(cores);
    free(marks);
    if (m->thread_sql != NULL)
        return store_statement(m, m->thread_sql);
    mpj_err_nomem(m->err);
    return NULL;
}

static int put_fields(struct import *m, const struct mpj_thread_rec *t, const char *name)
{
    sqlite3_stmt *const s = insert_thread(m);
    int at = 1;

    if (s == NULL)
        return m->err->code;
    sqlite3_bind_int64(s, at++, m->pass);
    sqlite3_bind_text(s, at++, name, -1, SQLITE_TRANSIENT);
    for (unsigned k = 0; k < MPJ_CORES_MAX; k++)
        sqlite3_bind_int64(s, at++, (int64_t)t->core_run[k]);
    for (unsigned i = 0; i < thread_field_count; i++) {
        if (thread_fields[i].name != NULL)
            sqlite3_bind_int64(s, at++, (int64_t)thread_field_get(&thread_fields[i], t));
    }
    return store_run(m, s);
}

static int put_thread(struct import *m, const struct mpj_rec *rec)
{
    struct mpj_thread_rec t;
    char *name;
    int result;

    if (mpj_thread_get(rec, &t) != 0)
        return store_damaged(m, "THREAD");
    name = store_line(t.name);
    if (name == NULL)
        return mpj_err_nomem(m->err);
    result = put_fields(m, &t, name);
    free(name);
    if (result != MPJ_E_OK)
        return result;
    return put_events(m, "INSERT OR REPLACE INTO thread_counter VALUES (?,?,?,?,?)", t.id, t.ev,
                      t.count);
}

static int put_wait(struct import *m, const struct mpj_rec *rec)
{
    struct mpj_wait_rec w;

    if (mpj_wait_get(rec, &w) != 0)
        return store_damaged(m, "SYNC_WAIT");
    return store_put(m, "INSERT INTO wait VALUES (?,?,?,?,?,?,?,?,?,?)", "iiiiiiiiii",
                     (int64_t)m->pass, (int64_t)m->seq++, (int64_t)w.thread, (int64_t)w.kind,
                     (int64_t)w.object, (int64_t)w.owner, (int64_t)w.caller, (int64_t)w.count,
                     (int64_t)w.total, (int64_t)w.longest);
}

static int put_region(struct import *m, const struct mpj_rec *rec)
{
    struct mpj_region_rec g;
    const int seq = m->seq++;

    if (mpj_region_get(rec, &g) != 0)
        return store_damaged(m, "REGION");
    if (store_put(m, "INSERT INTO region VALUES (?,?,?,?,?,?,?,?,?,?,?,?)", "iiiiiiiiiiii",
                  (int64_t)m->pass, (int64_t)seq, (int64_t)g.fn, (int64_t)g.caller,
                  (int64_t)g.thread, (int64_t)g.size, (int64_t)g.calls, (int64_t)g.wall,
                  (int64_t)g.run, (int64_t)g.barrier, (int64_t)g.cycles,
                  (int64_t)g.host) != MPJ_E_OK)
        return m->err->code;
    return put_events(m, "INSERT OR REPLACE INTO region_counter VALUES (?,?,?,?,?)", (uint32_t)seq,
                      g.ev, g.count);
}

static int put_timeline(struct import *m, const struct mpj_rec *rec)
{
    struct mpj_timeline_rec t;

    if (mpj_timeline_get(rec, &t) != 0)
        return store_damaged(m, "THREAD_SWITCH");
    for (uint32_t i = 0; i < t.count; i++) {
        if (store_put(m, "INSERT OR REPLACE INTO timeline VALUES (?,?,?,?,?,?,?)", "iiiiiii",
                      (int64_t)m->pass, (int64_t)t.thread, (int64_t)(t.first + i), (int64_t)t.width,
                      (int64_t)t.bin[i].run, (int64_t)t.bin[i].block,
                      (int64_t)t.bin[i].host) != MPJ_E_OK)
            return m->err->code;
    }
    return MPJ_E_OK;
}

static int put_parallel(struct import *m, const struct mpj_rec *rec)
{
    struct mpj_parallel_rec p;

    if (mpj_parallel_get(rec, &p) != 0)
        return store_damaged(m, "PARALLEL");
    for (unsigned k = 0; k <= MPJ_CORES_MAX; k++) {
        if (store_put(m, "INSERT OR REPLACE INTO parallel VALUES (?,?,?)", "iii", (int64_t)m->pass,
                      (int64_t)k, (int64_t)p.ticks[k]) != MPJ_E_OK)
            return m->err->code;
    }
    return MPJ_E_OK;
}

static int put_memory(struct import *m, const struct mpj_rec *rec)
{
    struct mpj_memory_rec h;

    if (mpj_memory_get(rec, &h) != 0)
        return store_damaged(m, "MEMORY");
    return store_put(m, "INSERT OR REPLACE INTO memory VALUES (?,?,?,?)", "iiii", (int64_t)m->pass,
                     (int64_t)h.heap_peak, (int64_t)h.heap_end, (int64_t)h.heap_room);
}

static int put_spread(struct import *m, const struct mpj_rec *rec)
{
    struct mpj_spread_rec s;

    if (mpj_spread_get(rec, &s) != 0)
        return store_damaged(m, "SPREAD");
    for (uint32_t i = 0; i < s.count; i++) {
        const struct mpj_event_spread *const e = &s.ev[i];
        const struct mpj_event_info *const info = mpj_event_find(MPJ_SOURCE_PMU, e->event);
        if (info == NULL)
            return store_unknown(m, "pmu", e->event);
        if (store_put(m, "INSERT OR REPLACE INTO spread VALUES (?,?,?,?,?,?,?,?,?,?)", "iiisiiiiii",
                      (int64_t)m->pass, (int64_t)s.owner, (int64_t)s.id, info->name,
                      (int64_t)e->turns, (int64_t)e->c, (int64_t)e->x, (int64_t)e->cc,
                      (int64_t)e->xc, (int64_t)e->xx) != MPJ_E_OK)
            return m->err->code;
    }
    return MPJ_E_OK;
}

static int put_adapt(struct import *m, const struct mpj_rec *rec)
{
    struct mpj_adapt_rec a;

    if (mpj_adapt_get(rec, &a) != 0)
        return store_damaged(m, "ADAPT");
    return store_put(m, "INSERT INTO adapt VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
                     "iiiiiiiiiiiiiiiii", (int64_t)m->pass, (int64_t)m->seq++, (int64_t)a.region,
                     (int64_t)a.caller, (int64_t)a.time, (int64_t)a.ticks, (int64_t)a.threads,
                     (int64_t)a.most, (int64_t)a.why, (int64_t)a.believed_ns,
                     (int64_t)a.believed_uw, (int64_t)a.uw, (int64_t)a.samples, (int64_t)a.elapsed,
                     (int64_t)a.cycles, (int64_t)a.event[0], (int64_t)a.event[1]);
}

int store_thread_record(struct import *m, const struct mpj_rec *rec)
{
    switch (rec->kind) {
    case MPJ_REC_THREAD:
        return put_thread(m, rec);
    case MPJ_REC_SYNC_WAIT:
        return put_wait(m, rec);
    case MPJ_REC_REGION:
        return put_region(m, rec);
    case MPJ_REC_THREAD_SWITCH:
        return put_timeline(m, rec);
    case MPJ_REC_PARALLEL:
        return put_parallel(m, rec);
    case MPJ_REC_MEMORY:
        return put_memory(m, rec);
    case MPJ_REC_ADAPT:
        return put_adapt(m, rec);
    case MPJ_REC_SPREAD:
        return put_spread(m, rec);
    default:
        return MPJ_E_OK;
    }
}

/* Stores a place. kind: 0 the start of a function or body, 1 a return address, 2 a variable. */
static int put_place(struct import *m, struct mpj_symbols *symbols, uint32_t address, int kind)
{
    static const char sql[] = "INSERT OR IGNORE INTO place VALUES (?,?,?,?)";
    struct mpj_place p = {.address = address};
    uint32_t offset = 0;
    char name[200];

    if (kind == 2) {
        p.function = mpj_symbols_variable(symbols, address, &offset);
        if (p.function == NULL)
            return MPJ_E_OK;
        if (offset > 0)
            snprintf(name, sizeof(name), "%s+%u", p.function, (unsigned)offset);
        return store_put(m, sql, "isnn", (int64_t)address, offset > 0 ? name : p.function);
    }
    /* a return address belongs to the line after the call: two bytes before is inside the call */
    if (kind == 1)
        mpj_symbols_lookup(symbols, address - 2U, &p);
    else
        mpj_symbols_entry(symbols, address & ~1U, &p);
    if (p.function == NULL)
        return MPJ_E_OK;
    return store_put(m, sql, p.file != NULL ? "issi" : "isnn", (int64_t)address, p.function, p.file,
                     (int64_t)p.line);
}

int store_places(struct import *m)
{
    static const char sql[] =
        "SELECT entry, 0 FROM thread WHERE pass = 0 AND entry > 0 UNION "
        "SELECT fn, 0 FROM region WHERE pass = 0 AND fn > 0 UNION "
        "SELECT caller, 1 FROM region WHERE pass = 0 AND caller > 0 UNION "
        "SELECT caller, 1 FROM wait WHERE pass = 0 AND caller > 0 UNION "
        "SELECT region, 0 FROM adapt WHERE pass = 0 AND region > 0 UNION "
        "SELECT object, 2 FROM wait WHERE pass = 0 AND object > 0 ORDER BY 2, 1";
    struct mpj_symbols *symbols = NULL;
    struct mpj_err ignored;
    sqlite3_stmt *stmt = NULL;
    int step = SQLITE_DONE;
    int result = MPJ_E_OK;

    /* if the program cannot be read, only the names are missing from the report */
    if (m->elf == NULL || mpj_symbols_open(&symbols, m->elf, &ignored) != MPJ_E_OK)
        return MPJ_E_OK;
    if (sqlite3_prepare_v2(m->db, sql, -1, &stmt, NULL) != SQLITE_OK)
        result = store_db_error(m);
    while (result == MPJ_E_OK && (step = sqlite3_step(stmt)) == SQLITE_ROW)
        result = put_place(m, symbols, (uint32_t)sqlite3_column_int64(stmt, 0),
                           sqlite3_column_int(stmt, 1));
    if (result == MPJ_E_OK && step != SQLITE_DONE)
        result = store_db_error(m);
    sqlite3_finalize(stmt);
    mpj_symbols_free(symbols);
    return result;
}
