/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading SQLite files: the store of a run, and the data sets of campaigns. */
#ifndef BASE_SQL_H
#define BASE_SQL_H

#include <sqlite3.h>
#include <stddef.h>

#include "base/errors.h"

/* Called for each row of a query; another result than MPJ_E_OK ends it and is handed on, with the
 * message already in the error. */
typedef int mpj_sql_row(void *ctx, sqlite3_stmt *s);

struct mpj_sql_step {
    const char *sql;
    mpj_sql_row *row;
};

/* A kind of file: what its header must say. */
struct mpj_sql_kind {
    int id;            /* PRAGMA application_id */
    const char *what;  /* "store": has a version */
    const char *whole; /* "a run recorded by mpjoule": that another file is not */
    int least, most;   /* PRAGMA user_version */
};

/*
 * Opens for reading and checks the kind; *version may be NULL. MPJ_E_STORE with one line; *out is
 * to be closed (sqlite3_close) in any case.
 */
int mpj_sql_open(sqlite3 **out, const char *path, const struct mpj_sql_kind *kind, int *version,
                 struct mpj_err *err);
/* Runs the queries in their order, as far as the first failure. MPJ_E_STORE with a line that names
 * path when SQLite cannot read. */
int mpj_sql_steps(sqlite3 *db, const char *path, const struct mpj_sql_step *step, size_t count,
                  void *ctx, struct mpj_err *err);
/* A column's text, malloc()ed; NULL for null, and when out of memory. */
char *mpj_sql_text(sqlite3_stmt *s, int column);
/* The line of a file that SQLite cannot read; returns MPJ_E_STORE. */
int mpj_sql_error(sqlite3 *db, const char *path, struct mpj_err *err);

#endif
