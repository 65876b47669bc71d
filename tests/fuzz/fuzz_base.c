/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz_base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#define CHANGES 10U
#define TABLES  40U

static const char *const values[] = {
    "NULL", "-1",          "0",         "1",          "5",          "99",      "4294967295",
    "1.5",  "-1e300",      "9e999",     "''",         "'instr'",    "x'00ff'", "char(0)",
    "'[]'", "'{}'",        "2",         "1000000",    "'main'",     "65536",   "'\xff'",
    "1e18", "zeroblob(9)", "15",        "100",        "time_begin", "cycles",  "rowid",
    "3",    "1 << 61",     "ended - 1", "-(1 << 62)", "1e308",      "1e-320",  "random()",
};
#define VALUES (sizeof(values) / sizeof(values[0]))

static void must(int result)
{
    if (result != 0)
        abort();
}

static int on_column(void *ctx, int n, char **text, char **names)
{
    struct fuzz_base *const b = ctx;

    (void)n;
    (void)names;
    must(b->columns == FUZZ_COLUMNS);
    b->column[b->columns].table = strdup(text[0]);
    b->column[b->columns++].name = strdup(text[1]);
    return 0;
}

/* Tables that take anything. */
static void loosen(struct fuzz_base *b, const char *path)
{
    char *tables[TABLES];
    unsigned n = 0;
    sqlite3 *db = NULL;
    sqlite3_stmt *s = NULL;

    must(sqlite3_open(path, &db));
    must(sqlite3_prepare_v2(
        db, "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'", -1,
        &s, 0));
    while (sqlite3_step(s) == SQLITE_ROW && n < TABLES)
        tables[n++] = strdup((const char *)sqlite3_column_text(s, 0));
    sqlite3_finalize(s);
    while (n > 0) {
        char *const sql = sqlite3_mprintf(
            "CREATE TABLE other AS SELECT * FROM %s; DROP TABLE %s; ALTER TABLE other RENAME TO %s",
            tables[n - 1], tables[n - 1], tables[n - 1]);
        must(sqlite3_exec(db, sql, NULL, NULL, NULL));
        sqlite3_free(sql);
        free(tables[--n]);
    }
    b->columns = 1; /* the first is the version */
    must(sqlite3_exec(db,
                      "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c "
                      "WHERE m.type = 'table' ORDER BY 1, c.cid",
                      on_column, b, NULL));
    must(sqlite3_exec(db, "VACUUM", NULL, NULL, NULL));
    must(sqlite3_close(db));
}

void fuzz_base_take(struct fuzz_base *b, const char *path)
{
    FILE *f;

    loosen(b, path);
    f = fopen(path, "rb");
    must(f == NULL || fseek(f, 0, SEEK_END) != 0);
    b->size = (size_t)ftell(f);
    b->file = malloc(b->size);
    rewind(f);
    must(b->file == NULL || fread(b->file, 1, b->size, f) != b->size);
    fclose(f);
}

static void put(const char *path, const uint8_t *file, size_t size)
{
    FILE *const f = fopen(path, "wb");

    must(f == NULL || fwrite(file, 1, size, f) != size);
    fclose(f);
}

static char *statement(const struct fuzz_base *b, const uint8_t *change)
{
    const unsigned column = change[0] | (change[2] & 1U) << 8;
    const char *const table = b->column[column % b->columns].table;
    const char *const name = b->column[column % b->columns].name;
    const unsigned row = change[2] >> 1;

    if (name == NULL)
        return sqlite3_mprintf("PRAGMA user_version = %u", change[1] % 9U);
    if (change[1] >= 252)
        return sqlite3_mprintf("INSERT INTO %s SELECT * FROM %s WHERE rowid %% %u = 0", table,
                               table, row + 1U);
    if (change[1] >= 248)
        return sqlite3_mprintf("DELETE FROM %s WHERE rowid %% %u = 0", table, row + 1U);
    return sqlite3_mprintf("UPDATE %s SET %s = %s WHERE rowid %% %u = 0", table, name,
                           values[change[1] % VALUES], row / 2U + 1U);
}

void fuzz_base_change(const struct fuzz_base *b, const char *path, const uint8_t *data, size_t size)
{
    sqlite3 *db = NULL;

    put(path, b->file, b->size);
    must(sqlite3_open(path, &db));
    (void)sqlite3_exec(db, "PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF", NULL, NULL, NULL);
    for (size_t i = 0; 3 * i + 3 <= size && i < CHANGES; i++) {
        char *const sql = statement(b, data + 3 * i);

        (void)sqlite3_exec(db, sql, NULL, NULL, NULL); /* a value may name no column of this */
        sqlite3_free(sql);
    }
    must(sqlite3_close(db));
}

void fuzz_base_damage(const struct fuzz_base *b, const char *path, const uint8_t *data, size_t size)
{
    uint8_t *const copy = malloc(b->size);

    must(copy == NULL);
    memcpy(copy, b->file, b->size);
    for (size_t i = 0; i + 5 <= size && i < 40; i += 5) {
        const uint32_t at =
            (uint32_t)data[i] | (uint32_t)data[i + 1] << 8 | (uint32_t)data[i + 2] << 16;

        copy[(at ^ (uint32_t)data[i + 3] << 7) % b->size] = data[i + 4];
    }
    put(path, copy, b->size);
    free(copy);
}
