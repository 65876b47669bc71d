/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUN_PASSES_INT_H
#define RUN_PASSES_INT_H

#include "run/passes.h"

/* Commits the held logs as a result (take), or keeps them as a failed attempt; sets run.taken.
 * MPJ_E_IO: a log could not be committed, and the following ones are not. */
int run_place(struct run_measurement *r, bool take, struct mpj_err *err);

/* A pipe can be read once: when there are more passes, or may be, its content is kept for them. */
int run_keep_input(struct run_measurement *r, struct mpj_err *err);

/*
 * Prepares a run with MPJ_ADAPT in its environment and a policy that predicts: finds the predictor
 * (the options' file, or the one fitted to the target's calibration), counts its events, and sends
 * it. An obstacle is not an error: r->notice has it, and the controller then measures instead of
 * predicting (other events were requested; there is no predictor), or, if the named predictor is of
 * another chip, calibration or firmware, or cannot be read, MPJ_ADAPT is left out. For
 * run_prepare(), once the target is known. MPJ_E_NOMEM.
 */
int run_adapt_prepare(struct run_measurement *r, struct mpj_err *err);

#endif
