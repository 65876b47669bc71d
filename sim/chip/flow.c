/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From block to block: residues, the blocks' instructions, and the scoreboard of a core where it
 * is not what was foreseen. What it is for stands in mpj_flow.h.
 */
#include "flow_int.h"
#include "pipe_int.h"

#include <stdlib.h>
#include <string.h>

/* No delay is so long: what is to settle has settled. */
#define VERY_LATE 4096U
#define SETTLES   255U /* a delay that settles later than this is walked */
#define NEVER     UINT16_MAX

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
    if (!f->residue || !f->residue_hash || !f->uop || !f->uop_hash || !f->insn || !f->block)
        return MPJ_ERR_NOMEM;
    return MPJ_OK;
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
    free(f);
    c->flow = NULL;
}

static uint32_t mix(const void *data, size_t bytes)
{
    const uint8_t *p = data;
    uint32_t h = 2166136261U;
    for (size_t i = 0; i < bytes; i++)
        h = (h ^ p[i]) * 16777619U;
    return h ^ h >> 15;
}

/* ---- residues --------------------------------------------------------------- */

const struct mpj_residue *mpj_residue_of(const struct mpj_chip *c, uint32_t number)
{
    return number ? &c->flow->residue[number].what : NULL;
}

uint32_t mpj_residue_number(struct mpj_chip *c, const struct mpj_residue *r)
{
    static const struct mpj_residue none;
    struct flow *f = c->flow;
    if (memcmp(r, &none, sizeof(*r)) == 0)
        return 0;
    for (uint32_t h = mix(r, sizeof(*r));; h++) {
        uint32_t *n = &f->residue_hash[h & (RESIDUE_HASH - 1)];
        if (*n == 0) {
            if (f->residues == RESIDUES)
                return 0; /* mpj_flow_full() has said so long ago */
            *n = f->residues++;
            f->residue[*n] = (struct residue){.what = *r};
            return *n;
        }
        if (memcmp(&f->residue[*n].what, r, sizeof(*r)) == 0)
            return *n;
    }
}

static uint32_t number_of(struct mpj_chip *c, const struct mpj_pipe *p, int32_t later, bool inside)
{
    struct mpj_residue r;
    (void)mpj_pipe_residue(&c->prm, p, later, &r);
    r.inside = inside;
    return mpj_residue_number(c, &r);
}

uint32_t mpj_residue_aged(struct mpj_chip *c, uint32_t number, uint32_t cycles)
{
    struct flow *f = c->flow;
    if (number == 0 || cycles == 0)
        return number;
    uint32_t *known = cycles < RESIDUE_AGES ? &f->residue[number].aged[cycles] : NULL;
    if (known && *known)
        return *known - 1;
    struct mpj_pipe p;
    mpj_pipe_begin_after(&p, &f->residue[number].what);
    uint32_t n = number_of(c, &p, cycles < VERY_LATE ? (int32_t)cycles : (int32_t)VERY_LATE, false);
    if (known)
        *known = n + 1;
    return n;
}

/* The residue as a block finds it that was cut where `like` is left. */
static uint32_t within(struct mpj_chip *c, uint32_t number, uint32_t like)
{
    if (like == 0 || !c->flow->residue[like].what.inside)
        return number;
    uint32_t *known = &c->flow->residue[number].within;
    if (*known == 0) {
        struct mpj_residue r = c->flow->residue[number].what;
        r.inside = 1;
        *known = mpj_residue_number(c, &r) + 1;
    }
    return *known - 1;
}

/* ---- translation ------------------------------------------------------------- */

static uint32_t uop_number(struct mpj_chip *c, uint32_t opcode, bool thumb)
{
    struct flow *f = c->flow;
    for (uint32_t h = (opcode ^ (uint32_t)thumb) * 0x9e3779b1U >> 8;; h++) {
        uint32_t *n = &f->uop_hash[h & (UOP_HASH - 1)];
        if (*n == 0) {
            *n = f->uops++;
            f->uop[*n].opcode = opcode;
            f->uop[*n].thumb = thumb;
            uop_decode(&c->prm, opcode, thumb, &f->uop[*n].u);
            pipe_compile(&c->prm, &f->uop[*n].u, &f->uop[*n].op);
            return *n;
        }
        if (f->uop[*n].opcode == opcode && f->uop[*n].thumb == thumb)
            return *n;
    }
}

