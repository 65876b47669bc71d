/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/sql.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUSY_MS 10000 /* a writer holds the file only for a moment */

/* True if a journal ends with the name of a super-journal, as one of several files does. */
static bool names_another(const char *journal)
{
    static const unsigned char mark[] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
    unsigned char end[sizeof(mark)];
    const int fd = open(journal, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    bool named;

    if (fd < 0)
        return false;
    named = lseek(fd, -(off_t)sizeof(end), SEEK_END) >= 0 &&
            read(fd, end, sizeof(end)) == (ssize_t)sizeof(end) &&
            memcmp(end, mark, sizeof(end)) == 0;
    close(fd);
    return named;
}

int mpj_sql_journal(const char *path, struct mpj_err *err)
{
    char *const real = realpath(path, NULL); /* SQLite's is there, too */
    char *journal = NULL;
    int result = MPJ_E_OK;

    if (real != NULL && asprintf(&journal, "%s-journal", real) < 0) {
        journal = NULL;
        result = mpj_err_nomem(err);
    }
    if (journal != NULL && names_another(journal))
        result = mpj_err_set(err, MPJ_E_STORE,
                             "%s-journal is none that mpjoule has left: SQLite would remove "
                             "another file that it names. Remove this journal",
                             path);
    free(journal);
    free(real);
    return result;
}

int mpj_sql_error(sqlite3 *db, const char *path, struct mpj_err *err)
{
    if (sqlite3_errcode(db) == SQLITE_READONLY) /* reading would have to roll back */
        return mpj_sql_journal(path, err) != MPJ_E_OK
                   ? err->code
                   : mpj_err_set(err, MPJ_E_STORE,
                                 "cannot read %s: an interrupted transaction is in %s-journal. "
                                 "`sqlite3 %s .tables` rolls it back; remove a journal that "
                                 "belongs to another file",
                                 path, path, path);
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
    if (stat(path, &st) != 0) {
        mpj_err_errno(err, "cannot open %s", path);
        return err->code = MPJ_E_STORE;
    }
    if (!S_ISREG(st.st_mode)) /* a pipe would wait for its other end */
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

/* ---- checks ----------------------------------------------------------------- */

struct check {
    const char *path, *verb;
    struct mpj_err *err;
};

static const char *string(sqlite3_stmt *s, int column)
{
    const char *const text = (const char *)sqlite3_column_text(s, column);

    return text != NULL ? text : "unreadable";
}

static int on_structure(void *ctx, sqlite3_stmt *s)
{
    const struct check *const c = ctx;
    const char *text = string(s, 0);

    if (strcmp(text, "ok") == 0)
        return MPJ_E_OK;
    if (strncmp(text, "*** ", 4) == 0 && strchr(text, '\n') != NULL) /* which database */
        text = strchr(text, '\n') + 1;
    return mpj_err_set(c->err, MPJ_E_STORE, "%s %s: %.*s", c->path, c->verb,
                       (int)strcspn(text, "\n"), text);
}

/* Refuses what SQLite would evaluate when the table is read: a view may be anything, of any
 * length. */
static int on_table(void *ctx, sqlite3_stmt *s)
{
    const struct check *const c = ctx;

    return mpj_err_set(c->err, MPJ_E_STORE, "%s %s: it has a %.10s \"%.40s\"", c->path, c->verb,
                       string(s, 0), string(s, 1));
}

static int on_breach(void *ctx, sqlite3_stmt *s)
{
    const struct check *const c = ctx;

    return mpj_err_set(c->err, MPJ_E_STORE, "%s %s: %.150s", c->path, c->verb, string(s, 0));
}

/* Writes the condition that a column is sound; never null. */
static void put_sound(const struct mpj_sql_rule *r, const char *column, size_t len, FILE *f)
{
    const int n = (int)len;

    fputc('(', f);
    if (r->null)
        fprintf(f, "%.*s IS NULL OR ", n, column);
    switch (r->holds) {
    case MPJ_SQL_INTEGER:
        fprintf(f, "typeof(%.*s) = 'integer')", n, column);
        break;
    case MPJ_SQL_COUNT:
        fprintf(f, "typeof(%.*s) = 'integer' AND %.*s BETWEEN 0 AND 1 << 62)", n, column, n,
                column);
        break;
    case MPJ_SQL_WORD:
        fprintf(f, "typeof(%.*s) = 'integer' AND %.*s BETWEEN 0 AND 4294967295)", n, column, n,
                column);
        break;
    case MPJ_SQL_FIGURE:
        fprintf(f, "typeof(%.*s) IN ('integer', 'real') AND %.*s BETWEEN 0 AND 1e300)", n, column,
                n, column);
        break;
    case MPJ_SQL_TEXT:
        fprintf(f, "typeof(%.*s) = 'text' AND instr(CAST(%.*s AS BLOB), x'00') = 0)", n, column, n,
                column);
        break;
    default:
        fprintf(f, "typeof(%.*s) = 'blob')", n, column);
    }
}

/* Writes the condition that each column of a rule is sound; never null. */
static void put_all_sound(const struct mpj_sql_rule *r, FILE *f)
{
    fputc('1', f);
    for (const char *at = r->what; *at != '\0'; at += strspn(at, ", ")) {
        const size_t len = strcspn(at, ", ");
        fputs(" AND ", f);
        put_sound(r, at, len, f);
        at += len;
    }
}

/* Writes the condition of a row that breaks the rule. */
static void put_breach(const struct mpj_sql_rule *r, FILE *f)
{
    if (r->holds == MPJ_SQL_NEVER) {
        fprintf(f, "(%s)", r->what);
        return;
    }
    fputs("NOT (", f);
    put_all_sound(r, f);
    fputc(')', f);
}

/* Returns a query for the first row that breaks a rule, whose result is the description of the
 * fault; malloc()ed. */
static char *breach(const struct mpj_sql_rule *r)
{
    char *sql = NULL;
    size_t size = 0;
    FILE *const f = open_memstream(&sql, &size);

    if (f == NULL)
        return NULL;
    if (r->holds == MPJ_SQL_NEVER) {
        fprintf(f, "SELECT %s", r->says);
    } else {
        fputs("SELECT CASE", f);
        for (const char *at = r->what; *at != '\0'; at += strspn(at, ", ")) {
            const size_t len = strcspn(at, ", ");
            fputs(" WHEN NOT ", f);
            put_sound(r, at, len, f);
            fprintf(f, " THEN '%s.%.*s is ' || substr(quote(%.*s), 1, 40)", r->table, (int)len, at,
                    (int)len, at);
            at += len;
        }
        fputs(" END", f);
    }
    fprintf(f, " FROM %s WHERE ", r->table);
    put_breach(r, f);
    fputs(" LIMIT 1", f);
    if (fclose(f) == 0)
        return sql;
    free(sql);
    return NULL;
}

/* Returns a query for a row of the first rule's table that breaks any rule of that table. */
static char *any_breach(const struct mpj_sql_rule *first, size_t count)
{
    char *sql = NULL;
    size_t size = 0;
    FILE *const f = open_memstream(&sql, &size);

    if (f == NULL)
        return NULL;
    fprintf(f, "SELECT 1 FROM %s WHERE 0", first->table);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(first[i].table, first->table) != 0)
            continue;
        fputs(" OR ", f);
        put_breach(&first[i], f);
    }
    fputs(" LIMIT 1", f);
    if (fclose(f) == 0)
        return sql;
    free(sql);
    return NULL;
}

