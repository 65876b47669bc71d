/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to the engines. */
#ifndef RUN_ENGINE_INT_H
#define RUN_ENGINE_INT_H

#include "batch/orders.h"

/* ---- engine.c: this machine ------------------------------------------------------------ */

/* Executes the jobs of a list here. *took_s: of the machine's time for one, the mean. */
int run_batch_local(const struct run_batch *b, const unsigned *job, unsigned jobs, unsigned before,
                    double *took_s, struct mpj_err *err);

/* Knowledge of the runs, and of other machines. */
struct run_spread {
    const struct run_batch *b;
    unsigned *todo; /* jobs without a result */
    unsigned todos, done;
    unsigned *local; /* jobs that failed elsewhere, which may be that machine's fault */
    unsigned locals;
    double run_s;       /* of a run, the mean */
    json_t *golden;     /* {order, result}: executed here */
    json_t *distrusted; /* machine -> why */
    json_t *made;       /* machine -> {key: job} that were taken from it */
    json_t *jobs;       /* while results are taken: key -> job that has none */
};

/* Executes the jobs of a list here and keeps their orders and results, which the caller frees: by
 * position in the list. */
int run_batch_sample(struct run_spread *s, const unsigned *job, unsigned jobs, json_t **order,
                     json_t **result, struct mpj_err *err);

/* ---- engine_tasks.c: a round of tasks on other machines ---------------------------------- */

/* A round on disk. */
struct run_round {
    char *folder;
    unsigned tasks;
    unsigned each; /* runs of a task */
};

/* Writes the files of a round. */
int run_round_make(struct run_spread *s, struct run_round *r, struct mpj_err *err);
/* Takes the results of its tasks. now: identity of this machine, for tasks of an earlier process;
 * NULL: they are this one's. why: the message of a task without results. */
int run_round_collect(struct run_spread *s, const char *folder, const json_t *now,
                      struct mpj_err *why, struct mpj_err *err);
/* Takes the results of interrupted rounds, and removes those. */
int run_round_recover(struct run_spread *s, struct mpj_err *err);
/* Ends the waiting for a round: its tasks end soon, and a round without results is removed. */
void run_round_abandon(const char *folder);

/* ---- engine_task.c: a task ---------------------------------------------------------------- */

/* Returns a file of a round: FOLDER/NUMBER.task and .result, .err; FOLDER/waiting exists while they
 * are waited for. Allocated. */
char *run_round_file(const char *folder, unsigned number, const char *end);
/* Returns the identity that results depend on: version, emulator, calibrations and files, by their
 * sums; null: it cannot be read. Names are those of `like`, an earlier answer of this function. */
json_t *run_identity(const json_t *like);

/* ---- engine_slurm.c, engine_parallel.c: how its tasks are started ------------------------- */

/* Starts the tasks and waits for them. MPJ_E_OK when none is left, whatever their results. */
int run_round_slurm(const struct run_spread *s, const struct run_round *r, struct mpj_err *err);
int run_round_parallel(const struct run_spread *s, const struct run_round *r, struct mpj_err *err);
/* Ends the tasks that a dead process began. */
void run_round_slurm_end(const char *folder);

/* A command of another package, by name. */
struct run_command {
    const char *const *argv;
    const char *set; /* "NAME=value" in its environment, or NULL */
    const char *package;
    const struct run_round *round;
    bool (*stopping)(void *ctx); /* as in base/child.h */
    void *ctx;
};

/* Executes it. *text: its output (allocated). MPJ_E_TARGET: it does not exist, or it failed: err
 * has its message; if status is given, a failure is not an error, and *status and err have its
 * status and message. Either may be NULL. */
int run_command(const struct run_command *c, char **text, int *status, struct mpj_err *err);
/* Waits for s seconds, or until a signal to end (base/stop.h). */
void run_pause(double s);

#endif
