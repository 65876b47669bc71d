/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/sql.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define BUSY_MS 10000 /* a writer holds the file only for a moment */

int mpj_sql_error(sqlite3 *db, const char *path, struct mpj_err *err)
{
    return mpj_err_set(err, MPJ_E_STORE, "cannot read %s: %s", path, sqlite3_errmsg(db));
}

static int on_number(void *ctx, sqlite3_stmt *s)
{
    *(int *)ctx = sqlite3_column_int(s, 0);
    return MPJ_E_OK;
}

int mpj_sql_open(sqlite3 **out, const char *path, const struct mpj_sql_kind *kind, int *version,
                 struct mpj_err *err)
{
    static const struct mpj_sql_step ask_id = {"PRAGMA application_id", on_number};
    static const struct mpj_sql_step ask_version = {"PRAGMA user_version", on_number};
    int id = 0;
    int has = 0;
    struct stat st;

    *out = NULL;
    if (stat(path, &st) != 0)
        return mpj_err_set(err, MPJ_E_STORE, "cannot open %s: %s", path, strerror(errno));
    if (S_ISDIR(st.st_mode))
        return mpj_err_set(err, MPJ_E_STORE, "%s is not %s", path, kind->whole);
    if (sqlite3_open_v2(path, out, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
        return mpj_sql_error(*out, path, err);
    sqlite3_busy_timeout(*out, BUSY_MS);
    if (mpj_sql_steps(*out, path, &ask_id, 1, &id, err) != MPJ_E_OK ||
        mpj_sql_steps(*out, path, &ask_version, 1, &has, err) != MPJ_E_OK) {
        if (sqlite3_errcode(*out) != SQLITE_NOTADB)
            return err->code;
        id = ~kind->id; /* not even a database */
    }
    if (id != kind->id)
        return mpj_err_set(err, MPJ_E_STORE, "%s is not %s", path, kind->whole);
    if (has >= kind->least && has <= kind->most) {
        if (version != NULL)
            *version = has;
        return MPJ_E_OK;
    }
    return kind->least == kind->most
               ? mpj_err_set(err, MPJ_E_STORE, "%s has %s version %d, this program reads %d", path,
                             kind->what, has, kind->most)
               : mpj_err_set(err, MPJ_E_STORE, "%s has %s version %d, this program reads %d to %d",
                             path, kind->what, has, kind->least, kind->most);
}

int mpj_sql_steps(sqlite3 *db, const char *path, const struct mpj_sql_step *step, size_t count,
                  void *ctx, struct mpj_err *err)
{
    int result = MPJ_E_OK;

    for (size_t i = 0; i < count && result == MPJ_E_OK; i++) {
        sqlite3_stmt *s = NULL;
        int got = SQLITE_DONE;
        if (sqlite3_prepare_v2(db, step[i].sql, -1, &s, NULL) != SQLITE_OK)
            return mpj_sql_error(db, path, err);
        while (result == MPJ_E_OK && (got = sqlite3_step(s)) == SQLITE_ROW)
            result = step[i].row(ctx, s);
        if (result == MPJ_E_OK && got != SQLITE_DONE)
            result = mpj_sql_error(db, path, err);
        sqlite3_finalize(s);
    }
    return result;
}

char *mpj_sql_text(sqlite3_stmt *s, int column)
{
    const char *const text = (const char *)sqlite3_column_text(s, column);

    return text == NULL ? NULL : strdup(text);
}
