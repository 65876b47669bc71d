/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A sound SQLite file whose values are changed. */
#ifndef FUZZ_BASE_H
#define FUZZ_BASE_H

#include <stddef.h>
#include <stdint.h>

#define FUZZ_COLUMNS 300U

/* Lives as long as the process, reachable. */
struct fuzz_base {
    uint8_t *file; /* NULL: not made yet */
    size_t size;
    struct {
        char *table, *name; /* name NULL: the file's user_version */
    } column[FUZZ_COLUMNS];
    unsigned columns;
};

/* Takes the file's tables without their constraints. Aborts on an error. */
void fuzz_base_take(struct fuzz_base *b, const char *path);

/* Writes the file with changes, each of three bytes of data (at most ten): a column, what it
 * becomes (or its rows: less, twice), and in which rows. Bytes as they are go with
 * fuzz_base_damage(). */
void fuzz_base_change(const struct fuzz_base *b, const char *path, const uint8_t *data,
                      size_t size);
/* The same with bytes of the file changed, five each: where, and what. */
void fuzz_base_damage(const struct fuzz_base *b, const char *path, const uint8_t *data,
                      size_t size);

#endif
