/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Identity of a function by its source text, which edits of other functions do not change. What the
 * compiler makes of it is none: code and line entries of an inlined function follow from the
 * function that it is inlined into, too. */
#ifndef BLAME_SOURCE_H
#define BLAME_SOURCE_H

#include <stdint.h>

#include "view/code.h"

struct blame_source;

/* Opens the sources of a program; NULL: it cannot be read, or out of memory. */
struct blame_source *blame_source_open(const char *store, const char *elf);
void blame_source_free(struct blame_source *b);

/* Returns the hash of the function of that name whose declaration is on a line of a file; 0:
 * unknown, as when the file was changed after the program was made. b: NULL is unknown. */
int64_t blame_source_hash(struct blame_source *b, const char *file, int line, const char *name);

/* Returns the hash of a text's preprocessor lines, which any of its functions may use. */
uint64_t blame_source_directives(const struct code_source *s);
/* Returns the hash of a function from the line of its name up to its closing brace, seeded, without
 * comments and layout; below 2^48, so that it is exact in any reader of JSON. 0: no definition of
 * that name begins there. */
int64_t blame_source_text(const struct code_source *s, int line, const char *name, uint64_t seed);

#endif
