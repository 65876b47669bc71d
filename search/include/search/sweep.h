/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs a program at every combination of some options; each run is kept. */
#ifndef SEARCH_SWEEP_H
#define SEARCH_SWEEP_H

#include <stdbool.h>

#include "base/errors.h"
#include "batch/engine.h"

struct run_inputs;

#define RUN_SWEEP_AXES_MAX    8U
#define RUN_SWEEP_VALUES_MAX  64U
#define RUN_SWEEP_POINTS_MAX  1024U
#define RUN_SWEEP_OPTIONS_MAX 16U
#define RUN_SWEEP_ARGS_MAX    256U

struct run_sweep_axis {
    char *name; /* environment variable; NULL: cores, or calibrations */
    bool calibrations;
    unsigned values;
    char *value[RUN_SWEEP_VALUES_MAX];
};

struct run_sweep_point {
    unsigned index[RUN_SWEEP_AXES_MAX]; /* of the value on each axis */
    char *stem;                         /* path of its files without their ends */
    char *key; /* all that the run depends on: repeated when this changes */
    bool made, failed;
    int status;                  /* of a failed one, as a shell has it */
    bool have_energy, has_power; /* has_power: the board can measure energy */
    double time_s, energy_uj;
};

/* Zero-initialise, fill; axes with run_sweep_axis(). */
struct run_sweep {
    struct run_sweep_axis axis[RUN_SWEEP_AXES_MAX];
    unsigned axes;
    unsigned points;
    struct run_sweep_point *point;       /* the last axis varies fastest */
    char *option[RUN_SWEEP_OPTIONS_MAX]; /* "--name=value" of `mpjoule run`; freed with the sweep */
    unsigned options;
    char *argv[RUN_SWEEP_ARGS_MAX]; /* the program and its arguments */
    unsigned argc;
    char sha256[65]; /* of the program file */
    struct run_engine engine;
    const char *folder;
    const char *input; /* what the runs read as stdin; NULL: nothing */

    /* As in search/tune.h. */
    void (*progress)(unsigned done, unsigned todo, unsigned running, double left_s);
};

/* Adds an axis: "1..4", "1,2,4", "static,dynamic". name NULL: cores. MPJ_E_USAGE. */
int run_sweep_axis(struct run_sweep *s, const char *name, const char *values, struct mpj_err *err);
/* Repeats the sweep under each calibration of the assumptions (run/assumptions.h): the axis that
 * varies slowest, added after the others. Errors: as run_assumptions_find(). */
int run_sweep_assume(struct run_sweep *s, struct mpj_err *err);
/* Returns the name of an axis: its variable, "cores", "calibration". */
const char *run_sweep_axis_name(const struct run_sweep_axis *a);
/*
 * Measures every point that is not kept yet, several at a time, each by `mpjoule run` in a process
 * of its own. A failed point does not end it. MPJ_E_BUSY: another command is using the folder;
 * MPJ_E_CANCELLED: ended by a signal (base/stop.h); finished points are kept.
 */
int run_sweep(struct run_sweep *s, struct mpj_err *err);
void run_sweep_free(struct run_sweep *s);

/* Lists the files that it will read, as in run/inputs.h. */
int run_inputs_sweep(const struct run_inputs *r, const struct run_sweep *s, struct mpj_err *err);

#endif
