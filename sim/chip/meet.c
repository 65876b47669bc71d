/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Meetings of cores: an access to a line that another core holds.
 *
 * Order. Such an access happens when all cores have reached that modelled time (mpj_chip_order()):
 * a store is visible only once it has been made, and transfers, upgrades and invalidations have one
 * order, that of their times.
 *
 * A queue per line. A line in transfer to a core cannot continue to the next one: requests for it
 * wait until it has arrived, in the order of their times. The SCU looks the request up then, and
 * takes the line scu_cycles after its arrival: this is the time the receiving core has for the
 * access that requested it (LDREX, ADD, STREX just fit).
 *
 * Watched lines. A core that is ahead may have *hit* a line that another one requests at an earlier
 * time. For a line that was recently contended, the fast test of the emulator fails for every core
 * (MPJ_LINE_WATCHED), so that hits, too, call this code and wait for their turn. A line is watched
 * from the second core on that requests it within MEET_SOON cycles, until no core had to request it
 * for MEET_FOR cycles. Both concern the exactness of the emulation, not the chip: a line that is
 * not watched costs nothing, and the error is a quantum for each time that contention for it
 * begins.
 */
#include "chip_int.h"

#include <string.h>

#define MEET_SOON 4096U
#define MEET_FOR  32768U
/* Longer than any queue: reached only if the caller of the model keeps no order. */
#define QUEUE_MAX 4096U

enum need {
    NOTHING, /* a hit, or no other core has the line */
    COPY,    /* of a clean line */
    TAKE     /* another core has modified it, or must give it up */
};

static struct meeting *set_of(struct mpj_chip *c, uint32_t line)
{
    return c->meeting[(line ^ line >> 8) & (MEET_SETS - 1)];
}

static struct meeting *find(struct mpj_chip *c, uint32_t line)
{
    struct meeting *e = set_of(c, line);
    for (unsigned way = 0; way < MEET_WAYS; way++)
        if (e[way].line == line)
            return &e[way];
    return NULL;
}

static void watch(struct mpj_chip *c, uint32_t line, bool on)
{
    if (on)
        c->dir[line] |= (uint8_t)DIR_WATCHED;
    else
        c->dir[line] &= (uint8_t)~DIR_WATCHED;
    for (unsigned i = 0; i < MPJ_CORES; i++)
        if (c->core[i].dline[line] != MPJ_LINE_I)
            line_set(c, &c->core[i], line, line_state(&c->core[i], line));
}

static inline uint64_t turn(struct mpj_chip *c, unsigned core, uint32_t line, uint64_t at,
                            enum mpj_turn how)
{
    return c->turn ? c->turn(c->turn_peer, core, line, at, how) : at;
}

/* Returns a meeting for the line, in the place of the line whose last request is the oldest. */
static struct meeting *add(struct mpj_chip *c, uint32_t line, unsigned core, uint64_t now)
{
    struct meeting *set = set_of(c, line);
    struct meeting *e = set;
    for (unsigned way = 1; way < MEET_WAYS; way++)
        if (set[way].line == MPJ_LINE_NONE || (e->line != MPJ_LINE_NONE && set[way].when < e->when))
            e = &set[way];
    if (e->line != MPJ_LINE_NONE && (c->dir[e->line] & DIR_WATCHED)) {
        (void)turn(c, core, e->line, now, MPJ_TURN_FORGET);
        watch(c, e->line, false);
    }
    *e = (struct meeting){.line = line, .core = core};
    return e;
}

static enum need need(const struct mpj_chip *c, unsigned core, uint32_t line, bool store)
{
    uint8_t mine = line_state(&c->core[core], line);
    unsigned others = c->dir[line] & DIR_CORES & ~(1U << core);
    enum need n = NOTHING;
    if (mine == MPJ_LINE_M || (mine != MPJ_LINE_I && !store))
        return NOTHING;
    for (; others; others &= others - 1) {
        uint8_t state = line_state(&c->core[__builtin_ctz(others)], line);
        if (state == MPJ_LINE_M || (store && state != MPJ_LINE_I))
            return TAKE;
        if (state != MPJ_LINE_I)
            n = COPY;
    }
    return n;
}

/* Returns by how many cycles the next line is late. The model has none of the disturbances of a
 * board (refresh of the SDRAM, phases of its clocks, interrupts of others), and without them loops
 * that contend for a line keep one of several patterns for ever. */
static uint32_t late(struct mpj_chip *c)
{
    return c->jitter == 0 ? 0 : (uint32_t)(splitmix64(&c->late) % (c->jitter + 1U));
}

