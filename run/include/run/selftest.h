/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The self-test of a target: our own firmware run there, and what this side measures of the line.
 */
#ifndef RUN_SELFTEST_H
#define RUN_SELFTEST_H

#include "hil/image.h"
#include "hil/loader.h"
#include "hil/selftest_items.h"
#include "hil/session.h"
#include "run/options.h"
#include "run/run_target.h"

/* Callbacks of a self-test. Members may be NULL. part: the running part, NULL: none yet. */
struct run_selftest_watch {
    void (*progress)(void *ctx, double host_s, const char *part);
    mpj_loader_progress_fn upload;
    void *ctx;
};

/* Zero-initialise, fill the first part. */
struct run_selftest {
    struct run_options o; /* store: where the raw log is kept; NULL: nowhere */
    unsigned long adc; /* address of the ADC's first register; 0: where the board's header has it */
    unsigned bytes;    /* of the pattern over the line, each way; 1 at least */

    struct run_target target;
    struct mpj_image image;
    char *elf, *failed; /* failed: the log of an attempt that is not a result; NULL: nowhere */
    struct mpj_selftest *test; /* the items */
    struct mpj_session_result result;
};

/* Finds the target, takes the board. Free with run_selftest_release(), after an error too. */
int run_selftest_prepare(struct run_selftest *s, struct mpj_err *err);
/* Runs the firmware; then s->test has what came, and, if it ended, what this side
 * measured. MPJ_E_OK whatever the verdicts. Signals to end are caught, SIGPIPE is ignored
 * (base/stop.h). */
int run_selftest(struct run_selftest *s, const struct run_selftest_watch *watch,
                 struct mpj_err *err);
void run_selftest_release(struct run_selftest *s);

#endif
