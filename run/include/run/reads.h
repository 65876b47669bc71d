/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists the files that a command will read: a command that writes others can check, before anything
 * runs, that none of them is among these. */
#ifndef RUN_READS_H
#define RUN_READS_H

#include "base/errors.h"

struct run_explore;
struct run_gate;
struct run_options;
struct run_sweep;
struct run_tune;

/* The receiver of the names. */
struct run_reads {
    /* Takes a file's name, which is the caller's; the file need not exist. A result other than
     * MPJ_E_OK ends the listing, and is returned with err. */
    int (*take)(void *ctx, const char *path, struct mpj_err *err);
    void *ctx;
};

/*
 * Lists the files of the options, as far as they are known: programs; sources with what they
 * include by a name in quotes, and words of compiler options, which may be names; stdin; the list
 * of boards; calibrations, predictors, energy models and laws that are named by a path, and what
 * calibrations and laws include. Names with {AXIS} are listed with each value. Only files that may
 * include others are read; unreadable ones are skipped. MPJ_E_NOMEM, or what take() returned.
 */
int run_reads_options(const struct run_reads *r, const struct run_options *o, struct mpj_err *err);
int run_reads_sweep(const struct run_reads *r, const struct run_sweep *s, struct mpj_err *err);
int run_reads_tune(const struct run_reads *r, const struct run_tune *t, struct mpj_err *err);
int run_reads_explore(const struct run_reads *r, const struct run_explore *x, struct mpj_err *err);
/* Lists the files of the gate as it was read, and its baseline, unless that is written. */
int run_reads_gate(const struct run_reads *r, const struct run_gate *g, struct mpj_err *err);

#endif
