/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the best way to run a program: a space of configurations, each measured once and kept by
 * its dependencies. A sweep (search/sweep.h) is the simple case that is shown as a table of
 * speed-ups.
 */
#ifndef SEARCH_TUNE_H
#define SEARCH_TUNE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/errors.h"
#include "batch/board_pool.h"
#include "batch/engine.h"

struct run_inputs;

struct json_t;
struct run_tune_work;

#define RUN_TUNE_AXES_MAX       16U
#define RUN_TUNE_VALUES_MAX     256U
#define RUN_TUNE_POINTS_MAX     100000U
#define RUN_TUNE_OBJECTIVES_MAX 8U
#define RUN_TUNE_CONFIDENCE     0.95 /* of the bound of the regret */
#define RUN_TUNE_SAMPLE         ".sample.json"
#define RUN_TUNE_FAILURE        ".failed.json" /* of a last attempt, if the next may succeed */

struct run_tune_axis {
    char *name;
    unsigned values;
    char *value[RUN_TUNE_VALUES_MAX];
};

/* The value of a name; {AXIS} in it is replaced by the axis' value. name NULL: a list without
 * names. */
struct run_tune_pair {
    char *name, *text;
};

struct run_tune_list {
    struct run_tune_pair *at;
    unsigned n;
};

enum run_tune_state {
    RUN_TUNE_NEW, /* not measured: the strategy did not try it, or the tune was interrupted */
    RUN_TUNE_MEASURED,
    RUN_TUNE_FAILED,     /* does not compile, or the program failed: reason */
    RUN_TUNE_INFEASIBLE, /* violates a constraint: reason. Never run */
    RUN_TUNE_OVER,       /* measured, and over a cap: reason */
    RUN_TUNE_STOPPED, /* its run was ended because a measured point dominates it, or it was over a
                         cap: reason; time_s and energy_j are the values so far */
};

struct run_tune_point {
    unsigned index[RUN_TUNE_AXES_MAX]; /* of the value on each axis */
    enum run_tune_state state;
    char *reason;
    char *stem, *key; /* its files, and what it depends on; NULL: infeasible */
    unsigned build;   /* number of its program */
    double time_s, energy_j;
    double objective[RUN_TUNE_OBJECTIVES_MAX];
    struct json_t *figures; /* by name, the measurements; NULL: nothing */
    unsigned tried;         /* number of its evaluation, from 1; 0: none */
    bool front;             /* no other point is as good in every objective and better in one */
};

struct run_tune_build {
    char *key; /* the commands */
    char *elf;
    char sha256[65];
    char *reason; /* does not compile; NULL: it does */
    bool made;    /* compiled, or tried to */
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
    struct run_tune_list role;     /* what axes mean to strategies, by role */
    struct run_tune_list baseline; /* values of axes to compare with; others: the first */
    const char *strategy;          /* a name of run_tune_strategy_name(); NULL: every point */
    uint64_t draw;                 /* begins the random numbers of strategies */
    unsigned most;                 /* evaluations; 0: as many as the strategy wants */
    struct json_t *landscape;      /* points are taken from it, not measured; NULL: measured */
    const char *folder;
    unsigned jobs;                   /* 0: one per processor */
    const struct run_engine *engine; /* for the runs; NULL: this machine, this many jobs */
    struct run_board_pool
        *boards; /* that make the runs, the caller's; NULL: run_tune() takes those
                    of the options target, boards, wait, `jobs` at most (0: all) */
    bool keep;   /* stores and raw logs of the points as well */
    bool stop;   /* ends runs that are dominated or over a cap */
    /* For comparisons: nothing need vary, the target may be a board, and a point is kept only with
     * its store, which has the functions if the target is the emulator; or with what the caller
     * derived from that, in STEM and RUN_TUNE_SAMPLE. */
    bool compare;
    /* True if a kept point shall be measured again. NULL: never. Called before anything is
     * measured. */
    bool (*again)(void *ctx, const struct run_tune_point *p);
    void *again_ctx;

    /* Returns lines "KEY = VALUE" for a point's own calibration, in addition to those of chip; "":
     * none. Allocated; NULL: out of memory. Axes may then have their effect there. NULL: no such
     * lines. */
    char *(*chip_lines)(void *ctx, const struct run_tune *t, const struct run_tune_point *p);
    void *chip_ctx;

    const unsigned *also; /* points that are measured in addition to those of the strategy */
    unsigned alsos;

    unsigned points;
    struct run_tune_point *point; /* the last axis varies fastest */
    unsigned builds;
    struct run_tune_build *build;
    unsigned measured_now;             /* number of points that were not kept yet */
    unsigned evaluations;              /* points that were tried */
    struct run_tune_work *work;        /* the tune's own */
    int best[RUN_TUNE_OBJECTIVES_MAX]; /* the point with the least value; -1: none */
    int knee; /* of the front: nearest to the best of all objectives, each in parts of its range
                 over the front; -1: none */

    double least[RUN_TUNE_OBJECTIVES_MAX]; /* of all points of the landscape, with one */
    double within; /* strategy "model" evaluates points, `most` at most, until this bound is met, in
                      parts; 0: 0.01 without a limit, with one as many as that */
    /* By how much the best measured point may exceed the best point of the space, in parts, with a
     * confidence of RUN_TUNE_CONFIDENCE; 0: every point was measured, infinite: unknown, negative:
     * an objective of values that are not all above 0. */
    double bound[RUN_TUNE_OBJECTIVES_MAX];

