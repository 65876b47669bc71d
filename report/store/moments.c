/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads moments, power over time and instructions of a store, row by row. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/profile.h"
#include "report/store.h"
#include "report_int.h"
#include "store/profile_put.h"

#define INSN_COSTS_MAX 64U

/* Opens the store and runs one query; no rows for a store that is older than its tables. */
static int each_row_since(unsigned since, const char *store, const char *sql, mpj_sql_row *row,
                          void *ctx, struct mpj_err *err)
{
    const struct mpj_sql_step step = {sql, row};
    sqlite3 *db = NULL;
    unsigned version = 0;
    int result = run_store_open(&db, store, &version, err);

    if (result == MPJ_E_OK && version >= since)
        result = mpj_sql_steps(db, store, &step, 1, ctx, err);
    sqlite3_close(db);
    return result;
}

static int each_row(const char *store, const char *sql, mpj_sql_row *row, void *ctx,
                    struct mpj_err *err)
{
    return each_row_since(MPJ_STORE_PROFILE, store, sql, row, ctx, err);
}

static int64_t or_none(sqlite3_stmt *s, int column)
{
    return sqlite3_column_type(s, column) == SQLITE_NULL ? MPJ_PROF_NONE
                                                         : sqlite3_column_int64(s, column);
}

/* ---- moments ----------------------------------------------------------------------- */

struct moments {
    mpj_moment_each *each;
    void *ctx;
    uint64_t *lost;
};

static int on_moment(void *ctx, sqlite3_stmt *s)
{
    const struct moments *const c = ctx;
    const struct mpj_moment m = {
        .time = (uint64_t)sqlite3_column_int64(s, 0),
        .core = or_none(s, 1),
        .thread = or_none(s, 2),
        .kind = (enum mpj_moment_kind)sqlite3_column_int(s, 3),
        .object = sqlite3_column_int64(s, 4),
        .other = sqlite3_column_int64(s, 5),
        .value = sqlite3_column_int64(s, 6),
        .name = (const char *)sqlite3_column_text(s, 7),
    };

    return c->each(c->ctx, &m);
}

static int on_lost(void *ctx, sqlite3_stmt *s)
{
    const struct moments *const c = ctx;

    *c->lost = (uint64_t)sqlite3_column_int64(s, 0);
    return MPJ_E_OK;
}

/* The requested source; for MPJ_PROF_SOURCES the most exact one that has any. */
#define SOURCE                                                                                     \
    "CASE WHEN %d IN (0, 2) THEN %d ELSE (SELECT min(source) FROM moment WHERE pass = 0) END"
_Static_assert(MPJ_PROF_TRUTH == 0 && MPJ_PROF_SAMPLES == 2, "entries have no moments");

static int on_source(void *ctx, sqlite3_stmt *s)
{
    enum mpj_prof_source *const source = ctx;

    *source = (enum mpj_prof_source)or_none(s, 0);
    return MPJ_E_OK;
}

int mpj_moments_source(const char *store, enum mpj_prof_source *source, struct mpj_err *err)
{
    char sql[200];

    snprintf(sql, sizeof(sql), "SELECT " SOURCE, (int)*source, (int)*source);
    return each_row(store, sql, on_source, source, err);
}

int mpj_moments(const char *store, enum mpj_prof_source source, mpj_moment_each *each, void *ctx,
                uint64_t *lost, struct mpj_err *err)
{
    struct moments c = {each, ctx, lost};
    char sql[600];

    if (lost != NULL) {
        *lost = 0;
        snprintf(sql, sizeof(sql),
                 "SELECT lost FROM moment_loss WHERE pass = 0 AND source = " SOURCE, (int)source,
                 (int)source);
        if (each_row(store, sql, on_lost, &c, err) != MPJ_E_OK)
            return err->code;
    }
    snprintf(sql, sizeof(sql),
             "SELECT max(m.time - ifnull(p.time_begin, 0), 0), m.core, m.thread, m.kind, m.object, "
             "m.other, m.value, k.name FROM moment m JOIN pass p ON p.id = m.pass "
             "LEFT JOIN mark k ON m.kind = 6 AND k.pass = m.pass AND k.seq = m.object "
             "WHERE m.pass = 0 AND m.source = " SOURCE " ORDER BY m.time, m.seq",
             (int)source, (int)source);
    return each_row(store, sql, on_moment, &c, err);
}

