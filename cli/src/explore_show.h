/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The result of an exploration as tables, JSON, CSV and a drawing. */
#ifndef EXPLORE_SHOW_H
#define EXPLORE_SHOW_H

#include "search/explore.h"

/* Files of the result; "-": stdout, instead of the tables; NULL: none. */
struct explore_files {
    const char *json, *csv, *svg;
    const struct conclusions *conclusions; /* as in tune_show.h */
};

/* Prints the tables on stdout (all: every chip, otherwise those of the front), and writes the
 * files. MPJ_E_PROGRAM when the program failed on every chip. */
int explore_show(const struct run_explore *x, bool all, const struct explore_files *files,
                 struct mpj_err *err);

#endif
