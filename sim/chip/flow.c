/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From block to block: the scoreboard of a core where it differs from the foreseen one. mpj_flow.h
 * explains its use.
 */
#include "flow_int.h"
#include "pipe_int.h"

#include <stdlib.h>
#include <string.h>

#define SETTLES 255U /* a delay that settles later than this is walked */
#define NEVER   UINT16_MAX

static const struct mpj_pipe empty = {.cycle = PIPE_FIRST};

int flow_new(struct mpj_chip *c)
{
    struct flow *f = calloc(1, sizeof(*f));
    if (!f)
        return MPJ_ERR_NOMEM;
    c->flow = f;
    /* Large, and touched only as far as there is code. */
    f->residue = calloc(RESIDUES, sizeof(*f->residue));
    f->residue_hash = calloc(RESIDUE_HASH, sizeof(*f->residue_hash));
    f->uop = calloc(UOPS, sizeof(*f->uop));
    f->uop_hash = calloc(UOP_HASH, sizeof(*f->uop_hash));
    f->insn = calloc(INSNS, sizeof(*f->insn));
    f->block = calloc(BLOCKS, sizeof(*f->block));
    f->residues = f->uops = f->insns = f->blocks = 1;
    f->uop_bits = UOP_BITS_FIRST;
    if (!f->residue || !f->residue_hash || !f->uop || !f->uop_hash || !f->insn || !f->block)
        return MPJ_ERR_NOMEM;
    return memo_new(f);
}

void flow_free(struct mpj_chip *c)
{
    struct flow *f = c->flow;
    if (!f)
        return;
    free(f->residue);
    free(f->residue_hash);
    free(f->uop);
    free(f->uop_hash);
    free(f->insn);
    free(f->block);
    memo_free(f);
    free(f);
    c->flow = NULL;
}

static void set_on(struct core *k, unsigned on)
{
    k->flight.on = on;
    k->hot->busy = on != FLIGHT_FORESEEN;
}

/* ---- scoreboards ---------------------------------------------------------------- */

/* Returns the scoreboard's times in full, to work on. */
static struct mpj_pipe *in_full(const struct mpj_chip *c, struct board *b)
{
    if (b->number) {
        b->pipe = *memo_board(c->flow, b->number);
        b->number = 0;
    }
    return &b->pipe;
}

static void forget_walks(struct mpj_chip *c)
{
    for (unsigned i = 0; i < MPJ_CORES; i++) {
        (void)in_full(c, &c->core[i].flight.p);
        (void)in_full(c, &c->core[i].flight.out);
    }
    for (uint32_t n = 1; n < c->flow->blocks; n++)
        c->flow->block[n].start = 0;
    memo_forget(c->flow);
}

/* Returns the memoized result of a change of the scoreboard, identified by these three; NULL: its
 * times are needed in full, and the result is not memoized. */
static inline struct memo *known(struct mpj_chip *c, const struct board *b, uint32_t what,
                                 uint32_t of, uint32_t by)
{
    return b->number ? memo_find(c->flow, b->number, what, of, by) : NULL;
}

/* Memoizes the result. */
static void remember(struct mpj_chip *c, struct memo *m, struct board *to)
{
    if (m)
        m->to = to->number = memo_number(c->flow, &c->prm, &to->pipe);
}

void mpj_flow_forget(struct mpj_chip *c, uint32_t *keep, unsigned n)
{
    struct flow *f = c->flow;
    f->blocks = f->insns = f->uops = 1;
    memset(f->uop_hash, 0, sizeof(*f->uop_hash) << f->uop_bits);
    for (unsigned i = 0; i < MPJ_CORES; i++)
        c->core[i].flight.id = c->core[i].single.id = 0;
    forget_walks(c);
    if (f->residues <= RESIDUES / 2)
        return;
    struct mpj_residue kept[MPJ_CORES * 2];
    if (n > sizeof(kept) / sizeof(*kept))
        n = sizeof(kept) / sizeof(*kept);
    for (unsigned i = 0; i < n; i++)
        kept[i] = f->residue[keep[i]].what;
    for (unsigned i = 0; i < MPJ_CORES; i++)
        flow_portable(c, &c->core[i].flight);
    f->residues = 1;
    f->residue[0] = (struct residue){0};
    memset(f->residue_hash, 0, RESIDUE_HASH * sizeof(*f->residue_hash));
    for (unsigned i = 0; i < n; i++)
        keep[i] = mpj_residue_number(c, &kept[i]);
}

