/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts and energy of the nodes.
 *
 * What generated code counts itself (packed counters, folded branches, merged stores, time) is not
 * moved to the core's counts when a core goes to another node: that would move the samples of the
 * switching energy. Such a change appends the counters as they are to a journal; mpj_flush() hands
 * the differences to the nodes, when it knows what an instruction of that time has switched. What
 * the model counts at misses is handed over at the change itself, if there was any (hot->dirty).
 */
#include "prof_int.h"

#include <stdlib.h>

/* Adds what was counted since the last time. */
static inline void take(uint64_t *to, uint64_t *base, const uint64_t *now, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        to[i] += now[i] - base[i];
        base[i] = now[i];
    }
}

/* Adds what the model has counted since the last time to the node that the core is in. */
__attribute__((noinline)) void prof_settle_cold(struct mpj_chip *c, unsigned core, unsigned dirty)
{
    struct prof_core *pc = &c->prof->core[core];
    const struct core *k = &c->core[core];
    static uint64_t discarded[PROF_COUNTS]; /* written only */
    uint64_t *to = c->win.open ? pc->now->count : discarded;
    k->hot->dirty = 0;
    if (dirty & MPJ_DIRTY_MISS) {
        take(to, pc->base, k->ev, MPJ_EV_COUNT);
        take(to + MPJ_EV_COUNT, pc->base + MPJ_EV_COUNT, k->x, X_COUNT);
        return;
    }
    static const uint8_t branch_events[] = {MPJ_EV_BRANCH_NOTPRED, MPJ_EV_BRANCH_MISPRED,
                                            MPJ_EV_PC_CHANGE};
    for (unsigned i = 0; i < sizeof(branch_events); i++) {
        unsigned e = branch_events[i];
        /* One by one: just written, and the host forwards no wider load. */
        uint64_t v = *(volatile const uint64_t *)&k->ev[e];
        to[e] += v - pc->base[e];
        pc->base[e] = v;
    }
}

/* Adds running cycles to a node's share of the energy that the span's end may add. */
static inline void share_add(struct prof_core *pc, struct node *n, uint64_t run)
{
    if (pc->shares > 0 && pc->share[pc->shares - 1].node == n) {
        pc->share[pc->shares - 1].run += run;
        return;
    }
    if (pc->shares == pc->share_cap) {
        unsigned cap = pc->share_cap ? 2 * pc->share_cap : 1024;
        struct share *more = realloc(pc->share, cap * sizeof(*more));
        if (!more) { /* the last one takes both: only the split is less exact */
            if (pc->shares > 0)
                pc->share[pc->shares - 1].run += run;
            return;
        }
        pc->share = more;
        pc->share_cap = cap;
    }
    pc->share[pc->shares++] = (struct share){n, run};
}

void prof_span_end(struct mpj_chip *c, unsigned core, int128 lift)
{
    struct prof_core *pc = &c->prof->core[core];
    uint64_t all = 0;
    int128 given = 0;
    uint64_t before = 0;
    if (lift > 0 && c->win.open) {
        for (unsigned i = 0; i < pc->shares; i++)
            all += pc->share[i].run;
        for (unsigned i = 0; i < pc->shares; i++) {
            before += pc->share[i].run;
            int128 upto = all > 0 ? lift * before / all : 0;
            pc->share[i].node->floor_fj += (int64_t)(upto - given);
            given = upto;
        }
        pc->now->floor_fj += (int64_t)(lift - given);
    }
    pc->shares = 0;
}

/* Adds what the node's changes have left in its packed counters, whose ranges are those of the
 * core's up to a flush. A change may take back more than it adds: see MPJ_PACK_A. */
static inline void unpack(struct node *n, int64_t per_instr)
{
    const struct mpj_counts_a a = mpj_unpack_a(n->packed_a);
    const struct mpj_counts_b b = mpj_unpack_b(n->packed_b);
    events_add(n->count, &a, &b, &n->unpacked);
    n->switch_fj += per_instr * a.instr;
    n->packed_a = n->packed_b = 0;
    n->unpacked = (struct mpj_hot_counts){0};
}

void prof_flush(struct mpj_chip *c, unsigned core, uint64_t end, uint64_t cycles, uint64_t wfi,
                int64_t per_instr)
{
    struct prof_core *pc = &c->prof->core[core];
    const struct core *k = &c->core[core];
    const struct mpj_hot *h = k->hot;
    struct change *last = &pc->journal[pc->n];
    *last = (struct change){
        .a = h->pack_a, .b = h->pack_b, .time = end, .count = h->count, .from = pc->now};
    pc->flushed = end;
    pc->n = 0;
    /* The flush adds these to the core's counts; nodes count them themselves. */
    const struct mpj_counts_a a = mpj_unpack_a(last->a);
    const struct mpj_counts_b b = mpj_unpack_b(last->b);
    events_add(pc->base, &a, &b, &last->count);
    if (!c->win.open)
        return;

    struct change was = {.time = end - cycles - wfi};
    int64_t fj = class_energy(k->class_steps);
    for (const struct change *r = pc->journal; r <= last; r++) {
        struct node *n = r->from;
        int64_t to = class_energy(k->class_steps + (uint64_t)mpj_unpack_b(r->b).energy);
        uint64_t time = r->time - was.time;
        n->packed_a += r->a - was.a;
        n->packed_b += r->b - was.b;
        mpj_hot_add(&n->unpacked, mpj_hot_since(&r->count, &was.count), 1);
        n->class_fj += to - fj;
        if (wfi > 0) {
            n->wfi += time;
        } else {
            n->run += time;
            share_add(pc, n, time);
        }
        was = *r;
        fj = to;
    }
    for (const struct change *r = pc->journal; r <= last; r++)
        if ((r->from->packed_a | r->from->packed_b) != 0 || mpj_hot_any(&r->from->unpacked))
            unpack(r->from, per_instr);
}
