/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Static pipeline model: a scoreboard over one block. A register's ready time is
 * the cycle at which an ALU, MAC or address stage can start with it; an operand
 * that is needed a stage sooner waits pipe_early more. The load/store unit is
 * decoupled: it is busy on its own while later independent instructions issue.
 */
#include "mpj_flow.h"
#include "pipe_int.h"

#include <string.h>

#define FLAGS 48U /* index of the flags in ready[] */
#define VFP0  16U

void mpj_pipe_begin(struct mpj_pipe *p)
{
    memset(p, 0, sizeof(*p));
    p->cycle = PIPE_FIRST;
}

void mpj_pipe_begin_after(struct mpj_pipe *p, const struct mpj_residue *r)
{
    mpj_pipe_begin(p);
    if (!r)
        return;
    for (unsigned i = 0; i <= FLAGS; i++)
        p->ready[i] = r->ready[i] ? PIPE_FIRST - 1 + r->ready[i] : 0;
    for (unsigned i = 0; i < VFP0; i++)
        p->late_class[i] = r->late_class[i];
    for (unsigned i = 0; i < 4; i++)
        p->unit_free[i] = r->unit_free[i] ? PIPE_FIRST - 1 + r->unit_free[i] : 0;
    p->flags = r->flags ? PIPE_FIRST - 1 + r->flags : 0;
    /* If a block was cut, the previous instruction counts as the one that set the flags. */
    p->flags_at = r->inside ? p->cycle : 0;
}

/* Returns 1 + the cycles that are left, 0 if they are fewer than `least`. */
static uint8_t left(uint32_t at, int64_t now, int64_t least)
{
    int64_t n = (int64_t)at - now;
    return (uint8_t)(at == 0 || n < least ? 0 : n > 254 ? 255 : n + 1);
}

bool mpj_pipe_residue(const struct mpj_params *prm, const struct mpj_pipe *p, int32_t later,
                      struct mpj_residue *out)
{
    int64_t now = (int64_t)p->cycle + later;
    uint8_t any = 0;
    memset(out, 0, sizeof(*out));
    for (unsigned i = 0; i <= FLAGS; i++) {
        /* A value that is ready now is still late for a use one stage earlier. */
        bool core = i < VFP0 && p->late_class[i] != LATE_LOCK;
        any |= out->ready[i] = left(p->ready[i], now, core ? 1 - prm->pipe_early : 1);
        if (i < VFP0 && out->ready[i])
            out->late_class[i] = p->late_class[i];
    }
    for (unsigned i = 0; i < 4; i++)
        any |= out->unit_free[i] = left(p->unit_free[i], now, 1);
    any |= out->flags = left(p->flags, now, 1);
    return any != 0;
}

