/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The data set of a measuring campaign (docs/campaign.md): many programs, every event of each, and
 * the power measured with it. An SQLite file that is complete after every run, so that an
 * interrupted campaign resumes where it stopped.
 *
 * Counts are of whole runs; divide by time_s for rates. Truth is from the emulator: it serves to
 * check models, never to fit them.
 */
#ifndef MODELS_DATASET_H
#define MODELS_DATASET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "base/errors.h"
#include "mpj_records.h"
#include "report/run.h"

#define MPJ_DATASET_VERSION        2          /* PRAGMA user_version; 1 has no threads */
#define MPJ_DATASET_APPLICATION_ID 0x4d504331 /* PRAGMA application_id, "MPC1" */
#define MPJ_DATASET_EVENTS         MPJ_RUN_EVENTS_MAX

/* ---- reading ---------------------------------------------------------------- */

struct mpj_dataset_core {
    bool present;                  /* the core was in use */
    double cycles, wfi_cycles;     /* core clock cycles; of which in WFI */
    double ev[MPJ_DATASET_EVENTS]; /* by index into mpj_event_table(); NAN: not observed */
    /* counted in a later pass than the first, in which threads may have run on other cores; false
     * where each core took the same number of cycles in all passes */
    bool later[MPJ_DATASET_EVENTS];
};

/* A user of cores: a thread, or its share of a construct. */
struct mpj_dataset_part {
    double run_s;                     /* time on cores, polling while it waits included */
    double core_share[MPJ_CORES_MAX]; /* of run_s, on each core */
    double cycles;                    /* core clock cycles, on cores */
    /* as in struct mpj_dataset_core; scu_miss_cpu0 ..: while it was on that core */
    double ev[MPJ_DATASET_EVENTS];
};

struct mpj_dataset_thread {
    unsigned id;
    struct mpj_dataset_part part;
    bool have_truth;
    double truth_uj;     /* consumed in the cores while it was on them */
    double truth_cycles; /* duration of that, core clock */
};

/* One program: its passes merged. */
struct mpj_dataset_program {
    unsigned id;       /* 0, 1, ...: position in the campaign */
    char *name;        /* unique in the campaign */
    char *family;      /* programs that resemble each other; for cross-validation */
    char *description; /* description: the arguments it ran with */
    unsigned threads;  /* number of working threads */
    uint32_t cores_mask;
    unsigned board_cores; /* of the board, busy or idle; 0: not stated, see mpj_dataset_cores() */
    bool complete;        /* all planned passes are recorded, with ADC samples */
    char *missing;        /* one line that names the missing parts; NULL: nothing is missing */

    double time_s; /* of the first pass; counts of other passes are scaled to it */
    double clock_hz;
    bool have_adc;
    unsigned adc_samples; /* of all passes */
    double power_mw;      /* processor rail: mean of all passes */
    double power_sd_mw;   /* standard deviation between passes; 0 with a single one */
    double energy_uj;     /* power_mw over time_s */
    double pll_power_mw;
    struct mpj_dataset_core core[MPJ_CORES_MAX];
    double chip[MPJ_DATASET_EVENTS]; /* SCU and L220; NAN: not observed */
    bool chip_later[MPJ_DATASET_EVENTS];

    bool have_truth; /* for verification only */
    double truth_window_s;
    double truth_energy_uj;              /* processor, in total */
    double truth_shared_uj;              /* of which attributed to no core */
    double truth_core_uj[MPJ_CORES_MAX]; /* of which attributed to each core */

    unsigned passes;   /* that its counts are from */
    unsigned profiled; /* threads of the thread-level profile; 0: not recorded */
    struct mpj_dataset_thread *thread;
};

struct mpj_dataset {
    /* labels; NULL: unknown */
    char *kind;            /* "random": from the generator; "list": given programs */
    char *target;          /* "sim", or the board's id */
    char *calibration;     /* of the emulated chip */
    char *firmware_sha256; /* of the program file; for a list: of all files together */
    char *version;         /* of mpjoule */
    char *meter;           /* channel of the external meter that measured the power, "" without a
                              name; NULL: the ADC did */
    uint64_t generator_seed;
    uint64_t noise_seed;
    uint32_t quantum;
    uint32_t sample_us; /* ADC period */
    unsigned passes;    /* planned of each program */
    unsigned cores;     /* of the board; MPJ_CORES_MAX in data sets that do not state it */
    size_t programs;
    struct mpj_dataset_program *program;
};

/*
 * Reads a data set, complete or not. *out is NULL on error (MPJ_E_STORE: no such file, not a data
 * set, of another version, damaged); free with mpj_dataset_free.
 */
