/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUN_TUNE_INT_H
#define RUN_TUNE_INT_H

#include <jansson.h>

#include "search/tune.h"

struct sqlite3;
struct sqlite3_stmt;
struct mpj_emulator_bound;

/* ---- texts of a space: tune_expr.c -------------------------------------------------- */

/* Returns the text with each {AXIS} replaced by the point's value. Allocated; NULL: out of
 * memory. */
char *run_tune_fill(const struct run_tune *t, const struct run_tune_point *p, const char *text);
/* Checks every text with {AXIS} in it: MPJ_E_USAGE for a name without an axis, and for an axis that
 * none has. */
int run_tune_check(const struct run_tune *t, struct mpj_err *err);

/* Expressions of SQL over the axes, and the figures of a run. */
struct run_tune_expr {
    struct sqlite3_stmt *s;
};

struct run_tune_exprs {
    struct sqlite3 *db;
    struct run_tune_expr *constraint, *objective, *cap;
};

/* Compiles the expressions. MPJ_E_USAGE: a text is not an expression, or names an unknown value.
 * Free after an error as well. */
int run_tune_exprs(struct run_tune_exprs *e, const struct run_tune *t, struct mpj_err *err);
void run_tune_exprs_free(struct run_tune_exprs *e, const struct run_tune *t);
/* Returns the value at a point (values that look like numbers are numbers, else text); figures may
 * be NULL. False when it has none: a figure that was not measured, or a word. */
bool run_tune_value(const struct run_tune_expr *e, const struct run_tune *t,
                    const struct run_tune_point *p, const json_t *figures, double *out);
/* Returns the figures that expressions may name: NULL after the last. */
const char *run_tune_figure(size_t i);
/* Checks type and range of a figure's value. MPJ_E_USAGE. */
int run_tune_value_check(const char *name, const json_t *value, struct mpj_err *err);

/* ---- programs: tune_build.c --------------------------------------------------------- */

/* Returns the commands that compile the point's program, as its key. Allocated. */
char *run_tune_build_key(const struct run_tune *t, const struct run_tune_point *p);
/* Compiles it; a program that does not compile has a reason; MPJ_E_OK. */
int run_tune_build(const struct run_tune *t, const struct run_tune_point *p,
                   struct run_tune_build *b, bool (*stopping)(void *ctx), void *ctx,
                   struct mpj_err *err);

/* ---- points: tune_point.c ----------------------------------------------------------- */

/* Sets stem and key of a point whose program is known; version: run_cache_version(). */
int run_tune_name(const struct run_tune *t, struct run_tune_point *p, const char *version,
                  struct mpj_err *err);
/* Returns an option of `mpjoule run` by its name; NULL: it is not given. */
const char *run_tune_option(const struct run_tune *t, const char *name);
/* True if the runs are made on boards. */
bool run_tune_on_board(const struct run_tune *t);
/* Returns the order of its run (batch/orders.h), at most to one of the bounds. NULL and err. */
json_t *run_tune_order(const struct run_tune *t, const struct run_tune_point *p,
                       const struct mpj_emulator_bound *bound, unsigned bounds,
                       struct mpj_err *err);
/* Writes STEM.json and its key from the order's result. A run that failed and may succeed next time
 * gives STEM and RUN_TUNE_FAILURE; an older result stays. MPJ_E_OK also when the program failed. */
int run_tune_keep(const struct run_tune_point *p, const json_t *result, struct mpj_err *err);
/* True if the point need not be measured: its result has this key, and no later attempt failed. */
bool run_tune_is_cached(const struct run_tune_point *p);
/* Takes the content of the file that the last run_tune_keep() wrote; false: it is not usable. */
bool run_tune_take(const struct run_tune *t, struct run_tune_point *p, struct mpj_err *err);
/* Sets state, objectives and reason from the point's figures. */
int run_tune_judge(const struct run_tune *t, struct run_tune_point *p, struct mpj_err *err);

/* ---- bounds: tune_bound.c ------------------------------------------------------------ */

/* Checks the objectives. MPJ_E_USAGE: one of them may fall during a run, so that a part of a run
 * bounds nothing. */
int run_tune_bound_check(const struct run_tune *t, struct mpj_err *err);
/* Computes times and energies beyond which a run is of no use, from the measured points; returns
 * how many. */
unsigned run_tune_bounds(const struct run_tune *t, struct mpj_emulator_bound *out, unsigned max);

/* ---- evaluations: tune_measure.c ---------------------------------------------------------- */

struct run_tune_work {
    struct run_tune_exprs exprs;
    json_t *programs; /* numbers of programs, by key */
    char *version;
    unsigned *job; /* points of a pool */
};

/*
 * Evaluates points: those that were not are measured, or read if they were before. Returns when all
 * have a state. An error ends the tune.
 */
int run_tune_measure(struct run_tune *t, const unsigned *point, unsigned n, struct mpj_err *err);

/* Takes a point that is measured elsewhere. */
int run_tune_ask_external(struct run_tune *t, unsigned point, struct mpj_err *err);

/* ---- strategies: tune_search.c ---------------------------------------------------------- */

int run_tune_check_roles(const struct run_tune *t, struct mpj_err *err);
int run_tune_search(struct run_tune *t, struct mpj_err *err);

/* ---- landscapes: tune_landscape.c --------------------------------------------------------------
 */

/* Takes a point's values in the landscape, judged. */
int run_tune_landscape_take(const struct run_tune *t, unsigned point, struct run_tune_point *p,
                            struct mpj_err *err);
/* Computes the least of each objective over all points that are fit to choose. */
int run_tune_landscape_least(struct run_tune *t, struct mpj_err *err);

/* ---- tune_choose.c ---------------------------------------------------------------------- */

/* Computes front, best points and knee of the measured points. */
int run_tune_choose(struct run_tune *t, struct mpj_err *err);

#endif