/* ---- walking ----------------------------------------------------------------- */

/* Issues the instructions [from, to) of a block. */
static void walk(const struct mpj_chip *c, const struct block *b, uint32_t from, uint32_t to,
                 struct mpj_pipe *p, struct flow_sum *sum)
{
    const struct flow *f = c->flow;
    for (const struct insn *i = &f->insn[b->first + from]; from < to; from++, i++) {
        struct pipe_wait wait;
        sum->cycles += pipe_issue(p, &f->uop[i->uop].op, &wait) - i->extra;
        sum->data += wait.data;
        sum->lsu += wait.lsu;
    }
}

/* Returns true if the registers are awaited for as long as in a residue; those that have come count
 * as never awaited. */
static bool awaited(const struct mpj_params *prm, const struct mpj_pipe *p, const uint8_t *left,
                    unsigned first, unsigned last)
{
    for (unsigned i = first; i < last; i++) {
        int64_t n = (int64_t)p->ready[i] - p->cycle;
        int64_t least = first == 0 && p->late_class[i] != LATE_LOCK ? 1 - prm->pipe_early : 1;
        if (p->ready[i] == 0 || n < least)
            n = -1;
        if (n + 1 != left[i])
            return false;
    }
    return true;
}

/* Returns true if the scoreboard holds exactly the numbered residue. */
static bool same(const struct mpj_chip *c, const struct mpj_pipe *p, uint32_t number)
{
    const struct mpj_residue *r = &c->flow->residue[number].what; /* of 0 all bytes are 0 */
    for (unsigned i = 0; i < 4; i++)
        if ((p->unit_free[i] > p->cycle ? p->unit_free[i] - p->cycle + 1 : 0) != r->unit_free[i])
            return false;
    if ((p->flags > p->cycle ? p->flags - p->cycle + 1 : 0) != r->flags ||
        !awaited(&c->prm, p, r->ready, 0, 16) || !awaited(&c->prm, p, r->ready, 16, 49))
        return false;
    for (unsigned i = 0; i < 16; i++)
        if (r->ready[i] && p->late_class[i] != r->late_class[i])
            return false;
    return true;
}

/* Keeps times small, which grow with the program. */
static void rebase(struct mpj_pipe *p)
{
    const uint32_t keep = PIPE_FIRST;
    if (p->cycle < 1U << 20)
        return;
    uint32_t d = p->cycle - keep;
    for (unsigned i = 0; i < sizeof(p->ready) / sizeof(*p->ready); i++)
        p->ready[i] = p->ready[i] > d ? p->ready[i] - d : 0;
    for (unsigned i = 0; i < 4; i++)
        p->unit_free[i] = p->unit_free[i] > d ? p->unit_free[i] - d : 0;
    p->flags = p->flags > d ? p->flags - d : 0;
    p->blocked = p->blocked > d ? p->blocked - d : 0;
    p->late = p->late > d ? p->late - d : 0;
    p->cycle = keep;
}

static void count(struct core *k, const struct flow_sum *is, const struct flow_sum *was)
{
    k->hot->dirty |= MPJ_DIRTY_MISS;
    k->ev[MPJ_EV_DDEP_STALL] += (uint64_t)(int32_t)(is->data - was->data);
    k->ev[MPJ_EV_LSU_STALL] += (uint64_t)(int32_t)(is->lsu - was->lsu);
}

/* Returns true if the pipes hold something that a residue cannot represent. */
static bool late(const struct mpj_pipe *p)
{
    return p->late > p->cycle || p->blocked > p->cycle;
}

