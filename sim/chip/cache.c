/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * L1 caches, SCU and L220.
 *
 * Whether an access hits is read from the line's state byte, so tags are kept for
 * replacement only. Replacement ignores hits: invalid ways first, then per set
 * round-robin, or pseudo-random. The L220 is neither inclusive nor exclusive: a
 * refill allocates in both, an L220 victim stays in the L1s.
 *
 * Coherence is MESI with the SCU's two shortcuts: clean lines are copied from L1
 * to L1, and a modified line that another core asks for moves there without a
 * write-back (migration). It arrives as E with DIR_DIRTY set: its first store
 * makes it M, and if a third core reads it before that, it is not migrating,
 * so it is written back and shared. Without that rule cores that
 * poll a flag would take the line from each other for ever.
 *
 * Where cores meet (meet.c) is decided before an access is looked up
 * here: when it may be issued, and up to which time the other cores must have run.
 */
#include "chip_int.h"

/* Allocates `line` in a cache; returns the line that was pushed out, or MPJ_LINE_NONE. */
static inline uint32_t fill(struct cache *k, uint32_t line)
{
    uint32_t set = line & k->set_mask;
    uint32_t *tag = &k->tag[(size_t)set * k->ways];
    uint32_t next = k->next[set];
    uint32_t way;
    if (!(next & SET_FULL)) {
        for (way = 0; way < k->ways; way++)
            if (tag[way] == MPJ_LINE_NONE) {
                tag[way] = line;
                return MPJ_LINE_NONE;
            }
        k->next[set] = (uint8_t)(next | SET_FULL);
    }
    if (k->random) { /* 16-bit maximal-length LFSR, x^16 + x^14 + x^13 + x^11 + 1 */
        uint32_t bit = (k->lfsr ^ (k->lfsr >> 2) ^ (k->lfsr >> 3) ^ (k->lfsr >> 5)) & 1;
        k->lfsr = (k->lfsr >> 1) | (bit << 15);
        way = k->lfsr & (k->ways - 1);
    } else {
        way = next & (k->ways - 1);
        k->next[set] = (uint8_t)(SET_FULL | ((way + 1) & (k->ways - 1)));
    }
    uint32_t victim = tag[way];
    tag[way] = line;
    return victim;
}

void l1_drop(struct cache *k, uint32_t line)
{
    uint32_t set = line & k->set_mask;
    uint32_t *tag = &k->tag[(size_t)set * k->ways];
    for (uint32_t way = 0; way < k->ways; way++)
        if (tag[way] == line) {
            tag[way] = MPJ_LINE_NONE;
            k->next[set] &= (uint8_t)~SET_FULL;
        }
}

void mem_write(struct mpj_chip *c, struct core *k, uint64_t now)
{
    /* Posted: no core waits for it, but it takes bandwidth from the reads. */
    (void)bus_take(&c->mem, core_index(c, k), now, (unsigned)c->prm.mem_write_slots);
    k->hot->dirty |= MPJ_DIRTY_MISS;
    k->x[X_MEM]++;
}

static void l2_allocate(struct mpj_chip *c, struct core *k, uint32_t line, uint64_t now)
{
    uint32_t victim = fill(&c->l2, line);
    if (victim != MPJ_LINE_NONE) {
        if (c->dir[victim] & DIR_L2_DIRTY) {
            c->l2_ev[MPJ_L2_CASTOUT]++;
            mem_write(c, k, now);
        }
        c->dir[victim] &= (uint8_t) ~(DIR_L2 | DIR_L2_DIRTY);
    }
    c->dir[line] |= DIR_L2;
}

void l2_drop(struct mpj_chip *c, uint32_t line)
{
    l1_drop(&c->l2, line);
    c->dir[line] &= (uint8_t) ~(DIR_L2 | DIR_L2_DIRTY);
}

void l2_write(struct mpj_chip *c, struct core *k, uint32_t line, uint64_t now)
{
    (void)port_take(c, core_index(c, k), line, true, now);
    if (!c->l2_on) {
        mem_write(c, k, now);
        return;
    }
    k->hot->dirty |= MPJ_DIRTY_MISS;
    k->x[X_L2]++;
    c->l2_ev[MPJ_L2_DWREQ]++;
    if (c->dir[line] & DIR_L2) {
        c->l2_ev[MPJ_L2_DWHIT]++;
    } else {
        /* The whole line is written: nothing to read from memory first. */
        c->l2_ev[MPJ_L2_WALLOC]++;
        l2_allocate(c, k, line, now);
    }
    c->dir[line] |= DIR_L2_DIRTY;
}

