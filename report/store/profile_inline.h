/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions that the compiler has inlined, for a profile with instructions: a function's cost is
 * divided by the executions and cycles of the instructions that are from each of them.
 */
#ifndef PROFILE_INLINE_H
#define PROFILE_INLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/symbols.h"

/* An inlined part of a function; the remainder is the function's own. */
struct inline_part {
    uint32_t function; /* address of the function that contains it */
    uint32_t parent;   /* number of the part that it was inlined into, from 1; 0: the function */
    const char *name, *file;
    int line;
    uint32_t func; /* free for the caller */
    uint64_t executions, cycles;
};

struct inline_total {
    uint32_t function;
    size_t first, parts; /* of the function: neighbours */
    uint64_t executions, cycles;
};

/* Zeroed before the first use. Parts follow their parents. Functions are in the order of their
 * addresses, as their instructions are added one after the other. */
struct inlines {
    struct inline_part *part;
    size_t parts, part_cap;
    struct inline_total *total; /* of whole functions, in the order of their addition */
    size_t totals, total_cap;
};

/* Counts an instruction; function: start of the function that contains it, not less than that of
 * the one before (then it does not count). False: out of memory. */
bool inlines_add(struct inlines *x, struct mpj_symbols *s, uint32_t function, uint32_t address,
                 uint64_t executions, uint64_t cycles);
/* Returns the totals of a function; NULL: no instruction of it was added. */
const struct inline_total *inlines_total(const struct inlines *x, uint32_t function);
void inlines_free(struct inlines *x);

#endif