/* Sets the part of the state at the block's end that was not foreseen. */
static void leaves(struct mpj_chip *c, struct flight *t, const struct block *b)
{
    t->on = FLIGHT_PIPE;
    t->flags_age = t->out.pipe.flags_age;
    if (c->flow->exact)
        return;
    if (t->flags_age == b->flags_age && same(c, &t->out.pipe, b->out)) {
        t->on = FLIGHT_FORESEEN;
    } else if (!late(&t->out.pipe)) {
        t->on = FLIGHT_NUMBER;
        t->number = residue_left(c, &t->out.pipe, 0, false);
    }
}

/* Walks the rest of the block after the checkpoint, assuming no further unforeseen event. */
static void foresee(struct mpj_chip *c, struct flight *t)
{
    const struct block *b = &c->flow->block[t->block];
    struct memo *m = known(c, &t->p, MEMO_PLAN, t->block, t->at);
    t->open = false;
    t->unfolded = b->unfolded;
    if (m && m->to) {
        t->out.number = m->to;
        t->rest = m->sum;
        t->on = m->on;
        t->number = m->number;
        t->flags_age = m->flags_age;
    } else {
        t->out = t->p;
        t->rest = (struct flow_sum){0};
        walk(c, b, t->at, b->count, in_full(c, &t->out), &t->rest);
        t->out.pipe.cycle -= b->folds;
        leaves(c, t, b);
        remember(c, m, &t->out);
        if (m) {
            m->sum = t->rest;
            m->on = (uint8_t)t->on;
            m->number = t->number;
            m->flags_age = (uint8_t)t->flags_age;
        }
    }
}

/* Foresees the rest of the block for the cycles charged to a core. Returns how many were
 * missing. */
static int32_t plan(struct mpj_chip *c, struct core *k)
{
    struct flow_sum was = k->flight.rest;
    foresee(c, &k->flight);
    set_on(k, k->flight.on);
    count(k, &k->flight.rest, &was);
    return (int32_t)(k->flight.rest.cycles - was.cycles);
}

/* Does what plan() does as late as possible, so that events until then need one walk only. */
static int32_t plan_later(struct mpj_chip *c, struct core *k)
{
    if (c->flow->exact)
        return plan(c, k);
    set_on(k, FLIGHT_PIPE);
    k->flight.open = true;
    return 0;
}

/* Advances the checkpoint to just before instruction `to` of the block. */
static void advance(struct mpj_chip *c, struct flight *t, uint32_t to)
{
    struct flow_sum sum = {0};
    if (t->at >= to)
        return;
    struct memo *m = known(c, &t->p, MEMO_WALK, t->block, t->at << 16 | to);
    if (m && m->to) {
        t->p.number = m->to;
        sum = m->sum;
    } else {
        walk(c, &c->flow->block[t->block], t->at, to, in_full(c, &t->p), &sum);
        remember(c, m, &t->p);
        if (m)
            m->sum = sum;
    }
    t->at = to;
    t->rest.cycles -= sum.cycles;
    t->rest.data -= sum.data;
    t->rest.lsu -= sum.lsu;
}

/* Sets a checkpoint at the start of a block whose entry state is the one it was translated for. */
static void start(struct mpj_chip *c, struct flight *t, uint32_t block, uint64_t id)
{
    struct block *b = &c->flow->block[block];
    t->p.number = b->start;
    if (!b->start) {
        mpj_pipe_begin_after(&t->p.pipe, mpj_residue_of(c, b->entry));
        if (!c->flow->exact)
            t->p.number = b->start = memo_number(c->flow, &c->prm, &t->p.pipe);
    }
    t->block = block;
    t->at = 0;
    t->id = id;
    t->age = 0;
    t->rest = b->all;
}

/* Delays the instruction's value. A branch that loads its target waits for the loaded value. */
static void delay(const struct mpj_chip *c, const struct insn *i, struct mpj_pipe *p, uint32_t late,
                  uint32_t blocked)
{
    const struct known_uop *u = &c->flow->uop[i->uop];
    pipe_late(p, &u->op, late);
    pipe_block_lsu(p, blocked);
    if (u->u.branch)
        p->cycle += late;
}

