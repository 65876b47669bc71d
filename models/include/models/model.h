/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Energy models: power of the processor rail [mW] = constant + sum of coefficient * rate, where a
 * rate is a count per second over the run, summed over the cores. A core's share of the power is an
 * equal part of the constant (of the board's cores, busy or idle) and the same coefficients on its
 * own rates; counts of the whole chip are shared by the cores' external requests. Energy [uJ] is
 * power [mW] * time [s] * 1000.
 */
#ifndef MODELS_MODEL_H
#define MODELS_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/errors.h"
#include "models/dataset.h"
#include "models/regress.h"
#include "report/run.h"

#define MPJ_MODEL_FORMAT "mpjoule-model/1"
#define MPJ_MODEL_CHIP   UINT32_MAX /* in place of a core: the whole chip */

/* ---- predictors ------------------------------------------------------------- */

/* Returns the number of known predictors; names are unique, static. NULL beyond the last. */
size_t mpj_predictors(void);
const char *mpj_predictor_name(size_t index);
/* Returns the formula of a predictor as text; static. */
const char *mpj_predictor_formula(size_t index);
/* Returns the index of a predictor by name; -1: unknown. */
int mpj_predictor_find(const char *name);

/*
 * Returns the rate [1/s] of a predictor over a program, on one core or the whole chip
 * (MPJ_MODEL_CHIP). NAN when an event it needs was not counted.
 */
double mpj_predictor_rate(size_t index, const struct mpj_dataset_program *p, uint32_t core);
/*
 * Returns the count of a predictor in a part of the program, such as a thread. Counts of the whole
 * chip are distributed by the part's own requests relative to those of all cores
 * (docs/man/mpjoule-model.md); where those were not counted by ext_req, otherwise by cycles. NAN
 * when an event it needs was not counted.
 */
double mpj_predictor_count(size_t index, const struct mpj_dataset_program *p,
                           const struct mpj_dataset_part *part);
/* True if the cores themselves count it: nothing is to be distributed. */
bool mpj_predictor_of_core(size_t index);
/* Sets want[] (MPJ_RUN_EVENTS_MAX flags, by index into mpj_event_table()) for the events of the
 * predictor's formula; shares: also for those by which it is distributed. */
void mpj_predictor_events(size_t index, bool shares, bool *want);

/*
 * Converts the counts of a run to a program of a data set, with its threads and the emulator's
 * truth for them. MPJ_E_NOMEM. Free with mpj_dataset_program_clear().
 */
int mpj_model_program(struct mpj_dataset_program *out, const struct mpj_run *run,
                      struct mpj_err *err);

/* ---- models ----------------------------------------------------------------- */

struct mpj_model_term {
    int predictor;        /* index */
    double c, se, p, vif; /* NAN: unknown */
    double low, high;     /* range of the rate [1/s] in the fit; NAN: unknown */
};

/*
 * Half of a prediction interval, relative to the dynamic part (what is above the constant), to
 * which least_mw is added so that idle programs have one, too:
 *
 *     half = share * (dynamic power + least_mw)
 *
 * least_mw is of the whole board; a thread or function has a core's part of it, as of the constant.
 */
struct mpj_model_interval {
    double level;    /* share of unseen cases inside, such as 0.95; 0: the model has no interval */
    double least_mw; /* > 0 */
    double share[MPJ_INTERVALS]; /* by enum mpj_interval_of; NAN: none */
};

struct mpj_model {
    char name[64];
    char method[32];
    char source[256]; /* citation of a published model; "" otherwise */
    char target[64], calibration[64], firmware_sha256[72], dataset_sha256[72], version[32];
    bool metered;   /* fitted to the power by an external meter, not by the ADC ... */
    char meter[32]; /* ... by this channel of it; "": it has no name */
    bool per_core;  /* uses only the cores' own counts */
    uint64_t seed;  /* of the generator */
    size_t programs;
    double constant_mw, constant_se;
    size_t terms;
    struct mpj_model_term term[MPJ_REGRESS_MAX];
    double r2, r2_adjusted, rmse_mw, cv_rmse_mw, aic, bic, condition;
    double mean_error_percent, max_error_percent; /* the stated error; NAN: unknown */
    struct mpj_model_interval interval;
};

/* Level of fitted intervals, and their least_mw relative to the constant. */
#define MPJ_MODEL_LEVEL 0.95
#define MPJ_MODEL_LEAST 0.005

/* Default limit of the variance inflation of a best subset's predictors: the stricter of the
 * usual ones. */
#define MPJ_MODEL_VIF 5.0

enum mpj_model_method { MPJ_METHOD_PAPER, MPJ_METHOD_BACKWARD, MPJ_METHOD_SUBSET };

/*
 * Weights of the programs in a fit. DYNAMIC: inverse to the power above the least one of the data
 * set, or above a hundredth of that, so that programs which draw little above idle count as much as
 * others; lowered for programs that no linear model explains. PASSES: by how little their passes
 * differ.
 */
enum mpj_model_weights { MPJ_WEIGHTS_DYNAMIC, MPJ_WEIGHTS_PASSES, MPJ_WEIGHTS_EQUAL };

struct mpj_model_options {
    enum mpj_model_method method;
    bool per_core; /* only events counted by the cores: nothing is to be distributed */
    bool signs;    /* physical signs: only stalls may lower the power */
    enum mpj_model_weights weights;
    double alpha;           /* of the elimination; 0: 0.05 */
    size_t max;             /* largest subset; 0: 8 */
    double most_vif;        /* of a predictor of a best subset; 0: MPJ_MODEL_VIF, INFINITY: any */
    const char *predictors; /* candidates, separated by commas; NULL: all */
};

/*
 * Fits a model to the complete programs of a data set. Its interval comes from the errors of
 * programs predicted by fits without their families (docs/energy-model.md); it has none where these
 * are too few, or with signs. MPJ_E_USAGE with one line when there are too
 * few, a predictor is unknown or not in the data, or the predictors are linearly dependent.
 */
int mpj_model_fit(struct mpj_model *out, const struct mpj_dataset *ds,
                  const struct mpj_model_options *o, struct mpj_err *err);

/* Returns the power [mW] of the chip or of one core by its own counts; NAN when a count it needs is
 * missing. */
double mpj_model_power(const struct mpj_model *m, const struct mpj_dataset_program *p,
                       uint32_t core);
/*
 * Returns the energy [uJ] of a part of the program: a core's part of the constant for its time on
 * cores, and the energy of its own events. NAN when a count it needs is missing.
 */
double mpj_model_part_uj(const struct mpj_model *m, const struct mpj_dataset_program *p,
                         const struct mpj_dataset_part *part);
/*
 * Returns the energy [uJ] of a function, of all threads: it is assumed to have run on their cores,
 * and its linefills to have the same sources as theirs. ev: by index into mpj_event_table(), NAN:
 * not counted.
 */
double mpj_model_func_uj(const struct mpj_model *m, const struct mpj_dataset_program *p,
                         double cycles, const double *ev);
/*
 * Returns the energy [uJ] of a core. When the counts are from several passes, in which threads may
 * have run on other cores, it is the sum of the threads' energy by the time of each on the core in
 * the first pass; activity outside of threads is estimated by the core's remaining busy cycles.
 */
double mpj_model_core_uj(const struct mpj_model *m, const struct mpj_dataset_program *p,
                         unsigned core);
/* Returns a thread's energy by the emulator's truth: the energy consumed in the core while the
 * thread was on it, and a core's part of the energy of no core (SCU, L220, clock, leakage) for the
 * same time. NAN: unknown. */
double mpj_thread_truth_uj(const struct mpj_dataset_program *p, const struct mpj_dataset_thread *t);
/* Returns a core's energy by the truth: its own, and an equal part of the energy of no core. */
double mpj_core_truth_uj(const struct mpj_dataset_program *p, unsigned core);
/* Fills the prediction interval for a program of that board; out->level is 0 if the model has
 * none. */
void mpj_model_interval(const struct mpj_model *m, const struct mpj_dataset_program *p,
                        struct mpj_interval *out);
/* Returns the term whose rate is outside the range of the fit; -1: all are inside. */
int mpj_model_outside(const struct mpj_model *m, const struct mpj_dataset_program *p);
/* Returns the predictor the program has no counts for; -1: all are counted. */
int mpj_model_missing(const struct mpj_model *m, const struct mpj_dataset_program *p);
/* Sets want[] as mpj_predictor_events() does, for the model, and for shares of cores and
 * threads. */
void mpj_model_events(const struct mpj_model *m, bool *want);

/* ---- use -------------------------------------------------------------------- */

/*
 * Fills the run's energy by the model: of program, cores, threads and regions (run->model,
 * energy_uj of each). MPJ_E_USAGE with one line when the run did not count the model's events, has
 * no length, or is of another calibration than the model was fitted to; the run is then unchanged.
 */
int mpj_model_apply(const struct mpj_model *m, struct mpj_run *run, struct mpj_err *err);

/* True if a model of that calibration may be used with a run's. Unknown ones (NULL, "") may. */
bool mpj_model_fits(const struct mpj_model *m, const char *calibration);

/*
 * Reads a model by name, from root/fitted or root/published, or by the path of its file (with a "/"
 * or ".json" in it). MPJ_E_USAGE for an unknown name, listing the available ones.
 */
int mpj_model_find(struct mpj_model *out, const char *root, const char *name, struct mpj_err *err);
/* Returns the published models, by name; *count receives their number. To be freed. */
int mpj_model_published(struct mpj_model **out, size_t *count, const char *root,
                        struct mpj_err *err);
/*
 * Reads the fitted model of a target and a calibration; of several the first by name. *found: false
 * if there is no such model. A file that cannot be read is an error.
 */
int mpj_model_default(struct mpj_model *out, bool *found, const char *root, const char *target,
                      const char *calibration, struct mpj_err *err);

/* Reads a model file. MPJ_E_STORE: foreign version, fields missing or of the wrong kind, unknown
 * predictors, always one line that names the file. */
int mpj_model_load(struct mpj_model *out, const char *path, struct mpj_err *err);
/* Reads a model from memory; name appears in messages. */
int mpj_model_parse(struct mpj_model *out, const char *text, size_t len, const char *name,
                    struct mpj_err *err);
/* Writes a model file as mpj_file_write() does: an older file is replaced only when the new one is
 * complete; the same bytes for the same model. MPJ_E_IO, MPJ_E_FULL, MPJ_E_NOMEM. */
int mpj_model_save(const struct mpj_model *m, const char *path, struct mpj_err *err);

#endif
