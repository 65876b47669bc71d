/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Predictions of objectives at points that were not measured, from those that were. */
#ifndef RUN_TUNE_PREDICT_H
#define RUN_TUNE_PREDICT_H

#include "tune_gp.h"

struct run_tune_model;

/* Returns a model without points; random numbers are drawn from *random. NULL: out of memory. */
struct run_tune_model *run_tune_model_new(const struct run_tune *t, uint64_t *random);
void run_tune_model_free(struct run_tune_model *m);
/* Fits it to all points that have figures by now; below two points it predicts nothing. False: out
 * of memory. */
bool run_tune_model_fit(struct run_tune_model *m);
/* Returns the number of points that it was fitted to. */
unsigned run_tune_model_points(const struct run_tune_model *m);
/* Returns the positions of the values of axes. */
const struct run_tune_places *run_tune_model_places(const struct run_tune_model *m);
/* True if the objective is modelled by its logarithm: all its values are above 0. */
bool run_tune_model_logarithm(const struct run_tune_model *m, unsigned objective);
/* Returns the objective of a measured point as it is modelled. */
double run_tune_model_value(const struct run_tune_model *m, unsigned objective, unsigned point);
/* Predicts a point: mean and variance of the objective as it is modelled. */
void run_tune_model_at(const struct run_tune_model *m, unsigned objective, unsigned point,
                       double *mean, double *variance);
/* Returns by which factor deviations are larger than predicted, judged by measured points that
 * were left out; at least 1. */
double run_tune_model_scale(const struct run_tune_model *m, unsigned objective);
/* Returns the probability that the point obeys caps like "time <= 0.5". */
double run_tune_model_feasible(const struct run_tune_model *m, unsigned point);

#endif
