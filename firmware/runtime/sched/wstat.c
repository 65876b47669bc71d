/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "wstat.h"

#include <stddef.h>
#include <string.h>

static uint32_t mix(uint32_t h, uint32_t v)
{
    return (h ^ v) * 2654435761U;
}

static uint32_t slot_of(const struct mpj_wstat_key *key)
{
    uint32_t h = mix(key->waiter, key->kind);

    h = mix(h, key->object >> 2);
    h = mix(h, key->owner);
    h = mix(h, key->caller);
    return (h >> 15) % MPJ_WSTAT_MAX;
}

static bool same(const struct mpj_wstat_key *a, const struct mpj_wstat_key *b)
{
    return a->waiter == b->waiter && a->kind == b->kind && a->object == b->object &&
           a->owner == b->owner && a->caller == b->caller;
}

void mpj_wstat_add(struct mpj_wstats *s, const struct mpj_wstat_key *key, uint64_t ticks)
{
    uint32_t i = slot_of(key);

    while (s->entry[i].key.waiter != 0 && !same(&s->entry[i].key, key))
        i = (i + 1U) % MPJ_WSTAT_MAX;
    if (s->entry[i].key.waiter == 0) {
        if (s->used >= MPJ_WSTAT_MAX / 4U * 3U) {
            s->lost++;
            return;
        }
        s->used++;
        s->entry[i].key = *key;
    }
    s->entry[i].count++;
    s->entry[i].total += ticks;
    if (ticks > s->entry[i].longest)
        s->entry[i].longest = ticks;
}

const struct mpj_wstat *mpj_wstat_find(const struct mpj_wstats *s, const struct mpj_wstat_key *key)
{
    uint32_t i = slot_of(key);

    while (s->entry[i].key.waiter != 0 && !same(&s->entry[i].key, key))
        i = (i + 1U) % MPJ_WSTAT_MAX;
    return s->entry[i].key.waiter != 0 ? &s->entry[i] : NULL;
}

struct mpj_rstat *mpj_rstat_get(struct mpj_rstats *s, uint32_t region, uint32_t thread)
{
    uint32_t i = (mix(mix(region >> 2, thread), 1) >> 15) % MPJ_RSTAT_MAX;

    while (s->entry[i].region != 0 &&
           (s->entry[i].region != region || s->entry[i].thread != thread))
        i = (i + 1U) % MPJ_RSTAT_MAX;
    if (s->entry[i].region == 0) {
        if (s->used >= MPJ_RSTAT_MAX / 4U * 3U) {
            s->lost++;
            return NULL;
        }
        s->used++;
        s->entry[i].region = region;
        s->entry[i].thread = thread;
    }
    return &s->entry[i];
}

void mpj_usage_add_difference(struct mpj_usage *a, const struct mpj_usage *b,
                              const struct mpj_usage *c)
{
    for (unsigned i = 0; i < MPJ_CORES; i++) {
        a->run[i] += b->run[i] - c->run[i];
        for (unsigned j = 0; j < MPJ_CORE_EVENTS; j++)
            a->event[i][j] += b->event[i][j] - c->event[i][j];
    }
    a->cycles += b->cycles - c->cycles;
    a->barrier += b->barrier - c->barrier;
}
