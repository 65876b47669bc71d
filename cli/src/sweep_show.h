/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The result of a sweep as a table, and as JSON. */
#ifndef SWEEP_SHOW_H
#define SWEEP_SHOW_H

#include "search/sweep.h"

/* Files of the result; "-": stdout, instead of the table; NULL: none. svg: a drawing of the
 * conclusions under several calibrations. */
struct sweep_files {
    const char *json, *svg;
};

/* Prints the table on stdout, and writes its JSON to a file ("-": stdout, instead of the table;
 * NULL: none). MPJ_E_PROGRAM when a point failed. */
int sweep_show(const struct run_sweep *s, const struct sweep_files *files, struct mpj_err *err);

#endif