uint32_t mpj_block_begin(struct mpj_chip *c, uint32_t entry)
{
    struct flow *f = c->flow;
    struct block *b = &f->block[f->blocks];
    *b = (struct block){.first = f->insns, .entry = entry, .unfolded = MPJ_FLOW_NOWHERE};
    mpj_pipe_begin_after(&f->pipe, mpj_residue_of(c, entry));
    return f->blocks++;
}

uint32_t mpj_block_insn(struct mpj_chip *c, uint32_t opcode, bool thumb, struct mpj_insn_cost *out)
{
    struct flow *f = c->flow;
    struct block *b = &f->block[f->blocks - 1];
    struct pipe_wait wait;
    uint32_t n = f->insns++;
    uint32_t uop = uop_number(c, opcode, thumb);
    uint32_t cycles = pipe_issue(&f->pipe, &f->uop[uop].op, &wait);
    f->insn[n] = (struct insn){.uop = uop, .block = f->blocks - 1, .cycles = (uint16_t)cycles};
    pipe_cost(&f->uop[uop].u, cycles, wait.data, &f->pipe, out);
    b->flags_age = f->pipe.flags_age;
    b->all.cycles += cycles;
    b->all.data += wait.data;
    b->all.lsu += wait.lsu;
    b->count++;
    return n;
}

void mpj_block_conditional(struct mpj_chip *c, uint32_t cycles)
{
    struct flow *f = c->flow;
    f->insn[f->insns - 1].extra += (uint8_t)cycles;
    f->block[f->blocks - 1].all.cycles -= cycles;
}

void mpj_block_folds(struct mpj_chip *c, uint32_t unfolded)
{
    struct block *b = &c->flow->block[c->flow->blocks - 1];
    b->folds = true;
    b->unfolded = unfolded;
    mpj_block_conditional(c, 1); /* nor is one ever charged */
}

uint32_t mpj_block_residue(struct mpj_chip *c, bool inside, bool folds)
{
    return number_of(c, &c->flow->pipe, folds ? -1 : 0, inside);
}

void mpj_block_end(struct mpj_chip *c)
{
    struct flow *f = c->flow;
    struct block *b = &f->block[f->blocks - 1];
    uint32_t ahead = 0;
    for (uint32_t n = b->count; n > 0; n--) {
        struct insn *i = &f->insn[b->first + n - 1];
        i->ahead = (uint16_t)ahead;
        ahead += i->cycles - i->extra;
    }
    b->out = mpj_block_residue(c, false, b->folds);
}

bool mpj_flow_full(const struct mpj_chip *c)
{
    const struct flow *f = c->flow;
    return f->insns + BLOCK_INSNS > INSNS || f->blocks + 1 > BLOCKS ||
           f->uops + BLOCK_INSNS > UOPS * 3 / 4 || f->residues > RESIDUES * 3 / 4;
}

void mpj_flow_forget(struct mpj_chip *c, uint32_t *keep, unsigned n)
{
    struct flow *f = c->flow;
    f->blocks = f->insns = f->uops = 1;
    memset(f->uop_hash, 0, UOP_HASH * sizeof(*f->uop_hash));
    for (unsigned i = 0; i < MPJ_CORES; i++)
        c->core[i].flight.id = c->core[i].single.id = 0;
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

/* A register that is not awaited any more counts as one that never was. */
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

/* Does the scoreboard hold just what is left by number? */
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

/* Times grow with the program: keeps them small. */
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
    k->ev[MPJ_EV_DDEP_STALL] += (uint64_t)(int32_t)(is->data - was->data);
    k->ev[MPJ_EV_LSU_STALL] += (uint64_t)(int32_t)(is->lsu - was->lsu);
}

/* Is there anything in the pipes that a residue is not meant for? */
static bool late(const struct mpj_pipe *p)
{
    return p->late > p->cycle || p->blocked > p->cycle;
}

/* What the block leaves, as far as it is not foreseen. */
static void leaves(struct mpj_chip *c, struct flight *t, const struct block *b)
{
    t->on = FLIGHT_PIPE;
    t->unfolded = b->unfolded;
    if (c->flow->exact)
        return;
    if (t->out.flags_age == b->flags_age && same(c, &t->out, b->out)) {
        t->on = FLIGHT_FORESEEN;
    } else if (!late(&t->out)) {
        t->on = FLIGHT_NUMBER;
        t->number = number_of(c, &t->out, 0, false);
        t->flags_age = t->out.flags_age;
    }
}

/* Walks the rest of the block after the checkpoint, if all goes as foreseen from there on.
 * Returns by how many cycles what has been charged for it was not enough. */
