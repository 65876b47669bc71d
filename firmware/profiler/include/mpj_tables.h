/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables of the profile of threads: who waited for what how long, what each thread did in each
 * parallel region, when a thread ran. Plain data; the caller serialises.
 */
#ifndef MPJ_TABLES_H
#define MPJ_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "mpj_prof.h"

/* Entries; the indexes are twice as large, powers of two. */
#define MPJ_WAITS_MAX   4096U
#define MPJ_REGIONS_MAX 1024U
#define MPJ_BINS_MAX    256U
#define MPJ_BIN_WIDTH   2400U /* ticks at first: 100 us */

struct mpj_wait_key {
    uint32_t thread;
    uint32_t kind; /* enum mpj_wait_kind */
    uint32_t object;
    uint32_t owner;
    uint32_t caller;
};

static inline bool mpj_wait_key_same(const struct mpj_wait_key *a, const struct mpj_wait_key *b)
{
    return a->thread == b->thread && a->kind == b->kind && a->object == b->object &&
           a->owner == b->owner && a->caller == b->caller;
}

struct mpj_wait_entry {
    struct mpj_wait_key key;
    uint32_t count;
    uint64_t total, longest; /* ticks */
};

struct mpj_waits {
    uint32_t used;
    uint32_t lost;                      /* waits that found no room */
    uint16_t index[2U * MPJ_WAITS_MAX]; /* entry + 1; 0: none */
    struct mpj_wait_entry *entry;       /* MPJ_WAITS_MAX, contents undefined at first */
};

/* The entry of a key; NULL when the table is full. */
struct mpj_wait_entry *mpj_waits_get(struct mpj_waits *t, const struct mpj_wait_key *key);
/* What a thread has used since its start: regions take differences of it. */
struct mpj_usage {
    uint64_t time; /* the moment, ticks */
    uint64_t run;
    uint64_t barrier; /* waited at OpenMP barriers */
    struct mpj_prof_sum sum[MPJ_PROF_PAIRS];
};

struct mpj_region_entry {
    uint32_t fn;
    uint32_t thread;
    uint32_t size;   /* threads in the team, last */
    uint32_t caller; /* behind the call that forked, last */
    uint64_t calls;
    struct mpj_usage use; /* time: from begin to end */
};

struct mpj_regions {
    uint32_t used;
    uint32_t lost; /* executions that found no room */
    uint16_t index[2U * MPJ_REGIONS_MAX];
    struct mpj_region_entry *entry; /* MPJ_REGIONS_MAX, contents undefined at first */
};

/* The entry of a region and a thread, zero if it is new; NULL when the table is full (counted as
 * lost). */
struct mpj_region_entry *mpj_regions_get(struct mpj_regions *t, uint32_t fn, uint32_t thread);
/* a += b - c, the first `pairs` pairs. */
void mpj_usage_add_difference(struct mpj_usage *a, const struct mpj_usage *b,
                              const struct mpj_usage *c, unsigned pairs);

/* Ticks run and blocked in equal bins. When a thread outlives them, the bins get twice as wide. */
struct mpj_timeline {
    uint64_t end;                  /* of the last bin in use */
    uint32_t open_run, open_block; /* what is in the last bin */
    uint64_t width;
    uint64_t first; /* number of bin 0, from the start of the run */
    uint32_t used;
    uint32_t run[MPJ_BINS_MAX], block[MPJ_BINS_MAX]; /* but for the last bin's */
};

/* Empty; nothing before `start` (ticks since the run began) will be added. */
void mpj_timeline_init(struct mpj_timeline *t, uint64_t start);
/* Beyond the last bin: for mpj_timeline_add(). */
void mpj_timeline_extend(struct mpj_timeline *t, uint64_t from, uint64_t to, bool block);
/* What is in the last bin goes to the others, too: all of them can be read. */
void mpj_timeline_close(struct mpj_timeline *t);

/* Adds the time [from, to) since the run began, which does not begin before the last one's end.
 * block: waited for others; else run. */
static inline void mpj_timeline_add(struct mpj_timeline *t, uint64_t from, uint64_t to, bool block)
{
    if (to > t->end)
        mpj_timeline_extend(t, from, to, block);
    else if (block)
        t->open_block += (uint32_t)(to - from);
    else
        t->open_run += (uint32_t)(to - from);
}

#endif
