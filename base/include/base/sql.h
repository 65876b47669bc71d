/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading SQLite files: the store of a run, and the data sets of campaigns. */
#ifndef BASE_SQL_H
#define BASE_SQL_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/errors.h"

/* Handles a row of a query; another result than MPJ_E_OK ends the query and is returned, with the
 * message already in the error. */
typedef int mpj_sql_row(void *ctx, sqlite3_stmt *s);

struct mpj_sql_step {
    const char *sql;
    mpj_sql_row *row;
};

/* A kind of file: the required values of its header. */
struct mpj_sql_kind {
    int id;            /* PRAGMA application_id */
    const char *what;  /* "store": has a version */
    const char *whole; /* "a run recorded by mpjoule": that another file is not */
    int least, most;   /* PRAGMA user_version */
};

/* Conditions on each row of a table of a sound file. */
enum mpj_sql_holds {
    MPJ_SQL_INTEGER, /* a whole number */
    MPJ_SQL_COUNT,   /* ... from 0 to 2^62 */
    MPJ_SQL_WORD,    /* ... of 32 bits */
    MPJ_SQL_FIGURE,  /* a number from 0 to 1e300 */
    MPJ_SQL_TEXT,    /* without a NUL */
    MPJ_SQL_BYTES,
    MPJ_SQL_NEVER, /* no row of which the condition is true */
};

struct mpj_sql_rule {
    const char *table;
    enum mpj_sql_holds holds;
    bool null;        /* or null */
    const char *what; /* names of columns, separated by ", "; a condition */
    const char *says; /* MPJ_SQL_NEVER: the fault of such a row; an expression, as text */
};

/*
 * Opens a file for reading and checks its kind; *version may be NULL. MPJ_E_STORE with one line;
 * the caller closes *out (sqlite3_close) in any case.
 */
int mpj_sql_open(sqlite3 **out, const char *path, const struct mpj_sql_kind *kind, int *version,
                 struct mpj_err *err);
/* Runs the queries in their order, up to the first failure. MPJ_E_STORE with a line that names path
 * when SQLite cannot read. */
int mpj_sql_steps(sqlite3 *db, const char *path, const struct mpj_sql_step *step, size_t count,
                  void *ctx, struct mpj_err *err);
/*
 * Runs SQLite's own check of a file's structure, before anything else is read. MPJ_E_STORE with one
 * line, "PATH VERB: ...", verb for instance "is damaged". Reads the whole file.
 */
int mpj_sql_whole(sqlite3 *db, const char *path, const char *verb, struct mpj_err *err);
/* Checks the rules; MPJ_E_STORE with a line of this form for the first row that breaks one. Reads
 * the rules' tables. */
int mpj_sql_rules(sqlite3 *db, const char *path, const char *verb, const struct mpj_sql_rule *rule,
                  size_t count, struct mpj_err *err);
/* Returns a column's text as a terminal may show it, in one line, malloc()ed; NULL for null, and
 * when out of memory. */
char *mpj_sql_text(sqlite3_stmt *s, int column);
/* Returns a column's text likewise, with its line ends. */
char *mpj_sql_lines(sqlite3_stmt *s, int column);
/*
 * Checks the journal of a file that may be from anywhere, before SQLite opens the file for writing
 * and undoes what the journal has. MPJ_E_STORE: it names a super-journal, a file that SQLite would
 * remove afterwards; a journal of mpjoule has none. Nothing is changed.
 */
int mpj_sql_journal(const char *path, struct mpj_err *err);
/* Sets the message of a file that SQLite cannot read; returns MPJ_E_STORE. */
int mpj_sql_error(sqlite3 *db, const char *path, struct mpj_err *err);

#endif
