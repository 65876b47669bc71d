/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Points of a sweep: what varies, the runs, the table. */
#ifndef SWEEP_H
#define SWEEP_H

#include <stdbool.h>

#include "base/errors.h"

#define SWEEP_AXES_MAX    8U
#define SWEEP_VALUES_MAX  64U
#define SWEEP_POINTS_MAX  1024U
#define SWEEP_OPTIONS_MAX 16U
#define SWEEP_ARGS_MAX    256U
#define SWEEP_JOBS_MAX    64U

struct sweep_axis {
    char *name; /* environment variable; NULL: cores */
    unsigned values;
    char *value[SWEEP_VALUES_MAX];
};

struct sweep_point {
    unsigned index[SWEEP_AXES_MAX]; /* of the value on each axis */
    char *stem;                     /* path of its files without their ends */
    char *key;                      /* what it depends on: repeated when this changes */
    long pid;                       /* while it runs; 0 otherwise */
    bool made, failed;
    int status; /* of a failed one, as a shell has it */
    bool have_energy;
    double time_s, energy_uj;
};

struct sweep {
    struct sweep_axis axis[SWEEP_AXES_MAX];
    unsigned axes;
    unsigned points;
    struct sweep_point *point; /* the last axis varies fastest */
    char *option[SWEEP_OPTIONS_MAX];
    unsigned options;
    char *argv[SWEEP_ARGS_MAX]; /* the program and its arguments */
    unsigned argc;
    unsigned jobs; /* 0: one per processor */
    const char *folder, *json;
    const char *input; /* what the runs read as stdin; NULL: nothing */
};

/* Adds an axis: "1..4", "1,2,4", "static,dynamic". name NULL: cores. MPJ_E_USAGE. */
int sweep_axis(struct sweep *s, const char *name, const char *values, struct mpj_err *err);
/* Makes every point that is not there yet, several at a time. A failed point does not end it. */
int sweep_run(struct sweep *s, struct mpj_err *err);
/* The table, and its JSON. MPJ_E_PROGRAM when a point failed. */
int sweep_show(const struct sweep *s, struct mpj_err *err);
void sweep_free(struct sweep *s);

#endif
