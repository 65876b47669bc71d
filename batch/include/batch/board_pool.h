/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The boards that share the runs of a batch, campaign, sweep, tune or gate: one run at a time on
 * each. They are taken at the beginning and held until the end; one with the tag that
 * others give back meanwhile is taken, too, when a run waits. A run that fails for another reason
 * than its program is repeated on another board; a board that comes into quarantine, or twice could
 * not make a run that another board made, gets none any longer; nor does one that failed several
 * runs in a row when there is no board left that did better: it may be gone.
 */
#ifndef BATCH_BOARD_POOL_H
#define BATCH_BOARD_POOL_H

#include <stdbool.h>

#include "run/run_target.h"

#define RUN_POOL_MOST   64U /* boards */
#define RUN_POOL_BLAMED 2U  /* runs that a board fails and others make, before it gets no more */
#define RUN_POOL_FAILED 3U  /* runs in a row that each board left fails, before one gets no more */

struct run_board_pool;

/* The boards that are wanted. Its texts must outlive the pool. */
struct run_board_request {
    const char *target;             /* as `run --target` takes it; NULL or RUN_EMULATOR: no board */
    const char *boards;             /* list of boards; NULL: the usual one */
    const char *calibration;        /* as in run_options; NULL: as the list says */
    const char *purpose;            /* as in run_target_take() */
    unsigned wait_s;                /* for the first one; others are taken if they are free */
    unsigned most;                  /* boards; 0: as many as there are */
    void (*note)(const char *text); /* called with a line on a board that gets no more runs. NULL:
                                       not wanted */
};

/* Takes the board of that name, or those that it means (run_board_several()). *out is NULL for the
 * emulator. Errors: as run_target_find(), run_target_take(); MPJ_E_NO_PORT: the port of the only
 * board, which no hook makes, is not there; MPJ_E_BOARDS: their calibrations differ. */
int run_board_pool_open(struct run_board_pool **out, const struct run_board_request *r,
                        struct mpj_err *err);
/* Adds to a board that is taken already, and that the caller releases after the pool, others that
 * the request means. */
int run_board_pool_add(struct run_board_pool **out, struct run_target *first,
                       const struct run_board_request *r, struct mpj_err *err);
void run_board_pool_release(struct run_board_pool *p);

/* Returns how many boards get runs. */
unsigned run_board_pool_size(struct run_board_pool *p);

/* Returns how many may get runs at the same time: those, and the ones that others have now. */
unsigned run_board_pool_most(const struct run_board_pool *p);

/*
 * Waits for a board that has no run, another one than `except` unless that is the last; give it
 * back. Any thread. stopping: as in base/child.h. NULL and err: MPJ_E_BOARDS: no board is left;
 * MPJ_E_CANCELLED.
 */
const struct run_target *run_board_pool_get(struct run_board_pool *p,
                                            const struct run_target *except,
                                            bool (*stopping)(void *ctx), void *ctx,
                                            struct mpj_err *err);
/* Gives it back. failed: the message of a run that failed, not by the program's fault; NULL: it did
 * not. Returns false if it gets no more runs. */
bool run_board_pool_put(struct run_board_pool *p, const struct run_target *t, const char *failed);
/* Reports that another board made the run that this one failed to make. */
void run_board_pool_blame(struct run_board_pool *p, const struct run_target *t);

#endif
