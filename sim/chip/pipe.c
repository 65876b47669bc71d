/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Static pipeline model: a scoreboard over one block. A register's ready time is
 * the cycle at which an ALU, MAC or address stage can start with it; an operand
 * that is needed a stage sooner waits pipe_early more. The load/store unit is
 * decoupled: it is busy on its own while later independent instructions issue.
 */
#include "pipe_int.h"

#include <string.h>

#define FLAGS 48U /* index of the flags in ready[] */
#define VFP0  16U

/* late_class: special forwarding towards some consumers */
enum { LATE_NONE, LATE_MUL, LATE_BASE, LATE_LOCK };

void mpj_pipe_begin(struct mpj_pipe *p)
{
    memset(p, 0, sizeof(*p));
}

static uint32_t later(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* When all registers of a mask can be used; forward: late_class whose result comes `gain` sooner.
 */
static uint32_t operands(const struct mpj_pipe *p, uint32_t mask, uint32_t early, unsigned forward,
                         uint32_t gain, uint32_t t)
{
    while (mask) {
        unsigned r = (unsigned)__builtin_ctz(mask);
        mask &= mask - 1;
        if (p->late_class[r] == LATE_LOCK || p->ready[r] == 0)
            continue;
        uint32_t at = p->ready[r] + early;
        if (forward && p->late_class[r] == forward)
            at = at > gain ? at - gain : 0;
        t = later(t, at);
    }
    return t;
}

/*
 * A register that is still to be written, or still to be read by an STM, is not overwritten. One
 * that the instruction itself takes as a forwarded operand has been waited for long enough.
 */
static uint32_t writable(const struct mpj_pipe *p, uint32_t mask, uint32_t forwarded, uint32_t t)
{
    while (mask) {
        unsigned r = (unsigned)__builtin_ctz(mask);
        mask &= mask - 1;
        if (!(forwarded >> r & 1) || p->late_class[r] == LATE_LOCK)
            t = later(t, p->ready[r]);
    }
    return t;
}

static uint32_t vfp_operands(const struct mpj_params *prm, const struct mpj_pipe *p,
                             const struct uop *u, uint32_t t)
{
    uint32_t mask = u->vrd;
    while (mask) {
        unsigned r = VFP0 + (unsigned)__builtin_ctz(mask);
        mask &= mask - 1;
        uint32_t at = p->ready[r];
        if (u->vfp_arith && at > (uint32_t)prm->vfp_forward)
            at -= (uint32_t)prm->vfp_forward;
        t = later(t, at);
    }
    mask = u->vwr;
    while (mask) {
        unsigned r = VFP0 + (unsigned)__builtin_ctz(mask);
        mask &= mask - 1;
        if (p->ready[r] > u->vlat) /* results of one pipe leave in order */
            t = later(t, p->ready[r] - u->vlat);
    }
    return t;
}

/* An instruction that issues at t: how long ago were the flags set? */
static uint8_t flags_age(const struct mpj_pipe *p, uint32_t t)
{
    uint32_t set = p->ready[FLAGS]; /* one cycle later, or 0: not in this block */
    return set == 0 || t - set >= UINT8_MAX ? UINT8_MAX : (uint8_t)(t - set + 1);
}

static void set_ready(struct mpj_pipe *p, uint32_t mask, unsigned first, uint32_t at, uint8_t late)
{
    while (mask) {
        unsigned r = first + (unsigned)__builtin_ctz(mask);
        mask &= mask - 1;
        p->ready[r] = at;
        p->late_class[r] = late;
    }
}

static void set_list(const struct mpj_params *prm, struct mpj_pipe *p, const struct uop *u,
                     uint32_t t)
{
    uint32_t mask = u->list;
    for (uint32_t n = 0; mask; n++) {
        unsigned r = (unsigned)__builtin_ctz(mask);
        mask &= mask - 1;
        if (!u->list_store) { /* two registers arrive per cycle */
            p->ready[r] = t + (uint32_t)prm->pipe_load_latency + n / 2;
            p->late_class[r] = LATE_NONE;
        } else if (n >= 2) { /* read late: keep it from being overwritten until then */
            p->ready[r] = t + (uint32_t)prm->pipe_store_lock + n / 2;
            p->late_class[r] = LATE_LOCK;
        }
    }
}

static void decode(const struct mpj_params *prm, uint32_t op, bool thumb, struct uop *u)
{
    memset(u, 0, sizeof(*u));
    u->issue = 1;
    u->unit = UNIT_NONE;
    if (thumb)
        uop_thumb(prm, op, u);
    else
        uop_arm(prm, op, u);
}

void mpj_pipe_insn(const struct mpj_params *prm, struct mpj_pipe *p, uint32_t opcode, bool thumb,
                   struct mpj_insn_cost *out)
{
    struct uop u;
    decode(prm, opcode, thumb, &u);
    uint32_t early = (uint32_t)prm->pipe_early;
    uint32_t start = p->cycle;

    uint32_t t = start;
    t = operands(p, u.rd, 0, 0, 0, t);
    t = operands(p, u.rd_early, early, 0, 0, t);
    t = operands(p, u.rd_addr, early, LATE_BASE, early, t);
    t = operands(p, u.rd_acc, 0, LATE_MUL, (uint32_t)prm->pipe_mul_forward, t);
    if (u.list_store)
        t = operands(p, u.list, 0, 0, 0, t);
    t = writable(p, u.wr | u.wr_hi | u.wr_base | (u.list_store ? 0 : u.list), u.rd_acc, t);
    if (u.rd_flags)
        t = later(t, p->ready[FLAGS]);
    if (u.rd_fpscr)
        t = later(t, p->flags);
    t = vfp_operands(prm, p, &u, t);
    uint32_t ddep = t - start;
    if (u.unit != UNIT_NONE) {
        t = later(t, p->unit_free[u.unit]);
        p->unit_free[u.unit] = t + u.unit_busy;
    }

    uint8_t age = u.rd_flags ? flags_age(p, t) : 0;

    p->cycle = t + u.issue;
    set_ready(p, u.wr_base, 0, t + 1, LATE_BASE);
    set_ready(p, u.wr, 0, t + u.lat, u.mul ? LATE_MUL : LATE_NONE);
    set_ready(p, u.wr_hi, 0, t + u.lat_hi, u.mul ? LATE_MUL : LATE_NONE);
    set_list(prm, p, &u, t);
    set_ready(p, u.vwr, VFP0, t + u.vlat, LATE_NONE);
    for (unsigned n = 0; n < u.vlist_count; n++) /* one 64-bit word per cycle */
        p->ready[VFP0 + ((u.vlist_first + n) & 31)] = t + (uint32_t)prm->vfp_load_latency + n / 2;
    if (u.wr_flags)
        p->ready[FLAGS] = t + later(u.lat, u.issue);
    if (u.wr_fpscr)
        p->flags = t + u.vlat;

    out->cycles = (uint16_t)(p->cycle - start);
    out->ddep = (uint16_t)ddep;
    /* 62.5 fJ steps, rounded: fJ * 16 / 1000 */
    uint32_t steps = ((uint32_t)u.energy * 2 + 62) / 125;
    out->energy = (uint16_t)(steps > UINT16_MAX ? UINT16_MAX : steps);
    out->loads = u.loads;
    out->stores = u.stores;
    out->branch = u.branch;
    out->pc_change = u.pc_change;
    out->kind = u.kind;
    out->flags_age = age;
}

uint32_t mpj_pipe_use_distance(const struct mpj_params *prm, const uint32_t *ops, unsigned n,
                               unsigned at, bool thumb)
{
    struct uop u;
    decode(prm, ops[at], thumb, &u);
    uint32_t wanted = u.wr | u.wr_hi | (u.list_store ? 0 : u.list);
    uint32_t vwanted = u.vwr;
    for (unsigned i = 0; i < u.vlist_count; i++)
        vwanted |= 1U << ((u.vlist_first + i) & 31);
    uint32_t distance = u.issue;
    for (unsigned i = at + 1; i < n; i++) {
        decode(prm, ops[i], thumb, &u);
        uint32_t uses =
            u.rd | u.rd_early | u.rd_addr | u.rd_acc | u.wr | u.wr_hi | u.wr_base | u.list;
        if ((uses & wanted) || ((u.vrd | u.vwr) & vwanted))
            return distance;
        for (unsigned r = 0; r < u.vlist_count; r++)
            if (vwanted >> ((u.vlist_first + r) & 31) & 1)
                return distance;
        distance += u.issue;
    }
    return n;
}
