/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The best way to run a program: a space of configurations, each measured once and kept under what
 * it depends on. A sweep (run/sweep.h) is the simple case that is shown as a table of speed-ups.
 */
#ifndef RUN_TUNE_H
#define RUN_TUNE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/errors.h"

#define RUN_TUNE_AXES_MAX       16U
#define RUN_TUNE_VALUES_MAX     256U
#define RUN_TUNE_POINTS_MAX     100000U
#define RUN_TUNE_OBJECTIVES_MAX 8U

struct run_tune_axis {
    char *name;
    unsigned values;
    char *value[RUN_TUNE_VALUES_MAX];
};

/* What a name is set to; {AXIS} in it stands for the axis' value. name NULL: a list without names.
 */
struct run_tune_pair {
    char *name, *text;
};

struct run_tune_list {
    struct run_tune_pair *at;
    unsigned n;
};

enum run_tune_state {
    RUN_TUNE_NEW, /* not measured: the tune was broken off */
    RUN_TUNE_MEASURED,
    RUN_TUNE_FAILED,     /* does not compile, or the program failed: reason */
    RUN_TUNE_INFEASIBLE, /* against a constraint: reason. Never run */
    RUN_TUNE_OVER,       /* measured, and over a cap: reason */
};

struct run_tune_point {
    unsigned index[RUN_TUNE_AXES_MAX]; /* of the value on each axis */
    enum run_tune_state state;
    char *reason;
    char *stem, *key; /* its files, and what it depends on; NULL: infeasible */
    unsigned build;   /* number of its program */
    double time_s, energy_j;
    double objective[RUN_TUNE_OBJECTIVES_MAX];
    bool front; /* no other point is as good in every objective and better in one */
};

struct run_tune_build {
    char *key; /* the commands */
    char *elf;
    char sha256[65];
    char *reason; /* does not compile; NULL: it does */
};

/* Zero-initialise, fill by run_tune_read() or run_tune_axis() and run_tune_put(). */
struct run_tune {
    struct run_tune_axis axis[RUN_TUNE_AXES_MAX];
    unsigned axes;
    char *program;               /* an ELF file; NULL: sources are compiled */
    char *compiler;              /* options of `mpjoule cc`, separated by spaces; NULL: none */
    struct run_tune_list source; /* files by name, with options of their own */
    struct run_tune_list argument, environment;
    struct run_tune_list option; /* of `mpjoule run`, by name */
    struct run_tune_list chip;   /* keys of the calibration */
    struct run_tune_list constraint, cap, objective;
    const char *folder;
    unsigned jobs; /* 0: one per processor */
    bool keep;     /* stores and raw logs of the points, too */

    unsigned points;
    struct run_tune_point *point; /* the last axis varies fastest */
    unsigned builds;
    struct run_tune_build *build;
    unsigned measured_now;             /* how many were not there yet */
    int best[RUN_TUNE_OBJECTIVES_MAX]; /* the point that is least; -1: none */
    int knee; /* of the front: nearest to the best of all objectives, each in parts of its range
                 over the front; -1: none */

    /* Points that are done of those to do, and under way; seconds left, negative: unknown. NULL:
     * not wanted. Never by two threads at a time. */
    void (*progress)(unsigned done, unsigned todo, unsigned running, double left_s);
};

/* Reads a space from YAML (docs/man/mpjoule-tune.md). MPJ_E_USAGE: one line, FILE:LINE: what. */
int run_tune_read(struct run_tune *t, const char *file, struct mpj_err *err);
/* Adds an axis; values as "1..4", "1,2,4", "static,dynamic". MPJ_E_USAGE. */
int run_tune_axis(struct run_tune *t, const char *name, const char *values, struct mpj_err *err);
/* Appends to a list; name may be NULL. MPJ_E_NOMEM. */
int run_tune_put(struct run_tune_list *l, const char *name, const char *text, struct mpj_err *err);
/*
 * Measures every feasible point that is not there yet, several at a time, each by `mpjoule run` in
 * a process of its own; compiles first what is to compile. Failed points do not end it.
 * MPJ_E_USAGE: the space is not one; MPJ_E_BUSY: another tune is at work in the folder;
 * MPJ_E_CANCELLED: a signal to end (base/stop.h): what is done is kept; MPJ_E_PROGRAM: no point
 * could be measured.
 */
int run_tune(struct run_tune *t, struct mpj_err *err);
void run_tune_free(struct run_tune *t);

#endif
