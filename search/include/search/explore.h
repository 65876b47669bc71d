/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the best chip for a program: a tune whose axes are sizes of the chip, with laws for what
 * else changes with them (sim/calibrations/scaling.laws), and how much the result depends on those.
 */
#ifndef SEARCH_EXPLORE_H
#define SEARCH_EXPLORE_H

#include "search/tune.h"

struct run_inputs;

#define RUN_EXPLORE_VARIED_MAX 64U
#define RUN_EXPLORE_FLIP       0.005 /* chips that are closer are the same choice */

enum run_explore_by { RUN_EXPLORE_TIME, RUN_EXPLORE_ENERGY, RUN_EXPLORE_EDP, RUN_EXPLORE_BYS };

/* Cost of the program on a chip. */
struct run_explore_cost {
    double by[RUN_EXPLORE_BYS]; /* seconds, joules, their product; the emulator's truth */
    double area_mm2;
};

/* Points, -1: none. */
struct run_explore_found {
    int best[RUN_EXPLORE_BYS];
    int smallest[RUN_EXPLORE_BYS]; /* of least area, within so much of the best */
};

/* Result with another value of an assumption. */
struct run_explore_varied {
    char name[40];
    double value, factor; /* the value that is assumed, and what it was multiplied by */
    bool rerun;           /* timing changes: chips were run again, as far as theirs does */
    struct run_explore_found found;
    double change[RUN_EXPLORE_BYS]; /* of the best there is, relative */
    /* A conclusion flips: the former best costs so much more than the best now (relative, more than
     * RUN_EXPLORE_FLIP), another one is the smallest. 0: it holds. */
    double best_flips[RUN_EXPLORE_BYS];
    bool smallest_flips[RUN_EXPLORE_BYS];
    unsigned flips; /* number of conclusions that flip */
};

/* Zero-initialise; fill tune's program, arguments and options by run_tune_put(), axes by
 * run_explore_axis(). */
struct run_explore {
    struct run_tune tune;
    const char *laws; /* file; NULL: the one of this installation */
    double within;    /* of the best: 0.05 */
    double vary;      /* assumptions vary by this either way: 0.3; 0: they do not */
    bool no_rerun;    /* only those that do not change the timing */

    struct run_explore_work *work;
    struct run_explore_cost *cost; /* by point; area also of chips that failed */
    bool *front;                   /* none is as good in time, energy and area, and better in one */
    struct run_explore_found found;
    struct run_explore_varied varied[RUN_EXPLORE_VARIED_MAX];
    unsigned varieds;
    char calibration[64]; /* its name */
};

/*
 * Adds an axis: l1i_kb, l1d_kb, l1_kb (both), l2_kb (0: none), l1i_ways, l1d_ways, l2_ways,
 * clock_mhz, cores, or any key of the calibration, to which no law applies; values as in
 * run_tune_axis(). MPJ_E_USAGE.
 */
int run_explore_axis(struct run_explore *x, const char *name, const char *values,
                     struct mpj_err *err);
/*
 * Measures all chips, and again those whose timing a changed assumption changes. MPJ_E_USAGE: an
 * unknown axis, a size that no chip has, a file that has no valid laws; else as run_tune().
 */
int run_explore(struct run_explore *x, struct mpj_err *err);
/* Returns the name of a criterion: "time", "energy", "edp". */
const char *run_explore_by_name(enum run_explore_by by);
/* True if the point was measured. */
bool run_explore_has(const struct run_explore *x, unsigned point);
/* Forgets the chips, not the space: run_explore() may then be called again. */
void run_explore_clear(struct run_explore *x);
void run_explore_free(struct run_explore *x);

/* Lists the files that it will read, as in run/inputs.h. */
int run_inputs_explore(const struct run_inputs *r, const struct run_explore *x,
                       struct mpj_err *err);

#endif
