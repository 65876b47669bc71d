/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which files what is asked for will read: a command that writes others can see, before anything
 * runs, that none of them is among these. */
#ifndef RUN_READS_H
#define RUN_READS_H

#include "base/errors.h"

struct run_explore;
struct run_gate;
struct run_options;
struct run_sweep;
struct run_tune;

/* Who is told. */
struct run_reads {
    /* A file by its name, which is the caller's; it need not be there. What is not MPJ_E_OK ends
     * the telling, and is handed on with err. */
    int (*take)(void *ctx, const char *path, struct mpj_err *err);
    void *ctx;
};

/*
 * Each tells all files that it knows of: programs; sources with what they include by a name in
 * quotes, and words of compiler options, which may be names; stdin; the list of boards;
 * calibrations, predictors, energy models and laws that are named by a path, and what calibrations
 * and laws include. Names with {AXIS} are told with each value. Nothing is read but what may
 * include another file; what cannot be read is passed over. MPJ_E_NOMEM, or what take() returned.
 */
int run_reads_options(const struct run_reads *r, const struct run_options *o, struct mpj_err *err);
int run_reads_sweep(const struct run_reads *r, const struct run_sweep *s, struct mpj_err *err);
int run_reads_tune(const struct run_reads *r, const struct run_tune *t, struct mpj_err *err);
int run_reads_explore(const struct run_reads *r, const struct run_explore *x, struct mpj_err *err);
/* The gate as it was read, and its baseline, unless that is written. */
int run_reads_gate(const struct run_reads *r, const struct run_gate *g, struct mpj_err *err);

#endif
