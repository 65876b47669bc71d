/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUN_TUNE_INT_H
#define RUN_TUNE_INT_H

#include <jansson.h>

#include "run/tune.h"

struct sqlite3;
struct sqlite3_stmt;
struct mpj_emulator_bound;

/* ---- texts of a space: tune_expr.c -------------------------------------------------- */

/* The text with each {AXIS} replaced by the point's value. Allocated; NULL: out of memory. */
char *run_tune_fill(const struct run_tune *t, const struct run_tune_point *p, const char *text);
/* Looks at every text with {AXIS} in it: MPJ_E_USAGE for a name without an axis, and for an
 * axis that none has. */
int run_tune_check(const struct run_tune *t, struct mpj_err *err);

/* Expressions of SQL over the axes, and the figures of a run. */
struct run_tune_expr {
    struct sqlite3_stmt *s;
};

struct run_tune_exprs {
    struct sqlite3 *db;
    struct run_tune_expr *constraint, *objective, *cap;
};

/* MPJ_E_USAGE: a text is not an expression, or names what is not there. Free after an error, too.
 */
int run_tune_exprs(struct run_tune_exprs *e, const struct run_tune *t, struct mpj_err *err);
void run_tune_exprs_free(struct run_tune_exprs *e, const struct run_tune *t);
/* The value at a point (values that look like numbers are numbers, else text); figures may be
 * NULL. False when it has none: of a figure that was not measured, or a word. */
bool run_tune_value(const struct run_tune_expr *e, const struct run_tune *t,
                    const struct run_tune_point *p, const json_t *figures, double *out);
/* Figures that expressions may name: NULL after the last. */
const char *run_tune_figure(size_t i);

/* ---- programs: tune_build.c --------------------------------------------------------- */

/* The commands that compile the point's program, as its key. Allocated. */
char *run_tune_build_key(const struct run_tune *t, const struct run_tune_point *p);
/* Compiles it; what does not compile has a reason; MPJ_E_OK. */
int run_tune_build(const struct run_tune *t, const struct run_tune_point *p,
                   struct run_tune_build *b, bool (*stopping)(void *ctx), void *ctx,
                   struct mpj_err *err);

/* ---- points: tune_point.c ----------------------------------------------------------- */

/* Stem and key of a point whose program is known; version: run_kept_version(). */
int run_tune_name(const struct run_tune *t, struct run_tune_point *p, const char *version,
                  struct mpj_err *err);
/* The order of its run (engine_int.h), at most to one of the bounds. NULL and err. */
json_t *run_tune_order(const struct run_tune *t, const struct run_tune_point *p,
                       const struct mpj_emulator_bound *bound, unsigned bounds,
                       struct mpj_err *err);
/* Leaves STEM.json of the order's result. MPJ_E_OK also when the program failed. */
int run_tune_keep(const struct run_tune_point *p, const json_t *result, struct mpj_err *err);
/* Takes what STEM.json says; false: it says nothing of use. */
bool run_tune_take(const struct run_tune *t, struct run_tune_point *p, struct mpj_err *err);
/* State, objectives and reason from the point's figures. */
int run_tune_judge(const struct run_tune *t, struct run_tune_point *p, struct mpj_err *err);

/* ---- bounds: tune_bound.c ------------------------------------------------------------ */

/* MPJ_E_USAGE: of these objectives a part of a run says nothing. */
int run_tune_bound_check(const struct run_tune *t, struct mpj_err *err);
/* Times and energies beyond which a run is of no use, by what has been measured; how many. */
unsigned run_tune_bounds(const struct run_tune *t, struct mpj_emulator_bound *out, unsigned max);

/* ---- evaluations: tune_try.c ---------------------------------------------------------- */

struct run_tune_work {
    struct run_tune_exprs exprs;
    json_t *programs; /* numbers of programs, by key */
    char *version;
    unsigned *job; /* points of a pool */
};

/*
 * Evaluates points: those that were not are measured, or read where they were before. Returns when
 * all have a state. An error ends the tune.
 */
int run_tune_try(struct run_tune *t, const unsigned *point, unsigned n, struct mpj_err *err);

/* A point that is measured elsewhere. */
int run_tune_asked(struct run_tune *t, unsigned point, struct mpj_err *err);

/* ---- strategies: tune_search.c ---------------------------------------------------------- */

int run_tune_check_roles(const struct run_tune *t, struct mpj_err *err);
int run_tune_search(struct run_tune *t, struct mpj_err *err);

/* ---- landscapes: tune_land.c -------------------------------------------------------------- */

/* What the landscape has of a point, judged. */
int run_tune_landscape_take(const struct run_tune *t, unsigned point, struct run_tune_point *p,
                            struct mpj_err *err);
/* The least of each objective over all points that are fit to choose. */
int run_tune_landscape_least(struct run_tune *t, struct mpj_err *err);

/* ---- tune_choose.c ---------------------------------------------------------------------- */

/* Front, best points and knee of what was measured. */
int run_tune_choose(struct run_tune *t, struct mpj_err *err);

#endif
