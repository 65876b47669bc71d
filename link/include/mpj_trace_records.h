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
    MPJ_TRACE_FUNCTIONS = 1U << 2, /* entries and exits of functions */
};

/* In START, after CONFIG; absent: nothing of it. */
struct mpj_trace_config {
    uint32_t flags; /* enum mpj_trace_flag */
    uint32_t event; /* of the cores' monitors; must be one of those CONFIG counts */
    uint32_t every; /* counts of it, at least MPJ_TRACE_EVERY_MIN */
    /* Of functions; times are rounded up to periods of the ADC. */
    uint32_t warm_us;   /* until the first of them is measured */
    uint32_t period_us; /* for which a group of them is; 0: one of the ADC */
    uint32_t periods;   /* so many; 0: until the end */
    uint32_t groups;    /* 1 to MPJ_TRACE_GROUPS_MAX: function i is in group i modulo it */
    uint32_t records;   /* calls of a function that are measured in a period; 0: all, but of a
                           short one MPJ_TRACE_RECORDS */
    uint32_t brief;     /* cycles of a call below which a function is short */
};
#define MPJ_TRACE_EVERY_MIN  1000U
#define MPJ_TRACE_GROUPS_MAX 64U
#define MPJ_TRACE_RECORDS    8U
int mpj_trace_config_put(struct mpj_writer *w, const struct mpj_trace_config *c);
int mpj_trace_config_get(const struct mpj_rec *rec, struct mpj_trace_config *out);

enum mpj_trace_kind {
    MPJ_AT_SAMPLE = 7, /* words: PC, link register, further return addresses on the stack */
    MPJ_AT_EVENT = 8,  /* the same, when the event's count was reached */
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
        1U << 0, /* calls measured whatever the period: they stand for themselves */
};

/* Calls of one function from one place. Everything is with what it called. */
struct mpj_function_rec {
    uint32_t entry;  /* address of its first instruction */
    uint32_t caller; /* address behind the call; 0: unknown */
    uint32_t flags;  /* enum mpj_function_flag */
    uint32_t group;
    uint32_t calls;    /* of the function while it was measured, from anywhere */
    uint32_t measured; /* of these */
    uint32_t here;     /* of those, from this place */
    uint64_t cycles;   /* of those here */
    uint32_t count;
    struct mpj_event_value ev[MPJ_PMU_COUNTERS]; /* active is not sent */
};
int mpj_function_put(struct mpj_writer *w, const struct mpj_function_rec *f);
int mpj_function_get(const struct mpj_rec *rec, struct mpj_function_rec *out);

/* How long each group was measured. */
struct mpj_func_groups_rec {
    uint32_t functions; /* that the program has */
    uint32_t periods;   /* whole ones */
    uint64_t ticks;     /* from the end of the warm-up to the end of the run */
    uint32_t deep;      /* calls not measured because too many were under way */
    uint32_t count;
    uint64_t active[MPJ_TRACE_GROUPS_MAX]; /* ticks */
};
int mpj_func_groups_put(struct mpj_writer *w, const struct mpj_func_groups_rec *g);
int mpj_func_groups_get(const struct mpj_rec *rec, struct mpj_func_groups_rec *out);

#endif
