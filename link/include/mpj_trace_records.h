/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records of what is looked at inside a program (SPEC.md, "Record types"): what START asks for, and
 * the moments that the target noted. put and get as in mpj_records.h.
 */
#ifndef MPJ_TRACE_RECORDS_H
#define MPJ_TRACE_RECORDS_H

#include "mpj_events.h"
#include "mpj_records.h"
#include "mpj_wire.h"

enum mpj_trace_flag {
    MPJ_TRACE_SAMPLES = 1U << 0,   /* each core's PC with every sample of the ADC */
    MPJ_TRACE_EVENT = 1U << 1,     /* and at every so many counts of an event */
    MPJ_TRACE_FUNCTIONS = 1U << 2, /* entries and exits of functions ... */
    MPJ_TRACE_CHOICE = 1U << 3,    /* ... of those that records FUNC_CHOICE name */
    MPJ_TRACE_MOMENTS = 1U << 4,   /* switches, waits and executions of regions */
    MPJ_TRACE_CALLS = 1U << 5,     /* with FUNCTIONS: each call that is measured, too */
};

/* In START, after CONFIG; absent: nothing of it. */
struct mpj_trace_config {
    uint32_t flags; /* enum mpj_trace_flag */
    uint32_t event; /* of the cores' monitors; must be one of those CONFIG counts */
    uint32_t every; /* counts of it, at least MPJ_TRACE_EVERY_MIN */
    /* For functions; times are rounded up to periods of the ADC. */
    uint32_t warm_us;   /* until the first of them is measured */
    uint32_t period_us; /* for which a group of them is; 0: one of the ADC */
    uint32_t periods;   /* so many; 0: until the end */
    uint32_t groups;    /* 1 to MPJ_TRACE_GROUPS_MAX: function i is in group i modulo it */
    uint32_t records;   /* calls of a function that are measured in a period; 0: all, but of one
                           that is called often some */
    uint32_t brief;    /* cycles from one call to the next below which a function is called often */
    uint32_t least_ns; /* of a call, below which a function is left alone; 0: none is */
};
#define MPJ_TRACE_EVERY_MIN  1000U
#define MPJ_TRACE_GROUPS_MAX 64U
int mpj_trace_config_put(struct mpj_writer *w, const struct mpj_trace_config *c);
int mpj_trace_config_get(const struct mpj_rec *rec, struct mpj_trace_config *out);

/* In START: which functions, by their place in the program's table of entries. */
#define MPJ_FUNC_MAX          16384U /* functions of a program that can be measured */
#define MPJ_FUNC_CHOICE_BYTES 512U
struct mpj_func_choice_rec {
    uint32_t first;                      /* byte */
    uint32_t count;                      /* bytes */
    uint8_t bits[MPJ_FUNC_CHOICE_BYTES]; /* function 8 * (first + i) + k: bit k of byte i */
};
int mpj_func_choice_put(struct mpj_writer *w, const struct mpj_func_choice_rec *c);
int mpj_func_choice_get(const struct mpj_rec *rec, struct mpj_func_choice_rec *out);

enum mpj_trace_kind {
    MPJ_AT_RUNS = 0,         /* the thread gets the core; no words */
    MPJ_AT_STOPS = 1,        /* and loses it; words: 0 preempted or yielded, 1 blocked, 2 ended */
    MPJ_AT_WAITS = 2,        /* words: object, thread that holds it (0: unknown), kind of wait */
    MPJ_AT_WAITED = 3,       /* words: object, 0, kind of wait */
    MPJ_AT_REGION_BEGIN = 4, /* words: body of the region, 0, threads */
    MPJ_AT_REGION_END = 5,   /* words: body of the region */
    MPJ_AT_SAMPLE = 7,       /* words: PC, link register, further return addresses on the stack */
    MPJ_AT_EVENT = 8,        /* the same, when the event's count was reached */
    MPJ_AT_CALL = 9, /* a measured call is over; words: entry, calls it represents, its cycles and
                        counts of the two events, at most 2^32 - 1 each */
};

#define MPJ_MOMENT_WORDS 5U
struct mpj_moment_rec {
    uint64_t time;
    uint32_t core;
    uint32_t thread; /* software context; 0: none */
    uint32_t kind;   /* enum mpj_trace_kind */
    uint32_t n;      /* words */
    uint32_t word[MPJ_MOMENT_WORDS];
};

/* Moments in the order in which one core noted them. */
#define MPJ_MOMENTS_MAX 16U
struct mpj_moments_rec {
    uint32_t count;
    struct mpj_moment_rec m[MPJ_MOMENTS_MAX];
};
int mpj_moments_put(struct mpj_writer *w, const struct mpj_moments_rec *m);
int mpj_moments_get(const struct mpj_rec *rec, struct mpj_moments_rec *out);

enum mpj_function_flag {
    MPJ_FUNCTION_FIRST =
        1U << 0, /* calls measured whatever the period: each of them is weighted by 1 */
    MPJ_FUNCTION_ALWAYS = 1U << 1, /* measured in periods of all groups */
};

/* Calls of one function from one place. Everything is with what it called. */
struct mpj_function_rec {
    uint32_t entry;  /* address of its first instruction */
    uint32_t caller; /* address after the call; 0: unknown */
    uint32_t flags;  /* enum mpj_function_flag */
    uint32_t group;
    uint32_t calls;    /* of the function while it was measured, from anywhere */
    uint32_t measured; /* of these, or represented by measured ones */
    uint32_t here;     /* of those, from this place */
    uint64_t cycles;   /* of those here */
    uint32_t count;
    struct mpj_event_value ev[MPJ_PMU_COUNTERS]; /* active is not sent */
    uint32_t
        records;   /* calls measured here: cycles and events are theirs times the weight of each */
    uint32_t core; /* that these calls returned on */
    /* Sum over the measured calls of ((cycles - usual) * weight)^2, in units of 1 << 2 *
     * MPJ_FUNC_SQUARE_SHIFT; 0: each has weight 1, or an older target. */
    uint64_t squares;
    uint32_t above; /* entry of the innermost measured function that the first of these calls was
                       in; 0: in none, or an older target */
    uint32_t usual; /* cycles near those of a call of the function */
};
int mpj_function_put(struct mpj_writer *w, const struct mpj_function_rec *f);
int mpj_function_get(const struct mpj_rec *rec, struct mpj_function_rec *out);

/* A function that is called often has each 1 << k-th call measured, randomly: k grows after this
 * many records of a period, on each core, and at a new period goes back. */
#define MPJ_FUNC_SAMPLED      8U
#define MPJ_FUNC_SHIFT_MAX    8U
#define MPJ_FUNC_SHIFT_BACK   2U

#define MPJ_FUNC_SQUARE_SHIFT 4U

/* Time for which each group was measured. */
struct mpj_func_groups_rec {
    uint32_t functions; /* that the program has */
    uint32_t periods;   /* whole ones */
    uint64_t ticks;     /* from the end of the warm-up to the end of the run */
    uint32_t deep;      /* calls not measured because too many were under way */
    uint32_t count;
    uint64_t active[MPJ_TRACE_GROUPS_MAX];  /* ticks */
    uint32_t passed[MPJ_PMU_COUNTERS + 1U]; /* what a call that is only counted costs: as the events
                                               of FUNCTION, then cycles */
    uint64_t used;                          /* cycles: by the calls that were measured */
};
int mpj_func_groups_put(struct mpj_writer *w, const struct mpj_func_groups_rec *g);
int mpj_func_groups_get(const struct mpj_rec *rec, struct mpj_func_groups_rec *out);

#endif
