/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program run as often as its events need (passes), several at a time, and the store of it. */
#ifndef RUN_PASSES_H
#define RUN_PASSES_H

#include <stdio.h>

#include "hil/image.h"
#include "hil/loader.h"
#include "hil/session.h"
#include "models/model.h"
#include "report/run.h"
#include "run/options.h"
#include "run/recipe.h"
#include "run/run_target.h"

/* Callbacks of the passes. Members may be NULL. Never called by two threads at a time. */
struct run_watch {
    /* Output of the program, of the first pass only; stream: 1 stdout, 2 stderr. 0, or the errno of
     * a stdout that accepts no more: the run ends. */
    int (*console)(void *ctx, int stream, const void *data, size_t len);
    void (*progress)(void *ctx, unsigned done, unsigned passes, const struct mpj_progress *p);
    void (*retry)(void *ctx, unsigned retry, unsigned retries, const struct mpj_err *err);
    void (*pass_done)(void *ctx);
    mpj_loader_progress_fn upload; /* into a board */
    void *ctx;
};

/* One execution of the program. */
struct run_pass {
    char *log;                    /* raw log */
    char *errors;                 /* the emulator's output */
    char *failed, *failed_errors; /* the same of a failed attempt */
    struct mpj_session_result result;
    int code; /* enum mpj_code, once it was made */
    enum run_made made;
    struct mpj_log *held; /* until all passes are done */
    bool lost;            /* the attempt before lost the board */
    bool bare;            /* without any profiling: not part of the result, but compared with it */
    struct mpj_err err;
};

/* Zero-initialise, fill o. */
struct run_measurement {
    struct run_options o;
    struct run_target target;
    struct mpj_image image;
    uint8_t chosen[MPJ_FUNC_MAX / 8U]; /* functions to be measured (MPJ_TRACE_CHOICE) */
    unsigned passes;
    struct run_pass *pass;
    FILE *input; /* content of a pipe, for more than one pass; NULL: none */
    char input_path[32];
    char *failed;     /* store of a failed attempt */
    bool taken;       /* it is a result: its logs are in their places, or will be with the store */
    char *predictor;  /* what the controller of regions is sent; NULL: nothing */
    char notice[600]; /* one line about it for the user; "": none */
    bool metered;     /* meter_lock is taken */
    int meter_lock;   /* the meter's files are this run's */
    char meter_said[256]; /* what was wrong with the external meter; "": nothing */
    int output;           /* errno of the first write to stdout that failed; 0: none did */
};

/* Finds target, model and program, plans the passes, takes the board. MPJ_E_USAGE, MPJ_E_ELF, ...:
 * with one line. Free with run_release(), after an error too. */
int run_prepare(struct run_measurement *r, struct mpj_err *err);
/*
 * Executes all passes. *made: how many, from the first on, have a log. The first failure in the
 * order of the passes ends the run and is in *err. If all went well or the first pass is a result
 * (run/recipe.h), the logs are renamed into place together, with run_store(); else an older run's
 * stay, and the recording is kept under the names of a failed attempt. Signals to end are caught
 * from here on, SIGPIPE is ignored (base/stop.h).
 */
int run_passes(struct run_measurement *r, const struct run_watch *watch, unsigned *made,
               struct mpj_err *err);
/* Builds the store of the first n passes, at o.store or, of a failed attempt, at run.failed; then
 * the logs are renamed into place. If the store cannot be built, an older run stays as it is, and
 * run.taken is false: the recording is kept. why: the reason if the run did not end well: there is
 * no comparison with the bare pass; NULL otherwise. Not err. */
int run_store(struct run_measurement *r, unsigned n, const struct mpj_err *why,
              struct mpj_err *err);
/* Command of the external meter of the run; NULL: none. */
const char *run_meter(const struct run_measurement *r);
/* Returns the name of the i-th file next to a store that belongs to a meter, whether this run has
 * one or not: its output, that output while it is written, its stderr, its lock, the output of a
 * failed attempt. malloc()ed; NULL: out of memory. */
#define RUN_METER_FILES 5U
char *run_meter_file(const char *store, unsigned i);
/* Compresses the raw logs. */
int run_compress(const struct run_measurement *r, struct mpj_err *err);
void run_release(struct run_measurement *r);

#endif