static int32_t plan(struct mpj_chip *c, struct core *k)
{
    struct flight *t = &k->flight;
    const struct block *b = &c->flow->block[t->block];
    struct flow_sum was = t->rest;
    t->open = false;
    t->out = t->p;
    t->rest = (struct flow_sum){0};
    walk(c, b, t->at, b->count, &t->out, &t->rest);
    t->out.cycle -= b->folds;
    leaves(c, t, b);
    count(k, &t->rest, &was);
    return (int32_t)(t->rest.cycles - was.cycles);
}

/* The same as late as possible: what comes until then is walked once only. */
static int32_t plan_later(struct mpj_chip *c, struct core *k)
{
    if (c->flow->exact)
        return plan(c, k);
    k->flight.on = FLIGHT_PIPE;
    k->flight.open = true;
    return 0;
}

/* Takes the checkpoint on, to just before instruction `to` of the block. */
static void advance(const struct mpj_chip *c, struct flight *t, uint32_t to)
{
    struct flow_sum sum = {0};
    if (t->at >= to)
        return;
    walk(c, &c->flow->block[t->block], t->at, to, &t->p, &sum);
    t->at = to;
    t->rest.cycles -= sum.cycles;
    t->rest.data -= sum.data;
    t->rest.lsu -= sum.lsu;
}

/* A checkpoint at the start of a block that found what it was translated for. */
static void start(const struct mpj_chip *c, struct flight *t, uint32_t block, uint64_t id)
{
    const struct block *b = &c->flow->block[block];
    mpj_pipe_begin_after(&t->p, mpj_residue_of(c, b->entry));
    t->block = block;
    t->at = 0;
    t->id = id;
    t->age = 0;
    t->rest = b->all;
}

/* A branch that loads its target goes nowhere before that is there. */
static void delay(const struct mpj_chip *c, const struct insn *i, struct mpj_pipe *p, uint32_t late,
                  uint32_t blocked)
{
    const struct known_uop *u = &c->flow->uop[i->uop];
    pipe_late(p, &u->op, late);
    pipe_block_lsu(p, blocked);
    if (u->u.branch)
        p->cycle += late;
}

/* The checkpoint of this execution, wherever it is; false: all went as foreseen. */
static bool under_way(struct mpj_chip *c, struct core *k, uint64_t id)
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
    delay(c, i, &t->p, k->single.late, k->single.blocked);
    t->rest.cycles += k->single.more.cycles;
    t->rest.data += k->single.more.data;
    t->rest.lsu += k->single.more.lsu;
    k->single.id = 0;
    return true;
}

/* ---- one delay, the usual way ------------------------------------------------------ */

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
 * From some delay on every further cycle is one more cycle of waiting, and all else in the pipes
 * is done by then: from which one, and what is left to wait? Found once per instruction.
 */