static uint32_t later(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

void uop_decode(const struct mpj_params *prm, uint32_t op, bool thumb, struct uop *u)
{
    memset(u, 0, sizeof(*u));
    u->issue = 1;
    u->unit = UNIT_NONE;
    if (thumb)
        uop_thumb(prm, op, u);
    else
        uop_arm(prm, op, u);
}

/* ---- an instruction as lists of what it waits for and what it sets ------------------ */

static void waits(struct pipe_op *op, unsigned first, uint32_t mask, unsigned how, int32_t add)
{
    while (mask) {
        op->src[op->srcs++] =
            (struct pipe_src){.reg = (uint8_t)(first + (unsigned)__builtin_ctz(mask)),
                              .how = (uint8_t)how,
                              .add = (int16_t)add};
        mask &= mask - 1;
    }
}

static void sets(struct pipe_op *op, unsigned first, uint32_t mask, uint32_t lat, unsigned late)
{
    while (mask) {
        op->dst[op->dsts++] =
            (struct pipe_dst){.reg = (uint8_t)(first + (unsigned)__builtin_ctz(mask)),
                              .lat = (uint8_t)lat,
                              .late = (uint8_t)late};
        mask &= mask - 1;
    }
}

static void sets_list(const struct mpj_params *prm, const struct uop *u, struct pipe_op *op)
{
    uint32_t mask = u->list;
    for (uint32_t n = 0; mask; n++, mask &= mask - 1) {
        uint32_t r = mask & -mask;
        if (!u->list_store) /* two registers arrive per cycle */
            sets(op, 0, r, (uint32_t)prm->pipe_load_latency + n / 2, LATE_NONE);
        else if (n >= 2) /* read late: keep it from being overwritten until then */
            sets(op, 0, r, (uint32_t)prm->pipe_store_lock + n / 2, LATE_LOCK);
    }
}

void pipe_compile(const struct mpj_params *prm, const struct uop *u, struct pipe_op *op)
{
    int32_t early = prm->pipe_early;
    memset(op, 0, sizeof(*op));
    op->unit = u->unit;
    op->unit_busy = u->unit_busy;
    op->issue = u->issue;
    op->branch = u->branch;
    op->system = u->kind == MPJ_K_SYSTEM;
    op->rd_flags = u->rd_flags;
    op->wr_flags = u->wr_flags ? (uint8_t)later(u->lat, u->issue) : 0;
    op->rd_fpscr = u->rd_fpscr;
    op->wr_fpscr = u->wr_fpscr ? u->vlat : 0;
    op->base_gain = (int16_t)early;
    op->mul_gain = (int16_t)prm->pipe_mul_forward;

    waits(op, 0, u->rd, WAIT_READ, 0);
    waits(op, 0, u->rd_early, WAIT_READ, early);
    waits(op, 0, u->rd_addr, WAIT_BASE, early);
    waits(op, 0, u->rd_acc, WAIT_MUL, 0);
    if (u->list_store)
        waits(op, 0, u->list, WAIT_READ, 0);
    /* A register that is still to be written, or still to be read by an STM, is not overwritten.
     * One that the instruction itself takes as a forwarded operand has been waited for. */
    uint32_t wr = u->wr | u->wr_hi | u->wr_base | (u->list_store ? 0 : u->list);
    waits(op, 0, wr & ~u->rd_acc, WAIT_ANY, 0);
    waits(op, 0, wr & u->rd_acc, WAIT_LOCK, 0);
    if (u->rd_flags)
        waits(op, FLAGS, 1, WAIT_ANY, 0);
    waits(op, VFP0, u->vrd, WAIT_ANY, u->vfp_arith ? -prm->vfp_forward : 0);
    waits(op, VFP0, u->vwr, WAIT_ANY, -(int32_t)u->vlat); /* results of one pipe leave in order */

    sets(op, 0, u->wr_base, 1, LATE_BASE);
    op->first_late = op->dsts;
    sets(op, 0, u->wr, u->lat, u->mul ? LATE_MUL : LATE_NONE);
    sets(op, 0, u->wr_hi, u->lat_hi, u->mul ? LATE_MUL : LATE_NONE);
    sets_list(prm, u, op);
    for (unsigned n = 0; n < u->vlist_count; n++) /* one 64-bit word per cycle */
        sets(op, VFP0, 1U << ((u->vlist_first + n) & 31), (uint32_t)prm->vfp_load_latency + n / 2,
             LATE_NONE);
    op->last_late = u->list_store ? op->first_late : op->dsts;
    sets(op, VFP0, u->vwr, u->vlat, LATE_NONE);
    if (u->wr_flags)
        sets(op, FLAGS, 1, later(u->lat, u->issue), LATE_NONE);
}

/* Returns the age of the flags at a branch that issues at t. Flags set before its block are old. */
static uint8_t flags_age(const struct mpj_pipe *p, uint32_t t)
{
    uint32_t set = p->flags_at; /* one cycle later */
    return set == 0 || t - set >= UINT8_MAX ? UINT8_MAX : (uint8_t)(t - set + 1);
}

uint32_t pipe_issue(struct mpj_pipe *p, const struct pipe_op *op, struct pipe_wait *wait)
{
    uint32_t start = p->cycle;
    int32_t t = (int32_t)start;
    for (const struct pipe_src *s = op->src; s < op->src + op->srcs; s++) {
        int32_t at = (int32_t)p->ready[s->reg] + s->add;
        unsigned class = p->late_class[s->reg];
        if (class != LATE_NONE && s->how != WAIT_ANY) {
            if (class == LATE_LOCK) {
                if (s->how != WAIT_LOCK)
                    continue;
            } else if (s->how == WAIT_BASE && class == LATE_BASE) {
                at -= op->base_gain;
            } else if (s->how == WAIT_MUL && class == LATE_MUL) {
                at -= op->mul_gain;
            } else if (s->how == WAIT_LOCK) {
                continue;
            }
        } else if (s->how == WAIT_LOCK) {
            continue;
        }
        if (at > t)
            t = at;
    }
    if (op->rd_fpscr && (int32_t)p->flags > t)
        t = (int32_t)p->flags;
    if (op->system) { /* waits for what is late */
        int32_t at = (int32_t)later(p->late, p->blocked);
        t = at > t ? at : t;
    }
    wait->data = (uint32_t)t - start;
    wait->lsu = 0;
    if (op->unit != UNIT_NONE) {
        if (op->unit == UNIT_LS && (int32_t)p->blocked > t)
            wait->lsu = p->blocked - (uint32_t)t;
        if ((int32_t)p->unit_free[op->unit] > t)
            t = (int32_t)p->unit_free[op->unit];
        p->unit_free[op->unit] = (uint32_t)t + op->unit_busy;
    }
    for (const struct pipe_dst *d = op->dst; d < op->dst + op->dsts; d++) {
        p->ready[d->reg] = (uint32_t)t + d->lat;
        p->late_class[d->reg] = d->late;
    }
    if (op->branch)
        p->flags_age = op->rd_flags ? flags_age(p, (uint32_t)t) : 0;
    if (op->wr_flags)
        p->flags_at = (uint32_t)t + op->wr_flags;
    if (op->wr_fpscr)
        p->flags = (uint32_t)t + op->wr_fpscr;
    p->cycle = (uint32_t)t + op->issue;
    return p->cycle - start;
}

void pipe_late(struct mpj_pipe *p, const struct pipe_op *op, uint32_t cycles)
{
    for (unsigned i = op->first_late; i < op->last_late; i++) {
        uint32_t *ready = &p->ready[op->dst[i].reg];
        p->late = later(p->late, *ready += cycles);
    }
}

void pipe_block_lsu(struct mpj_pipe *p, uint32_t cycles)
{
    if (cycles > 0)
        p->blocked = p->unit_free[UNIT_LS] = later(p->unit_free[UNIT_LS], p->cycle) + cycles;
}

void pipe_cost(const struct uop *u, uint32_t cycles, uint32_t ddep, const struct mpj_pipe *p,
               struct mpj_insn_cost *out)
{
    out->cycles = (uint16_t)cycles;
    out->ddep = (uint16_t)ddep;
    out->issue = u->issue;
    /* 62.5 fJ steps, rounded: fJ * 16 / 1000 */
    uint32_t steps = ((uint32_t)u->energy * 2 + 62) / 125;
    out->energy = (uint16_t)(steps > UINT16_MAX ? UINT16_MAX : steps);
    out->loads = u->loads;
    out->stores = u->stores;
    out->branch = u->branch;
    out->pc_change = u->pc_change;
    out->kind = u->kind;
    out->flags_age = u->branch ? p->flags_age : 0;
}

void mpj_pipe_insn(const struct mpj_params *prm, struct mpj_pipe *p, uint32_t opcode, bool thumb,
                   struct mpj_insn_cost *out)
{
    struct uop u;
    struct pipe_op op;
    struct pipe_wait wait;
    uop_decode(prm, opcode, thumb, &u);
    pipe_compile(prm, &u, &op);
    uint32_t cycles = pipe_issue(p, &op, &wait);
    pipe_cost(&u, cycles, wait.data, p, out);
}
