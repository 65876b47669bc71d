/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Timeline of a thread: when it ran, was blocked or communicated with the host, in equal bins of
 * time. A thread writes its bins while the measured program runs, so they are small: each bin that
 * is brought into the L2 evicts other data.
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

/* A closed bin, in units of 1 / MPJ_BIN_UNITS of a bin; the remainder is added to the next bin. */
struct mpj_bin {
    uint8_t part[MPJ_BIN_KINDS];
};

/* When a thread outlives its bins, their width doubles. One line of the cache. */
struct mpj_timeline {
    uint64_t end;                 /* of the last bin in use, ticks since the run began */
    uint32_t open[MPJ_BIN_KINDS]; /* contents of the last bin, in 2^coarse ticks */
    uint32_t first;               /* number of bin 0, from the start of the run */
    struct mpj_bin *bin;          /* MPJ_BINS_MAX; the last one in use is not written */
    uint8_t used;
    uint8_t doubled; /* number of doublings */
    uint8_t coarse;  /* 0 in the first hours, later such that open[] holds more than a bin */
};

/* Initialises an empty timeline; nothing before `start` (ticks since the run began) will be added.
 * bin: MPJ_BINS_MAX, contents undefined, owned by the timeline from now on. */
void mpj_timeline_init(struct mpj_timeline *t, struct mpj_bin *bin, uint64_t start);
/* Returns the ticks of a bin. */
uint64_t mpj_timeline_width(const struct mpj_timeline *t);
/* Computes the ticks of each kind in each bin in use: each to a unit, the sums exact (in 2^coarse
 * ticks a call), no bin more than full. */
void mpj_timeline_ticks(const struct mpj_timeline *t, uint64_t ticks[MPJ_BIN_KINDS][MPJ_BINS_MAX]);
/* Adds times beyond the last bin, or coarse ones, for mpj_timeline_add(). Times of 2^57 ticks and
 * more, which result from one before the run's begin, are ignored. */
void mpj_timeline_extend(struct mpj_timeline *t, uint64_t from, uint64_t to,
                         enum mpj_bin_kind kind);

/* Adds the time [from, to) since the run began, which does not begin before the end of the previous
 * one. */
static inline void mpj_timeline_add(struct mpj_timeline *t, uint64_t from, uint64_t to,
                                    enum mpj_bin_kind kind)
{
    if (to > t->end || t->coarse != 0)
        mpj_timeline_extend(t, from, to, kind);
    else
        t->open[kind] += (uint32_t)(to - from);
}

#endif
