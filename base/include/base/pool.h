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
 * the lock held, which run may take as well, with mpj_pool_lock(): for what its jobs share. A
 * signal to end (base/stop.h) begins no more jobs; so does mpj_pool_stop().
 */
struct mpj_pool {
    unsigned jobs;    /* 0 to jobs - 1 */
    unsigned workers; /* jobs at a time; 0: one per processor; at most MPJ_POOL_WORKERS_MAX */
    unsigned tries;   /* of a job that fails and may be repeated; 0: 1 */
    void *ctx;        /* handed to the callbacks */

    /* Does a job; returns MPJ_E_OK or an error. tried: number of earlier attempts. */
    int (*run)(void *ctx, unsigned job, unsigned tried, struct mpj_err *err);
    /* Returns 1 if the job was done before (resume) and is left out, 0 if it is to run, a negative
     * code to end the pool. NULL: none was done. */
    int (*had)(void *ctx, unsigned job, struct mpj_err *err);
    /* True if a failed job that has tries left is to be repeated. NULL: always. */
    bool (*again)(void *ctx, unsigned job, unsigned tried, const struct mpj_err *err);
    /* Called when a job is over; err is set when code is not MPJ_E_OK. NULL: nothing to do. */
    void (*done)(void *ctx, unsigned job, unsigned tried, int code, const struct mpj_err *err);
    /* Called when a job is about to begin. NULL: nothing to do. */
    void (*begin)(void *ctx, unsigned job);

    /* Internal to the pool. */
    pthread_mutex_t lock;
    atomic_bool stopped;
    unsigned next;
    struct mpj_err
        fatal; /* ended the pool: of had(), or set by run or done(); code MPJ_E_OK: none */
};

/* Runs the jobs, also on the caller's thread, and waits for them. MPJ_E_OK when all jobs are over
 * or the pool was stopped, whatever the jobs returned; otherwise the error of had(), or the one
 * that a callback passed to mpj_pool_fail(). */
int mpj_pool_run(struct mpj_pool *p, struct mpj_err *err);
/* Stops the pool, called from run or another callback: no further job begins, and
 * mpj_pool_stopping() is true for those that are running. */
void mpj_pool_stop(struct mpj_pool *p);
/* Stops the pool and makes mpj_pool_run() return this error, unless there was one before. */
void mpj_pool_fail(struct mpj_pool *p, const struct mpj_err *err);
/* True if the pool was stopped or a signal to end has arrived: a job should end soon. */
bool mpj_pool_stopping(struct mpj_pool *p);
void mpj_pool_lock(struct mpj_pool *p);
void mpj_pool_unlock(struct mpj_pool *p);

#endif