    /* Another optimiser. ask: measures a point; *answer: {"figures": {NAME: NUMBER}} or {"failed":
     * REASON}; NULL: no more, which ends the tune (ended). next: names the next point (-1: no
     * more); the callback after it takes its outcome. */
    enum run_tune_protocol { RUN_TUNE_ALONE, RUN_TUNE_ASK, RUN_TUNE_TELL } talk;
    int (*ask)(const struct run_tune *t, unsigned point, struct json_t **answer,
               struct mpj_err *err);
    int (*next)(const struct run_tune *t, int *point, struct mpj_err *err);
    int (*told)(const struct run_tune *t, unsigned point, struct mpj_err *err);
    bool ended;

    /* Called with the numbers of finished, of all and of running points; seconds left, negative:
     * unknown. NULL: not wanted. Never by two threads at a time. */
    void (*progress)(unsigned done, unsigned todo, unsigned running, double left_s);
    /* Called with the largest bound of the objectives, and the evaluations so far, whenever
     * strategy "model" knows it: in place of progress, which is not called for single points then.
     * NULL: not wanted. */
    void (*narrowed)(double bound, unsigned evaluations);
};

/* Reads a space from YAML (docs/man/mpjoule-tune.md). MPJ_E_USAGE: one line, FILE:LINE: fault. */
int run_tune_read(struct run_tune *t, const char *file, struct mpj_err *err);
/* Adds an axis; values as "1..4", "1,2,4", "static,dynamic". MPJ_E_USAGE. */
int run_tune_axis(struct run_tune *t, const char *name, const char *values, struct mpj_err *err);
/* Add an axis value by value: a new axis, and one more value of the newest one. MPJ_E_USAGE. */
int run_tune_new_axis(struct run_tune *t, const char *name, struct mpj_err *err);
int run_tune_add_value(struct run_tune *t, const char *value, struct mpj_err *err);
/* Removes the newest axis. */
void run_tune_drop_axis(struct run_tune *t);
/* Returns the name of the n-th strategy, and what it does in a few words (NULL: not wanted); NULL:
 * no more. */
const char *run_tune_strategy_name(unsigned n, const char **summary);
/* Reads axes and all else of a landscape, which is used instead of measuring; lists that are filled
 * already stay. MPJ_E_USAGE: not a landscape. */
int run_tune_landscape_read(struct run_tune *t, const char *file, struct mpj_err *err);
/* Writes the measured points as a landscape; compressed when the name ends in .zst. */
int run_tune_landscape_write(const struct run_tune *t, const char *file, struct mpj_err *err);
/* Writes that landscape as text into a stream: mpj_file_put of a struct run_tune. */
int run_tune_landscape_put(const void *what, FILE *f, struct mpj_err *err);
/* Appends to a list; name may be NULL. MPJ_E_NOMEM. */
int run_tune_put(struct run_tune_list *l, const char *name, const char *text, struct mpj_err *err);
/*
 * Measures the points that the strategy chooses and that are not kept yet, several at a time, each
 * by `mpjoule run` in a process of its own; compiles their programs first. Failed points do not end
 * it. With stop, a run ends at the modelled instant at which it is dominated in time and energy by
 * a measured point, or over a cap on one of them: the best points, and the front, are the same.
 * MPJ_E_USAGE: not a valid space; MPJ_E_BUSY: another tune is using the folder; MPJ_E_CANCELLED:
 * ended by a signal (base/stop.h): finished points are kept; MPJ_E_PROGRAM: no point could be
 * measured. With RUN_TUNE_ASK, the points whose outcome was received are chosen from, and
 * evaluations is their number, whatever ended it.
 */
int run_tune(struct run_tune *t, struct mpj_err *err);
/* A neighbour of the best point, relative to it: time = instructions * cost / cores. */
struct run_tune_reason {
    unsigned point;
    double time, power;               /* energy: their product; power 0: it was not measured */
    double instructions, cost, cores; /* cost: busy seconds an instruction; cores: busy ones */
    const char *event; /* the stall that changed most with the cost; NULL: none did */
    double event_before, event_after; /* its cycles an instruction; before: of the best point */
};

/* Finds the nearest point with another value of the axis than the best point has, and what it loses
 * by. False: none, or there are no counts. */
bool run_tune_explain(const struct run_tune *t, unsigned objective, unsigned axis,
                      struct run_tune_reason *out);
/*
 * Checks figures that another program measured: names of objectives and caps (`mpjoule help tune`),
 * wait_NAME or region_wait; values are numbers of 0 or more, the time above 0. MPJ_E_USAGE: names
 * the first figure that is not valid.
 */
int run_tune_figures_check(const struct json_t *figures, struct mpj_err *err);
/* Forgets the points and their programs, not the space: run_tune() may then be called again. */
void run_tune_clear(struct run_tune *t);
void run_tune_free(struct run_tune *t);

/* Lists the files that it will read, as in run/inputs.h. */
int run_inputs_tune(const struct run_inputs *r, const struct run_tune *t, struct mpj_err *err);

#endif
