/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where runs are made: on this machine, or on several. Whatever consists of many runs (a tune, a
 * sweep, a campaign) hands them to an engine, and what comes back is the same whichever it is.
 *
 * Several machines share a file system. Runs are packed into tasks of a minute or so, a file each;
 * `mpjoule task FOLDER N` does one and leaves what came of it in a file beside it. A task first
 * checks emulator, calibration and programs by their sums and repeats a run that was made here:
 * a machine that differs is named, and its runs are made elsewhere; so are those of a machine
 * whose result of a run that was made twice is not what this machine gets.
 */
#ifndef RUN_ENGINE_H
#define RUN_ENGINE_H

#include "base/errors.h"

#define RUN_ENGINE_TASK_S     60.0
#define RUN_ENGINE_TASK_S_MIN 0.1
#define RUN_ENGINE_TASK_S_MAX 86400.0

enum run_engine_kind {
    RUN_ENGINE_LOCAL,
    RUN_ENGINE_SLURM,    /* job arrays; its own environment (SBATCH_PARTITION ...) says the rest */
    RUN_ENGINE_PARALLEL, /* GNU parallel; PARALLEL="--sshloginfile FILE" names the machines */
};

/* Zero-initialised: this machine, a run per processor. */
struct run_engine {
    enum run_engine_kind kind;
    unsigned jobs; /* at a time, on each machine (slurm: tasks in all); 0: one per processor */
    double task_s; /* seconds of work in a task; 0: RUN_ENGINE_TASK_S. Less than that is not worth
                        a task and done here */
    /* A line on what happened to a machine. NULL: not wanted. */
    void (*note)(const char *text);
};

/* The name of a kind; NULL: no such kind. */
const char *run_engine_name(enum run_engine_kind kind);
/* MPJ_E_USAGE names those there are. */
int run_engine_find(enum run_engine_kind *kind, const char *name, struct mpj_err *err);

/*
 * Does task `number` of a folder, which an engine has made, on the machine this is. A result that
 * is there already, of a task that was broken off, is kept. MPJ_E_IDENTITY: this machine is not
 * what results may come from; MPJ_E_CANCELLED: a signal to end (base/stop.h), or the engine does
 * not wait for it.
 */
int run_engine_task(const char *folder, unsigned number, struct mpj_err *err);

#endif