/* Delays the value at the checkpoint, which is just after the instruction. */
static void delayed(struct mpj_chip *c, struct flight *t, uint32_t insn, uint32_t late,
                    uint32_t blocked)
{
    struct memo *m = NULL;
    if (late <= MEMO_CYCLES && blocked <= MEMO_CYCLES)
        m = known(c, &t->p, MEMO_DELAY, insn, late << 16 | blocked);
    if (m && m->to) {
        t->p.number = m->to;
        return;
    }
    delay(c, &c->flow->insn[insn], in_full(c, &t->p), late, blocked);
    remember(c, m, &t->p);
}

/* Advances by cycles in which no instruction issues. */
static void pass(struct mpj_chip *c, struct board *b, uint32_t cycles)
{
    struct memo *m = cycles <= MEMO_CYCLES ? known(c, b, MEMO_PASS, 0, cycles) : NULL;
    if (m && m->to) {
        b->number = m->to;
        return;
    }
    in_full(c, b)->cycle += cycles;
    remember(c, m, b);
}

/* Makes the flight of this execution the current one; false: it has none, all is as foreseen. */
static bool resume_flight(struct mpj_chip *c, struct core *k, uint64_t id)
{
    struct flight *t = &k->flight;
    if (t->id == id)
        return true;
    if (k->single.id != id)
        return false;
    const struct insn *i = &c->flow->insn[k->single.insn];
    const struct block *b = &c->flow->block[i->block];
    start(c, t, i->block, id);
    advance(c, t, k->single.insn - b->first + 1);
    delayed(c, t, k->single.insn, k->single.late, k->single.blocked);
    t->rest.cycles += k->single.more.cycles;
    t->rest.data += k->single.more.data;
    t->rest.lsu += k->single.more.lsu;
    k->single.id = 0;
    return true;
}

/* ---- one delay: the common case ----------------------------------------------------- */

static void try_delay(const struct mpj_chip *c, const struct insn *i, const struct mpj_pipe *at,
                      uint32_t cycles, bool blocked, struct mpj_pipe *out, struct flow_sum *sum)
{
    const struct block *b = &c->flow->block[i->block];
    *out = *at;
    *sum = (struct flow_sum){0};
    delay(c, i, out, blocked ? 0 : cycles, blocked ? cycles : 0);
    walk(c, b, (uint32_t)(i - c->flow->insn) - b->first + 1, b->count, out, sum);
    out->cycle -= b->folds;
}

/*
 * Finds the delay from which on every further cycle is one more cycle of waiting, while everything
 * else in the pipes is done by then, and the remaining wait; once per instruction.
 */
static void settle(struct mpj_chip *c, const struct insn *i, bool blocked, struct settled *s)
{
    const struct block *b = &c->flow->block[i->block];
    struct flight t;
    struct mpj_pipe out;
    struct flow_sum sum;
    start(c, &t, i->block, 0);
    advance(c, &t, (uint32_t)(i - c->flow->insn) - b->first + 1);
    const struct mpj_pipe *at = in_full(c, &t.p);
    try_delay(c, i, at, VERY_LATE, blocked, &out, &sum);
    s->from = NEVER;
    if (late(&out)) /* nothing in the block waits for it */
        return;
    s->hidden = t.rest.cycles + VERY_LATE - sum.cycles;
    s->more.data = sum.data - t.rest.data - (blocked ? 0 : VERY_LATE);
    s->more.lsu = sum.lsu - t.rest.lsu - (blocked ? VERY_LATE : 0);
    s->after = residue_left(c, &out, 0, false);
    s->flags_age = out.flags_age;
    uint32_t lo = 0; /* has not settled */
    uint32_t hi = SETTLES + 1;
    while (hi - lo > 1) {
        uint32_t mid = (lo + hi) / 2;
        try_delay(c, i, at, mid, blocked, &out, &sum);
        if (sum.cycles == t.rest.cycles + mid - s->hidden &&
            sum.data == t.rest.data + s->more.data + (blocked ? 0 : mid) &&
            sum.lsu == t.rest.lsu + s->more.lsu + (blocked ? mid : 0) &&
            out.flags_age == s->flags_age && same(c, &out, s->after))
            hi = mid;
        else
            lo = mid;
    }
    if (hi <= SETTLES)
        s->from = (uint16_t)hi;
}

