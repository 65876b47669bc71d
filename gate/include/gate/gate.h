/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A gate: measures the programs of a repository and compares them with a baseline. */
#ifndef GATE_GATE_H
#define GATE_GATE_H

#include <stdbool.h>

#include "gate/judge.h"
#include "search/tune.h"

struct run_inputs;

#define RUN_GATE_FILE       "gate.yaml"
#define RUN_GATE_BASELINE   "baseline.json"
#define RUN_GATE_FOLDER     ".mpjoule-gate"
#define RUN_GATE_MOST       MPJ_GATE_SAMPLES_MAX /* layouts, repetitions */
#define RUN_GATE_KEPT       4U                   /* times the layouts: a baseline's */
#define RUN_GATE_REPEAT     5U                   /* of a board, unless requested */
#define RUN_GATE_CACHE_MB   256U                 /* of kept runs, unless requested */
#define RUN_GATE_CACHE_DAYS 30                   /* that a run is kept without being used */

struct run_gate_program {
    char *name;
    struct run_tune tune; /* what is run */
    struct mpj_gate_limits limits;
};

/* Zero-initialise, fill by run_gate_read(), then apply the command line. */
struct run_gate {
    char *file, *baseline, *folder; /* baseline, folder: NULL: the usual ones */
    char *target, *boards;          /* a board, or "any:TAG"; NULL: the emulator */
    unsigned wait_s;                /* for a board that is taken */
    void (*note)(const char *text); /* as in batch/board_pool.h */
    unsigned layouts;        /* 0, 1: the usual one; of a baseline RUN_GATE_KEPT times that */
    unsigned repeat;         /* of a board; 0: RUN_GATE_REPEAT */
    unsigned recheck;        /* percentage of the kept runs that are repeated */
    unsigned cache_mb;       /* limit for kept runs; 0: RUN_GATE_CACHE_MB */
    unsigned jobs;           /* 0: one per processor */
    bool update;             /* the baseline becomes what is measured */
    const char *const *only; /* names of programs, NULL-terminated; NULL: all */

    unsigned programs;
    struct run_gate_program *program; /* by name */
    struct mpj_gate_limits limits;    /* of programs without their own */
    struct mpj_gate_result result;

    /* Called with the number of finished programs, and of all. NULL: not wanted. Never by two
     * threads at a time. */
    void (*progress)(unsigned done, unsigned todo);
};

/* Reads gate.yaml (docs/man/mpjoule-gate.md). MPJ_E_USAGE: one line, FILE:LINE: fault. */
int run_gate_read(struct run_gate *g, const char *file, struct mpj_err *err);
/*
 * Measures what is not kept, several at a time, each by `mpjoule run` in a process of its own, and
 * judges; g->result has the outcome of every program, also of failed ones. update: writes the
 * baseline when all could be measured and none is above an absolute limit. MPJ_E_USAGE: the gate or
 * its baseline cannot be used; MPJ_E_CANCELLED: ended by a signal, finished runs are kept.
 */
int run_gate(struct run_gate *g, struct mpj_err *err);
void run_gate_free(struct run_gate *g);

/* Lists the files of the gate as it was read, and its baseline, unless that is written. */
int run_inputs_gate(const struct run_inputs *r, const struct run_gate *g, struct mpj_err *err);

#endif
