/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Engines execute many runs, on this machine or on several. A tune, a sweep or a campaign hands its
 * runs to an engine; the results are the same with each engine.
 *
 * Several machines share a file system. Runs are packed into tasks of a minute or so, a file each;
 * `mpjoule task FOLDER N` executes one and leaves its results in a file next to it. A task first
 * checks emulator, calibration and programs by their sums and repeats a run that was executed here:
 * a machine that differs is named, and its runs are executed elsewhere; so are those of a machine
 * whose result of a run that was executed twice differs from this machine's.
 */
#ifndef BATCH_ENGINE_H
#define BATCH_ENGINE_H

#include "base/errors.h"

#define RUN_ENGINE_TASK_S     60.0
#define RUN_ENGINE_TASK_S_MIN 0.1
#define RUN_ENGINE_TASK_S_MAX 86400.0

enum run_engine_kind {
    RUN_ENGINE_LOCAL,
    RUN_ENGINE_SLURM,    /* job arrays; the rest is in its own environment (SBATCH_PARTITION ...) */
    RUN_ENGINE_PARALLEL, /* GNU parallel; PARALLEL="-S node1,node2" names the machines */
};

/* Zero-initialised: this machine, a run per processor. */
struct run_engine {
    enum run_engine_kind kind;
    unsigned jobs; /* at a time, on each machine (slurm: tasks in all); 0: one per processor */
    double task_s; /* seconds of work in a task; 0: RUN_ENGINE_TASK_S. Less than that is executed
                      here, without a task */
    /* Called with a line on what happened to a machine. NULL: not wanted. */
    void (*note)(const char *text);
};

/* Returns the name of a kind; NULL: no such kind. */
const char *run_engine_name(enum run_engine_kind kind);
/* Finds a kind by its name. MPJ_E_USAGE: there is none; the message lists the existing ones. */
int run_engine_find(enum run_engine_kind *kind, const char *name, struct mpj_err *err);

/*
 * Executes task `number` of a folder, which an engine has created, on this machine. A result that
 * exists already, of a task that was interrupted, is kept. MPJ_E_IDENTITY: results of this machine
 * may not be used; MPJ_E_CANCELLED: ended by a signal (base/stop.h), or the engine does not wait
 * for the task.
 */
int run_engine_task(const char *folder, unsigned number, struct mpj_err *err);

#endif
