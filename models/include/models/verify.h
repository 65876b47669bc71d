/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Verification of a model against measurements it was not fitted to, and against the emulator's
 * truth. */
#ifndef MODELS_VERIFY_H
#define MODELS_VERIFY_H

#include <stdio.h>

#include "models/model.h"

/* Threads that were on cores for less than this share of the run are excluded from statistics:
 * their energy is that of a few thousand cycles. */
#define MPJ_VERIFY_THREAD_SHARE 0.01
/* Programs whose power is less than this share above idle have no significant dynamic part. */
#define MPJ_VERIFY_DYNAMIC_SHARE 0.01

/* Errors of several items, in percent of the measured values. */
struct mpj_errors {
    unsigned n;
    double mean, max; /* of the absolute errors; NAN: no errors */
};

/* Cases inside the model's prediction intervals. */
struct mpj_inside {
    unsigned n, inside; /* n: 0 without an interval, or a measured value */
};

struct mpj_verify_row {
    const struct mpj_dataset_program *program;
    double power_mw, model_mw;  /* measured by the ADC; by the model */
    double half_mw;             /* of the interval of model_mw; NAN: none */
    double energy_uj, model_uj; /* the emulator's truth, or else the ADC's; the model's */
    double power_percent;       /* model less measured, relative to measured */
    double energy_percent;
    double dynamic_percent; /* likewise, of the part above idle; NAN: no such part */
    double core_percent;    /* largest of the cores, absolute; NAN: no truth */
    double thread_percent;  /* largest of the threads; NAN: no truth, or all too short */
    bool outside;           /* of the range of the fit */
};

struct mpj_verify {
    const struct mpj_model *model;
    double idle_mw;
    size_t rows;
    struct mpj_verify_row *row;
    struct mpj_errors power, energy, dynamic, core, thread;
    struct mpj_inside programs, threads; /* power by the ADC; energy against the truth */
    unsigned outside;
};

/*
 * Compares a model with the complete programs of a data set, which must outlive the result.
 * idle_mw: the idle power for the dynamic part, such as the constant of a fitted model. MPJ_E_USAGE
 * when no program is complete, or counts are missing. Free with mpj_verify_free() in any case.
 */
int mpj_verify_make(struct mpj_verify *out, const struct mpj_model *m, const struct mpj_dataset *ds,
                    double idle_mw, struct mpj_err *err);
void mpj_verify_free(struct mpj_verify *v);

/* Write tables as text: the programs of one; a line for each of several. */
void mpj_verify_print(const struct mpj_verify *v, FILE *out);
void mpj_verify_compare(const struct mpj_verify *v, size_t count, FILE *out);
/* Writes a row per model and program, core and thread, with a head line. MPJ_E_IO. */
int mpj_verify_csv(const struct mpj_verify *v, size_t count, FILE *out, struct mpj_err *err);
/* Writes a bar chart of the errors of one. MPJ_E_IO. */
int mpj_verify_svg(const struct mpj_verify *v, FILE *out, struct mpj_err *err);

#endif
