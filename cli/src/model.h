/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the subcommands of `mpjoule model` share. argv[0] is the subcommand's name; they return the
 * exit status. */
#ifndef MODEL_H
#define MODEL_H

#include "mpj_model.h"

#define MODEL_DEFAULT "default" /* the model fitted to the target and its calibration */
#define MODEL_NONE    "none"

/* A model by name or file. */
int cli_model(struct mpj_model *out, const char *name, struct mpj_err *err);
/*
 * The model a target's runs are seen through: the one of that name, for NULL and "default" the one
 * fitted to target and calibration; "none": none. *found tells. MPJ_E_USAGE when "default" finds
 * none, or the model belongs to another calibration.
 */
int cli_model_for(struct mpj_model *out, bool *found, const char *name, const char *target,
                  const char *calibration, struct mpj_err *err);
/* The same, into a run. Without a name it is no error that counts are missing. */
int cli_model_apply(struct mpj_run *run, const char *name, struct mpj_err *err);

/*
 * Fits in every way and prints what each is worth, beside the published equations: on the programs
 * of the fit, and on those of the data set `verify` unless that is NULL. *best: the best subset.
 */
int model_compare(const struct mpj_dataset *ds, const struct mpj_model_options *how,
                  const char *verify, struct mpj_model *best, struct mpj_err *err);

int model_campaign(int argc, char **argv);
int model_coverage(int argc, char **argv);
int model_fit(int argc, char **argv);
int model_generate(int argc, char **argv);
int model_predict(int argc, char **argv);
int model_show(int argc, char **argv);
int model_verify(int argc, char **argv);

#endif
