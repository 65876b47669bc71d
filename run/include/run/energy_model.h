/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The energy model that is applied to the runs of a target. */
#ifndef RUN_ENERGY_MODEL_H
#define RUN_ENERGY_MODEL_H

#include <stdbool.h>

#include "models/model.h"

#define RUN_MODEL_DEFAULT "default" /* the model fitted to the target and its calibration */
#define RUN_MODEL_NONE    "none"

/* Finds a model by name or file. */
int run_model(struct mpj_model *out, const char *name, struct mpj_err *err);
/*
 * Finds the model for runs of a target: the one of that name, for NULL and "default" the one fitted
 * to target and calibration; "none": none. *found: true if there is one. MPJ_E_USAGE when "default"
 * finds none, or the model belongs to another calibration.
 */
int run_model_for(struct mpj_model *out, bool *found, const char *name, const char *target,
                  const char *calibration, struct mpj_err *err);
/* Applies the model that run_model_for() finds to a run. Without a name missing counts are not an
 * error; *warning then has the code and text of a model that could not be read, or code
 * MPJ_E_OK. */
int run_model_apply(struct mpj_run *run, const char *name, struct mpj_err *warning,
                    struct mpj_err *err);

#endif
