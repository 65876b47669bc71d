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

void bus_init(struct bus *b, unsigned shift, unsigned crowd_slots)
{
    memset(b, 0, sizeof(*b));
    b->shift = shift;
    b->crowd_slots = crowd_slots;
}

/* The ring's entry for that word of time, cleared if it held an older one; BUS_WORDS if the ring
 * has already moved on. */
static unsigned entry_at(struct bus *b, uint64_t id)
{
    unsigned i = (unsigned)(id & (BUS_WORDS - 1));
    if (b->id[i] != id) {
        if (b->id[i] > id)
            return BUS_WORDS;
        b->id[i] = id;
        b->word[i] = 0;
        b->taken[i] = 0;
        memset(b->share[i], 0, sizeof(b->share[i]));
    }
    return i;
}

#define RECENT  16U /* words after which a silent core no longer counts as using the bus */
#define FULL    54U /* slots of a word from which on it counts as full: five sixths */
#define USER    8U  /* slots of a word that make a core one of those that fill it */
#define STARVED 16U /* a core that waited that many slots would have been one */

/*
 * How many cores crowd the bus: those that used the last word that all of them are done with, if
 * it was full, else 0.
 */
static unsigned crowd(const struct bus *b, uint64_t id)
{
    uint64_t oldest = id;
    for (unsigned i = 0; i < MPJ_CORES; i++)
        if (b->newest[i] < oldest && b->newest[i] + RECENT >= id)
            oldest = b->newest[i];
    if (oldest == 0)
        return 0;
    unsigned settled = (unsigned)((oldest - 1) & (BUS_WORDS - 1));
    if (b->taken[settled] < FULL || b->id[settled] != oldest - 1)
        return 0;
    unsigned users = 0;
    for (unsigned i = 0; i < MPJ_CORES; i++)
        users += b->share[settled][i] >= USER || b->starved[i];
    return users;
}

/*
 * The core that the emulator runs first would find a word of time empty and take what an arbiter
 * would have given to all in turn: on a crowded bus each core gets an equal share of each word.
 */
static uint32_t take(struct bus *b, const struct bus *other, unsigned core, uint64_t now,
                     unsigned slots, uint64_t *overlap)
{
    static const uint8_t shares[MPJ_CORES + 1] = {64, 64, 32, 21, 16};
    uint64_t first = now >> b->shift;
    uint64_t id = first >> 6;
    uint64_t before = ((uint64_t)1 << (first & 63)) - 1; /* slots of the word that are past */
    uint64_t last = first;
    if (b->newest[core] != id) { /* looked at once per core and word: this is hot */
        b->newest[core] = id;
        b->users[core] = (uint8_t)crowd(b, id);
    }
    unsigned users = b->users[core];
    unsigned most = shares[users];
    unsigned left = slots + (users > 2 ? b->crowd_slots : 0);
    b->used += left;
    if (left == 1 && slots == 1) { /* nearly always: one slot, and it is free */
        uint64_t mine = (uint64_t)1 << (first & 63);
        unsigned i = entry_at(b, id);
        if (i == BUS_WORDS)
            return 0;
        if (!(b->word[i] & mine) && b->share[i][core] < most) {
            b->word[i] |= mine;
            b->share[i][core]++;
            b->taken[i]++;
            b->starved[core] = false;
            if (other && other->id[i] == id && (other->word[i] & mine))
                ++*overlap;
            return 0;
        }
    }
    for (unsigned tries = 0; left > 0 && tries < BUS_WORDS; tries++, id++, before = 0) {
        unsigned i = entry_at(b, id);
        if (i == BUS_WORDS) /* so far behind the others that there is nobody to wait for */
            return 0;
        unsigned had = b->share[i][core];
        uint64_t free_slots = ~(b->word[i] | before);
        if (had >= most || !free_slots)
            continue;
        unsigned wanted = most - had < left ? most - had : left;
        uint64_t rest = free_slots;
        unsigned got = 0;
        do {
            rest &= rest - 1;
            got++;
        } while (got < wanted && rest);
        uint64_t mine = free_slots & ~rest;
        left -= got;
        b->word[i] |= mine;
        b->share[i][core] = (uint8_t)(had + got);
        b->taken[i] = (uint8_t)(b->taken[i] + got);
        last = (id << 6) + 63U - (unsigned)__builtin_clzll(mine);
        if (other && other->id[i] == id)
            for (uint64_t both = mine & other->word[i]; both; both &= both - 1)
                ++*overlap;
    }
    uint64_t late = last - (first + slots - 1);
    b->starved[core] = late >= STARVED;
    return (uint32_t)(late << b->shift);
}

uint32_t bus_take(struct bus *b, unsigned core, uint64_t now, unsigned slots)
{
    return take(b, NULL, core, now, slots, NULL);
}

uint32_t port_take(struct mpj_chip *c, unsigned core, uint32_t line, bool write, uint64_t now)
{
    unsigned p = line & 1; /* lines alternate between the two master ports */
    unsigned slots = (unsigned)(write ? c->prm.port_write_slots : c->prm.port_read_slots);
    unsigned event = (write ? MPJ_SCU_M0_WR_BUSY : MPJ_SCU_M0_RD_BUSY) + p;
    c->scu_ev[event] += (uint64_t)slots << c->port[p].shift;
    c->scu_ev[write ? MPJ_SCU_EXT_WR : MPJ_SCU_EXT_RD]++;
    return take(&c->port[p], &c->port[p ^ 1], core, now, slots, &c->overlap_slots);
}
