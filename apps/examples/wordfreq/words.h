/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts words of texts: letters and digits, in any case. */
#ifndef WORDS_H
#define WORDS_H

#include <stddef.h>
#include <stdio.h>

struct words;

struct word {
    const char *text; /* lower case, belongs to the table */
    unsigned long count;
};

/* Returns an empty table, or NULL without memory. */
struct words *words_new(void);

void words_free(struct words *w);

/* Counts the words of a text of n bytes, with 1 to 16 threads. Returns 0 or an errno. */
int words_count(struct words *w, const char *text, size_t n, unsigned threads);

/* Counts the words of the rest of a stream. */
int words_count_stream(struct words *w, FILE *from, unsigned threads);

/* Returns the number of different words. */
size_t words_different(const struct words *w);

/* Writes the `most` most frequent words (equally frequent ones by the alphabet) into out[]. Returns
 * how many it wrote. */
size_t words_top(const struct words *w, struct word *out, size_t most);

#endif
