/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Joins functions with what the compiler made of their parallel regions. Private to report/. */
#ifndef REPORT_BLAME_OUTLINED_H
#define REPORT_BLAME_OUTLINED_H

#include <jansson.h>

#include "base/errors.h"

/*
 * Sets out[0] and out[1] to the tables of both sides (as of mpj_blame_find()), to be released with
 * json_decref(). A loop that became parallel is in NAME on one side, and in NAME._omp_fn.N on the
 * other: where a function of that kind is on one side only and NAME is on either, all of its kind
 * are added to NAME on both sides, so that sums are compared. MPJ_E_NOMEM: out is not valid.
 */
int blame_join_outlined(const json_t *base, const json_t *now, json_t *out[2], struct mpj_err *err);

#endif
