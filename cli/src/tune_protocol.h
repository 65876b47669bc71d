/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Connects a tune to another optimiser, by lines of JSON on stdin and stdout
 * (docs/man/mpjoule-tune.md). */
#ifndef TUNE_PROTOCOL_H
#define TUNE_PROTOCOL_H

#include "search/tune.h"

/* Implement the callbacks of struct run_tune of these names. */
int tune_ask(const struct run_tune *t, unsigned point, struct json_t **answer, struct mpj_err *err);
int tune_next(const struct run_tune *t, int *point, struct mpj_err *err);
int tune_tell(const struct run_tune *t, unsigned point, struct mpj_err *err);

#endif
