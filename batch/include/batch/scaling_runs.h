/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Predictors for the controller of parallel regions: measures what they are fitted to. */
#ifndef BATCH_SCALING_RUNS_H
#define BATCH_SCALING_RUNS_H

#include "models/scaling.h"
#include "run/inputs.h"
#include "run/options.h"

/* Zero-initialise, fill the first part. */
struct run_scaling {
    struct run_options o;         /* target, calibration, quantum, sampling, jobs */
    const char *list;             /* programs, as in a campaign's list */
    struct run_inputs reads;      /* as in a campaign */
    const struct mpj_scaling *of; /* to be compared with what is measured; NULL: nothing */
    /* Called when a run begins, with the number of all. NULL: nothing is shown. */
    void (*progress)(void *ctx, const char *program, unsigned threads, unsigned run, unsigned runs);
    void *ctx;

    unsigned events; /* of the cores' monitors */
    const char *name[MPJ_SCALING_EVENTS];
    unsigned number[MPJ_SCALING_EVENTS];
    unsigned programs;
    struct mpj_scaling_region *region;
    size_t regions;
};

/* Runs each program with 1 to 4 threads for all its regions, counting everything. Free with
 * run_scaling_free(), after an error too. MPJ_E_USAGE, before anything is run: `of` was trained for
 * another calibration than the target's. */
int run_scaling_measure(struct run_scaling *s, struct mpj_err *err);
/* Fits a predictor to the measurements, with its labels. choice: s->events entries. */
int run_scaling_train(const struct run_scaling *s, struct mpj_scaling *out,
                      struct mpj_scaling_choice *choice, struct mpj_err *err);
void run_scaling_free(struct run_scaling *s);

#endif
