/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Buses with finite bandwidth. Time is cut into slots; a transfer takes the first
 * free ones. The cores' times differ by up to a quantum, so requests do not come
 * in the order of their times: a single "busy until" would make the core that runs
 * second in a quantum wait for transfers that lie in its future. Slots are exact
 * about capacity and let the later caller use the gaps.
 */
#include "chip_int.h"

#include <string.h>

void bus_init(struct bus *b, unsigned shift)
{
    memset(b, 0, sizeof(*b));
    b->shift = shift;
}

/* The ring's word for that time, cleared if it held an older one; NULL if it already moved on. */
static uint64_t *word_at(struct bus *b, uint64_t id)
{
    unsigned i = (unsigned)(id & (BUS_WORDS - 1));
    if (b->id[i] != id) {
        if (b->id[i] > id)
            return NULL;
        b->id[i] = id;
        b->word[i] = 0;
    }
    return &b->word[i];
}

static uint32_t take(struct bus *b, const struct bus *other, uint64_t now, unsigned slots,
                     uint64_t *overlap)
{
    uint64_t first = now >> b->shift;
    uint64_t id = first >> 6;
    uint64_t before = ((uint64_t)1 << (first & 63)) - 1; /* slots of the word that are past */
    unsigned left = slots;
    uint64_t last = first;
    b->used += slots;
    /* A caller further than the ring behind the newest has no neighbours to wait for. */
    for (unsigned tries = 0; left > 0 && tries < BUS_WORDS; tries++, id++, before = 0) {
        uint64_t *word = word_at(b, id);
        if (!word)
            return 0;
        uint64_t free_slots = ~(*word | before);
        uint64_t mine = 0;
        while (left > 0 && free_slots) {
            mine |= free_slots & -free_slots;
            free_slots &= free_slots - 1;
            left--;
        }
        if (!mine)
            continue;
        *word |= mine;
        last = (id << 6) + 63U - (unsigned)__builtin_clzll(mine);
        if (other && other->id[id & (BUS_WORDS - 1)] == id)
            *overlap += (unsigned)__builtin_popcountll(mine & other->word[id & (BUS_WORDS - 1)]);
    }
    return (uint32_t)((last - (first + slots - 1)) << b->shift);
}

uint32_t bus_take(struct bus *b, uint64_t now, unsigned slots)
{
    return take(b, NULL, now, slots, NULL);
}

uint32_t port_take(struct mpj_chip *c, uint32_t line, bool write, uint64_t now)
{
    unsigned p = line & 1; /* lines alternate between the two master ports */
    unsigned slots = (unsigned)(write ? c->prm.port_write_slots : c->prm.port_read_slots);
    unsigned event = (write ? MPJ_SCU_M0_WR_BUSY : MPJ_SCU_M0_RD_BUSY) + p;
    c->scu_ev[event] += (uint64_t)slots << c->port[p].shift;
    c->scu_ev[write ? MPJ_SCU_EXT_WR : MPJ_SCU_EXT_RD]++;
    return take(&c->port[p], &c->port[p ^ 1], now, slots, &c->overlap_slots);
}
