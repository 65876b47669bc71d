/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mpj_tables.h"

#include "hal_hot.h"

static uint32_t mix(uint32_t h, uint32_t v)
{
    return (h ^ v) * 2654435761U;
}

HAL_HOT struct mpj_wait_entry *mpj_waits_get(struct mpj_waits *t, const struct mpj_wait_key *key)
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

HAL_HOT struct mpj_region_entry *mpj_regions_get(struct mpj_regions *t, uint32_t fn, uint16_t owner)
{
    uint32_t i = (mix(mix(fn >> 2, owner), 1) >> 15) % (2U * MPJ_REGIONS_MAX);
    struct mpj_region_entry *e;

    for (; t->index[i] != 0; i = (i + 1U) % (2U * MPJ_REGIONS_MAX)) {
        e = &t->entry[t->index[i] - 1U];
        if (e->fn == fn && e->owner == owner)
            return e;
    }
    if (t->used == MPJ_REGIONS_MAX) {
        t->lost++;
        return NULL;
    }
    e = &t->entry[t->used++];
    *e = (struct mpj_region_entry){.fn = fn, .owner = owner};
    t->index[i] = (uint16_t)t->used;
    return e;
}
