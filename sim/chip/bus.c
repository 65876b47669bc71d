/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Buses with finite bandwidth. Time is cut into slots; a transfer takes the first
 * free ones. The cores' times differ by up to a quantum, so requests do not arrive
 * in the order of their times: a single "busy until" would make the core that runs
 * second in a quantum wait for transfers that lie in its future. Slots are exact
 * about capacity and let the later caller use the gaps.
 *
 * Two quantities depend on the other cores: a core's share of a full bus, and the
 * slots that contention costs. Both follow continuously from words of the calendar
 * that every core has passed: a small shift of one core's stream (an interrupt)
 * must not switch the bus into another mode for the rest of a loop, and a core that
 * is idle now must not count because it once waited.
 */
#include "chip_int.h"

#include <string.h>

#define RECENT 16U /* words after which a silent core no longer counts as using the bus */
#define SEEN   4U  /* words of traffic that decide what comes next */
#define FULL   (64U * SEEN)
#define BURST  32U /* slots that a core may have saved up of its share */

void bus_init(struct bus *b, unsigned shift, unsigned crowd_slots)
{
    memset(b, 0, sizeof(*b));
    b->shift = shift;
    b->crowd_slots = crowd_slots;
    b->most = FULL;
}

/* Returns the ring's entry for that word of time, cleared if it held an older one; NULL if the ring
 * has already moved on. */
static inline struct bus_word *entry_at(struct bus *b, uint64_t id)
{
    struct bus_word *w = &b->ring[id & (BUS_WORDS - 1)];
    if (w->id != id) {
        if (w->id > id)
            return NULL;
        *w = (struct bus_word){.id = id};
    }
    return w;
}

/* Returns the position of x between lo and hi, in 64ths. */
static unsigned ramp(unsigned x, unsigned lo, unsigned hi)
{
    return x <= lo ? 0 : x >= hi ? 64 : (x - lo) * 64 / (hi - lo);
}

/* Returns the slots that a core would have used without waiting for the bus. */
static unsigned wish(unsigned got, unsigned waited)
{
    return got + waited >= FULL ? FULL : got * FULL / (FULL - waited);
}

/*
 * Determines what a core may take of `FULL` slots, as a round-robin arbiter would grant it, and the
 * cost of contention: derived from the words before `oldest`, which all cores have passed, so that
 * it does not matter which core is simulated first. Small changes of the traffic cause small
 * changes here.
 */
static void judge(struct bus *b, uint64_t oldest)
{
    unsigned got[MPJ_CORES] = {0};
    unsigned waited[MPJ_CORES] = {0};
    unsigned taken = 0;
    unsigned sum = 0;
    unsigned users = 0;
    b->judged = oldest;
    b->extra = 0;
    b->most = FULL;
    for (uint64_t w = oldest - 1; w + SEEN >= oldest && w < oldest; w--) {
        const struct bus_word *e = &b->ring[w & (BUS_WORDS - 1)];
        if (e->id == w)
            taken += (unsigned)e->taken;
    }
    if (taken < FULL / 4) /* most often */
        return;
    for (uint64_t w = oldest - 1; w + SEEN >= oldest && w < oldest; w--) {
        const struct bus_word *e = &b->ring[w & (BUS_WORDS - 1)];
        if (e->id != w)
            continue;
        for (unsigned i = 0; i < MPJ_CORES; i++) {
            got[i] += e->share[i];
            waited[i] += e->wait[i];
        }
    }
    unsigned want[MPJ_CORES];
    for (unsigned i = 0; i < MPJ_CORES; i++) {
        want[i] = wish(got[i], waited[i]);
        sum += want[i];
        users += ramp(got[i], 4 * SEEN, 10 * SEEN); /* a sixteenth: not a user, a sixth: one */
    }
    if (users >= 128 && taken >= FULL / 2)
        b->shared_until = (oldest + RECENT) * 64 << b->shift;
    if (users > 128) /* comes with the third user, and as the bus gets full */
        b->extra = ramp(taken, 50 * SEEN, 58 * SEEN) * (users < 192 ? users - 128 : 64) / 64;
    if (sum <= FULL)
        return;
    /* The level at which the demands, cut off there, fill the words: those below it are met in
     * full. */
    unsigned level = FULL / MPJ_CORES;
    for (unsigned n = 0; n < MPJ_CORES; n++) {
        unsigned rest = FULL;
        unsigned above = 0;
        for (unsigned i = 0; i < MPJ_CORES; i++)
            if (want[i] > level)
                above++;
            else
                rest -= want[i];
        if (above == 0)
            break;
        level = rest / above;
    }
    b->most = level;
}

