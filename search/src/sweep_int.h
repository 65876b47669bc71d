/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUN_SWEEP_INT_H
#define RUN_SWEEP_INT_H

#include "search/sweep.h"
#include "tile_machine.h"

/* Checks program and input, creates the folder and the points. */
int run_sweep_plan(struct run_sweep *s, struct mpj_err *err);
/* Takes time and energy from the point's JSON; false: it has none. */
bool run_sweep_read(struct run_sweep_point *p);

/* Returns an option of `mpjoule run` by its name; NULL: it is not given. */
const char *run_sweep_option(const struct run_sweep *s, const char *name);
/* True if the runs are made on boards. */
bool run_sweep_on_board(const struct run_sweep *s);
/* Returns the calibration of a point: name or path. p NULL: of those that have none of their
 * own. */
const char *run_sweep_calibration(const struct run_sweep *s, const struct run_sweep_point *p,
                                  char usual[TILE_NAME_SIZE]);

#endif
