/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records of what is looked at inside a program (SPEC.md, "Record types"): what START asks for, and
 * the moments that the target noted. put and get as in mpj_records.h.
 */
#ifndef MPJ_TRACE_RECORDS_H
#define MPJ_TRACE_RECORDS_H

#include "mpj_events.h"
#include "mpj_wire.h"

enum mpj_trace_flag {
    MPJ_TRACE_SAMPLES = 1U << 0, /* each core's PC with every sample of the ADC */
    MPJ_TRACE_EVENT = 1U << 1,   /* and at every so many counts of an event */
};

/* In START, after CONFIG; absent: nothing of it. */
struct mpj_trace_config {
    uint32_t flags; /* enum mpj_trace_flag */
    uint32_t event; /* of the cores' monitors; must be one of those CONFIG counts */
    uint32_t every; /* counts of it, at least MPJ_TRACE_EVERY_MIN */
};
#define MPJ_TRACE_EVERY_MIN 1000U
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

#endif