/* Charges all unforeseen cycles of an execution, without a checkpoint. */
static int32_t charge_single(struct mpj_chip *c, struct core *k, uint32_t insn, uint64_t id,
                             uint32_t late, uint32_t blocked, const struct flow_sum *more)
{
    static const struct flow_sum none;
    k->single =
        (struct single){.id = id, .insn = insn, .late = late, .blocked = blocked, .more = *more};
    count(k, more, &none);
    k->flight.unfolded = c->flow->block[c->flow->insn[insn].block].unfolded;
    k->flight.age = 0;
    return (int32_t)more->cycles;
}

/* Charges a delay that has settled; false: it has not. */
static bool charge_settled(struct mpj_chip *c, struct core *k, uint32_t insn, uint64_t id,
                           uint32_t cycles, bool blocked, int32_t *more)
{
    struct insn *i = &c->flow->insn[insn];
    struct settled *s = blocked ? &i->blocked : &i->late;
    struct flight *t = &k->flight;
    if (s->from == 0)
        settle(c, i, blocked, s);
    if (cycles < s->from || s->from == NEVER)
        return false;
    struct flow_sum all = {.cycles = cycles - s->hidden,
                           .data = s->more.data + (blocked ? 0 : cycles),
                           .lsu = s->more.lsu + (blocked ? cycles : 0)};
    const struct block *b = &c->flow->block[i->block];
    set_on(k, s->after == b->out && s->flags_age == b->flags_age ? FLIGHT_FORESEEN : FLIGHT_NUMBER);
    t->number = s->after;
    t->flags_age = s->flags_age;
    *more = charge_single(c, k, insn, id, blocked ? 0 : cycles, blocked ? cycles : 0, &all);
    return true;
}

/* Charges a delay whose result is memoized, or memoizes it now; false: neither is possible. */
static bool charge_memoized(struct mpj_chip *c, struct core *k, uint32_t insn, uint64_t id,
                            uint32_t late, uint32_t blocked, int32_t *more)
{
    struct flow *f = c->flow;
    struct flight *t = &k->flight;
    if (late > MEMO_CYCLES || blocked > MEMO_CYCLES)
        return false;
    struct memo *m = memo_find(f, 0, MEMO_SINGLE, insn, late << 16 | blocked);
    if (!m->to) {
        struct flight all;
        const struct insn *i = &f->insn[insn];
        start(c, &all, i->block, id);
        advance(c, &all, insn - f->block[i->block].first + 1);
        delayed(c, &all, insn, late, blocked);
        struct flow_sum was = all.rest;
        foresee(c, &all);
        if (!all.out.number)
            return false;
        m = memo_find(f, 0, MEMO_SINGLE, insn, late << 16 | blocked); /* others may have taken it */
        m->sum.cycles = all.rest.cycles - was.cycles;
        m->sum.data = all.rest.data - was.data;
        m->sum.lsu = all.rest.lsu - was.lsu;
        m->to = all.out.number;
        m->on = (uint8_t)all.on;
        m->number = all.number;
        m->flags_age = (uint8_t)all.flags_age;
    }
    t->out.number = m->to;
    set_on(k, m->on);
    t->number = m->number;
    t->flags_age = m->flags_age;
    *more = charge_single(c, k, insn, id, late, blocked, &m->sum);
    return true;
}

/* ---- execution ---------------------------------------------------------------- */

void mpj_flow_exact(struct mpj_chip *c, bool on)
{
    c->flow->exact = on;
    for (unsigned i = 0; i < MPJ_CORES; i++)
        mpj_flow_drop(c, i);
}

bool mpj_flow_busy(const struct mpj_chip *c, unsigned core)
{
    return c->core[core].hot->busy;
}

