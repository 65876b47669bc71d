/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUN_PASSES_INT_H
#define RUN_PASSES_INT_H

#include "run/passes.h"

/* Keeps the content of a pipe, which can be read once, when there are more passes, or may be. */
int run_keep_input(struct run *r, struct mpj_err *err);

#endif
