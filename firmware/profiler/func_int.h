/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the files of functions measured at entry and exit: functions.c (periods, begin and
 * end), func_calls.c (calls), func_code.c (entries, and the code that they branch to).
 */
#ifndef MPJ_FUNC_INT_H
#define MPJ_FUNC_INT_H

#include "hal_pmu.h"
#include "mpj_functions.h"
#include "mpj_prof.h"
#include "mpj_sched.h"
#include "thread_int.h"

#define MPJ_FUNC_FIRST     1U  /* bit of an edge's caller: first calls, which are not scaled */
#define MPJ_FUNC_ABOVE     18U /* shift of the innermost measured function in an edge's caller */
#define MPJ_FUNC_UNCOUNTED (1 << 30) /* initial count of a veneer whose calls are not evaluated */

/* Fields that most calls access are in one line of the cache. */
struct mpj_func_edge {
    uint64_t v[HAL_PMU_COUNTERS]; /* of all calls that the records represent */
    uint32_t calls;               /* number of these calls */
    uint32_t records;
    uint32_t func;   /* number + 1; 0: free */
    uint32_t caller; /* of calls by code without entries: xor above << MPJ_FUNC_ABOVE */
    uint32_t more;   /* counted calls that no measured one represents */
    uint32_t above;  /* number + 1 of the function that the first of them was in; 0: in none */
    bool outside;    /* the caller has no entry */
} __attribute__((aligned(32)));

/* State of a function on a core, for one call site: sites differ in how they call it, so each
 * samples its own calls. */
struct mpj_func_cell {
    int32_t left; /* calls until the next one is measured; written by veneers */
    int32_t each; /* initial value: number of calls that one represents */
    struct mpj_func_edge *last;
    uint32_t caller; /* of the last edge */
    uint8_t records; /* records in this period, modulo SAMPLED */
    uint8_t shift;   /* one of 1 << shift calls is measured */
    uint16_t period;
    int32_t owed; /* calls that were counted, and not followed by a measured one */
    /* Sum over its measured calls of ((cycles - usual) * calls represented)^2 */
    uint64_t squares;
} __attribute__((aligned(32)));
_Static_assert(sizeof(struct mpj_func_cell) == 32U, "as its shift, a line of the cache");
#define MPJ_FUNC_CELL_SHIFT 5U
#define MPJ_FUNC_SITE_BITS  3U /* of return addresses, above their lowest 2 */
#define MPJ_FUNC_SITES      (1U << MPJ_FUNC_SITE_BITS)
#define MPJ_FUNC_SLOTS_MAX  (2U * MPJ_TRACE_GROUPS_MAX)

struct mpj_func {
    uint32_t entry;
    int32_t left;   /* for --records: calls to be measured in this period */
    uint32_t usual; /* cycles: mean of its first calls, 0 with --records */
    uint32_t calls; /* for --records: in periods of its group */
    uint16_t group;
    bool seen;     /* enough of its calls were seen, and they are not rare */
    bool unfit;    /* its entry cannot be changed */
    bool left_out; /* not selected, or too short */
    bool
        always; /* measured in the periods of all groups: it calls itself, or some calls are long */
    bool exact; /* its error is small */
    uint32_t entered, firsts; /* calls until it was seen, and those that have returned */
    uint64_t cycles;          /* cycles of the first calls */
    uint64_t spent;           /* cycles from the first of these calls to the last */
    uint32_t last;            /* cycle counter at the last one */
    uint32_t measured;        /* at the end: calls that the measured ones represent */
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
    uint32_t id; /* thread to which the rest belongs */
    uint32_t depth;
    uint64_t lost[HAL_PMU_COUNTERS]; /* counts of this code itself */
    struct mpj_func_frame frame[MPJ_FUNC_DEPTH];
};

/* Parts of a measured call that are not read: within it and around it. */
enum mpj_func_fixed { MPJ_FUNC_WITHIN, MPJ_FUNC_AROUND, MPJ_FUNC_FIXED };

