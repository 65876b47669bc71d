/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Estimates the cost of measuring functions at entry and exit, and suggests which to omit: from a
 * run that measured them at little cost, for example with --groups 4.
 */
#ifndef REPORT_SUGGEST_H
#define REPORT_SUGGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/errors.h"
#include "mpj_records.h"

struct mpj_suggest_func {
    char *name;
    double calls;               /* in the whole run */
    double core[MPJ_CORES_MAX]; /* cost of measuring it, as a share of the run's cycles */
    double share;               /* the largest of these */
    bool left_out;
};

struct mpj_suggestion {
    struct mpj_suggest_func *func; /* most expensive ones first */
    size_t count;
    unsigned groups;
    double all; /* as a share of the run's cycles, on the core with the highest overhead, if all are
                   measured */
    double with; /* without the omitted functions */
};

/* Estimates the cost of a run of the same program, arguments and target with --entries and that
 * number of groups; functions are omitted, the most expensive ones first, until the cost is at most
 * `most` (shares). The estimate is for the core with the highest overhead: threads that wait for
 * each other in turn pay more. MPJ_E_USAGE: the store's run had no --entries. Free with
 * mpj_suggestion_free(), also after an error. */
int mpj_suggest(struct mpj_suggestion *out, const char *store, unsigned groups, double most,
                struct mpj_err *err);
/* Writes a file for `mpjoule run --filter` (mpj_file_put). */
int mpj_suggestion_put(const void *suggestion, FILE *f, struct mpj_err *err);
void mpj_suggestion_free(struct mpj_suggestion *s);

#endif