/* ---- power over time --------------------------------------------------------------- */

struct waves {
    mpj_wave_each *each;
    void *ctx;
};

static int on_wave(void *ctx, sqlite3_stmt *s)
{
    const struct waves *const c = ctx;
    const int64_t core = or_none(s, 0);
    const uint64_t step = (uint64_t)sqlite3_column_int64(s, 2);
    const unsigned char *const bytes = sqlite3_column_blob(s, 3);
    const size_t n = (size_t)sqlite3_column_bytes(s, 3) / 8;
    uint64_t time = (uint64_t)sqlite3_column_int64(s, 1); /* the first may begin before the run */
    int result = MPJ_E_OK;

    for (size_t i = 0; i < n && result == MPJ_E_OK; i++, time += step)
        result = c->each(c->ctx, core, (int64_t)time > 0 ? time : 0U, step,
                         profile_bytes(bytes + 8 * i, 8));
    return result;
}

int mpj_wave(const char *store, mpj_wave_each *each, void *ctx, struct mpj_err *err)
{
    struct waves c = {each, ctx};

    return each_row(store,
                    "SELECT w.core, w.time0 - ifnull(p.time_begin, 0), w.step, w.fj "
                    "FROM wave w JOIN pass p ON p.id = w.pass WHERE w.pass = 0 "
                    "ORDER BY w.core, w.time0",
                    on_wave, &c, err);
}

struct counts {
    mpj_count_each *each;
    void *ctx;
};

static int on_counts(void *ctx, sqlite3_stmt *s)
{
    const struct counts *const c = ctx;
    const uint64_t step = (uint64_t)sqlite3_column_int64(s, 3);
    const unsigned char *const bytes = sqlite3_column_blob(s, 4);
    const size_t n = (size_t)sqlite3_column_bytes(s, 4) / 4;
    uint64_t time = (uint64_t)sqlite3_column_int64(s, 2);
    int result = MPJ_E_OK;

    for (size_t i = 0; i < n && result == MPJ_E_OK; i++, time += step)
        result =
            c->each(c->ctx, sqlite3_column_int64(s, 0), (const char *)sqlite3_column_text(s, 1),
                    time, step, profile_bytes(bytes + 4 * i, 4));
    return result;
}

int mpj_wave_counts(const char *store, mpj_count_each *each, void *ctx, struct mpj_err *err)
{
    struct counts c = {each, ctx};

    return each_row_since(
        MPJ_STORE_TIMES, store,
        "SELECT w.core, w.event, max(w.time0 - ifnull(p.time_begin, 0), 0), w.step, w.counts "
        "FROM wave_count w JOIN pass p ON p.id = w.pass WHERE w.pass = 0 "
        "ORDER BY w.event, w.core, w.time0",
        on_counts, &c, err);
}

/* ---- calls over time --------------------------------------------------------------- */

struct bins {
    mpj_entry_bin_each *each;
    void *ctx;
};

static int on_bin(void *ctx, sqlite3_stmt *s)
{
    const struct bins *const c = ctx;
    const struct mpj_entry_bin b = {.address = (uint32_t)sqlite3_column_int64(s, 6),
                                    .bin = (unsigned)sqlite3_column_int(s, 1),
                                    .records = (uint64_t)sqlite3_column_int64(s, 2),
                                    .calls = (uint64_t)sqlite3_column_int64(s, 3),
                                    .cycles = (uint64_t)sqlite3_column_int64(s, 4),
                                    .energy_fj = (uint64_t)sqlite3_column_int64(s, 5)};
    const char *const name = (const char *)sqlite3_column_text(s, 0);

    return c->each(c->ctx, name != NULL ? name : "(unknown)", &b);
}

