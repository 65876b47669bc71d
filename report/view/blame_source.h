/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Identity of a function by its source text, which edits of other functions do not change. What the
 * compiler makes of it is none: code and line entries of an inlined function follow from the
 * function that it is inlined into, too. */
#ifndef BLAME_SOURCE_H
#define BLAME_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "view/code.h"

#define BLAME_SOURCE_BYTES 32U /* of a SHA-256 */
#define BLAME_SOURCE_ROOM  17U /* for 64 bits of one, as hexadecimal digits */

struct blame_source;

/* Opens the sources of a program; NULL: it cannot be read, or out of memory. */
struct blame_source *blame_source_open(const char *store, const char *elf);
void blame_source_free(struct blame_source *b);

/* Writes to out the hash of the function of that name whose declaration is on a line of a file;
 * false: unknown, as when the file was changed after the program was made. b: NULL is unknown. */
bool blame_source_hash(struct blame_source *b, const char *file, int line, const char *name,
                       char out[BLAME_SOURCE_ROOM]);

/* Computes the hash of a text's preprocessor lines, which any of its functions may use. */
void blame_source_directives(const struct code_source *s, uint8_t out[BLAME_SOURCE_BYTES]);
/* Writes to out the hash of a function from the line of its name up to its closing brace, after the
 * seed, without comments and layout. False: no definition of that name begins there. */
bool blame_source_text(const struct code_source *s, int line, const char *name,
                       const uint8_t seed[BLAME_SOURCE_BYTES], char out[BLAME_SOURCE_ROOM]);

#endif
