/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The decisions of the controller of parallel regions in a run, for each execution. */
#ifndef REPORT_ADAPTED_H
#define REPORT_ADAPTED_H

#include <stddef.h>
#include <stdint.h>

#include "base/errors.h"
#include "mpj_adapt_records.h"

struct mpj_adapted_run {
    uint32_t region; /* address of its body */
    unsigned number; /* of the region: 0, 1, ... in the order of their first execution */
    double time_s;   /* start of the execution, since the start of the run */
    double s;        /* duration of the execution */
    unsigned threads, most;
    unsigned why;       /* enum mpj_adapt_why */
    double believed_s;  /* NAN: no prediction */
    double believed_mw; /* NAN */
    double mw;          /* by the ADC; NAN: no sample */
    double true_mw;     /* by the emulator's waveform; NAN: it does not cover the execution */
    unsigned samples;   /* of the ADC */
    double elapsed;     /* cycles from begin to end; 0: not counted */
    double cycles;      /* of its threads until they had finished their shares; NAN: not counted */
    double event[MPJ_PMU_COUNTERS]; /* NAN: not counted */
};

struct mpj_adapted_region {
    uint32_t region;
    char *function, *file; /* NULL: unknown */
    int line;
};

struct mpj_adapted {
    size_t runs;
    struct mpj_adapted_run *run; /* in the order of time */
    unsigned regions;
    struct mpj_adapted_region *region; /* by number */
};

/* Reads the decisions of a pass of a store: 0, 1, ... The true power is that of pass 0. *out is
 * empty if no policy was set, or the store is of an older version. Free *out with
 * mpj_adapted_free(), also after an error. */
int mpj_adapted_load(struct mpj_adapted *out, const char *store, unsigned pass,
                     struct mpj_err *err);
void mpj_adapted_free(struct mpj_adapted *a);

#endif
