/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUN_PASSES_INT_H
#define RUN_PASSES_INT_H

#include "run/passes.h"

/* Commits the held logs as a result (take), or keeps them as a failed attempt; sets run.taken.
 * MPJ_E_IO: a log could not be committed, and the following ones are not. */
int run_place(struct run *r, bool take, struct mpj_err *err);

/* A pipe can be read once: when there are more passes, or may be, its content is kept for them. */
int run_keep_input(struct run *r, struct mpj_err *err);

#endif
