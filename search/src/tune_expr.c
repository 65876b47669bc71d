/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts of a space: expressions of SQL, and {AXIS}. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/sql.h"
#include "mpj_events.h"
#include "tune_int.h"

/* ---- expressions ------------------------------------------------------------------ */

/* Allows an expression to read the values it is given; not to reach files or tables. */
static int only_reads(void *ctx, int action, const char *a, const char *b, const char *c,
                      const char *d)
{
    (void)ctx;
    (void)a;
    (void)b;
    (void)c;
    (void)d;
    return action == SQLITE_SELECT || action == SQLITE_READ || action == SQLITE_FUNCTION
               ? SQLITE_OK
               : SQLITE_DENY;
}

static void bind_text(sqlite3_stmt *s, int at, const char *text)
{
    char *end = NULL;
    const double number = strtod(text, &end);

    if (end == text || *end != '\0')
        sqlite3_bind_text(s, at, text, -1, SQLITE_TRANSIENT);
    else if (text[strcspn(text, ".eEnNxX")] == '\0')
        sqlite3_bind_int64(s, at, strtoll(text, NULL, 10));
    else
        sqlite3_bind_double(s, at, number);
}

const char *run_tune_figure(size_t i)
{
    static const char *const always[] = {"time",  "energy",     "edp", "ed2p",
                                         "power", "peak_power", "busy"};
    const size_t n = sizeof(always) / sizeof(always[0]);
    size_t events;
    const struct mpj_event_info *const event = mpj_event_table(&events);

    return i < n ? always[i] : i - n < events ? event[i - n].name : NULL;
}

/* Builds SELECT (EXPRESSION) FROM (SELECT ?1 AS "a", ...): the axes, then the figures.
 * Allocated. */
static char *query(const struct run_tune *t, const char *text, bool figures)
{
    char *out = NULL;
    size_t size = 0;
    unsigned n = 0;
    FILE *const f = open_memstream(&out, &size);

    if (f == NULL)
        return NULL;
    fprintf(f, "SELECT (%s\n) FROM (SELECT", text);
    for (; n < t->axes; n++)
        fprintf(f, "%s ?%u AS \"%s\"", n > 0 ? "," : "", n + 1, t->axis[n].name);
    for (size_t i = 0; figures && run_tune_figure(i) != NULL; i++, n++)
        fprintf(f, "%s ?%u AS \"%s\"", n > 0 ? "," : "", n + 1, run_tune_figure(i));
    fputs(")", f);
    return fclose(f) == 0 ? out : NULL;
}

static int prepare(struct run_tune_exprs *e, const struct run_tune *t,
                   const struct run_tune_list *l, bool figures, struct run_tune_expr **out,
                   struct mpj_err *err)
{
    const char *tail = "";

    *out = calloc(l->n + 1U, sizeof(**out));
    for (unsigned i = 0; *out != NULL && i < l->n; i++) {
        char *const sql = query(t, l->at[i].text, figures);
        if (sql == NULL)
            return mpj_err_nomem(err);
        if (sqlite3_prepare_v2(e->db, sql, -1, &(*out)[i].s, &tail) != SQLITE_OK ||
            tail[0] != '\0') {
            mpj_err_set(err, MPJ_E_USAGE, "\"%s\": %s", l->at[i].text,
                        tail[0] != '\0' && (*out)[i].s != NULL ? "more than one expression"
                                                               : sqlite3_errmsg(e->db));
            free(sql);
            return err->code;
        }
        free(sql);
    }
    return *out != NULL ? MPJ_E_OK : mpj_err_nomem(err);
}

int run_tune_exprs(struct run_tune_exprs *e, const struct run_tune *t, struct mpj_err *err)
{
    int result;

    if (sqlite3_open(":memory:", &e->db) != SQLITE_OK)
        return mpj_err_nomem(err);
    sqlite3_set_authorizer(e->db, only_reads, NULL);
    result = prepare(e, t, &t->constraint, false, &e->constraint, err);
    if (result == MPJ_E_OK)
        result = prepare(e, t, &t->objective, true, &e->objective, err);
    if (result == MPJ_E_OK)
        result = prepare(e, t, &t->cap, true, &e->cap, err);
    return result;
}

