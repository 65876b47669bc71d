/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording: the ADC log of a target that runs a given program or, without one, our own, which
 * only waits. */
#ifndef RUN_RECORD_H
#define RUN_RECORD_H

#include "hil/image.h"
#include "hil/loader.h"
#include "hil/session.h"
#include "report/energy.h"
#include "run/options.h"
#include "run/recipe.h"
#include "run/run_target.h"

/* Figures of the samples so far. The first part is of the whole recording, the second since the
 * watcher set n to 0. */
struct run_record_live {
    bool begun;
    uint64_t first, last; /* ticks of samples */
    uint64_t samples, lost, next;
    double energy_uj;
    double power_uw; /* of the newest sample */

    unsigned n;
    double sum_v, sum_i, sum_p; /* V, A, W */
};

/* Callbacks of a recording. Members may be NULL. */
struct run_record_watch {
    /* As in run/passes.h. */
    int (*console)(void *ctx, int stream, const void *data, size_t len);
    /* A few times a second, once there are samples; time_hz: ticks a second. */
    void (*progress)(void *ctx, struct run_record_live *live, uint32_t time_hz);
    /* A mark of ours came back from the target, at this time since the first sample. */
    void (*mark)(void *ctx, double time_s, const char *text);
    void (*done)(void *ctx); /* the run is over; files are still to be closed */
    mpj_loader_progress_fn upload;
    void *ctx;
};

/* Zero-initialise, fill the first part. */
struct run_record {
    struct run_options o; /* store: the log; no elf: our own program */
    double for_s;         /* 0: until it is stopped */
    bool marks;      /* lines of stdin are marks, also of a file; otherwise of a terminal only */
    unsigned ask_ms; /* of our own program: how often it asks for marks and the end ... */
    bool ask_given;  /* ... or the usual: often in the emulator, never on a board */

    struct run_target target;
    struct mpj_image image;
    bool beside;                  /* a program was named */
    char *elf, *errors;           /* our own program; the emulator's output */
    char *failed, *failed_errors; /* the log of a failed attempt, and the same of it */
    char length[16], ask[16];
    enum run_made made;
    struct mpj_session_result result;
    struct run_record_live live;
    int output; /* errno of the first write to stdout that failed; 0: none did */
};

/* Finds the target and the program, takes the board. Free with run_record_release(), after an error
 * too. */
int run_record_prepare(struct run_record *r, struct mpj_err *err);
/*
 * Makes the recording: until the program or the time is over, or a signal to end (the first one
 * ends it gracefully, the second at once). A mark for each line of stdin and each SIGUSR1.
 * MPJ_E_OK when the log is complete, whatever ended it. SIGPIPE is ignored from here on.
 */
int run_record(struct run_record *r, const struct run_record_watch *watch, struct mpj_err *err);
void run_record_release(struct run_record *r);

#endif