unsigned mpj_flow_flags_age(const struct mpj_chip *c, unsigned core, unsigned foreseen)
{
    const struct flight *t = &c->core[core].flight;
    return t->on == FLIGHT_FORESEEN ? foreseen : t->flags_age;
}

/* Moves the checkpoint to where the last block ended and another one begins. */
static void go_on(struct mpj_chip *c, struct flight *t, bool inside)
{
    struct memo *m = NULL;
    if (t->age <= MEMO_CYCLES)
        m = known(c, &t->out, MEMO_ENTER, inside, t->age);
    if (m && m->to) {
        t->p.number = m->to;
        return;
    }
    t->p = t->out;
    struct mpj_pipe *p = in_full(c, &t->p);
    p->cycle += t->age;
    rebase(p);
    p->flags_at = inside ? p->cycle : 0;
    p->flags_age = 0;
    remember(c, m, &t->p);
}

enum mpj_flow_entry mpj_flow_enter(struct mpj_chip *c, unsigned core, uint32_t block, uint32_t pc,
                                   uint64_t id, int32_t *more)
{
    struct core *k = &c->core[core];
    struct flight *t = &k->flight;
    const struct block *b = &c->flow->block[block];
    *more = 0;
    if (t->unfolded == pc)
        t->age++;
    if (t->on == FLIGHT_NUMBER) {
        uint32_t found = residue_within(c, mpj_residue_aged(c, t->number, t->age), b->entry);
        set_on(k, FLIGHT_FORESEEN);
        *more = (int32_t)found;
        return found == b->entry ? MPJ_FLOW_FORESEEN : MPJ_FLOW_OTHER;
    }
    if (t->on == FLIGHT_FORESEEN)
        return MPJ_FLOW_FORESEEN;
    if (memo_full(c->flow))
        forget_walks(c);
    go_on(c, t, c->flow->residue[b->entry].what.inside);
    t->block = block;
    t->at = 0;
    t->id = id;
    t->age = 0;
    t->rest = b->all;
    *more = plan_later(c, k);
    return MPJ_FLOW_WALKED;
}

int32_t mpj_flow_finish(struct mpj_chip *c, unsigned core)
{
    struct core *k = &c->core[core];
    return k->flight.open ? plan(c, k) : 0;
}

int32_t mpj_flow_charged(struct mpj_chip *c, unsigned core, uint32_t block, uint64_t id)
{
    const struct flight *t = &c->core[core].flight;
    return (int32_t)(t->id == id ? t->rest.cycles : c->flow->block[block].all.cycles);
}

int32_t mpj_flow_rest(struct mpj_chip *c, unsigned core, uint32_t insn, uint64_t id)
{
    struct core *k = &c->core[core];
    const struct insn *i = &c->flow->insn[insn];
    if (!resume_flight(c, k, id))
        return i->ahead;
    advance(c, &k->flight, insn - c->flow->block[i->block].first + 1);
    return (int32_t)k->flight.rest.cycles;
}

int32_t mpj_flow_late(struct mpj_chip *c, unsigned core, uint32_t insn, uint64_t id, uint32_t late,
                      uint32_t blocked)
{
    struct core *k = &c->core[core];
    struct flight *t = &k->flight;
    const struct insn *i = &c->flow->insn[insn];
    if (late == 0 && blocked == 0)
        return 0;
    if (!resume_flight(c, k, id)) {
        int32_t more;
        if (!c->flow->exact && !c->flow->uop[i->uop].u.branch &&
            (((late == 0 || blocked == 0) &&
              charge_settled(c, k, insn, id, late + blocked, blocked > 0, &more)) ||
             charge_memoized(c, k, insn, id, late, blocked, &more)))
            return more;
        start(c, t, i->block, id);
    }
    advance(c, t, insn - c->flow->block[i->block].first + 1);
    delayed(c, t, insn, late, blocked);
    return plan_later(c, k) + (int32_t)(c->flow->uop[i->uop].u.branch ? late : 0);
}