/* Notes a request at `now`. Returns when it can start: at once, or when the line has arrived. */
static uint64_t request(struct mpj_chip *c, unsigned core, uint32_t line, enum need n,
                        struct meeting *e, uint64_t now)
{
    if (n == TAKE && e->core != core && e->when + MEET_SOON > now && !(c->dir[line] & DIR_WATCHED))
        watch(c, line, true);
    if (n == TAKE || (c->dir[line] & DIR_WATCHED)) {
        e->core = core;
        e->when = now;
    }
    uint64_t start = e->ready > now && e->ready < now + QUEUE_MAX ? e->ready : now;
    bool upgrade = line_state(&c->core[core], line) != MPJ_LINE_I;
    e->ready = start + late(c) +
               (uint32_t)(upgrade ? c->prm.scu_upgrade_cycles
                                  : c->prm.scu_cycles + c->prm.scu_transfer_cycles);
    return start;
}

bool mpj_chip_queue(struct mpj_chip *c, unsigned core, uint64_t at, uint64_t *taken)
{
    struct request *r = &c->request[core];
    enum need n = need(c, core, r->line, r->store);
    struct meeting *e;
    if (n == NOTHING || !(e = find(c, r->line)) || e->ready <= at || e->ready >= at + QUEUE_MAX)
        return false;
    *taken = request(c, core, r->line, n, e, at) + (uint32_t)c->prm.scu_cycles;
    r->wait = (uint32_t)(*taken - at);
    r->taken = *taken;
    r->queued = true;
    return true;
}

uint32_t meet(struct mpj_chip *c, unsigned core, uint32_t line, bool store, uint64_t *now)
{
    enum need n = need(c, core, line, store);
    bool watched = c->dir[line] & DIR_WATCHED;
    struct meeting *e;
    if (!watched) {
        if (n == NOTHING)
            return 0;
        if (n == COPY && (!(e = find(c, line)) || e->ready <= *now))
            return 0;
    }
    struct request *r = &c->request[core];
    *r = (struct request){.line = line, .store = store};
    *now = turn(c, core, line, *now, n == NOTHING && !store ? MPJ_TURN_POLL : MPJ_TURN_NOW);
    if (r->queued) {
        *now = r->taken;
        return r->wait;
    }
    n = need(c, core, line, store);
    e = find(c, line);
    if (n == NOTHING) {
        if (e && (c->dir[line] & DIR_WATCHED) && *now > e->when + MEET_FOR)
            watch(c, line, false);
        return 0;
    }
    if (!e) {
        if (n == COPY)
            return 0;
        e = add(c, line, core, *now);
    }
    uint64_t start = request(c, core, line, n, e, *now);
    if (start == *now)
        return 0;
    uint64_t taken = start + (uint32_t)c->prm.scu_cycles;
    uint32_t wait = (uint32_t)(taken - *now);
    (void)turn(c, core, line, taken, MPJ_TURN_AFTER);
    *now = taken;
    return wait;
}

uint64_t mpj_chip_watched(struct mpj_chip *c, uint32_t line)
{
    const struct meeting *e = find(c, line);
    return !(c->dir[line] & DIR_WATCHED) ? 0 : e ? e->when + MEET_FOR : UINT64_MAX;
}

void meet_done(struct mpj_chip *c, uint32_t line, uint64_t ready)
{
    struct meeting *e = find(c, line);
    if (e && e->ready < ready)
        e->ready = ready;
}

void meet_reset(struct mpj_chip *c)
{
    c->late = c->seed ^ 0x6c617465U;
    for (unsigned set = 0; set < MEET_SETS; set++)
        for (unsigned way = 0; way < MEET_WAYS; way++)
            c->meeting[set][way] = (struct meeting){.line = MPJ_LINE_NONE};
}

void mpj_chip_order(struct mpj_chip *c, mpj_chip_turn *turn_of, void *peer)
{
    c->turn = turn_of;
    c->turn_peer = peer;
}

void mpj_core_counted(const struct mpj_chip *c, unsigned core, struct mpj_counted *out)
{
    const struct core *k = &c->core[core];
    memcpy(out->ev, k->ev, sizeof(out->ev));
    out->other = 0;
    for (unsigned i = 0; i < X_COUNT; i++)
        out->other += k->x[i];
}

void mpj_core_repeat(struct mpj_chip *c, unsigned core, const struct mpj_counted *each,
                     uint64_t times)
{
    c->core[core].hot->dirty |= MPJ_DIRTY_MISS;
    for (unsigned i = 0; i < MPJ_EV_COUNT; i++)
        c->core[core].ev[i] += each->ev[i] * times;
}
