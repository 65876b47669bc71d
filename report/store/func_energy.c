/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Energy of functions that were measured at entry and exit, from their counts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#include "report/run.h"
#include "report/store.h"

/* A function in all passes: each counted its own events. */
struct func {
    int64_t id; /* in pass 0 */
    double cycles, fj;
    double ev[MPJ_RUN_EVENTS_MAX];
};

struct table {
    sqlite3 *db;
    struct func *func;
    size_t count;
    bool known[MPJ_RUN_EVENTS_MAX];
};

/* Costs of pass 0's functions, with those of the same function in the other passes: in proportion
 * to its cycles, which differ a little. */
static const char costs[] =
    "WITH cost AS (SELECT c.pass, coalesce(f.address, f.name) AS address, item, sum(value) AS "
    "value FROM prof_cost c "
    "JOIN prof_node n ON n.pass = c.pass AND n.source = 1 AND n.id = c.node "
    "JOIN prof_func f ON f.pass = c.pass AND f.source = 1 AND f.id = n.func "
    "WHERE c.source = 1 GROUP BY 1, 2, 3) "
    "SELECT f.id, x.item, x.value, here.value, there.value FROM prof_func f "
    "JOIN cost x ON x.address = coalesce(f.address, f.name) "
    "JOIN cost here ON here.address = x.address AND here.pass = 0 AND here.item = 'cycles' "
    "JOIN cost there ON there.address = x.address AND there.pass = x.pass AND there.item = "
    "'cycles' "
    "WHERE f.pass = 0 AND f.source = 1 ORDER BY f.id, x.pass";

static int event_index(const char *name)
{
    size_t n;
    const struct mpj_event_info *const all = mpj_event_table(&n);
    const struct mpj_event_info *const e = mpj_event_by_name(name, strlen(name));

    return e == NULL ? -1 : (int)(e - all);
}

static bool add(struct table *t, sqlite3_stmt *s)
{
    const int64_t id = sqlite3_column_int64(s, 0);
    const int event = event_index((const char *)sqlite3_column_text(s, 1));
    const double value = (double)sqlite3_column_int64(s, 2);
    const double here = (double)sqlite3_column_int64(s, 3);
    const double there = (double)sqlite3_column_int64(s, 4);

    if (t->count == 0 || t->func[t->count - 1U].id != id) {
        struct func *const more = realloc(t->func, (t->count + 1U) * sizeof(*more));

        if (more == NULL)
            return false;
        t->func = more;
        t->func[t->count++] = (struct func){.id = id, .cycles = here};
    }
    if (event >= 0) {
        t->known[event] = true;
        t->func[t->count - 1U].ev[event] = there > 0 ? value * here / there : 0;
    }
    return true;
}

static bool load(struct table *t)
{
    sqlite3_stmt *s = NULL;
    int step = SQLITE_ERROR;

    if (sqlite3_prepare_v2(t->db, costs, -1, &s, NULL) == SQLITE_OK) {
        while ((step = sqlite3_step(s)) == SQLITE_ROW) {
            if (!add(t, s))
                break;
        }
    }
    sqlite3_finalize(s);
    return step == SQLITE_DONE;
}