/* True if all rules hold; reads each table once. False: a rule may be broken, or the query
 * failed. */
static bool all_hold(sqlite3 *db, const struct mpj_sql_rule *rule, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        sqlite3_stmt *s = NULL;
        char *sql;
        int got = SQLITE_ERROR;
        size_t k = 0;
        while (strcmp(rule[k].table, rule[i].table) != 0)
            k++;
        if (k < i)
            continue; /* checked with the table's first rule */
        sql = any_breach(&rule[i], count - i);
        if (sql != NULL && sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK)
            got = sqlite3_step(s);
        sqlite3_finalize(s);
        free(sql);
        if (got != SQLITE_DONE)
            return false;
    }
    return true;
}

int mpj_sql_whole(sqlite3 *db, const char *path, const char *verb, struct mpj_err *err)
{
    static const struct mpj_sql_step whole[] = {
        {"SELECT type, name FROM sqlite_master WHERE type IN ('view', 'trigger') "
         "OR sql LIKE 'CREATE VIRTUAL%' OR sql LIKE '%GENERATED%' LIMIT 1",
         on_table},
        {"PRAGMA quick_check(1)", on_structure},
    };
    struct check c = {path, verb, err};

    return mpj_sql_steps(db, path, whole, sizeof(whole) / sizeof(whole[0]), &c, err);
}

int mpj_sql_rules(sqlite3 *db, const char *path, const char *verb, const struct mpj_sql_rule *rule,
                  size_t count, struct mpj_err *err)
{
    struct check c = {path, verb, err};

    if (all_hold(db, rule, count))
        return MPJ_E_OK;
    for (size_t i = 0; i < count; i++) {
        char *const sql = breach(&rule[i]);
        const struct mpj_sql_step step = {sql, on_breach};
        int result;
        if (sql == NULL)
            return mpj_err_nomem(err);
        result = mpj_sql_steps(db, path, &step, 1, &c, err);
        free(sql);
        if (result != MPJ_E_OK)
            return result;
    }
    return MPJ_E_OK;
}

/* Returns a copy of a column, cleaned: the file may be from another user. */
static char *cleaned(sqlite3_stmt *s, int column, void (*clean)(char *))
{
    const char *const text = (const char *)sqlite3_column_text(s, column);
    char *const copy = text == NULL ? NULL : strdup(text);

    if (copy != NULL)
        clean(copy);
    return copy;
}

char *mpj_sql_text(sqlite3_stmt *s, int column)
{
    return cleaned(s, column, mpj_text_clean);
}

char *mpj_sql_lines(sqlite3_stmt *s, int column)
{
    return cleaned(s, column, mpj_text_clean_lines);
}
