/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What measuring functions at entry and exit will cost, and which are better left out: from a run
 * that did it at little cost, for example with --groups 4.
 */
#ifndef MPJ_SUGGEST_H
#define MPJ_SUGGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/errors.h"
#include "mpj_records.h"

struct mpj_suggest_func {
    char *name;
    double calls;               /* in the whole run */
    double core[MPJ_CORES_MAX]; /* what measuring it will cost on each core, of the run's cycles */
    double share;               /* the largest of these */
    bool left_out;
};

struct mpj_suggestion {
    struct mpj_suggest_func *func; /* most expensive ones first */
    size_t count;
    unsigned groups;
    double all;  /* of the run's cycles, on the core that pays most, if all are measured */
    double with; /* if those left out are not */
};

/* What a run of the same program, arguments and target with --entries and so many groups will cost;
 * functions are left out, the most expensive ones first, until that is `most` at most (shares). It
 * is what the core that pays most pays: threads that wait for each other in turn pay more.
 * MPJ_E_USAGE: the store's run had no --entries. Free with mpj_suggestion_free(), after an error,
 * too. */
int mpj_suggest(struct mpj_suggestion *out, const char *store, unsigned groups, double most,
                struct mpj_err *err);
/* A file for `mpjoule run --filter` (mpj_file_put). */
int mpj_suggestion_put(const void *suggestion, FILE *f, struct mpj_err *err);
void mpj_suggestion_free(struct mpj_suggestion *s);

#endif
