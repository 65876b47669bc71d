/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables of the profile of threads: waits with their causes and durations, and each thread's part
 * in each parallel region. Plain data; the caller serialises.
 */
#ifndef MPJ_TABLES_H
#define MPJ_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "mpj_prof.h"

/* Number of entries; the indexes are twice as large, powers of two. */
#define MPJ_WAITS_MAX   4096U
#define MPJ_REGIONS_MAX 1024U

struct mpj_wait_key {
    uint32_t thread : 24; /* width of a core's software context */
    uint32_t kind : 8;    /* enum mpj_wait_kind */
    uint32_t object;
    uint32_t owner;
    uint32_t caller;
};

static inline bool mpj_wait_key_same(const struct mpj_wait_key *a, const struct mpj_wait_key *b)
{
    return a->thread == b->thread && a->kind == b->kind && a->object == b->object &&
           a->owner == b->owner && a->caller == b->caller;
}

/* One line of the cache, so times (ticks) have 48 bits: four months. */
struct mpj_wait_entry {
    struct mpj_wait_key key;
    uint32_t count;
    uint32_t total_low, longest_low;
    uint16_t total_high, longest_high;
} __attribute__((aligned(32)));

static inline uint64_t mpj_wait_total(const struct mpj_wait_entry *e)
{
    return ((uint64_t)e->total_high << 32) | e->total_low;
}

static inline uint64_t mpj_wait_longest(const struct mpj_wait_entry *e)
{
    return ((uint64_t)e->longest_high << 32) | e->longest_low;
}

/* Counts one more wait, of `ticks` ticks. */
static inline void mpj_wait_count(struct mpj_wait_entry *e, uint64_t ticks)
{
    const uint64_t total = mpj_wait_total(e) + ticks;

    e->count++;
    e->total_low = (uint32_t)total;
    e->total_high = (uint16_t)(total >> 32);
    if (ticks > mpj_wait_longest(e)) {
        e->longest_low = (uint32_t)ticks;
        e->longest_high = (uint16_t)(ticks >> 32);
    }
}

struct mpj_waits {
    uint32_t used;
    uint32_t lost;                      /* waits without an entry, since the table was full */
    uint32_t free;                      /* free entry + 1, linked by its total; 0: none */
    uint16_t index[2U * MPJ_WAITS_MAX]; /* entry + 1; 0: none */
    struct mpj_wait_entry *entry;       /* MPJ_WAITS_MAX, contents undefined at first */
};

/* Returns the entry of a key; NULL when the table is full. */
struct mpj_wait_entry *mpj_waits_get(struct mpj_waits *t, const struct mpj_wait_key *key);

/* Merges entries whose keys have become equal; the others are not moved, and the remaining entries
 * (of thread 0) become free. */
void mpj_waits_join(struct mpj_waits *t);

/* Resources that a thread uses: regions take differences of it. */
enum mpj_use {
    MPJ_USE_TIME, /* ticks, from begin to end */
    MPJ_USE_RUN,
    MPJ_USE_BARRIER, /* waited at OpenMP barriers */
    MPJ_USE_CYCLES,  /* cycles and events of the first pair */
    MPJ_USE_EVENT0,
    MPJ_USE_EVENT1,
    MPJ_USES
};

/* Two lines of the cache that a thread writes in each execution. */
struct mpj_region_entry {
    uint32_t fn;
    uint32_t calls;
    uint64_t use[MPJ_USES]; /* during an execution: without it, minus all before it */
    uint32_t caller;        /* return address of the last call that forked */
    uint16_t owner;         /* number of the thread's record */
    uint16_t size;          /* threads in the team, last */
} __attribute__((aligned(32)));

struct mpj_regions {
    uint32_t used;
    uint32_t lost; /* executions without an entry, since the table was full */
    uint32_t free; /* free entry (fn 0) + 1, linked by its `caller`; 0: none */
    uint16_t index[2U * MPJ_REGIONS_MAX];
    struct mpj_region_entry *entry; /* MPJ_REGIONS_MAX, contents undefined at first */
};

/* Returns the entry of a region and a thread's record, zero if it is new; NULL when the table is
 * full (counted as lost). */
struct mpj_region_entry *mpj_regions_get(struct mpj_regions *t, uint32_t fn, uint16_t owner);
/* Frees an entry. mpj_regions_index() must follow. */
void mpj_regions_drop(struct mpj_regions *t, struct mpj_region_entry *e);
/* Rebuilds the index after owners of entries have changed. */
void mpj_regions_index(struct mpj_regions *t);

#endif