int32_t mpj_flow_stall(struct mpj_chip *c, unsigned core, uint32_t block, uint64_t id,
                       uint32_t stall)
{
    struct core *k = &c->core[core];
    struct flight *t = &k->flight;
    uint32_t entry = c->flow->block[block].entry;
    if (!resume_flight(c, k, id)) {
        if (entry == 0)
            return (int32_t)stall;
        start(c, t, block, id);
    }
    pass(c, &t->p, stall);
    return plan_later(c, k) + (int32_t)stall;
}

void mpj_flow_age(struct mpj_chip *c, unsigned core, uint32_t cycles)
{
    c->core[core].flight.age += cycles;
}

int32_t mpj_flow_leave(struct mpj_chip *c, unsigned core, uint32_t block, uint64_t id, uint32_t n,
                       bool keep)
{
    struct core *k = &c->core[core];
    struct flight *t = &k->flight;
    const struct block *b = &c->flow->block[block];
    int32_t extra = 0;
    if (resume_flight(c, k, id)) {
        struct flight foreseen;
        start(c, &foreseen, block, id);
        advance(c, &foreseen, b->count - n);
        advance(c, t, b->count - n);
        extra = (int32_t)(t->rest.cycles - foreseen.rest.cycles);
        count(k, &foreseen.rest, &t->rest);
    } else if (keep) {
        start(c, t, block, id);
        advance(c, t, b->count - n);
    }
    struct board p = t->p;
    mpj_flow_drop(c, core);
    if (keep) {
        t->out = p;
        set_on(k, FLIGHT_PIPE);
    }
    return extra;
}

void mpj_flow_look(struct mpj_chip *c, unsigned core, uint32_t insn, uint64_t id,
                   struct mpj_residue *out)
{
    struct core *k = &c->core[core];
    const struct insn *i = &c->flow->insn[insn];
    struct flight foreseen;
    struct flight *t = &k->flight;
    if (!resume_flight(c, k, id)) {
        t = &foreseen;
        start(c, t, i->block, id);
    }
    advance(c, t, insn - c->flow->block[i->block].first + 1);
    const struct mpj_pipe *p = t->p.number ? memo_board(c->flow, t->p.number) : &t->p.pipe;
    (void)mpj_pipe_residue(&c->prm, p, 0, out);
}

void mpj_flow_rename(struct mpj_chip *c, unsigned core, uint64_t from, uint64_t to)
{
    struct core *k = &c->core[core];
    if (k->flight.id == from)
        k->flight.id = to;
    if (k->single.id == from)
        k->single.id = to;
}

void mpj_flow_again(struct mpj_chip *c, unsigned core, uint32_t block)
{
    struct core *k = &c->core[core];
    start(c, &k->flight, block, 0);
    (void)plan(c, k);
}

void mpj_flow_drop(struct mpj_chip *c, unsigned core)
{
    struct core *k = &c->core[core];
    set_on(k, c->flow->exact ? FLIGHT_PIPE : FLIGHT_FORESEEN);
    k->flight.out.number = 0;
    k->flight.out.pipe = empty;
    k->flight.age = 0;
    k->flight.unfolded = MPJ_FLOW_NOWHERE;
    k->flight.open = false;
    k->flight.id = k->single.id = 0;
}

void flow_portable(const struct mpj_chip *c, struct flight *t)
{
    t->id = 0;
    (void)in_full(c, &t->p);
    (void)in_full(c, &t->out);
    if (t->on != FLIGHT_NUMBER)
        return;
    mpj_pipe_begin_after(&t->out.pipe, mpj_residue_of(c, t->number));
    t->on = FLIGHT_PIPE;
}

void mpj_flow_resume(struct mpj_chip *c, unsigned core, const struct mpj_residue *r)
{
    struct core *k = &c->core[core];
    struct flight *t = &k->flight;
    if (t->on == FLIGHT_FORESEEN) {
        mpj_pipe_begin_after(&t->out.pipe, r);
        t->out.number = 0;
        t->age = 0;
        t->unfolded = MPJ_FLOW_NOWHERE;
    }
    set_on(k, FLIGHT_PIPE);
}
