/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who waited for what, how long: one entry per (waiter, kind, object, owner
 * while waiting, caller). And what each thread did in each parallel region.
 * Plain data structures; the caller serialises.
 */
#ifndef MPJ_WSTAT_H
#define MPJ_WSTAT_H

#include <stdbool.h>
#include <stdint.h>

#define MPJ_WSTAT_MAX   4096U /* a power of two; three quarters are used */
#define MPJ_RSTAT_MAX   1024U
#define MPJ_CORES       4U
#define MPJ_CORE_EVENTS 2U

struct mpj_wstat_key {
    uint32_t waiter; /* thread id, never 0 */
    uint32_t kind;   /* enum mpj_wait_kind */
    uint32_t object;
    uint32_t owner;
    uint32_t caller;
};

struct mpj_wstat {
    struct mpj_wstat_key key;
    uint32_t count;
    uint64_t total, longest; /* ticks */
};

struct mpj_wstats {
    uint32_t used;
    uint32_t lost; /* waits that found no room */
    struct mpj_wstat entry[MPJ_WSTAT_MAX];
};

/* Adds one wait. */
void mpj_wstat_add(struct mpj_wstats *s, const struct mpj_wstat_key *key, uint64_t ticks);
/* The entry of a key; NULL: none. For tests and reports. */
const struct mpj_wstat *mpj_wstat_find(const struct mpj_wstats *s, const struct mpj_wstat_key *key);

/* Time and counters of a thread since its start: what regions take differences of. */
struct mpj_usage {
    uint64_t run[MPJ_CORES]; /* ticks, by core */
    uint64_t cycles;
    uint64_t event[MPJ_CORES][MPJ_CORE_EVENTS];
    uint64_t barrier; /* ticks waited at OpenMP barriers */
};

struct mpj_rstat {
    uint32_t region; /* 0: free */
    uint32_t thread;
    uint32_t num; /* of the last execution: number in the team, team's size */
    uint32_t size;
    uint32_t count;
    uint64_t time;  /* ticks from begin to end */
    uint64_t first; /* ticks: first begin */
    struct mpj_usage use;
};

struct mpj_rstats {
    uint32_t used;
    uint32_t lost;
    struct mpj_rstat entry[MPJ_RSTAT_MAX];
};

/* The entry of a region and a thread, new and zero if need be; NULL when the table is full (counted
 * as lost). */
struct mpj_rstat *mpj_rstat_get(struct mpj_rstats *s, uint32_t region, uint32_t thread);

/* a += b - c, member by member. */
void mpj_usage_add_difference(struct mpj_usage *a, const struct mpj_usage *b,
                              const struct mpj_usage *c);

#endif