/* State of a core, in its own line of the cache, since each call writes it. */
struct mpj_func_core {
    struct mpj_func_edge *edge;
    const struct mpj_prof_live *live;
    uint64_t used; /* cycles that measured calls cost */
    uint32_t edges;
    uint32_t random;
} __attribute__((aligned(32)));

/* Two lines of the cache that each call reads, followed by fields that change or are rarely
 * needed. */
struct mpj_func_state {
    bool on;
    bool all;                /* each call of the active group is measured */
    bool times;              /* each measured call is noted */
    int8_t group;            /* active; -1: none */
    uint32_t brief, records; /* members of cfg */
    struct mpj_func *func;
    struct mpj_func_cell *cell; /* [core << cells | function << MPJ_FUNC_SITE_BITS | site] */
    uint32_t cells;             /* shift */
    uint32_t sites;             /* bits of a return address that distinguish call sites */
    struct mpj_func_shadow *shadow;
    uint32_t fixed[MPJ_FUNC_FIXED][HAL_PMU_COUNTERS];
    uint32_t code, code_size; /* from the first entry to the last one */
    struct mpj_func_core core[MPJ_CORES_MAX];
    struct mpj_trace_config cfg;
    uint32_t passed[HAL_PMU_COUNTERS]; /* unread counts of a call that is only counted */
    uint32_t count;
    uint64_t least; /* cycles of a call below which a function is not measured */
    uint32_t lost, deep;
    uint32_t warm, length;             /* in ticks of the sampler */
    uint32_t tick;                     /* of the present phase */
    uint32_t done;                     /* periods */
    uint8_t order[MPJ_FUNC_SLOTS_MAX]; /* groups of the periods in this round */
    uint32_t slots, slot;              /* periods of this round, and those that have begun */
    uint32_t judge_at;                 /* periods after which the slots are divided again */
    bool begun;                        /* the warm-up is over */
    uint64_t since, began;
    uint64_t active[MPJ_TRACE_GROUPS_MAX]; /* ticks of time */
} __attribute__((aligned(32)));
extern struct mpj_func_state mpj_func;

/* Returns the cell of function i for calls that return to `back`; 0: of the first site. */
static inline struct mpj_func_cell *mpj_func_cell_of(unsigned core, uint32_t i, uint32_t back)
{
    return &mpj_func.cell[(core << mpj_func.cells) + (i << MPJ_FUNC_SITE_BITS) +
                          ((back & mpj_func.sites) >> 2)];
}

/* Returns true if a function that is called often is measured in this period. */
static inline bool mpj_func_active(const struct mpj_func *f)
{
    return f->group == mpj_func.group || (f->always && mpj_func.group >= 0);
}

/* ---- func_code.c: core 0, before the run, or IRQ masked ------------------------------------- */

/* Makes a function's entry lead to its veneer, or no longer; effective after mpj_func_fetch(). */
void mpj_func_patch(uint32_t i, bool on);
/* Makes all cores fetch the entries again, others when they take the interrupt. Core 0. */
void mpj_func_fetch(void);
/* Creates the veneers and cells and patches longjmp(); measures mpj_func.fixed. Core 0, before the
 * run. */
void mpj_func_make(void);

/* ---- func_calls.c --------------------------------------------------------------------------- */

void mpj_func_enter_stub(void); /* called by veneers */
void mpj_func_jump_stub(void);  /* replaces the first instruction of longjmp() */
/* Returns the state of a thread's calls; closes those of the slot's previous thread. IRQ masked. */
struct mpj_func_shadow *mpj_func_shadow_of(unsigned core, const struct mpj_thread *t);
/* Closes calls that never returned. After the run, the other cores stopped. */
void mpj_func_close_all(void);
/* Returns a random number of 16 bits. */
uint32_t mpj_func_random(uint32_t *state);

#endif
