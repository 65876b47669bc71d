/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Predictors of the controller of parallel regions (docs/adaptation.md): IPC and power of a region
 * with fewer threads from the counts of one execution with more of them. They are fitted to regions
 * that were executed with every number of threads, and kept in a small text file.
 */
#ifndef MODELS_SCALING_H
#define MODELS_SCALING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/errors.h"

#define MPJ_SCALING_VERSION 2      /* of the file */
#define MPJ_SCALING_SENT    3      /* of the text sent to the target */
#define MPJ_SCALING_THREADS 4U     /* 1 to 4 */
#define MPJ_SCALING_KNOTS   4U     /* where terms begin */
#define MPJ_SCALING_TERMS   9U     /* of a line of IPC */
#define MPJ_SCALING_POWER   4U     /* of a line of power */
#define MPJ_SCALING_LEAST_S 200e-6 /* of an execution with all threads */
#define MPJ_SCALING_EVENTS  32U    /* of the cores' monitors */
#define MPJ_SCALING_TEXT    384U   /* bytes of a predictor as the target takes it */

/* One region of one program: means over its executions. */
struct mpj_scaling_region {
    unsigned program; /* number of the program */
    char name[80];
    bool once; /* executed once in a run: the controller, which ignores a region's first execution,
                  predicts nothing for it */
    /* [threads - 1]; 0 or NAN: not measured */
    double s[MPJ_SCALING_THREADS];                        /* of an execution */
    double mw[MPJ_SCALING_THREADS];                       /* NAN: no sample of the ADC */
    double ipc[MPJ_SCALING_THREADS];                      /* of all threads per elapsed cycle */
    double busy[MPJ_SCALING_THREADS];                     /* share of threads * elapsed */
    double rate[MPJ_SCALING_THREADS][MPJ_SCALING_EVENTS]; /* per 1000 cycles of a thread */
};

/* Accuracy of predictions: 1 - |error| of the IPC, percent, over regions and transitions. */
struct mpj_scaling_accuracy {
    unsigned predictions;
    double mean, median, p10, least;
    double within_5, within_10; /* share of predictions, percent */
    double power_mean;          /* of the power; NAN: unknown */
};

struct mpj_scaling {
    char chip[64], calibration[64], version[32];
    unsigned abi; /* of the firmware */
    unsigned programs, regions;
    char event[2][32]; /* counted: instr, and the chosen one */
    unsigned number[2];
    double knot[MPJ_SCALING_KNOTS]; /* IPC, busy share, IPC, IPC: as firmware/adapt/policy.h has
                                       them */
    /* [test - 2][target - 1]: terms, likewise */
    double ipc[MPJ_SCALING_THREADS - 1U][MPJ_SCALING_THREADS - 1U][MPJ_SCALING_TERMS];
    double power[MPJ_SCALING_THREADS - 1U][MPJ_SCALING_THREADS - 1U][MPJ_SCALING_POWER];
    struct mpj_scaling_accuracy unseen; /* functions predicted by a fit to other functions */
};

/* Result of a choice of events: its mean accuracy on unseen functions, percent. */
struct mpj_scaling_choice {
    unsigned event;  /* index into names */
    double accuracy; /* NAN: pruned, too rare */
};

/*
 * Fits the lines, for each event other than `instr` that occurs at all, and selects the event, and
 * for it the knots, with the best accuracy on regions left out of the fit, i.e. on regions whose
 * name does not occur in the fit in any program. names[events], number[events]: the events of
 * rate[]. choice: events entries, or NULL. MPJ_E_USAGE: fewer than three programs or too few
 * regions. out's labels are unchanged.
 */
int mpj_scaling_fit(struct mpj_scaling *out, const struct mpj_scaling_region *region, size_t n,
                    const char *const *names, const unsigned *number, unsigned events,
                    struct mpj_scaling_choice *choice, struct mpj_err *err);
/* Predicts IPC and power with `to` threads by the index `event` of the region's rates. */
void mpj_scaling_predict(const struct mpj_scaling *p, const struct mpj_scaling_region *r,
                         unsigned event, unsigned test, unsigned to, double *ipc, double *mw);
/* Computes the accuracy for given regions, which should not be in the fit; regions that the
 * controller ignores are excluded: below MPJ_SCALING_LEAST_S, or executed once. */
void mpj_scaling_judge(const struct mpj_scaling *p, const struct mpj_scaling_region *region,
                       size_t n, unsigned event, struct mpj_scaling_accuracy *out);

/* Reads the file; its texts may be printed on a terminal. MPJ_E_USAGE with its line for a file that
 * is damaged or of another version. */
int mpj_scaling_load(struct mpj_scaling *out, const char *path, struct mpj_err *err);
int mpj_scaling_put(const struct mpj_scaling *p, FILE *f, struct mpj_err *err);
/* Writes the text that is sent to the target. */
int mpj_scaling_text(const struct mpj_scaling *p, char out[MPJ_SCALING_TEXT], struct mpj_err *err);

#endif
