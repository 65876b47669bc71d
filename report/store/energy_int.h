/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interface between reading a recording and summing it up. Private to report/. */
#ifndef ENERGY_INT_H
#define ENERGY_INT_H

#include "mpj_records.h"
#include "report/energy.h"

/* Returns the columns of the table `adc` in a store of that version, in the order of the
 * channels. */
const char *energy_columns(unsigned version);

/* Results of the first pass over the input: everything but the samples. */
struct energy_mark {
    uint64_t time;
    uint64_t order; /* of arrival: marks of the same time stay in it */
    char *name;
    int64_t value;
    bool by_host;
};

struct energy_scan {
    struct mpj_energy *e;
    bool have_begin, have_end;
    bool have_sample;
    uint64_t first, last; /* times of samples */
    uint64_t period;      /* ticks */
    struct energy_mark *mark;
    size_t marks, room;
};

/* Adds a mark; takes ownership of name, which may be NULL after a failed allocation. */
int energy_add_mark(struct energy_scan *s, struct energy_mark m, struct mpj_err *err);

typedef int (*energy_sample)(void *ctx, uint64_t index, const struct mpj_adc_sample *s,
                             struct mpj_err *err);

/* Read a raw log, and a store, in two passes each. */
int energy_scan_log(struct energy_scan *s, const char *path, struct mpj_err *err);
int energy_samples_log(const char *path, energy_sample take, void *ctx, struct mpj_err *err);
int energy_scan_store(struct energy_scan *s, const char *path, struct mpj_err *err);
int energy_samples_store(const char *path, energy_sample take, void *ctx, struct mpj_err *err);

#endif
