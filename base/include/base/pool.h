/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A pool of jobs: numbered, begun in order, several at a time, each on a thread of its own. */
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/errors.h"

#define MPJ_POOL_WORKERS_MAX 64U

/*
 * Zero-initialise, fill the first part, call mpj_pool_run(). All callbacks but run are called with
 * the lock held, which run may take, too, with mpj_pool_lock(): for what its jobs share. A signal
 * to end (base/stop.h) begins no more jobs; so does mpj_pool_stop().
 */
struct mpj_pool {
    unsigned jobs;    /* 0 to jobs - 1 */
    unsigned workers; /* jobs at a time; 0: one per processor; at most MPJ_POOL_WORKERS_MAX */
    unsigned tries;   /* of a job that fails and may be repeated; 0: 1 */
    void *ctx;        /* handed to the callbacks */

    /* Does a job; MPJ_E_OK or an error. tried: how often before. */
    int (*run)(void *ctx, unsigned job, unsigned tried, struct mpj_err *err);
    /* Whether the job was done before (resume): 1 it is left out, 0 it is to run, negative: the
     * pool ends. NULL: none was. */
    int (*had)(void *ctx, unsigned job, struct mpj_err *err);
    /* A job failed and has tries left: whether to repeat it. NULL: always. */
    bool (*again)(void *ctx, unsigned job, unsigned tried, const struct mpj_err *err);
    /* A job is over; err when code is not MPJ_E_OK. NULL: nothing to do. */
    void (*done)(void *ctx, unsigned job, unsigned tried, int code, const struct mpj_err *err);
    /* A job is about to begin. NULL: nothing to do. */
    void (*begin)(void *ctx, unsigned job);

    /* The pool's own. */
    pthread_mutex_t lock;
    atomic_bool stopped;
    unsigned next;
    struct mpj_err
        fatal; /* ended the pool: of had(), or set by run or done(); code MPJ_E_OK: none */
};

/* Runs the jobs, the caller's thread included, and waits for them. MPJ_E_OK when it came to the end
 * or was stopped, whatever became of the jobs; otherwise what had() said, or a callback handed to
 * mpj_pool_fail(). */
int mpj_pool_run(struct mpj_pool *p, struct mpj_err *err);
/* From run or another callback: no further job begins, and mpj_pool_stopping() says so to those
 * under way. */
void mpj_pool_stop(struct mpj_pool *p);
/* The same, and mpj_pool_run() ends with this error, unless there was one before. */
void mpj_pool_fail(struct mpj_pool *p, const struct mpj_err *err);
/* Stopped, or a signal to end has arrived: a job should end soon. */
bool mpj_pool_stopping(struct mpj_pool *p);
void mpj_pool_lock(struct mpj_pool *p);
void mpj_pool_unlock(struct mpj_pool *p);

#endif
