/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When a thread ran, was blocked or talked to the host, in equal bins of time. A thread writes its
 * bins while the measured program runs, so they are small: each that comes into the L2 throws
 * something out.
 *
 * Plain data; the caller serialises.
 */
#ifndef MPJ_TIMELINE_H
#define MPJ_TIMELINE_H

#include <stdint.h>

#define MPJ_BINS_MAX  128U
#define MPJ_BIN_WIDTH 2400U /* ticks at first: 100 us */
#define MPJ_BIN_UNITS 150U

enum mpj_bin_kind { MPJ_BIN_RUN, MPJ_BIN_BLOCK, MPJ_BIN_HOST, MPJ_BIN_KINDS };

/* Of a closed bin, in units that a bin has MPJ_BIN_UNITS of; what is less counts for the next. */
struct mpj_bin {
    uint8_t part[MPJ_BIN_KINDS];
};

/* When a thread outlives its bins, they get twice as wide. One line of the cache. */
struct mpj_timeline {
    uint64_t end;                 /* of the last bin in use, ticks since the run began */
    uint32_t open[MPJ_BIN_KINDS]; /* what is in the last bin, in 2^coarse ticks */
    uint32_t first;               /* number of bin 0, from the start of the run */
    struct mpj_bin *bin;          /* MPJ_BINS_MAX; the last one in use is not written */
    uint8_t used;
    uint8_t doubled; /* how often */
    uint8_t coarse;  /* 0 in the first hours, then so that open[] holds more than a bin */
};

/* Empty; nothing before `start` (ticks since the run began) will be added. bin: MPJ_BINS_MAX,
 * contents undefined, which are the timeline's from now on. */
void mpj_timeline_init(struct mpj_timeline *t, struct mpj_bin *bin, uint64_t start);
/* Ticks of a bin. */
uint64_t mpj_timeline_width(const struct mpj_timeline *t);
/* Ticks of each kind in each bin in use: each to a unit, the sums exact (in
 * 2^coarse ticks a call), no bin more than full. */
void mpj_timeline_ticks(const struct mpj_timeline *t, uint64_t ticks[MPJ_BIN_KINDS][MPJ_BINS_MAX]);
/* Beyond the last bin, or coarse: for mpj_timeline_add(). Times of 2^57 ticks and more, which is
 * what one before the run's begin becomes, are left out. */
void mpj_timeline_extend(struct mpj_timeline *t, uint64_t from, uint64_t to,
                         enum mpj_bin_kind kind);

/* Adds the time [from, to) since the run began, which does not begin before the last one's end. */
static inline void mpj_timeline_add(struct mpj_timeline *t, uint64_t from, uint64_t to,
                                    enum mpj_bin_kind kind)
{
    if (to > t->end || t->coarse != 0)
        mpj_timeline_extend(t, from, to, kind);
    else
        t->open[kind] += (uint32_t)(to - from);
}

#endif
