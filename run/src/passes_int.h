/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUN_PASSES_INT_H
#define RUN_PASSES_INT_H

#include "run/passes.h"

/* The logs that are held take their places, or are those of a failed attempt; run.taken is which.
 * MPJ_E_IO: a log cannot take its place, and no further one does. */
int run_place(struct run *r, bool take, struct mpj_err *err);

/* A pipe can be read once: when there are more passes, or may be, its content is kept for them. */
int run_keep_input(struct run *r, struct mpj_err *err);

#endif