/* Notes a core's first request in word `id`: the slowest of the others may have passed a word. */
static void enter(struct bus *b, unsigned core, uint64_t id)
{
    uint64_t oldest = id;
    b->newest[core] = id;
    for (unsigned i = 0; i < MPJ_CORES; i++)
        if (b->newest[i] < oldest && b->newest[i] + RECENT >= id)
            oldest = b->newest[i];
    if (oldest > b->judged)
        judge(b, oldest);
}

/*
 * Takes slots for a core. The core that the emulator runs first would find a word of time empty and
 * take slots that an arbiter would have granted to all in turn: on a full bus a core's transfers
 * keep the distance that follows from its share, and the gaps remain for those that are simulated
 * later.
 */
static inline uint32_t take(struct bus *b, const struct bus *other, unsigned core, uint64_t now,
                            unsigned slots, uint64_t *overlap)
{
    uint64_t first = now >> b->shift;
    uint64_t id = first >> 6;
    if (id > b->newest[core]) /* once per core and word: this is hot */
        enter(b, core, id);
    struct bus_word *home = entry_at(b, id);
    if (!home) /* so late that no other core contends for these slots */
        return 0;
    unsigned most = b->most;
    uint64_t mine = (uint64_t)1 << (first & 63);
    unsigned more = b->carry[core] + b->extra * b->crowd_slots;
    unsigned left = slots + more / 64;
    b->carry[core] = (uint8_t)(more % 64);
    b->used += left;
    if (left == 1 && slots == 1 && most == FULL && !(home->slots & mine)) { /* nearly always */
        home->slots |= mine;
        home->share[core]++;
        home->taken++;
        if (other) {
            const struct bus_word *o = &other->ring[id & (BUS_WORDS - 1)];
            if (o->id == id && (o->slots & mine))
                ++*overlap;
        }
        return 0;
    }
    uint64_t from = first;
    if (most < FULL) {
        uint64_t earliest = first > BURST ? (first - BURST) * 64 : 0; /* 64ths of a slot */
        uint64_t latest = (first + FULL) * 64; /* posted writes do not push it further out */
        if (b->pace[core] < earliest)
            b->pace[core] = earliest;
        if (b->pace[core] > latest)
            b->pace[core] = latest;
        if (b->pace[core] / 64 > first)
            from = b->pace[core] / 64;
        b->pace[core] += left * 64 * FULL / most;
    }
    uint64_t last = from;
    uint64_t whole = from; /* its last slot, were it in one piece */
    unsigned all = left;
    id = from >> 6;
    uint64_t before = ((uint64_t)1 << (from & 63)) - 1; /* slots of the word that are past */
    for (unsigned tries = 0; left > 0 && tries < BUS_WORDS; tries++, id++, before = 0) {
        struct bus_word *w = entry_at(b, id);
        if (!w)
            break;
        uint64_t free_slots = ~(w->slots | before);
        if (!free_slots)
            continue;
        uint64_t rest = free_slots;
        unsigned got = 0;
        do {
            rest &= rest - 1;
            got++;
        } while (got < left && rest);
        mine = free_slots & ~rest;
        if (left == all)
            whole = (id << 6) + (unsigned)__builtin_ctzll(mine) + all - 1;
        left -= got;
        w->slots |= mine;
        w->share[core] = (uint8_t)(w->share[core] + got);
        w->taken += got;
        last = (id << 6) + 63U - (unsigned)__builtin_clzll(mine);
        if (other) {
            const struct bus_word *o = &other->ring[id & (BUS_WORDS - 1)];
            if (o->id == id)
                for (uint64_t both = mine & o->slots; both; both &= both - 1)
                    ++*overlap;
        }
    }
    uint64_t idle = first + slots - 1;
    if (last <= idle)
        return 0;
    /* A core that waits through whole words asked for all of them. */
    uint64_t waited = last - idle;
    for (uint64_t n = first >> 6; waited > 0 && n <= last >> 6; n++) {
        struct bus_word *w = entry_at(b, n);
        if (!w)
            break;
        unsigned room = 64U - w->wait[core];
        unsigned part = waited < room ? (unsigned)waited : room;
        w->wait[core] = (uint8_t)(w->wait[core] + part);
        waited -= part;
    }
    /* Once begun a transfer is not interrupted: one that blocks it was requested later, by
     * a core that was simulated before, and should have waited. The bus carries no more by that, as
     * the slots after the blocking one are taken. */
    if (last - whole <= 2 * all)
        last = whole;
    return (uint32_t)((last - idle) << b->shift);
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

bool mpj_buses_shared(const struct mpj_chip *c, uint64_t now)
{
    return now < c->mem.shared_until || now < c->port[0].shared_until ||
           now < c->port[1].shared_until;
}