/* Stores a function's energy, distributed over its nodes as its cycles are. */
static bool store(struct table *t)
{
    static const char sql[] =
        "INSERT OR REPLACE INTO prof_cost SELECT 0, 1, c.node, 'energy_fj', "
        "CAST(round(value * ?1) AS INTEGER) FROM prof_cost c JOIN prof_node n ON n.pass = 0 AND "
        "n.source = 1 AND n.id = c.node WHERE c.pass = 0 AND c.source = 1 AND item = 'cycles' AND "
        "n.func = ?2 AND round(value * ?1) > 0";
    sqlite3_stmt *s = NULL;
    bool good = sqlite3_exec(t->db, "BEGIN", NULL, NULL, NULL) == SQLITE_OK &&
                sqlite3_prepare_v2(t->db, sql, -1, &s, NULL) == SQLITE_OK;

    for (size_t i = 0; i < t->count && good; i++) {
        if (!(t->func[i].cycles > 0) || !(t->func[i].fj > 0))
            continue;
        sqlite3_bind_double(s, 1, t->func[i].fj / t->func[i].cycles);
        sqlite3_bind_int64(s, 2, t->func[i].id);
        good = sqlite3_step(s) == SQLITE_DONE;
        sqlite3_reset(s);
    }
    sqlite3_finalize(s);
    return good && sqlite3_exec(t->db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK;
}

/* ---- over time ----------------------------------------------------------------------------------
 */

/* Rate of each event in a function's calls of a bin: counts, and the cycles in which they were
 * counted, over all passes. */
static const char rates[] =
    "CREATE TEMP TABLE rate AS SELECT address, bin, event, sum(v) AS v, sum(c) AS c FROM (WITH x "
    "AS (SELECT c.*, min(max(100 * (c.time - p.time_begin) / (p.time_end - p.time_begin + 1), 0), "
    "99) AS bin FROM entry_call c JOIN pass p ON p.id = c.pass) "
    "SELECT address, bin, event0 AS event, 1.0 * calls * value0 AS v, 1.0 * calls * cycles AS c "
    "FROM x WHERE event0 IS NOT NULL UNION ALL "
    "SELECT address, bin, event1, 1.0 * calls * value1, 1.0 * calls * cycles FROM x "
    "WHERE event1 IS NOT NULL) GROUP BY 1, 2, 3";
static const char rate_index[] = "CREATE INDEX temp.rate_of ON rate (address, bin, event)";

/* Events of each bin; where a pass has no call in it, at the rate of the whole run. */
static const char times[] =
    "SELECT t.address, t.bin, t.cycles, e.event, t.cycles * coalesce("
    "(SELECT r.v / r.c FROM rate r WHERE r.address = t.address AND r.bin = t.bin AND "
    "r.event = e.event AND r.c > 0), e.v / e.c) FROM entry_time t JOIN (SELECT address, event, "
    "sum(v) AS v, sum(c) AS c FROM rate GROUP BY 1, 2) e ON e.address = t.address "
    "WHERE e.c > 0 ORDER BY 1, 2";

struct bin {
    int64_t address, number;
    double cycles;
    double ev[MPJ_RUN_EVENTS_MAX];
};

struct times {
    sqlite3_stmt *put;
    mpj_func_energy *energy_uj;
    void *ctx;
    struct bin bin;
    bool some;
};

static bool put_bin(struct times *t)
{
    const double fj = t->some ? t->energy_uj(t->ctx, t->bin.cycles, t->bin.ev) * 1e9 : 0;
    bool good;

    if (!(fj > 0))
        return true;
    sqlite3_bind_int64(t->put, 1, llround(fj));
    sqlite3_bind_int64(t->put, 2, t->bin.address);
    sqlite3_bind_int64(t->put, 3, t->bin.number);
    good = sqlite3_step(t->put) == SQLITE_DONE;
    sqlite3_reset(t->put);
    return good;
}

static bool add_bin(struct times *t, sqlite3_stmt *s)
{
    const int64_t address = sqlite3_column_int64(s, 0);
    const int64_t number = sqlite3_column_int64(s, 1);
    const int event = event_index((const char *)sqlite3_column_text(s, 3));
    bool good = true;

    if (!t->some || address != t->bin.address || number != t->bin.number) {
        good = put_bin(t);
        t->some = true;
        t->bin.address = address;
        t->bin.number = number;
        t->bin.cycles = sqlite3_column_double(s, 2);
        for (unsigned e = 0; e < MPJ_RUN_EVENTS_MAX; e++)
            t->bin.ev[e] = NAN;
    }
    if (event >= 0)
        t->bin.ev[event] = sqlite3_column_double(s, 4);
    return good;
}

/* Stores the energy of calls over time, where they were kept. */
static bool store_times(sqlite3 *db, mpj_func_energy *energy_uj, void *ctx)
{
    static const char put[] =
        "UPDATE entry_time SET energy_fj = ?1 WHERE address = ?2 AND bin = ?3";
    struct times t = {.energy_uj = energy_uj, .ctx = ctx};
    sqlite3_stmt *s = NULL;
    int step = SQLITE_ERROR;
    bool good = sqlite3_exec(db, rates, NULL, NULL, NULL) == SQLITE_OK &&
                sqlite3_exec(db, rate_index, NULL, NULL, NULL) == SQLITE_OK &&
                sqlite3_exec(db, "BEGIN", NULL, NULL, NULL) == SQLITE_OK &&
                sqlite3_prepare_v2(db, put, -1, &t.put, NULL) == SQLITE_OK &&
                sqlite3_prepare_v2(db, times, -1, &s, NULL) == SQLITE_OK;

    while (good && (step = sqlite3_step(s)) == SQLITE_ROW)
        good = add_bin(&t, s);
    good = good && step == SQLITE_DONE && put_bin(&t);
    sqlite3_finalize(s);
    sqlite3_finalize(t.put);
    return good && sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK;
}

int mpj_store_func_energy(const char *path, mpj_func_energy *energy_uj, void *ctx,
                          struct mpj_err *err)
{
    struct table t = {0};
    int result = MPJ_E_OK;
    bool good = sqlite3_open_v2(path, &t.db, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK &&
                sqlite3_exec(t.db, "PRAGMA journal_mode=OFF", NULL, NULL, NULL) == SQLITE_OK &&
                load(&t);

    for (size_t i = 0; i < t.count && good; i++) {
        for (unsigned e = 0; e < MPJ_RUN_EVENTS_MAX; e++)
            t.func[i].ev[e] = t.known[e] ? t.func[i].ev[e] : NAN;
        t.func[i].fj = energy_uj(ctx, t.func[i].cycles, t.func[i].ev) * 1e9;
    }
    if (!good || !store(&t) || !store_times(t.db, energy_uj, ctx))
        result = mpj_err_set(err, sqlite3_errcode(t.db) == SQLITE_FULL ? MPJ_E_FULL : MPJ_E_STORE,
                             "cannot write %s: %s", path, sqlite3_errmsg(t.db));
    sqlite3_close(t.db);
    free(t.func);
    return result;
}
