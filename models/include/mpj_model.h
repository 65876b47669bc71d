/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Energy models: power of the processor rail [mW] = constant + sum of coefficient * rate, where a
 * rate is a count per second over the run, summed over the cores. A core's share of the power is a
 * quarter of the constant and the same coefficients on its own rates; counts of the whole chip are
 * shared by the cores' external requests. Energy [uJ] is power [mW] * time [s] * 1000.
 */
#ifndef MPJ_MODEL_H
#define MPJ_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpj_dataset.h"
#include "mpj_err.h"
#include "mpj_regress.h"
#include "mpj_run.h"

#define MPJ_MODEL_FORMAT "mpjoule-model/1"
#define MPJ_MODEL_CHIP   UINT32_MAX /* in place of a core: the whole chip */

/* ---- predictors ------------------------------------------------------------- */

/* Number of predictors known; names are unique, static. NULL beyond the last. */
size_t mpj_predictors(void);
const char *mpj_predictor_name(size_t index);
/* What it is made of, as text; static. */
const char *mpj_predictor_formula(size_t index);
/* Index by name; -1: unknown. */
int mpj_predictor_find(const char *name);

/*
 * Rate [1/s] of a predictor over a program, on one core or the whole chip (MPJ_MODEL_CHIP). NAN
 * when an event it needs was not counted.
 */
double mpj_predictor_rate(size_t index, const struct mpj_dataset_program *p, uint32_t core);

/* The counts of a run, in the form of a data set's program. Owns nothing of the run. */
void mpj_model_program(struct mpj_dataset_program *out, const struct mpj_run *run);

/* ---- models ----------------------------------------------------------------- */

struct mpj_model_term {
    int predictor;        /* index */
    double c, se, p, vif; /* NAN: unknown */
    double low, high;     /* range of the rate [1/s] in the fit; NAN: unknown */
};

struct mpj_model {
    char name[64];
    char method[32];
    char source[256]; /* citation of a published model; "" otherwise */
    char target[64], calibration[64], firmware_sha256[72], version[32];
    uint64_t seed; /* of the generator */
    size_t programs;
    double constant_mw, constant_se;
    size_t terms;
    struct mpj_model_term term[MPJ_REGRESS_MAX];
    double r2, r2_adjusted, rmse_mw, cv_rmse_mw, aic, bic, condition;
    double mean_error_percent, max_error_percent; /* the stated error; NAN: unknown */
};

enum mpj_model_method { MPJ_METHOD_PAPER, MPJ_METHOD_BACKWARD, MPJ_METHOD_SUBSET };

struct mpj_model_options {
    enum mpj_model_method method;
    bool signs;             /* physical signs: only stalls may lower the power */
    bool weighted;          /* by the deviation between passes */
    double alpha;           /* of the elimination; 0: 0.05 */
    size_t max;             /* largest subset; 0: 8 */
    const char *predictors; /* candidates, separated by commas; NULL: all */
};

/*
 * Fits a model to the complete programs of a data set. MPJ_E_USAGE with one line when there are too
 * few, a predictor is unknown or not in the data, or the predictors are linearly dependent.
 */
int mpj_model_fit(struct mpj_model *out, const struct mpj_dataset *ds,
                  const struct mpj_model_options *o, struct mpj_err *err);

/* Power [mW] of the chip or of one core; NAN when a count it needs is missing. */
double mpj_model_power(const struct mpj_model *m, const struct mpj_dataset_program *p,
                       uint32_t core);
/* Term whose rate lies outside the range of the fit; -1: none. */
int mpj_model_outside(const struct mpj_model *m, const struct mpj_dataset_program *p);
/* Predictor the program has no counts for; -1: all there. */
int mpj_model_missing(const struct mpj_model *m, const struct mpj_dataset_program *p);

/* Model files. MPJ_E_STORE: foreign version, fields missing or of the wrong kind, unknown
 * predictors, always one line that names the file. */
int mpj_model_load(struct mpj_model *out, const char *path, struct mpj_err *err);
/* The same from memory; name stands in messages. */
int mpj_model_parse(struct mpj_model *out, const char *text, size_t len, const char *name,
                    struct mpj_err *err);
/* Writes it; the same bytes for the same model. */
int mpj_model_save(const struct mpj_model *m, const char *path, struct mpj_err *err);

#endif
