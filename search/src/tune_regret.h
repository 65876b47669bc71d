/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The most that the best point found may be from the best point of the space. */
#ifndef RUN_TUNE_REGRET_H
#define RUN_TUNE_REGRET_H

#include "tune_predict.h"

/*
 * Returns by how much, in parts of itself, an objective of the best measured point may exceed that
 * of the best point of the whole space, with a confidence of RUN_TUNE_CONFIDENCE; infinite: not
 * known, from too few points, or from so many that it would take minutes; negative: the objective
 * has no parts of itself (values below 0). *likely: the point that is most likely to be better (-1:
 * none is left).
 */
double run_tune_regret(const struct run_tune *t, const struct run_tune_model *m, unsigned objective,
                       int *likely);
/* Sets t->bound of all objectives after a search. MPJ_E_NOMEM. */
int run_tune_regrets(struct run_tune *t, struct mpj_err *err);

#endif
