/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A tune, an exploration under each calibration of the assumptions. */
#ifndef TUNE_ASSUME_H
#define TUNE_ASSUME_H

#include "conclude.h"
#include "search/explore.h"

/* Tunes under each calibration of the set, and collects the best point of each objective. What the
 * first calibration's tune finds is measured under the others as well. Leaves the result of the
 * first in t. Errors: as run_assumptions_find() and run_tune(). */
int tune_assume(struct run_tune *t, struct conclusions *s, struct mpj_err *err);
/* Explores likewise; only the first calibration with other laws. */
int explore_assume(struct run_explore *x, struct conclusions *s, struct mpj_err *err);

#endif
