/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Growth of inlined functions that is of the functions they are inlined into. */
#ifndef BLAME_INLINED_H
#define BLAME_INLINED_H

#include <jansson.h>
#include <stdbool.h>

#include "base/errors.h"

/*
 * Moves growth: an inlined function whose source did not change, in functions whose source did, has
 * grown because of them, as when a loop around it runs in another order. side: the tables of both;
 * the second is replaced by a copy if anything is moved. Nothing is where a hash is not known, or
 * where the inlined function is executed more often, which who_calls() explains. MPJ_E_NOMEM.
 */
int blame_pass_inlined(json_t *side[2], const char *item, struct mpj_err *err);

/* Returns a figure of a row; 0: unknown. */
double blame_cell(const json_t *row, const char *item);
/* Returns a function's cost of an item; for time including its waits. */
double blame_cost(const json_t *row, const char *item);
/* Returns the calls of a function; of one without, which is inlined, those of what contains it. */
double blame_calls_of(const json_t *side, const char *table, const char *name);
/* True if a function's cost of the item grew with its calls, not with the cost of a call. Calls of
 * an inlined function are executions of what the compiler left of its beginning: they are believed
 * only if its cost grew about as much as they did. */
bool blame_by_calls(const json_t *base, const json_t *now, const char *table, const char *name,
                    const char *item);

#endif
