/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mpj_tables.h"

#include <string.h>

#include "hal_hot.h"

static uint32_t mix(uint32_t h, uint32_t v)
{
    return (h ^ v) * 2654435761U;
}

/* Returns the place in the index that contains the key, or may take it. */
HAL_HOT static uint32_t wait_place(const struct mpj_waits *t, const struct mpj_wait_key *key)
{
    uint32_t h = mix(mix(key->thread, key->kind), key->object >> 2);
    uint32_t i;

    h = mix(mix(h, key->owner), key->caller);
    i = (h >> 15) % (2U * MPJ_WAITS_MAX);
    while (t->index[i] != 0 && !mpj_wait_key_same(&t->entry[t->index[i] - 1U].key, key))
        i = (i + 1U) % (2U * MPJ_WAITS_MAX);
    return i;
}

HAL_HOT struct mpj_wait_entry *mpj_waits_get(struct mpj_waits *t, const struct mpj_wait_key *key)
{
    const uint32_t i = wait_place(t, key);

    if (t->index[i] == 0) {
        uint32_t e = t->used;

        if (t->free != 0) {
            e = t->free - 1U;
            t->free = t->entry[e].total_low;
        } else if (t->used == MPJ_WAITS_MAX) {
            return NULL;
        } else {
            t->used++;
        }
        t->entry[e] = (struct mpj_wait_entry){.key = *key};
        t->index[i] = (uint16_t)(e + 1U);
    }
    return &t->entry[t->index[i] - 1U];
}

static void join_wait(struct mpj_wait_entry *to, const struct mpj_wait_entry *from)
{
    const uint64_t total = mpj_wait_total(to) + mpj_wait_total(from);

    to->count += from->count;
    to->total_low = (uint32_t)total;
    to->total_high = (uint16_t)(total >> 32);
    if (mpj_wait_longest(from) > mpj_wait_longest(to)) {
        to->longest_low = from->longest_low;
        to->longest_high = from->longest_high;
    }
}

void mpj_waits_join(struct mpj_waits *t)
{
    memset(t->index, 0, sizeof(t->index));
    t->free = 0;
    for (uint32_t e = 0; e < t->used; e++) {
        struct mpj_wait_entry *const entry = &t->entry[e];
        const bool taken = entry->key.thread != 0;
        const uint32_t i = taken ? wait_place(t, &entry->key) : 0U;

        if (taken && t->index[i] == 0) {
            t->index[i] = (uint16_t)(e + 1U);
            continue;
        }
        if (taken)
            join_wait(&t->entry[t->index[i] - 1U], entry);
        *entry = (struct mpj_wait_entry){.total_low = t->free};
        t->free = e + 1U;
    }
}

HAL_HOT static uint32_t region_place(const struct mpj_regions *t, uint32_t fn, uint16_t owner)
{
    uint32_t i = (mix(mix(fn >> 2, owner), 1) >> 15) % (2U * MPJ_REGIONS_MAX);

    for (; t->index[i] != 0; i = (i + 1U) % (2U * MPJ_REGIONS_MAX)) {
        const struct mpj_region_entry *const e = &t->entry[t->index[i] - 1U];

        if (e->fn == fn && e->owner == owner)
            break;
    }
    return i;
}

HAL_HOT struct mpj_region_entry *mpj_regions_get(struct mpj_regions *t, uint32_t fn, uint16_t owner)
{
    const uint32_t i = region_place(t, fn, owner);

    if (t->index[i] == 0) {
        uint32_t e = t->used;

        if (t->free != 0) {
            e = t->free - 1U;
            t->free = t->entry[e].caller;
        } else if (t->used == MPJ_REGIONS_MAX) {
            t->lost++;
            return NULL;
        } else {
            t->used++;
        }
        t->entry[e] = (struct mpj_region_entry){.fn = fn, .owner = owner};
        t->index[i] = (uint16_t)(e + 1U);
    }
    return &t->entry[t->index[i] - 1U];
}

void mpj_regions_drop(struct mpj_regions *t, struct mpj_region_entry *e)
{
    *e = (struct mpj_region_entry){.caller = t->free};
    t->free = (uint32_t)(e - t->entry) + 1U;
}

void mpj_regions_index(struct mpj_regions *t)
{
    memset(t->index, 0, sizeof(t->index));
    for (uint32_t e = 0; e < t->used; e++) {
        if (t->entry[e].fn != 0)
            t->index[region_place(t, t->entry[e].fn, t->entry[e].owner)] = (uint16_t)(e + 1U);
    }
}
