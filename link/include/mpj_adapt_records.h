/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decisions of the controller of parallel regions (SPEC.md, "Record types"): one record per
 * execution that it examined. put and get as in mpj_records.h.
 */
#ifndef MPJ_ADAPT_RECORDS_H
#define MPJ_ADAPT_RECORDS_H

#include "mpj_records.h"

#define MPJ_ADAPT_RECORDS 16384U /* of a run; later executions are counted as dropped */

/* Reason for an execution's number of threads. */
enum mpj_adapt_why {
    MPJ_ADAPT_FIRST = 0,   /* not tested yet */
    MPJ_ADAPT_TEST = 1,    /* all threads, counted */
    MPJ_ADAPT_TRY = 2,     /* a candidate is measured */
    MPJ_ADAPT_CHOSEN = 3,  /* decided */
    MPJ_ADAPT_BRIEF = 4,   /* too short to be adapted; not recorded */
    MPJ_ADAPT_ORDERED = 5, /* the policy is a number */
};

struct mpj_adapt_rec {
    uint32_t region; /* address of the region's body */
    uint32_t caller; /* address after the call that forked */
    uint64_t time;   /* of its beginning */
    uint64_t ticks;  /* from there to its end */
    uint32_t threads;
    uint32_t most;        /* that the program would have got */
    uint32_t why;         /* enum mpj_adapt_why */
    uint64_t believed_ns; /* how long it would take; 0: nothing was believed */
    uint32_t believed_uw; /* and draw, microwatts */
    uint32_t uw;          /* mean of the ADC's samples in it, microwatts; 0: there was none */
    uint32_t samples;
    uint32_t elapsed; /* cycles from begin to end, if it was counted */
    uint32_t cycles;  /* of all threads until they had done their parts; 0: not counted */
    uint32_t event[MPJ_PMU_COUNTERS]; /* counts of the run's events in these */
};
int mpj_adapt_put(struct mpj_writer *w, const struct mpj_adapt_rec *a);
int mpj_adapt_get(const struct mpj_rec *rec, struct mpj_adapt_rec *out);

#endif
