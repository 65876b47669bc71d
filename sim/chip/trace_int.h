/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internals of events and energy over time (trace.c). */
#ifndef MPJ_TRACE_INT_H
#define MPJ_TRACE_INT_H

#include "chip_int.h"
#include "mpj_functions.h"

#define TRACE_STEPS_MAX  (1U << 20) /* of energy over time; then its steps become longer */
#define TRACE_COUNTS_MAX (1U << 13) /* of counts over time: a page shows 1024 */

/* As in docs/profile-file.md. */
enum {
    MOMENT_RUNS = 0,
    MOMENT_STOPS = 1,
    MOMENT_WAITS = 2,
    MOMENT_WAITED = 3,
    MOMENT_REGION = 4,
    MOMENT_REGION_END = 5,
};
enum { STOP_PREEMPTED, STOP_BLOCKED, STOP_ENDED, STOP_YIELDED };

struct moment {
    uint64_t time; /* cycles */
    uint32_t kind, core, ctx, object, value, holder;
};

struct trace_wait {
    uint32_t object, kind, holder; /* holder: a context, 0: none */
};

/* Events of a core that are kept over time: those that explain its power. */
static const unsigned char trace_event[] = {
    MPJ_EV_INSTR,          MPJ_EV_DDEP_STALL,     MPJ_EV_LSU_STALL,   MPJ_EV_IFETCH_STALL,
    MPJ_EV_DCACHE_RD_MISS, MPJ_EV_DCACHE_WR_MISS, MPJ_EV_ICACHE_MISS, MPJ_EV_BRANCH_MISPRED,
};
#define TRACE_EVENTS (sizeof(trace_event) / sizeof(trace_event[0]))

/* Lanes of a wave over time: energy in fJ, then counts. Both have steps of their own. */
enum { LANE_ENERGY, LANE_COUNTS, LANES = LANE_COUNTS + TRACE_EVENTS };
enum { GRID_ENERGY, GRID_COUNTS, GRIDS };

struct lane {
    int64_t *v;
    size_t steps, cap;
};

struct wave {
    struct lane lane[LANES]; /* counts: not of what belongs to no core */
    uint64_t time;           /* up to here, and the energy and counts then */
    int128 energy;
    uint64_t counted[TRACE_EVENTS];
};

struct trace {
    struct moment *moment;
    size_t moments, moment_cap, most_moments; /* 0: off */
    uint64_t lost;
    mpj_trace_peek *peek;
    struct trace_wait wait[MPJ_CTX_MAX]; /* where waits[] */
    bool waits[MPJ_CTX_MAX];
    uint64_t flushed[MPJ_CORES];
    uint64_t first_step; /* cycles; 0: no waveform */
    uint64_t step[GRIDS];
    uint64_t origin; /* of the first step */
    bool begun, no_mem;
    struct wave wave[MPJ_CORES + 1]; /* the last one: what belongs to no core */
};

/* Returns NULL if the moment is not kept. */
struct moment *trace_moment(struct mpj_chip *c, unsigned core, uint64_t time, unsigned kind,
                            uint32_t ctx, uint32_t object, uint32_t value);
/* Notes that a context leaves a core; wait: for what, NULL: for nothing. */
void trace_stops(struct mpj_chip *c, unsigned core, uint64_t time, uint32_t ctx, unsigned reason,
                 const struct trace_wait *wait);
void trace_runs(struct mpj_chip *c, unsigned core, uint64_t time, uint32_t ctx);

#endif
