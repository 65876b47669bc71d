/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the subcommands of `mpjoule model` share. argv[0] is the subcommand's name; they return the
 * exit status. */
#ifndef MODEL_H
#define MODEL_H

int model_campaign(int argc, char **argv);
int model_coverage(int argc, char **argv);
int model_fit(int argc, char **argv);
int model_generate(int argc, char **argv);
int model_predict(int argc, char **argv);
int model_show(int argc, char **argv);
int model_verify(int argc, char **argv);

#endif
