/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUN_PASSES_INT_H
#define RUN_PASSES_INT_H

#include "run/passes.h"

/* A pipe can be read once: when there are more passes, or may be, its content is kept for them. */
int run_keep_input(struct run *r, struct mpj_err *err);

#endif
