/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUN_SWEEP_INT_H
#define RUN_SWEEP_INT_H

#include "run/sweep.h"

/* Checks program and input, makes the folder and the points. */
int run_sweep_plan(struct run_sweep *s, struct mpj_err *err);
/* A file beside the point's others. Allocated; NULL: out of memory. */
char *run_sweep_file(const struct run_sweep_point *p, const char *end);
/* Takes time and energy from the point's JSON; false: it has none. */
bool run_sweep_read(struct run_sweep_point *p);
/* Whether the point was made before, of the same program and options. */
bool run_sweep_done(const struct run_sweep_point *p);
/* A run begins: until its key is there again, its files count for nothing. */
void run_sweep_forget(const struct run_sweep_point *p);
/* The key is written last: a run that was broken off has none. */
void run_sweep_keep(const struct run_sweep_point *p);

#endif