static void settle(struct mpj_chip *c, const struct insn *i, bool blocked, struct settled *s)
{
    const struct block *b = &c->flow->block[i->block];
    struct flight t;
    struct mpj_pipe out;
    struct flow_sum sum;
    start(c, &t, i->block, 0);
    advance(c, &t, (uint32_t)(i - c->flow->insn) - b->first + 1);
    try_delay(c, i, &t.p, VERY_LATE, blocked, &out, &sum);
    s->from = NEVER;
    if (late(&out)) /* nothing in the block waits for it */
        return;
    s->hidden = t.rest.cycles + VERY_LATE - sum.cycles;
    s->more.data = sum.data - t.rest.data - (blocked ? 0 : VERY_LATE);
    s->more.lsu = sum.lsu - t.rest.lsu - (blocked ? VERY_LATE : 0);
    s->after = number_of(c, &out, 0, false);
    s->flags_age = out.flags_age;
    uint32_t lo = 0; /* has not settled */
    uint32_t hi = SETTLES + 1;
    while (hi - lo > 1) {
        uint32_t mid = (lo + hi) / 2;
        try_delay(c, i, &t.p, mid, blocked, &out, &sum);
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

/* Charges a delay that has settled; false: it has not. */
static bool settled(struct mpj_chip *c, struct core *k, uint32_t insn, uint64_t id, uint32_t cycles,
                    bool blocked, int32_t *more)
{
    struct insn *i = &c->flow->insn[insn];
    struct settled *s = blocked ? &i->blocked : &i->late;
    struct flight *t = &k->flight;
    if (s->from == 0)
        settle(c, i, blocked, s);
    if (cycles < s->from || s->from == NEVER)
        return false;
    static const struct flow_sum none;
    k->single.id = id;
    k->single.insn = insn;
    k->single.late = blocked ? 0 : cycles;
    k->single.blocked = blocked ? cycles : 0;
    k->single.more.cycles = cycles - s->hidden;
    k->single.more.data = s->more.data + (blocked ? 0 : cycles);
    k->single.more.lsu = s->more.lsu + (blocked ? cycles : 0);
    count(k, &k->single.more, &none);
    const struct block *b = &c->flow->block[i->block];
    t->on = s->after == b->out && s->flags_age == b->flags_age ? FLIGHT_FORESEEN : FLIGHT_NUMBER;
    t->number = s->after;
    t->flags_age = s->flags_age;
    t->unfolded = b->unfolded;
    t->age = 0;
    *more = (int32_t)k->single.more.cycles;
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
    return c->core[core].flight.on != FLIGHT_FORESEEN;
}

unsigned mpj_flow_flags_age(const struct mpj_chip *c, unsigned core, unsigned foreseen)
{
    const struct flight *t = &c->core[core].flight;
    return t->on == FLIGHT_FORESEEN ? foreseen
           : t->on == FLIGHT_NUMBER ? t->flags_age
                                    : t->out.flags_age;
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
        uint32_t found = within(c, mpj_residue_aged(c, t->number, t->age), b->entry);
        t->on = FLIGHT_FORESEEN;
        *more = (int32_t)found;
        return found == b->entry ? MPJ_FLOW_FORESEEN : MPJ_FLOW_OTHER;
    }
    if (t->on == FLIGHT_FORESEEN)
        return MPJ_FLOW_FORESEEN;
    t->p = t->out;
    t->p.cycle += t->age;
    rebase(&t->p);
    t->p.flags_at = c->flow->residue[b->entry].what.inside ? t->p.cycle : 0;
    t->p.flags_age = 0;
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
    if (!under_way(c, k, id))
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
    if (!under_way(c, k, id)) {
        int32_t more;
        if (!c->flow->exact && (late == 0 || blocked == 0) && !c->flow->uop[i->uop].u.branch &&
            settled(c, k, insn, id, late + blocked, blocked > 0, &more))
            return more;
        start(c, t, i->block, id);
    }
    advance(c, t, insn - c->flow->block[i->block].first + 1);
    delay(c, i, &t->p, late, blocked);
    return plan_later(c, k) + (int32_t)(c->flow->uop[i->uop].u.branch ? late : 0);
}

int32_t mpj_flow_stall(struct mpj_chip *c, unsigned core, uint32_t block, uint64_t id,
                       uint32_t stall)
{
    struct core *k = &c->core[core];
    struct flight *t = &k->flight;
    uint32_t entry = c->flow->block[block].entry;
    if (!under_way(c, k, id)) {
        if (entry == 0)
            return (int32_t)stall;
        start(c, t, block, id);
    }
    t->p.cycle += stall;
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
    if (under_way(c, k, id)) {
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
    struct mpj_pipe p = t->p;
    mpj_flow_drop(c, core);
    if (keep) {
        t->out = p;
        t->on = FLIGHT_PIPE;
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
    if (!under_way(c, k, id)) {
        t = &foreseen;
        start(c, t, i->block, id);
    }
    advance(c, t, insn - c->flow->block[i->block].first + 1);
    (void)mpj_pipe_residue(&c->prm, &t->p, 0, out);
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
    k->flight.on = c->flow->exact ? FLIGHT_PIPE : FLIGHT_FORESEEN;
    k->flight.out = empty;
    k->flight.age = 0;
    k->flight.unfolded = MPJ_FLOW_NOWHERE;
    k->flight.open = false;
    k->flight.id = k->single.id = 0;
}

void flow_portable(const struct mpj_chip *c, struct flight *t)
{
    t->id = 0;
    if (t->on != FLIGHT_NUMBER)
        return;
    mpj_pipe_begin_after(&t->out, mpj_residue_of(c, t->number));
    t->on = FLIGHT_PIPE;
}

void mpj_flow_resume(struct mpj_chip *c, unsigned core, const struct mpj_residue *r)
{
    struct flight *t = &c->core[core].flight;
    if (t->on == FLIGHT_FORESEEN) {
        mpj_pipe_begin_after(&t->out, r);
        t->age = 0;
        t->unfolded = MPJ_FLOW_NOWHERE;
    }
    t->on = FLIGHT_PIPE;
}
