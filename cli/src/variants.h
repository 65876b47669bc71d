/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs a program several times in different ways, each in a process of its own. */
#ifndef VARIANTS_H
#define VARIANTS_H

#include <stdint.h>
#include <sys/types.h>

#include "cli_options.h"

/* One of them: zero-initialise, fill the upper part. NULL: as the command says. */
struct variant {
    const char *name; /* as progress shows it */
    const char *calibration, *predictor_of;
    const char *policy;         /* "MPJ_ADAPT=..." in place of the environment's */
    const char *const *what_if; /* costs in place of the command's */
    unsigned what_ifs;
    uint64_t seed;      /* 0: the command's */
    char *store, *json; /* files that are written; freed by the caller */
    bool shown;         /* the program's output */
    bool silent;        /* nothing is said at all, not even errors */

    int status; /* exit status, as a shell has it */
    pid_t pid;
};

typedef int variant_one(struct cli_options *o, bool shown);

/* Returns the index of MPJ_ADAPT=POLICY in the environment; -1: there is no policy. */
int variants_policy(const struct run_options *o);
/*
 * Runs `one` for each, as many at a time as --jobs allows; one at a time if they share a folder
 * or a board. mute: the programs write to stderr in place of stdout. MPJ_E_IO: a process cannot be
 * started. MPJ_E_CANCELLED: a signal has arrived; those that ran have ended.
 */
int variants_run(const struct cli_options *o, struct variant *v, unsigned n, bool mute,
                 variant_one *one, struct mpj_err *err);

#endif
