/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/suggest.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#define SLOW_MAX 0.9 /* limit of the share of time spent measuring */

/* The target's figures of a run with entries. */
struct ran {
    double pair, passed;         /* cycles of a measured call, and of one that is only counted */
    double cycles;               /* of the run */
    double plain[MPJ_CORES_MAX]; /* of these, without the cost of measuring, on a core */
};

static int by_cost(const void *a, const void *b)
{
    const struct mpj_suggest_func *const x = a;
    const struct mpj_suggest_func *const y = b;

    return (x->share < y->share) - (x->share > y->share);
}

static bool read_run(sqlite3 *db, struct ran *r)
{
    static const char run[] =
        "SELECT ifnull(1.0 * used / nullif(records, 0), 0), passed, (SELECT max(cycles) FROM core "
        "WHERE pass = 0) FROM entry_run WHERE pass = 0";
    static const char cores[] =
        "SELECT core, sum(records), sum(passes) FROM entry_cost WHERE pass = 0 GROUP BY core";
    sqlite3_stmt *s = NULL;
    bool good =
        sqlite3_prepare_v2(db, run, -1, &s, NULL) == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW;

    if (good) {
        r->pair = sqlite3_column_double(s, 0);
        r->passed = sqlite3_column_double(s, 1);
        r->cycles = sqlite3_column_double(s, 2);
    }
    sqlite3_finalize(s);
    for (unsigned core = 0; core < MPJ_CORES_MAX; core++)
        r->plain[core] = r->cycles;
    s = NULL;
    good = good && r->cycles > 0 && sqlite3_prepare_v2(db, cores, -1, &s, NULL) == SQLITE_OK;
    while (good && sqlite3_step(s) == SQLITE_ROW) {
        const unsigned core = (unsigned)sqlite3_column_int(s, 0);

        if (core < MPJ_CORES_MAX)
            r->plain[core] -=
                sqlite3_column_double(s, 1) * r->pair + sqlite3_column_double(s, 2) * r->passed;
        good = core < MPJ_CORES_MAX && r->plain[core] > 0;
    }
    sqlite3_finalize(s);
    return good;
}

/* Returns the cost of a function on a core. each, sampled: cycles of calls measured in periods of
 * all groups, and of the others if they were also measured. Those were counted while measuring
 * slowed the program down, which is corrected. */
static double cost_of(const struct ran *r, unsigned core, double each, double sampled,
                      unsigned groups)
{
    const double slow = fmin(sampled / r->cycles, SLOW_MAX);

    return each / r->plain[core] + slow / (1 - slow) / groups;
}

static struct mpj_suggest_func *add(struct mpj_suggestion *out, sqlite3_stmt *s)
{
    struct mpj_suggest_func *const list = reallocarray(out->func, out->count + 1U, sizeof(*list));
    struct mpj_suggest_func *f;

    if (list == NULL)
        return NULL;
    out->func = list;
    f = &list[out->count];
    *f = (struct mpj_suggest_func){.name = strdup((const char *)sqlite3_column_text(s, 1)),
                                   .calls = sqlite3_column_double(s, 2)};
    if (f->name == NULL)
        return NULL;
    out->count++;
    return f;
}

/* Reads a row for each function and core, in this order. */
static bool read_functions(sqlite3 *db, const struct ran *r, struct mpj_suggestion *out)
{
    static const char sql[] =
        "SELECT f.id, f.name, ifnull((SELECT sum(n.calls) FROM prof_node n WHERE n.pass = 0 AND "
        "n.source = 1 AND n.func = f.id), 0), e.core, sum(e.always * (e.records * ?1 + e.passes * "
        "?2)), sum((1 - e.always) * (e.records * ?1 + e.passes * ?2) / e.share) FROM entry_cost e "
        "JOIN prof_func f ON f.pass = 0 AND f.source = 1 AND f.id = e.func WHERE e.pass = 0 AND "
        "f.kind = 0 AND e.core BETWEEN 0 AND 3 GROUP BY 1, e.core ORDER BY 1, e.core";
    struct mpj_suggest_func *f = NULL;
    int64_t id = -1;
    sqlite3_stmt *s = NULL;
    int step = SQLITE_ERROR;

    if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK) {
        sqlite3_bind_double(s, 1, r->pair);
        sqlite3_bind_double(s, 2, r->passed);
        while ((step = sqlite3_step(s)) == SQLITE_ROW) {
            const unsigned core = (unsigned)sqlite3_column_int(s, 3);

            if (f == NULL || sqlite3_column_int64(s, 0) != id)
                f = add(out, s);
            if (f == NULL)
                break;
            id = sqlite3_column_int64(s, 0);
            f->core[core] = cost_of(r, core, sqlite3_column_double(s, 4),
                                    sqlite3_column_double(s, 5), out->groups);
            f->share = fmax(f->share, f->core[core]);
        }
    }
    sqlite3_finalize(s);
    return step == SQLITE_DONE;
}

/* Returns the cost on the core with the highest overhead. */
static double total(const struct mpj_suggestion *out)
{
    double most = 0;

    for (unsigned core = 0; core < MPJ_CORES_MAX; core++) {
        double sum = 0;

        for (size_t i = 0; i < out->count; i++)
            sum += out->func[i].left_out ? 0 : out->func[i].core[core];
        most = fmax(most, sum);
    }
    return most;
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
    else if (out->count == 0)
        result = mpj_err_set(err, MPJ_E_USAGE,
                             "%s knows no function by name: its program was stripped, or measured "
                             "nothing",
                             store);
    sqlite3_close(db);
    if (result != MPJ_E_OK)
        return result;
    if (out->count > 0)
        qsort(out->func, out->count, sizeof(*out->func), by_cost);
    out->all = out->with = total(out);
    for (size_t i = 0; i < out->count && out->with > most; i++) {
        out->func[i].left_out = true;
        out->with = total(out);
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