int mpj_dataset_load(struct mpj_dataset **out, const char *path, struct mpj_err *err);
void mpj_dataset_free(struct mpj_dataset *ds);
/* Frees the members of a program. */
void mpj_dataset_program_clear(struct mpj_dataset_program *p);

/* Converts recorded runs (.mpj) to the programs of a data set: one pass each. All must be of one
 * calibration (MPJ_E_USAGE). meter: channel of their external meter that measured them, "": the
 * first one; NULL: their ADC did, if they have one. *out is NULL on error; free with
 * mpj_dataset_free. */
int mpj_dataset_of_runs(struct mpj_dataset **out, const char *const *paths, size_t count,
                        const char *meter, struct mpj_err *err);

/* Returns the number of cores of the board that the program ran on, 1..MPJ_CORES_MAX, over which a
 * model distributes its constant. */
unsigned mpj_dataset_cores(const struct mpj_dataset_program *p);

/* Returns the sum of a PMU event over the cores in use; NAN when one of them lacks it. */
double mpj_dataset_total(const struct mpj_dataset_program *p, int index);

/*
 * Writes it as CSV (RFC 4180, one row per program, first row: names): a column per event of the
 * chip and per event and core, empty where not observed. The same bytes for the same measurements
 * on every machine, whatever the order in which they were recorded. MPJ_E_IO.
 */
int mpj_dataset_csv(const struct mpj_dataset *ds, FILE *out, struct mpj_err *err);

/* Computes the SHA-256 of that CSV, which identifies the measurements. MPJ_E_NOMEM, MPJ_E_IO. */
int mpj_dataset_sha256(const struct mpj_dataset *ds, char out[65], struct mpj_err *err);

/* ---- writing: the campaign -------------------------------------------------- */

struct mpj_dataset_writer;

/* A program of the plan; strings are copied. */
struct mpj_dataset_plan {
    const char *name, *family, *description;
    unsigned threads;
};

/*
 * Opens a data set for writing, creating it if it does not exist. The caller serialises the calls.
 * MPJ_E_STORE also when another process writes to it.
 */
int mpj_dataset_open(struct mpj_dataset_writer **out, const char *path, struct mpj_err *err);
void mpj_dataset_close(struct mpj_dataset_writer *w);

/*
 * Sets a label of the campaign, which must be the same whenever the campaign is resumed.
 * MPJ_E_USAGE with a line naming both values when the file has another one.
 */
int mpj_dataset_label(struct mpj_dataset_writer *w, const char *key, const char *value,
                      struct mpj_err *err);
/* Sets the instrument that measures the power: a channel of the external meter, or, NULL, the ADC.
 * To be called before all labels. Errors as of mpj_dataset_label(). */
int mpj_dataset_meter(struct mpj_dataset_writer *w, const char *channel, struct mpj_err *err);
/* Plans program number id. Errors as of mpj_dataset_label(). */
int mpj_dataset_program(struct mpj_dataset_writer *w, unsigned id,
                        const struct mpj_dataset_plan *plan, struct mpj_err *err);
/* Makes labels and plan so far permanent. */
int mpj_dataset_begin(struct mpj_dataset_writer *w, struct mpj_err *err);

/* The record of a pass of a program: none, a failure, or its data. */
enum mpj_dataset_state { MPJ_DATASET_NEW, MPJ_DATASET_FAILED, MPJ_DATASET_DONE };

/* Sets *state to what has been recorded of that pass. */
int mpj_dataset_state(struct mpj_dataset_writer *w, unsigned id, unsigned pass,
                      enum mpj_dataset_state *state, struct mpj_err *err);
/* Records a pass, all or nothing, replacing an earlier record. */
int mpj_dataset_record(struct mpj_dataset_writer *w, unsigned id, unsigned pass,
                       const struct mpj_run *run, struct mpj_err *err);
/*
 * Records a pass in two steps, between which the rows may be transferred: mpj_dataset_rows()
 * returns the rows that a run adds to a data set, by table (*out: to be freed; NULL after an
 * error); mpj_dataset_put() records them, all or nothing. Rows are those of the same id and pass.
 */
int mpj_dataset_rows(json_t **out, unsigned id, unsigned pass, const struct mpj_run *run,
                     struct mpj_err *err);
int mpj_dataset_put(struct mpj_dataset_writer *w, unsigned id, unsigned pass, const json_t *rows,
                    struct mpj_err *err);
/* Records that a pass failed: code is enum mpj_code, text one line, tries the number of
 * attempts. */
int mpj_dataset_failure(struct mpj_dataset_writer *w, unsigned id, unsigned pass, int code,
                        const char *text, unsigned tries, struct mpj_err *err);

#endif
