/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A Gaussian process over the points of a space. */
#ifndef RUN_TUNE_GP_H
#define RUN_TUNE_GP_H

#include "tune_int.h"

/* Positions of the values of an axis: numbers between 0 and 1, or words that have no order. */
struct run_tune_places {
    bool words[RUN_TUNE_AXES_MAX];
    double at[RUN_TUNE_AXES_MAX][RUN_TUNE_VALUES_MAX];
};

struct run_tune_gp;

/* Computes the positions of a space's values: numbers that are all positive and spread over a
 * factor of 8 or more by their logarithm. */
void run_tune_places(struct run_tune_places *out, const struct run_tune *t);

/*
 * Fits a process through values y at n points; lengths, shape and noise of its kernel are the most
 * likely ones among those that were tried: some random ones, those of last (the process of fewer of
 * these points; freed), and some around them. NULL: out of memory.
 */
struct run_tune_gp *run_tune_gp_fit(struct run_tune_gp *last, const struct run_tune *t,
                                    const struct run_tune_places *places, const unsigned *point,
                                    const double *y, unsigned n, uint64_t *random);
/* Returns mean and variance at a point. */
void run_tune_gp_at(const struct run_tune_gp *g, unsigned point, double *mean, double *variance);
/* Returns mean and variance that the process without the i-th value has at its point. */
void run_tune_gp_without(const struct run_tune_gp *g, unsigned i, double *mean, double *variance);
void run_tune_gp_free(struct run_tune_gp *g);

#endif
