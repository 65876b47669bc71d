/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls by pointer of functions that end with a jump to another function.
 *
 * A function that is entered by a jump returns to where the one that jumped would have returned. If
 * that place has a call by pointer, the code does not name the function that was called there: its
 * calls, and those that came by a jump from a function that is called there, too, have the same
 * return address. They are divided by how often the latter has jumped when it was measured itself.
 */
#ifndef ENTRIES_TAILS_H
#define ENTRIES_TAILS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/entries_code.h"
#include "store/entries_graph.h"

/* Calls of a function with one return address, scaled. */
struct entry_site {
    uint32_t from, to; /* of the graph */
    uint32_t back;     /* return address */
    uint32_t group;    /* of the called function's periods */
    bool always;       /* it is measured in the periods of all groups */
    double calls, records;
    double error;  /* standard error of the calls, as only some periods measured them */
    double passes; /* calls that were only counted */
    double v[ENTRY_ITEMS];
};

/* Zeroed before the first use. */
struct entry_tails {
    struct entry_site *site;
    size_t count, room;
};

/* Adds calls. False: out of memory. */
bool entry_tails_add(struct entry_tails *t, const struct entry_site *site);

/* Moves the calls that came by a jump to the function that jumped, in a graph that is not solved;
 * passed: what a call that is only counted costs. False: out of memory. */
bool entry_tails_divide(struct entry_tails *t, struct entry_graph *g, struct entry_code *code,
                        const double passed[ENTRY_ITEMS]);

void entry_tails_free(struct entry_tails *t);

#endif
