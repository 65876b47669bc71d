/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Common functions of the strategies of a tune. */
#ifndef RUN_TUNE_SEARCH_H
#define RUN_TUNE_SEARCH_H

#include "tune_int.h"

struct run_tune_strategy {
    const char *name, *summary;
    int (*run)(struct run_tune *t, struct mpj_err *err);
};

extern const struct run_tune_strategy run_tune_exhaustive, run_tune_corunning, run_tune_pipeline,
    run_tune_batch, run_tune_iterative, run_tune_combined, run_tune_schedule, run_tune_model,
    run_tune_random, run_tune_external;

/* Returns the n-th axis with this role; -1: there is none. */
int run_tune_role(const struct run_tune *t, const char *role, unsigned n);
/* Returns the text that a role has which is not an axis; NULL: none. */
const char *run_tune_role_text(const struct run_tune *t, const char *role);
/* Returns the baseline: the values that the space names, otherwise the first of each axis. */
void run_tune_baseline(const struct run_tune *t, unsigned index[RUN_TUNE_AXES_MAX]);
unsigned run_tune_number(const struct run_tune *t, const unsigned index[RUN_TUNE_AXES_MAX]);
/* Returns the point that differs only in the value of one axis. */
unsigned run_tune_neighbour(const struct run_tune *t, unsigned point, unsigned axis,
                            unsigned value);
/* True if a was measured and is better than b in any objective, or b was not measured. */
bool run_tune_improves(const struct run_tune *t, unsigned a, unsigned b);
/* Returns the first objective; infinite when the point is not a candidate. */
double run_tune_cost(const struct run_tune *t, unsigned point);
/* Returns a figure of a measured point; 0: it has none. */
double run_tune_figure_of(const struct run_tune *t, unsigned point, const char *figure);
/* True if no evaluations are left. */
bool run_tune_exhausted(const struct run_tune *t);
/* Returns the next number of a stream (splitmix64). */
uint64_t run_tune_draw(uint64_t *state);

#endif
