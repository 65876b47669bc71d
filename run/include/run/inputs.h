/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists the files that a command will read: a command that writes others can check, before anything
 * runs, that none of them is among these. */
#ifndef RUN_INPUTS_H
#define RUN_INPUTS_H

#include "base/errors.h"

struct run_options;

/* The receiver of the names. */
struct run_inputs {
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
int run_inputs_options(const struct run_inputs *r, const struct run_options *o,
                       struct mpj_err *err);

/* ---- parts of it, for other commands: likewise -------------------------------------------- */

/* Lists a file; NULL and "": none. */
int run_inputs_file(const struct run_inputs *r, const char *path, struct mpj_err *err);
/* Lists a calibration or laws, and what they include. */
int run_inputs_lines(const struct run_inputs *r, const char *path, struct mpj_err *err);
/* Lists a calibration by name or path, and what it includes; NULL: none. */
int run_inputs_calibration(const struct run_inputs *r, const char *name, struct mpj_err *err);
/* Lists a source (NULL: none), the files it includes, and the words of compiler options that may be
 * files. folder: base of relative names; NULL: the current one. */
int run_inputs_source(const struct run_inputs *r, const char *folder, const char *source,
                      const char *options, struct mpj_err *err);

#endif
