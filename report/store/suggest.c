/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mpj_suggest.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#include "mpj_trace_records.h"

#define ROUNDS 20U /* periods until the target measures as often as it will */

/* What the target said of a run with entries. */
struct ran {
    double groups, periods, records, used, passed;
    double brief;  /* cycles */
    double cycles; /* of the run */
    double busy;   /* of all cores, without waiting and measuring */
    double cores;  /* that were busy */
};

/* Records that the target makes of a function in a period, on a core that calls it so often: as
 * func_calls.c does it. */
static double records_of(double calls)
{
    unsigned shift = 0;
    double records = 0;

    for (unsigned round = 0; round < ROUNDS; round++) {
        double left = calls;
        unsigned n = 0;

        shift = shift > MPJ_FUNC_SHIFT_BACK ? shift - MPJ_FUNC_SHIFT_BACK : 0;
        for (records = 0; left >= 1; records++) {
            left -= shift == 0 ? 1 : (double)(1U << shift) - 0.5;
            if (++n >= MPJ_FUNC_SAMPLED && shift < MPJ_FUNC_SHIFT_MAX) {
                n = 0;
                shift++;
            }
        }
    }
    return records;
}

/* Cycles that a function costs which is called so often. */
static double cost_of(const struct ran *r, double calls, unsigned groups)
{
    const double pair = r->records > 0 ? r->used / r->records : 0;
    const double rate = calls / fmax(r->periods, 1) / r->cores;
    const double records = records_of(rate) * fmax(r->periods, 1) * r->cores / groups;

    if (calls * r->brief <= r->cycles)
        return calls * pair;
    return fmin(records, calls) * pair + fmax(calls / groups - records, 0) * r->passed;
}

static int by_cost(const void *a, const void *b)
{
    const struct mpj_suggest_func *const x = a;
    const struct mpj_suggest_func *const y = b;

    return (x->share < y->share) - (x->share > y->share);
}

static bool read_run(sqlite3 *db, struct ran *r)
{
    static const char sql[] =
        "SELECT e.periods, e.records, e.used, e.passed, e.brief, max(c.cycles), "
        "sum(c.cycles - c.wfi_cycles), sum(c.cycles - c.wfi_cycles > 0.1 * c.cycles), "
        "e.passes, e.groups FROM entry_run e JOIN core c ON c.pass = e.pass WHERE e.pass = 0 GROUP "
        "BY e.pass";
    sqlite3_stmt *s = NULL;
    bool good =
        sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW;

    if (good) {
        *r = (struct ran){.groups = sqlite3_column_double(s, 9),
                          .periods = sqlite3_column_double(s, 0),
                          .records = sqlite3_column_double(s, 1),
                          .used = sqlite3_column_double(s, 2),
                          .passed = sqlite3_column_double(s, 3),
                          .brief = sqlite3_column_double(s, 4),
                          .cycles = sqlite3_column_double(s, 5),
                          .cores = fmax(sqlite3_column_double(s, 7), 1)};
        r->busy = sqlite3_column_double(s, 6) - r->used - r->passed * sqlite3_column_double(s, 8);
        good = r->busy > 0;
    }
    sqlite3_finalize(s);
    return good;
}

static bool read_functions(sqlite3 *db, const struct ran *r, struct mpj_suggestion *out)
{
    static const char sql[] =
        "SELECT f.name, sum(n.calls) FROM prof_node n JOIN prof_func f ON f.pass = n.pass AND "
        "f.source = n.source AND f.id = n.func WHERE n.pass = 0 AND n.source = 1 AND f.kind = 0 "
        "AND f.address IS NOT NULL GROUP BY f.id";
    sqlite3_stmt *s = NULL;
    int step = SQLITE_ERROR;

    if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK) {
        while ((step = sqlite3_step(s)) == SQLITE_ROW) {
            struct mpj_suggest_func *const list =
                reallocarray(out->func, out->count + 1U, sizeof(*list));
            struct mpj_suggest_func f = {.calls = sqlite3_column_double(s, 1)};

            if (list == NULL)
                break;
            out->func = list;
            f.name = strdup((const char *)sqlite3_column_text(s, 0));
            f.share = cost_of(r, f.calls, out->groups) / r->busy;
            /* in its periods, which its calls were counted in, the program was so much slower */
            f.share *= (1 + f.share * out->groups) / (1 + f.share * out->groups / r->groups);
            if (f.name == NULL)
                break;
            out->func[out->count++] = f;
        }
    }
    sqlite3_finalize(s);
    return step == SQLITE_DONE;
}

int mpj_suggest(struct mpj_suggestion *out, const char *store, unsigned groups, double most,
                struct mpj_err *err)
{
    struct ran r = {0};
    sqlite3 *db = NULL;
    int result = MPJ_E_OK;

    *out = (struct mpj_suggestion){.groups = groups};
    if (sqlite3_open_v2(store, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK || !read_run(db, &r))
        result = mpj_err_set(err, MPJ_E_USAGE,
                             "%s has no functions measured at entry and exit: record it with "
                             "`mpjoule run --entries`",
                             store);
    else if (!read_functions(db, &r, out))
        result = mpj_err_set(err, MPJ_E_STORE, "cannot read %s: %s", store, sqlite3_errmsg(db));
    sqlite3_close(db);
    if (result != MPJ_E_OK)
        return result;
    if (out->count > 0)
        qsort(out->func, out->count, sizeof(*out->func), by_cost);
    for (size_t i = 0; i < out->count; i++)
        out->all += out->func[i].share;
    out->with = out->all;
    for (size_t i = 0; i < out->count && out->with > most; i++) {
        out->func[i].left_out = true;
        out->with -= out->func[i].share;
    }
    return MPJ_E_OK;
}

int mpj_suggestion_put(const void *suggestion, FILE *f, struct mpj_err *err)
{
    const struct mpj_suggestion *const s = suggestion;

    fprintf(f,
            "# for `mpjoule run --entries --groups %u --filter`: about %.2f %% of the program's "
            "time, %.2f %% for all functions\n",
            s->groups, 100 * s->with, 100 * s->all);
    for (size_t i = 0; i < s->count; i++) {
        if (s->func[i].left_out)
            fprintf(f, "-N %s  # %.0f calls\n", s->func[i].name, s->func[i].calls);
    }
    return ferror(f) ? mpj_err_errno(err, "cannot write the filter") : MPJ_E_OK;
}

void mpj_suggestion_free(struct mpj_suggestion *s)
{
    for (size_t i = 0; i < s->count; i++)
        free(s->func[i].name);
    free(s->func);
    *s = (struct mpj_suggestion){0};
}