uint32_t line_read(struct mpj_chip *c, struct core *k, uint32_t line, bool insn, uint64_t now)
{
    uint32_t latency =
        port_take(c, core_index(c, k), line, false, now) + (uint32_t)c->prm.l2_hit_cycles;
    if (c->l2_on) {
        k->x[X_L2]++;
        c->l2_ev[insn ? MPJ_L2_IRREQ : MPJ_L2_DRREQ]++;
        if (c->dir[line] & DIR_L2) {
            c->l2_ev[insn ? MPJ_L2_IRHIT : MPJ_L2_DRHIT]++;
            return latency;
        }
    }
    if (c->miss_cost[MPJ_MISS_L2] > 0)
        latency += miss_cycles(
            c, MPJ_MISS_L2,
            bus_take(&c->mem, core_index(c, k), now + latency, (unsigned)c->prm.mem_read_slots) +
                (uint32_t)c->prm.mem_cycles);
    k->x[X_MEM]++;
    if (c->l2_on)
        l2_allocate(c, k, line, now);
    return latency;
}

uint32_t store_queue(struct mpj_chip *c, struct core *k, uint32_t latency, uint64_t now)
{
    uint64_t *slot = &k->store_done[k->store_slot];
    if (++k->store_slot == (unsigned)c->prm.store_buffer_depth)
        k->store_slot = 0;
    uint64_t start = *slot > now ? *slot : now; /* the oldest entry must have left */
    uint64_t done = start + latency;
    if (done < k->store_last) /* entries leave in order */
        done = k->store_last;
    *slot = k->store_last = done;
    return (uint32_t)(start - now);
}

/* Gives a load miss of `latency` cycles a slot; returns how long it waits for one, in which the
 * load/store unit is blocked. */
static uint32_t load_queue(struct mpj_chip *c, struct core *k, uint32_t latency, uint64_t now)
{
    uint64_t *slot = &k->load_done[k->load_slot];
    if (++k->load_slot == (unsigned)c->prm.lsu_outstanding)
        k->load_slot = 0;
    uint32_t queued = *slot > now ? (uint32_t)(*slot - now) : 0;
    *slot = now + queued + latency;
    return queued;
}

struct snoop {
    bool found, dirty;
};

/* Asks the other cores for the line. A store takes it away from all of them; a load takes it
 * from a core that has it modified and leaves copies otherwise. */
static struct snoop snoop_others(struct mpj_chip *c, unsigned core, uint32_t line, bool store,
                                 uint64_t now)
{
    struct snoop s = {false, false};
    unsigned others = c->dir[line] & DIR_CORES & ~(1U << core);
    while (others) {
        unsigned n = (unsigned)__builtin_ctz(others);
        others &= others - 1;
        struct core *o = &c->core[n];
        uint8_t state = line_state(o, line);
        if (state == MPJ_LINE_I) { /* dropped without telling the SCU */
            c->scu_ev[MPJ_SCU_TAGWRONG_CPU0 + n]++;
            c->dir[line] &= (uint8_t) ~(1U << n);
            continue;
        }
        s.found = true;
        bool owes = state == MPJ_LINE_E && (c->dir[line] & DIR_DIRTY);
        if (store || state == MPJ_LINE_M) {
            s.dirty = s.dirty || state == MPJ_LINE_M || owes;
            o->dline[line] = MPJ_LINE_I;
            l1_drop(&o->d, line);
            c->dir[line] &= (uint8_t) ~(1U << n);
        } else {
            if (owes)
                l2_write(c, o, line, now);
            line_set(c, o, line, MPJ_LINE_S);
        }
        c->dir[line] &= (uint8_t)~DIR_DIRTY;
    }
    return s;
}

static void evict(struct mpj_chip *c, unsigned core, uint32_t victim, uint64_t now)
{
    struct core *k = &c->core[core];
    uint8_t state = line_state(k, victim);
    bool owes = state == MPJ_LINE_E && (c->dir[victim] & DIR_DIRTY);
    k->dline[victim] = MPJ_LINE_I;
    c->dir[victim] &= (uint8_t) ~(1U << core);
    if (state == MPJ_LINE_M || owes) {
        c->dir[victim] &= (uint8_t)~DIR_DIRTY;
        k->ev[MPJ_EV_DCACHE_EVICT]++;
        l2_write(c, k, victim, now);
    }
}

/* Returns when a miss can go out: its slot in the store buffer or of the load misses must be
 * free. */
