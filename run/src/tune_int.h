/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUN_TUNE_INT_H
#define RUN_TUNE_INT_H

#include <jansson.h>

#include "run/tune.h"

/* The text with each {AXIS} replaced by the point's value. Allocated; NULL: out of memory. */
char *run_tune_fill(const struct run_tune *t, const struct run_tune_point *p, const char *text);
/* Looks at every text with {AXIS} in it: MPJ_E_USAGE for a name without an axis, and for an
 * axis that none has. */
int run_tune_check(const struct run_tune *t, struct mpj_err *err);

/*
 * The value of an expression of SQL over named values (numbers where they look so, else text):
 * *known is false when it has none (NULL, a word). MPJ_E_USAGE: it is not an expression, or names
 * what is not there.
 */
int run_tune_value(const char *text, json_t *names, double *out, bool *known, struct mpj_err *err);

/* The commands that compile the point's program, as its key. Allocated. */
char *run_tune_build_key(const struct run_tune *t, const struct run_tune_point *p);
/* Compiles it; what does not compile has a reason; MPJ_E_OK. */
int run_tune_build(const struct run_tune *t, const struct run_tune_point *p,
                   struct run_tune_build *b, bool (*stopping)(void *ctx), void *ctx,
                   struct mpj_err *err);

/* Stem and key of a point whose program is known. */
int run_tune_name(const struct run_tune *t, struct run_tune_point *p, const char *version,
                  struct mpj_err *err);
/* What every point depends on: versions of tool and emulator. Allocated; NULL and err. */
char *run_tune_version(struct mpj_err *err);
/* Runs it and leaves STEM.json. MPJ_E_OK also when the program failed. */
int run_tune_measure(const struct run_tune *t, const struct run_tune_point *p,
                     bool (*stopping)(void *ctx), void *ctx, struct mpj_err *err);
/* Adds to the figures of a run what expressions may name besides: figures and events that it does
 * not have, without a value, and the axes. */
void run_tune_names(const struct run_tune *t, const struct run_tune_point *p, json_t *figures);
/* Takes what STEM.json says; false: it says nothing of use. */
bool run_tune_take(const struct run_tune *t, struct run_tune_point *p, struct mpj_err *err);

#endif
