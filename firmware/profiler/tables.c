/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mpj_tables.h"

#include <stddef.h>
#include <string.h>

static uint32_t mix(uint32_t h, uint32_t v)
{
    return (h ^ v) * 2654435761U;
}

struct mpj_wait_entry *mpj_waits_get(struct mpj_waits *t, const struct mpj_wait_key *key)
{
    uint32_t h = mix(mix(key->thread, key->kind), key->object >> 2);
    uint32_t i;

    h = mix(mix(h, key->owner), key->caller);
    i = (h >> 15) % (2U * MPJ_WAITS_MAX);
    while (t->index[i] != 0 && !mpj_wait_key_same(&t->entry[t->index[i] - 1U].key, key))
        i = (i + 1U) % (2U * MPJ_WAITS_MAX);
    if (t->index[i] == 0) {
        if (t->used == MPJ_WAITS_MAX)
            return NULL;
        t->entry[t->used++] = (struct mpj_wait_entry){.key = *key};
        t->index[i] = (uint16_t)t->used;
    }
    return &t->entry[t->index[i] - 1U];
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
#pragma GCC unroll 2
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
    t->open_run = 0;
    t->open_block = 0;
}

void mpj_timeline_close(struct mpj_timeline *t)
{
    t->run[t->used - 1U] = t->open_run;
    t->block[t->used - 1U] = t->open_block;
}

/* Neighbours join, from bin `odd` on; an odd first one stays alone. Returns how many are left. */
static uint32_t join(uint32_t *bin, uint32_t used, uint32_t odd)
{
    uint32_t *to = bin + odd;
    const uint32_t *from = to;
    const uint32_t *const end = bin + used;

    for (; from + 1 < end; from += 2)
        *to++ = from[0] + from[1];
    if (from < end)
        *to++ = *from;
    return (uint32_t)(to - bin);
}

/* Bins 2n and 2n + 1 become bin n. All are closed. */
static void widen(struct mpj_timeline *t)
{
    const uint32_t odd = (uint32_t)(t->first & 1U);
    const uint32_t used = t->used;

    t->used = join(t->run, used, odd);
    (void)join(t->block, used, odd);
    t->first /= 2U;
    t->width *= 2U;
    t->end = (t->first + t->used) * t->width;
    t->open_run = t->run[t->used - 1U];
    t->open_block = t->block[t->used - 1U];
}

/* Whole bins of the same from the last one's end up to `to`, as far as there is room. */
static void fill(struct mpj_timeline *t, uint64_t to, uint32_t run, uint32_t block)
{
    const uint32_t width = (uint32_t)t->width;
    uint32_t left = to - t->end > UINT32_MAX ? UINT32_MAX : (uint32_t)(to - t->end);
    uint32_t i = t->used;

    for (; i < MPJ_BINS_MAX && left >= width; i++, left -= width) {
        t->run[i] = run;
        t->block[i] = block;
    }
    t->end += (uint64_t)(i - t->used) * width;
    t->used = i;
    t->open_run = t->run[i - 1U];
    t->open_block = t->block[i - 1U];
}

void mpj_timeline_extend(struct mpj_timeline *t, uint64_t from, uint64_t to, bool block)
{
    while (from < to) {
        uint64_t part;

        if (from >= t->end) {
            const uint32_t width = (uint32_t)t->width;

            mpj_timeline_close(t);
            if (t->used == MPJ_BINS_MAX) {
                widen(t);
            } else if (from - t->end >= width) { /* it did neither */
                fill(t, from, 0, 0);
            } else if (from == t->end && to - from >= width) {
                fill(t, to, block ? 0 : width, block ? width : 0);
                from = t->end;
            } else {
                t->used++;
                t->end += width;
                t->open_run = 0;
                t->open_block = 0;
            }
            continue;
        }
        part = (to < t->end ? to : t->end) - from;
        *(block ? &t->open_block : &t->open_run) += (uint32_t)part;
        from += part;
    }
}