static inline uint64_t issue(const struct core *k, bool store, uint64_t now)
{
    uint64_t at = store ? k->store_done[k->store_slot] : k->load_done[k->load_slot];
    return at > now ? at : now;
}

/* Makes a data access with the cache off, or a store that does not allocate: straight to the
 * L220. */
static uint32_t bypass(struct mpj_chip *c, unsigned core, uint32_t line, bool store, uint64_t now,
                       uint32_t *late)
{
    struct core *k = &c->core[core];
    k->ev[MPJ_EV_EXT_REQ]++;
    if (!store) {
        uint32_t latency = line_read(c, k, line, false, issue(k, false, now));
        uint32_t queued = load_queue(c, k, latency, now);
        *late += queued + latency;
        return queued;
    }
    (void)snoop_others(c, core, line, true, now);
    if (c->l2_on)
        c->l2_ev[MPJ_L2_DWTREQ]++;
    l2_write(c, k, line, now);
    return store_queue(c, k, (uint32_t)c->prm.l2_hit_cycles, now);
}

static uint32_t upgrade(struct mpj_chip *c, unsigned core, uint32_t line, uint32_t latency,
                        uint64_t now)
{
    struct core *k = &c->core[core];
    k->hot->dirty |= MPJ_DIRTY_MISS;
    k->x[X_UPGRADE]++;
    (void)snoop_others(c, core, line, true, now);
    line_set(c, k, line, MPJ_LINE_M);
    return store_queue(c, k, latency, now);
}

/*
 * A core stores to a line (an address >> 5): the exclusive monitors of the others lose it.
 *
 * Assumed: a monitor watches eight words (as the Cortex-A9's, which followed this core) of
 * memory, as the SCU sees it, and not a way of the cache. It survives when its line is replaced in
 * the L1, or moves to a core that only reads; two cores in lockstep could otherwise take the line
 * from each other between every LDREX and its STREX and livelock. No store is missed: until
 * another core has stored, the line is not M there, so that its store calls the model.
 */
static void monitors_lose(struct mpj_chip *c, unsigned core, uint32_t line)
{
    for (unsigned n = 0; n < MPJ_CORES; n++)
        if (n != core && c->core[n].hot->monitor == line)
            c->core[n].hot->monitor = MPJ_LINE_NONE;
}

uint32_t mpj_data_miss(struct mpj_chip *c, unsigned core, uint32_t line, bool store, uint64_t now,
                       uint32_t *late)
{
    struct core *k = &c->core[core];
    uint32_t waited = 0;
    uint32_t lookup = (uint32_t)c->prm.scu_cycles;
    if (c->dir[line] & (DIR_CORES | DIR_WATCHED) & ~(1U << core)) {
        waited = meet(c, core, line, store, &now);
        if (waited > 0) /* the SCU had the request while it waited */
            lookup = 0;
    }
    *late = store ? 0 : waited;
    uint8_t state = line_state(k, line);
    if (store && state != MPJ_LINE_M)
        monitors_lose(c, core, line);
    if (state != MPJ_LINE_I) {
        if (!store || state == MPJ_LINE_M)
            return waited;
        if (state == MPJ_LINE_S) {
            uint32_t upgraded = (uint32_t)c->prm.scu_upgrade_cycles;
            upgraded -= upgraded > (uint32_t)c->prm.scu_cycles - lookup
                            ? (uint32_t)c->prm.scu_cycles - lookup
                            : upgraded;
            return waited + upgrade(c, core, line, upgraded, now);
        }
        line_set(c, k, line, MPJ_LINE_M);
        c->dir[line] &= (uint8_t)~DIR_DIRTY;
        return waited;
    }
    k->hot->dirty |= MPJ_DIRTY_MISS;
    k->ev[store ? MPJ_EV_DCACHE_WR_MISS : MPJ_EV_DCACHE_RD_MISS]++;
    if (!k->dcached || (store && !c->prm.l1d_write_allocate))
        return waited + bypass(c, core, line, store, now, late);

    k->ev[MPJ_EV_EXT_REQ]++;
    k->x[X_REFILL]++;
    k->x[X_COH]++;
    __builtin_prefetch(&c->l2.tag[(size_t)(line & c->l2.set_mask) * c->l2.ways]);
    struct snoop s = {false, false};
    if (c->dir[line] & DIR_CORES & ~(1U << core))
        s = snoop_others(c, core, line, store, now);
    uint32_t latency = lookup;
    uint64_t at = issue(k, store, now);
    if (s.found) {
        c->scu_ev[MPJ_SCU_C2C_CPU0 + core]++;
        if (s.dirty)
            c->scu_ev[MPJ_SCU_MIGRATION]++;
        latency += (uint32_t)c->prm.scu_transfer_cycles;
        meet_done(c, line, at + latency);
    } else {
        c->scu_ev[MPJ_SCU_MISS_CPU0 + core]++;
        latency += line_read(c, k, line, false, at + latency);
    }

    latency = miss_cycles(c, MPJ_MISS_L1D, latency);

    uint32_t victim = fill(&k->d, line);
    if (victim != MPJ_LINE_NONE)
        evict(c, core, victim, at);
    c->dir[line] |= (uint8_t)(1U << core);
    if (store) {
        line_set(c, k, line, MPJ_LINE_M);
        return waited + store_queue(c, k, latency, now);
    }
    if (s.dirty)
        c->dir[line] |= DIR_DIRTY;
    line_set(c, k, line, s.found && !s.dirty ? MPJ_LINE_S : MPJ_LINE_E);
    uint32_t queued = load_queue(c, k, latency, now);
    *late += queued + latency;
    return waited + queued;
}

