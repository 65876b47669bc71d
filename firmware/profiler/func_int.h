/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of functions measured at entry and exit share: functions.c (periods, begin and
 * end), func_calls.c (what a call does), func_code.c (entries, and what they branch to).
 */
#ifndef MPJ_FUNC_INT_H
#define MPJ_FUNC_INT_H

#include "hal_pmu.h"
#include "mpj_functions.h"
#include "mpj_prof.h"
#include "mpj_sched.h"
#include "thread_int.h"

#define MPJ_FUNC_FIRST     1U        /* bit of an edge's caller: of calls that count as they are */
#define MPJ_FUNC_UNCOUNTED (1 << 30) /* passes of a veneer that nothing follows from */

/* What most calls touch is a line of the cache. */
struct mpj_func_edge {
    uint64_t v[HAL_PMU_COUNTERS]; /* of the calls that the records stand for */
    uint32_t calls;               /* these */
    uint32_t records;
    uint32_t func; /* number + 1; 0: free */
    uint32_t caller;
    uint32_t more; /* calls that were counted, and no measured one stands for */
} __attribute__((aligned(32)));

/* Of a function on a core, and of the places that call it: these differ in what they ask of it, so
 * each samples its own calls. */
struct mpj_func_cell {
    int32_t left; /* calls until the next one is measured; written by veneers */
    int32_t each; /* what it was set to: so many calls that one stands for */
    struct mpj_func_edge *last;
    uint32_t caller; /* of the last edge */
    uint8_t records; /* in this period, modulo SAMPLED */
    uint8_t shift;   /* of 1 << shift calls one is measured */
    uint16_t period;
    int32_t owed; /* calls that were counted, but followed by none that was measured for them */
} __attribute__((aligned(32)));
_Static_assert(sizeof(struct mpj_func_cell) == 32U, "as its shift, a line of the cache");
#define MPJ_FUNC_CELL_SHIFT 5U
#define MPJ_FUNC_SITE_BITS  3U /* of return addresses, above their lowest 2 */
#define MPJ_FUNC_SITES      (1U << MPJ_FUNC_SITE_BITS)

struct mpj_func {
    uint32_t entry;
    int32_t left;      /* --records: calls to be measured in this period */
    uint32_t calls;    /* in periods of its group */
    uint32_t measured; /* of these, or that the measured ones stand for */
    uint16_t group;
    bool seen;     /* enough of its calls, and they are not rare */
    bool unfit;    /* no entry that can be changed */
    bool left_out; /* not asked for, or too short */
    bool
        always; /* measured in the periods of all groups: it calls itself, or some calls are long */
    uint32_t entered, firsts; /* calls until then, and those that have returned */
    uint64_t cycles;          /* of those */
    uint64_t spent;           /* cycles from the first of those to the last */
    uint32_t last;            /* cycle counter at the last */
} __attribute__((aligned(32)));

struct mpj_func_frame {
    uint32_t sp, lr;
    uint32_t func;
    uint32_t caller;
    uint32_t weight;
    uint32_t pad;
    uint64_t v[HAL_PMU_COUNTERS];
};

struct mpj_func_shadow {
    uint32_t id; /* of the thread that the rest belongs to */
    uint32_t depth;
    uint64_t lost[HAL_PMU_COUNTERS]; /* what was used in here */
    struct mpj_func_frame frame[MPJ_FUNC_DEPTH];
};

/* What is not read of a measured call: within it and around it. */
enum mpj_func_fixed { MPJ_FUNC_WITHIN, MPJ_FUNC_AROUND, MPJ_FUNC_FIXED };

/* Of a core; its own line of the cache, as each call writes it. */
struct mpj_func_core {
    struct mpj_func_edge *edge;
    const struct mpj_prof_live *live;
    uint64_t used; /* cycles: by calls that were measured */
    uint32_t edges;
    uint32_t random;
} __attribute__((aligned(32)));

/* Two lines of the cache that each call reads, and what changes or is rarely needed behind them. */
struct mpj_func_state {
    bool on;
    bool all;                /* each call of the active group is measured */
    bool times;              /* each call that is measured is noted */
    int8_t group;            /* active; -1: none */
    uint32_t brief, records; /* of cfg */
    struct mpj_func *func;
    struct mpj_func_cell *cell; /* [core << cells | function << MPJ_FUNC_SITE_BITS | site] */
    uint32_t cells;             /* shift */
    uint32_t sites;             /* bits of a return address that tell sites apart */
    struct mpj_func_shadow *shadow;
    uint32_t fixed[MPJ_FUNC_FIXED][HAL_PMU_COUNTERS];
    struct mpj_func_core core[MPJ_CORES_MAX];
    struct mpj_trace_config cfg;
    uint32_t passed[HAL_PMU_COUNTERS]; /* what is not read of a call that is only counted */
    uint32_t count;
    uint64_t least; /* cycles of a call below which a function is left alone */
    uint32_t lost, deep;
    uint32_t warm, length;               /* in ticks of the sampler */
    uint32_t tick;                       /* of the present phase */
    uint32_t done;                       /* periods */
    uint8_t order[MPJ_TRACE_GROUPS_MAX]; /* of the groups in this round */
    bool begun;                          /* the warm-up is over */
    uint64_t since, began;
    uint64_t active[MPJ_TRACE_GROUPS_MAX]; /* ticks of time */
} __attribute__((aligned(32)));
extern struct mpj_func_state mpj_func;

/* Function i, when it returns to `back`; 0: of the first site. */
static inline struct mpj_func_cell *mpj_func_cell_of(unsigned core, uint32_t i, uint32_t back)
{
    return &mpj_func.cell[(core << mpj_func.cells) + (i << MPJ_FUNC_SITE_BITS) +
                          ((back & mpj_func.sites) >> 2)];
}

/* Whether a function that is called often is measured in this period. */
static inline bool mpj_func_active(const struct mpj_func *f)
{
    return f->group == mpj_func.group || (f->always && mpj_func.group >= 0);
}

/* ---- func_code.c: core 0, before the run, or IRQ masked
 * ------------------------------------------
 */

/* The entry of a function leads to its veneer, or no longer; mpj_func_fetch() makes it so. */
void mpj_func_patch(uint32_t i, bool on);
/* All cores fetch the entries again, others when they take the interrupt. Core 0. */
void mpj_func_fetch(void);
/* Makes the veneers and cells, and what longjmp() does first; finds mpj_func.fixed. Core 0, before
 * the run. */
void mpj_func_make(void);

/* ---- func_calls.c ------------------------------------------------------------------------------
 */

void mpj_func_enter_stub(void); /* what veneers call */
void mpj_func_jump_stub(void);  /* instead of the first instruction of longjmp() */
/* What is kept of a thread's calls; those of the slot's last thread are closed. IRQ masked. */
struct mpj_func_shadow *mpj_func_shadow_of(unsigned core, const struct mpj_thread *t);
/* Calls that never came to an end. After the run, the other cores stopped. */
void mpj_func_close_all(void);
/* A number of 16 bits. */
uint32_t mpj_func_random(uint32_t *state);

#endif