int mpj_entry_bins(const char *store, mpj_entry_bin_each *each, void *ctx, uint64_t *lost,
                   struct mpj_err *err)
{
    struct bins c = {each, ctx};
    struct moments l = {.lost = lost};

    if (lost != NULL) {
        *lost = 0;
        if (each_row(store, "SELECT lost FROM moment_loss WHERE pass = 0 AND source = 2", on_lost,
                     &l, err) != MPJ_E_OK)
            return err->code;
    }
    return each_row_since(
        MPJ_STORE_TIMES, store,
        "SELECT CASE WHEN f.kind = 4 OR f.name IS NULL THEN printf('0x%08x', "
        "t.address) ELSE f.name END, t.bin, t.records, "
        "t.calls, t.cycles, ifnull(t.energy_fj, 0), t.address FROM entry_time t LEFT JOIN "
        "prof_func f ON f.pass = 0 AND f.source = 1 AND f.address = t.address "
        "ORDER BY 1, t.address, 2",
        on_bin, &c, err);
}

/* ---- instructions ------------------------------------------------------------------ */

struct insns {
    mpj_insn_each *each;
    void *ctx;
    struct mpj_insn insn;
    bool there;
    struct mpj_insn_cost cost[INSN_COSTS_MAX];
    char *name[INSN_COSTS_MAX];
};

static int hand_on(struct insns *c)
{
    int result = MPJ_E_OK;

    c->insn.cost = c->cost;
    if (c->there)
        result = c->each(c->ctx, &c->insn);
    while (c->insn.costs > 0)
        free(c->name[--c->insn.costs]);
    c->there = false;
    return result;
}

/* Takes a row per cost, or a single one without a cost. */
static int on_insn(void *ctx, sqlite3_stmt *s)
{
    struct insns *const c = ctx;
    const uint32_t address = (uint32_t)sqlite3_column_int64(s, 0);
    int result = MPJ_E_OK;
    unsigned n;

    if (c->there && c->insn.address != address)
        result = hand_on(c);
    if (result != MPJ_E_OK)
        return result;
    c->there = true;
    c->insn.address = address;
    c->insn.executions = (uint64_t)sqlite3_column_int64(s, 1);
    c->insn.cycles = (uint64_t)sqlite3_column_int64(s, 2);
    n = c->insn.costs;
    if (sqlite3_column_type(s, 3) == SQLITE_NULL || n == INSN_COSTS_MAX)
        return MPJ_E_OK;
    c->name[n] = mpj_sql_text(s, 3);
    c->cost[n] =
        (struct mpj_insn_cost){c->name[n] != NULL ? c->name[n] : "", sqlite3_column_int64(s, 4)};
    c->insn.costs = n + 1;
    return MPJ_E_OK;
}

int mpj_insns(const char *store, uint32_t address, uint32_t end, mpj_insn_each *each, void *ctx,
              struct mpj_err *err)
{
    struct insns c = {.each = each, .ctx = ctx};
    char sql[400];
    int result;
    int last;

    snprintf(sql, sizeof(sql),
             "SELECT i.address, i.executions, i.cycles, c.item, c.value FROM prof_insn i "
             "LEFT JOIN prof_insn_cost c ON c.pass = i.pass AND c.address = i.address "
             "WHERE i.pass = 0 AND i.address >= %" PRIu32 " AND i.address < %" PRIu32
             " ORDER BY i.address, c.item",
             address, end);
    result = each_row(store, sql, on_insn, &c, err);
    c.there = c.there && result == MPJ_E_OK;
    last = hand_on(&c);
    return result != MPJ_E_OK ? result : last;
}
