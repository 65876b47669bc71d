/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Moments as spans of time, for exports that show a timeline. */
#ifndef TIMELINE_H
#define TIMELINE_H

#include "report/report.h"

enum span_kind {
    SPAN_RUN,    /* a thread is on a core */
    SPAN_WAIT,   /* a thread waits; holder: the thread it waits for, -1: unknown */
    SPAN_REGION, /* a thread is in a region */
    SPAN_MARK,   /* a moment: from = to */
    SPAN_SAMPLE, /* likewise */
};

struct span {
    enum span_kind kind;
    int64_t thread, core; /* MPJ_PROF_NONE: none */
    uint64_t from, to;    /* ns since the program began */
    int64_t holder;
    const char *text;
};

/* Receives a span at its end, so an inner one before that around it. A result other than MPJ_E_OK
 * ends the reading. */
typedef int span_each(void *ctx, const struct span *s);
/* Passes all spans; those open at the end of the run end there. *lost may be NULL. */
int timeline_read(const struct mpj_report *r, span_each *each, void *ctx, uint64_t *lost,
                  struct mpj_err *err);
/* Checks that a run has data for a timeline. MPJ_E_USAGE: no moments, no power over time, no
 * functions. */
int timeline_check(const struct mpj_report *r, struct mpj_err *err);

/* Converts ticks to ns. */
uint64_t timeline_ns(const struct mpj_run *run, uint64_t ticks);

#endif
