/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Coverage of the space of events by the programs of a campaign. */
#ifndef MODELS_COVERAGE_H
#define MODELS_COVERAGE_H

#include "models/dataset.h"

#define MPJ_COVERAGE_BINS 20U

/* One event's rate over all complete programs, in counts per second of the whole chip (a PMU
 * event: summed over the cores). */
struct mpj_coverage_event {
    int index; /* into mpj_event_table() */
    unsigned n;
    double min, quarter, median, three_quarters, max;
    unsigned bin[MPJ_COVERAGE_BINS]; /* programs; equal steps from 0 to max */
    unsigned empty;                  /* bins without a program */
};

/* Two events with the correlation of their rates over the programs. */
struct mpj_coverage_pair {
    int a, b; /* indices of events, a before b in the table */
    double r; /* Pearson's correlation */
};

struct mpj_coverage {
    unsigned programs; /* complete ones */
    unsigned events;
    struct mpj_coverage_event event[MPJ_DATASET_EVENTS];
    unsigned pairs; /* all pairs of events that vary, strongest first */
    struct mpj_coverage_pair *pair;
};

/* Computes the coverage. MPJ_E_USAGE when fewer than 2 programs are complete. Free with
 * mpj_coverage_free. */
int mpj_coverage_make(struct mpj_coverage *out, const struct mpj_dataset *ds, struct mpj_err *err);
void mpj_coverage_free(struct mpj_coverage *c);

/* Writes a table as text; pairs with |r| >= threshold are listed. MPJ_E_IO. */
int mpj_coverage_print(const struct mpj_coverage *c, double threshold, FILE *out,
                       struct mpj_err *err);

#endif