void run_tune_exprs_free(struct run_tune_exprs *e, const struct run_tune *t)
{
    const struct {
        struct run_tune_expr *at;
        unsigned n;
    } all[] = {
        {e->constraint, t->constraint.n}, {e->objective, t->objective.n}, {e->cap, t->cap.n}};

    for (size_t l = 0; l < sizeof(all) / sizeof(all[0]); l++) {
        for (unsigned i = 0; all[l].at != NULL && i < all[l].n; i++)
            sqlite3_finalize(all[l].at[i].s);
        free(all[l].at);
    }
    sqlite3_close(e->db);
}

bool run_tune_value(const struct run_tune_expr *e, const struct run_tune *t,
                    const struct run_tune_point *p, const json_t *figures, double *out)
{
    sqlite3_stmt *const s = e->s;
    const int wanted = sqlite3_bind_parameter_count(s);
    bool known = false;
    int at = 0;

    sqlite3_reset(s);
    sqlite3_clear_bindings(s);
    for (unsigned i = 0; i < t->axes; i++)
        bind_text(s, ++at, t->axis[i].value[p->index[i]]);
    for (size_t i = 0; at < wanted; i++) {
        const json_t *const v = json_object_get(figures, run_tune_figure(i));
        at++;
        if (v != NULL)
            sqlite3_bind_double(s, at, json_number_value(v));
    }
    *out = 0;
    if (sqlite3_step(s) == SQLITE_ROW && (sqlite3_column_type(s, 0) == SQLITE_INTEGER ||
                                          sqlite3_column_type(s, 0) == SQLITE_FLOAT)) {
        known = true;
        *out = sqlite3_column_double(s, 0);
    }
    sqlite3_reset(s);
    return known;
}

/* ---- {AXIS} ----------------------------------------------------------------------- */

/* Returns the axis that a {NAME} at text names; -1: none. */
static int axis_at(const struct run_tune *t, const char *text, size_t *len)
{
    *len = strcspn(text + 1, "}") + 2;
    for (unsigned i = 0; i < t->axes; i++) {
        if (strlen(t->axis[i].name) == *len - 2 &&
            strncmp(t->axis[i].name, text + 1, *len - 2) == 0 && text[*len - 1] == '}')
            return (int)i;
    }
    return -1;
}

char *run_tune_fill(const struct run_tune *t, const struct run_tune_point *p, const char *text)
{
    char *out = NULL;
    size_t size = 0;
    FILE *const f = open_memstream(&out, &size);

    if (f == NULL)
        return NULL;
    while (*text != '\0') {
        size_t len;
        const int axis = *text == '{' ? axis_at(t, text, &len) : -1;
        if (axis >= 0) {
            fputs(t->axis[axis].value[p->index[axis]], f);
            text += len;
        } else {
            fputc(*text++, f);
        }
    }
    return fclose(f) == 0 ? out : NULL;
}

static int note_axes(const struct run_tune *t, const char *text, bool *used, struct mpj_err *err)
{
    for (const char *b = text; (b = strchr(b, '{')) != NULL; b++) {
        size_t len;
        const int axis = axis_at(t, b, &len);
        if (axis < 0)
            return mpj_err_set(err, MPJ_E_USAGE, "\"%s\": unknown axis %.*s", text, (int)len, b);
        used[axis] = true;
    }
    return MPJ_E_OK;
}

int run_tune_check(const struct run_tune *t, struct mpj_err *err)
{
    const struct run_tune_list *const lists[] = {&t->source, &t->argument, &t->environment,
                                                 &t->option, &t->chip};
    bool used[RUN_TUNE_AXES_MAX] = {false};

    if (t->compiler != NULL && note_axes(t, t->compiler, used, err) != MPJ_E_OK)
        return err->code;
    for (size_t l = 0; l < sizeof(lists) / sizeof(lists[0]); l++) {
        for (unsigned i = 0; i < lists[l]->n; i++) {
            if (note_axes(t, lists[l]->at[i].text, used, err) != MPJ_E_OK)
                return err->code;
        }
    }
    for (unsigned i = 0; i < t->axes; i++) {
        for (size_t k = 0; run_tune_figure(k) != NULL; k++) {
            if (strcasecmp(run_tune_figure(k), t->axis[i].name) == 0)
                return mpj_err_set(err, MPJ_E_USAGE,
                                   "axis %s has the name of a measured figure; rename it",
                                   t->axis[i].name);
        }
        if (!used[i] && t->chip_lines == NULL)
            return mpj_err_set(err, MPJ_E_USAGE,
                               "axis %s has no effect: write {%s} where its value is to be used",
                               t->axis[i].name, t->axis[i].name);
    }
    return MPJ_E_OK;
}
