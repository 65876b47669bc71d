/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of the subcommands of `mpjoule model`. argv[0] is the subcommand's name; they return
 * the exit status. */
#ifndef MODEL_H
#define MODEL_H

#include "models/model.h"
#include "run/energy_model.h"

/*
 * Fits by every method and prints the errors of each, next to those of the published equations: on
 * the programs of the fit, and on those of the data set `verify` unless that is NULL. *best: the
 * best subset.
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
