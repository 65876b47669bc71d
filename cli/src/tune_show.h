/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The result of a tune as a table, JSON and CSV. */
#ifndef TUNE_SHOW_H
#define TUNE_SHOW_H

#include <stdio.h>

#include <jansson.h>

#include "search/tune.h"

/* Return the values of the axes by name; the same with state and objectives; the texts of a
 * list. */
json_t *tune_at_json(const struct run_tune *t, const struct run_tune_point *p);
json_t *tune_point_json(const struct run_tune *t, const struct run_tune_point *p);
json_t *tune_list_json(const struct run_tune_list *l);
/* Passes an option of `mpjoule run` into a struct run_tune (batch_command.h). */
int tune_pass_option(void *ctx, const char *name, const char *value, struct mpj_err *err);
/* Returns "l2=256 tile=50", malloc()ed; NULL: out of memory. */
char *tune_point_title(const struct run_tune *t, unsigned point);

/* Files of the result; "-": stdout, instead of the table; NULL: none. */
struct tune_files {
    const char *json, *csv, *svg, *landscape;
    const struct conclusions *conclusions; /* under several calibrations: shown, and drawn instead
                                              of the points; NULL: none */
};
/* Prints the table on stdout (all: of every point that was tried, otherwise of the front; explain:
 * also why points next to the best one are worse), and writes the files, each by itself: reports
 * the first that cannot be written. MPJ_E_PROGRAM when no point is fit to choose. */
int tune_show(const struct run_tune *t, bool all, bool explain, const struct tune_files *files,
              struct mpj_err *err);

#endif
