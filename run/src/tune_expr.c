/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts of a space: expressions of SQL, and {AXIS}. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sql.h"
#include "tune_int.h"

/* ---- expressions ------------------------------------------------------------------ */

/* An expression reads the values it is given; it is not a way to files or tables. */
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

static void bind(sqlite3_stmt *s, int at, const json_t *v)
{
    const char *const text = json_string_value(v);
    char *end = NULL;
    double number;

    if (json_is_null(v))
        return;
    if (text == NULL) {
        sqlite3_bind_double(s, at, json_number_value(v));
        return;
    }
    number = strtod(text, &end);
    if (end == text || *end != '\0')
        sqlite3_bind_text(s, at, text, -1, SQLITE_TRANSIENT);
    else if (text[strcspn(text, ".eEnNxX")] == '\0')
        sqlite3_bind_int64(s, at, strtoll(text, NULL, 10));
    else
        sqlite3_bind_double(s, at, number);
}

/* SELECT (EXPRESSION) FROM (SELECT ?1 AS "a", ...). Allocated. */
static char *query(const char *text, json_t *names)
{
    const char *name;
    json_t *v;
    char *out = NULL;
    size_t size = 0;
    unsigned n = 0;
    FILE *const f = open_memstream(&out, &size);

    if (f == NULL)
        return NULL;
    fprintf(f, "SELECT (%s\n) FROM (SELECT", text);
    json_object_foreach(names, name, v)
    {
        fprintf(f, "%s ?%u AS \"%s\"", n > 0 ? "," : "", n + 1, name);
        n++;
    }
    fputs(")", f);
    return fclose(f) == 0 ? out : NULL;
}

int run_tune_value(const char *text, json_t *names, double *out, bool *known, struct mpj_err *err)
{
    char *const sql = query(text, names);
    sqlite3 *db = NULL;
    sqlite3_stmt *s = NULL;
    const char *name;
    const char *tail = "";
    json_t *v;
    int at = 0;
    int result = MPJ_E_OK;

    *known = false;
    *out = 0;
    if (sql == NULL || sqlite3_open(":memory:", &db) != SQLITE_OK) {
        result = mpj_err_set(err, MPJ_E_NOMEM, "out of memory");
    } else {
        sqlite3_set_authorizer(db, only_reads, NULL);
        if (sqlite3_prepare_v2(db, sql, -1, &s, &tail) != SQLITE_OK || tail[0] != '\0')
            result = mpj_err_set(err, MPJ_E_USAGE, "\"%s\": %s", text,
                                 tail[0] != '\0' && s != NULL ? "more than one expression"
                                                              : sqlite3_errmsg(db));
    }
    if (result == MPJ_E_OK) {
        json_object_foreach(names, name, v) bind(s, ++at, v);
        if (sqlite3_step(s) == SQLITE_ROW && (sqlite3_column_type(s, 0) == SQLITE_INTEGER ||
                                              sqlite3_column_type(s, 0) == SQLITE_FLOAT)) {
            *known = true;
            *out = sqlite3_column_double(s, 0);
        }
    }
    sqlite3_finalize(s);
    sqlite3_close(db);
    free(sql);
    return result;
}

/* ---- {AXIS} ----------------------------------------------------------------------- */

/* The axis that a {NAME} at text names; -1: none. */
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
            return mpj_err_set(err, MPJ_E_USAGE, "\"%s\": %.*s is not an axis", text, (int)len, b);
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
        if (!used[i])
            return mpj_err_set(err, MPJ_E_USAGE,
                               "axis %s has no effect: put {%s} where its value belongs",
                               t->axis[i].name, t->axis[i].name);
    }
    return MPJ_E_OK;
}
