/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The result of a tune as a table, JSON and CSV. */
#ifndef TUNE_SHOW_H
#define TUNE_SHOW_H

#include "run/tune.h"

/* The table on stdout (all: of every point, otherwise of the front), JSON and CSV to files ("-":
 * stdout, instead of the table; NULL: none). MPJ_E_PROGRAM when no point is fit to choose. */
int tune_show(const struct run_tune *t, bool all, const char *json, const char *csv,
              struct mpj_err *err);

#endif
