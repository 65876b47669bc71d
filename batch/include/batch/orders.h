/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs as orders: JSON that describes a run completely, so that it can be executed on any machine,
 * and results: JSON with all its results.
 *
 * An order: key (unique in its batch), stem (of the files it leaves: PATH/NAME), calibration (name
 * or path), files ({path: SHA-256}); the rest is of its kind of work. A result: same (true: it
 * would be the same on any machine, a program's failure too); the rest likewise.
 */
#ifndef BATCH_ORDERS_H
#define BATCH_ORDERS_H

#include <stdbool.h>

#include <jansson.h>

#include "batch/board_pool.h"
#include "batch/engine.h"

#define RUN_POINT_SCHEMA "mpjoule-tune-point/4"

/* The place of a run, and how often it is tried there. */
struct run_place {
    const struct run_target *board; /* NULL: what the order says */
    unsigned tries;                 /* on the board, after faults that are not the program's */
    bool (*stopping)(void *ctx);    /* as in base/child.h */
    void *ctx;
};

/* A kind of work. */
struct run_work {
    const char *name;
    /* Opens, on another machine, the state that all orders share, from the batch's. NULL:
     * nothing. */
    int (*open)(const json_t *common, void **executor, struct mpj_err *err);
    void (*close)(void *executor);
    /* Executes a run. Its files begin with stem; those that are left are kept. An error is a
     * failure of this machine. */
    int (*execute)(void *executor, const json_t *order, const char *stem,
                   const struct run_place *at, json_t **result, struct mpj_err *err);
    /* True for the result of a run that failed by what may be its board's fault. */
    bool (*board_failed)(const json_t *result);
};

extern const struct run_work run_work_program;  /* `mpjoule run`: engine_program.c */
extern const struct run_work run_work_campaign; /* a pass: campaign.c */

/* Adds a file that the run reads, by its sum (NULL: it is computed here). MPJ_E_IO. */
int run_order_file(json_t *order, const char *path, const char *sum, struct mpj_err *err);
/* Collects the figures of a run from its JSON and its store, STEM.mpj. */
json_t *run_figures(const json_t *run, const char *stem);

/* Runs that may be executed in any order. */
struct run_batch {
    const struct run_work *work;
    const struct run_engine *engine; /* NULL: this machine */
    struct run_board_pool *boards;   /* that make the runs, from this machine; NULL: none */
    const char *folder;              /* for files of tasks */
    const json_t *common;            /* NULL: nothing */
    void *executor;                  /* opened by work->open */
    unsigned jobs;
    void *ctx;
    /* Returns the order of a job, which is about to be executed; NULL and err. */
    json_t *(*order)(void *ctx, unsigned job, struct mpj_err *err);
    /* Takes the result of a job. Never by two threads at a time; an error ends the batch. */
    int (*take)(void *ctx, unsigned job, const json_t *result, struct mpj_err *err);
    /* Reports progress, likewise. done: since the begin; left_s: negative when nothing is known.
     * NULL: not wanted. */
    void (*progress)(void *ctx, unsigned done, unsigned running, double left_s);
};

/* Executes the runs. MPJ_E_CANCELLED: a signal to end, or the tasks were cancelled: taken results
 * are kept, and existing ones are taken when the same batch is executed again. */
int run_batch_make(const struct run_batch *b, struct mpj_err *err);

#endif