void mpj_second_access(struct mpj_chip *c, unsigned core, bool store)
{
    c->core[core].hot->dirty |= MPJ_DIRTY_MISS;
    c->core[core].ev[store ? MPJ_EV_DCACHE_WR : MPJ_EV_DCACHE_RD]++;
}

uint32_t mpj_fetch_miss(struct mpj_chip *c, unsigned core, uint32_t line, uint64_t now)
{
    struct core *k = &c->core[core];
    if (k->iline[line])
        return 0;
    k->hot->dirty |= MPJ_DIRTY_MISS;
    k->ev[MPJ_EV_ICACHE_MISS]++;
    k->ev[MPJ_EV_EXT_REQ]++;
    uint32_t latency = miss_cycles(c, MPJ_MISS_L1I, line_read(c, k, line, true, now));
    if (k->icache) {
        k->x[X_REFILL]++;
        uint32_t victim = fill(&k->i, line);
        if (victim != MPJ_LINE_NONE)
            k->iline[victim] = 0;
        k->iline[line] = 1;
    }
    uint32_t hidden = (uint32_t)c->prm.fetch_hide_cycles;
    uint32_t stall = latency > hidden ? latency - hidden : 0;
    k->ev[MPJ_EV_IFETCH_STALL] += stall;
    return stall;
}

#define PRIVATE_SIZE 0x2000U /* SCU, GIC, timers, without L220 */

/* Queues an uncached store. Nothing issues while it waits for a place. */
static uint32_t queue_uncached(struct mpj_chip *c, struct core *k, uint32_t latency, uint64_t now)
{
    uint32_t stall = store_queue(c, k, latency, now);
    k->ev[MPJ_EV_LSU_STALL] += stall;
    return stall;
}

uint32_t mpj_uncached(struct mpj_chip *c, unsigned core, uint32_t paddr, bool store, uint64_t now)
{
    struct core *k = &c->core[core];
    k->hot->dirty |= MPJ_DIRTY_MISS;
    k->x[X_UNCACHED]++;
    if (store)
        monitors_lose(c, core, paddr >> MPJ_LINE_SHIFT);
    if (paddr - c->private_base < PRIVATE_SIZE) /* inside the chip: no external request */
        return (uint32_t)c->prm.uncached_private_cycles;
    k->ev[MPJ_EV_EXT_REQ]++;
    uint32_t line = mpj_line_index(c, paddr);
    if (line == MPJ_LINE_NONE) {
        if (store)
            return queue_uncached(c, k, (uint32_t)c->prm.uncached_store_cycles, now);
        return (uint32_t)c->prm.uncached_device_cycles;
    }
    uint32_t latency =
        port_take(c, core_index(c, k), line, store, now) + (uint32_t)c->prm.l2_hit_cycles;
    if (store) {
        mem_write(c, k, now);
        return queue_uncached(c, k, latency, now);
    }
    k->x[X_MEM]++;
    latency += bus_take(&c->mem, core_index(c, k), now + latency, (unsigned)c->prm.mem_read_slots);
    return latency + (uint32_t)c->prm.mem_cycles;
}

uint32_t mpj_store_drain(struct mpj_chip *c, unsigned core, uint64_t now)
{
    (void)c;
    struct core *k = &c->core[core];
    k->hot->dirty |= MPJ_DIRTY_MISS;
    k->ev[MPJ_EV_SB_DRAIN]++;
    k->hot->sb_line = MPJ_LINE_NONE;
    return k->store_last > now ? (uint32_t)(k->store_last - now) : 0;
}
