/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Variation of counts between turns, when events are multiplexed: sums of squares and products over
 * the turns, of a core or of one thread's part in them, from which the host computes the
 * uncertainty of the total (docs/rotation.md). No state of its own; any context, the caller locks.
 */
#ifndef MPJ_SPREAD_H
#define MPJ_SPREAD_H

#include "mpj_prof.h"

/* Sums for one pair of events. All values are in units of 2^shift (mpj_prof_shift()), so that the
 * squares of long turns fit. */
struct mpj_spread {
    uint32_t turns;
    uint64_t c, cc;                /* cycles, squares of cycles */
    uint64_t x[MPJ_PMU_COUNTERS];  /* counts */
    uint64_t xx[MPJ_PMU_COUNTERS]; /* squares of counts */
    uint64_t xc[MPJ_PMU_COUNTERS]; /* counts times cycles */
};

/* Adds one turn. A turn without a cycle is ignored. */
void mpj_spread_add(struct mpj_spread *s, uint64_t cycles, const uint64_t event[MPJ_PMU_COUNTERS],
                    unsigned shift);

/* Adds the turns of another spread. */
void mpj_spread_join(struct mpj_spread *s, const struct mpj_spread *other);

/* A thread's part in the present turn, and its spreads by pair. */
struct mpj_slices {
    uint32_t turn; /* mpj_prof_turn() when it was last added to */
    uint32_t pair;
    uint64_t cycles; /* 0: nothing yet */
    uint64_t event[MPJ_PMU_COUNTERS];
    struct mpj_spread spread[MPJ_PROF_PAIRS];
};

/* Clears the spreads of the pairs in use. */
void mpj_slices_init(struct mpj_slices *s);
/* Adds steps (by enum hal_pmu_counter) of that pair and turn. */
void mpj_slices_add(struct mpj_slices *s, unsigned pair, uint32_t turn,
                    const uint64_t step[HAL_PMU_COUNTERS]);
/* Ends the present turn. */
void mpj_slices_end(struct mpj_slices *s);

/* Sends the spreads of all pairs, merged by event, as SPREAD records. After the run. */
void mpj_spread_send(uint32_t owner, uint32_t id, const struct mpj_spread spread[MPJ_PROF_PAIRS]);

#endif
