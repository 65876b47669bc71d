/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mpj_tables.h"

#include <stddef.h>
#include <string.h>

static uint32_t mix(uint32_t h, uint32_t v)
{
    return (h ^ v) * 2654435761U;
}

static bool same(const struct mpj_wait_key *a, const struct mpj_wait_key *b)
{
    return a->thread == b->thread && a->kind == b->kind && a->object == b->object &&
           a->owner == b->owner && a->caller == b->caller;
}

void mpj_waits_add(struct mpj_waits *t, const struct mpj_wait_key *key, uint64_t ticks)
{
    uint32_t h = mix(mix(key->thread, key->kind), key->object >> 2);
    struct mpj_wait_entry *e;
    uint32_t i;

    h = mix(mix(h, key->owner), key->caller);
    i = (h >> 15) % (2U * MPJ_WAITS_MAX);
    while (t->index[i] != 0 && !same(&t->entry[t->index[i] - 1U].key, key))
        i = (i + 1U) % (2U * MPJ_WAITS_MAX);
    if (t->index[i] == 0) {
        if (t->used == MPJ_WAITS_MAX) {
            t->lost++;
            return;
        }
        t->entry[t->used++] = (struct mpj_wait_entry){.key = *key};
        t->index[i] = (uint16_t)t->used;
    }
    e = &t->entry[t->index[i] - 1U];
    e->count++;
    e->total += ticks;
    if (ticks > e->longest)
        e->longest = ticks;
}

struct mpj_region_entry *mpj_regions_get(struct mpj_regions *t, uint32_t fn, uint32_t thread)
{
    uint32_t i = (mix(mix(fn >> 2, thread), 1) >> 15) % (2U * MPJ_REGIONS_MAX);
    struct mpj_region_entry *e;

    for (; t->index[i] != 0; i = (i + 1U) % (2U * MPJ_REGIONS_MAX)) {
        e = &t->entry[t->index[i] - 1U];
        if (e->fn == fn && e->thread == thread)
            return e;
    }
    if (t->used == MPJ_REGIONS_MAX) {
        t->lost++;
        return NULL;
    }
    e = &t->entry[t->used++];
    memset(e, 0, sizeof(*e));
    e->fn = fn;
    e->thread = thread;
    t->index[i] = (uint16_t)t->used;
    return e;
}

void mpj_usage_add_difference(struct mpj_usage *a, const struct mpj_usage *b,
                              const struct mpj_usage *c, unsigned pairs)
{
    a->time += b->time - c->time;
    a->run += b->run - c->run;
    a->barrier += b->barrier - c->barrier;
    for (unsigned i = 0; i < pairs; i++) {
        a->sum[i].cycles += b->sum[i].cycles - c->sum[i].cycles;
        for (unsigned j = 0; j < MPJ_PMU_COUNTERS; j++)
            a->sum[i].event[j] += b->sum[i].event[j] - c->sum[i].event[j];
    }
}

void mpj_timeline_init(struct mpj_timeline *t, uint64_t start)
{
    t->width = MPJ_BIN_WIDTH;
    t->first = start / MPJ_BIN_WIDTH;
    t->end = (t->first + 1U) * MPJ_BIN_WIDTH;
    t->used = 1;
    t->run[0] = 0;
    t->block[0] = 0;
}

/* Bins 2n and 2n + 1 become bin n. */
static void widen(struct mpj_timeline *t)
{
    const uint32_t odd = (uint32_t)(t->first & 1U);
    const uint32_t used = t->used;

    for (uint32_t i = 0; i < used; i++) {
        const uint32_t run = t->run[i], block = t->block[i];
        const uint32_t to = (i + odd) / 2U;

        if (i == 0 || ((i + odd) & 1U) == 0) {
            t->run[to] = run;
            t->block[to] = block;
        } else {
            t->run[to] += run;
            t->block[to] += block;
        }
    }
    t->used = (used - 1U + odd) / 2U + 1U;
    t->first /= 2U;
    t->width *= 2U;
    t->end = (t->first + t->used) * t->width;
}

void mpj_timeline_add(struct mpj_timeline *t, uint64_t from, uint64_t to, bool block)
{
    while (from < to) {
        uint32_t part;

        while (from >= t->end) {
            if (t->used == MPJ_BINS_MAX) {
                widen(t);
                continue;
            }
            t->run[t->used] = 0;
            t->block[t->used] = 0;
            t->used++;
            t->end += t->width;
        }
        part = (uint32_t)((to < t->end ? to : t->end) - from);
        *(block ? &t->block[t->used - 1U] : &t->run[t->used - 1U]) += part;
        from += part;
    }
}
