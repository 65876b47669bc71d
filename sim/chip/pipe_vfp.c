/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * VFP11 instructions to scheduler operations (scalar: vector lengths above one are
 * deprecated and not modelled). Issue is in order; the add/multiply and the
 * divide/square-root pipes are busy for their throughput, loads and stores use
 * the core's load/store unit.
 */
#include "pipe_int.h"

struct vreg {
    unsigned first; /* single-precision index */
    uint32_t mask;
};

static struct vreg vreg(uint32_t op, unsigned field, unsigned low, bool dbl)
{
    struct vreg v;
    unsigned n = op >> field & 15;
    if (dbl) {
        v.first = n * 2;
        v.mask = 3U << v.first;
    } else {
        v.first = n * 2 + (op >> low & 1);
        v.mask = 1U << v.first;
    }
    return v;
}

static void arith(const struct mpj_params *prm, struct uop *u, int32_t issue, int32_t latency,
                  bool divide, bool dbl)
{
    u->kind = MPJ_K_VFP;
    u->vfp_arith = true;
    u->unit = divide ? UNIT_DIV : UNIT_VFP;
    u->unit_busy = (uint8_t)issue;
    u->vlat = (uint8_t)latency;
    u->energy = divide ? prm->e_class_vfp_div
                : dbl  ? prm->e_class_vfp_double
                       : prm->e_class_vfp_single;
}

/* Decodes the operations that Fn selects: copies, compares, square root, conversions. */
static void extension(const struct mpj_params *prm, uint32_t op, struct uop *u, bool dbl)
{
    unsigned fn = (op >> 16 & 15) * 2 + (op >> 7 & 1);
    struct vreg d = vreg(op, 12, 22, dbl);
    struct vreg m = vreg(op, 0, 5, dbl);
    arith(prm, u, 1, prm->vfp_move_latency, false, dbl);
    switch (fn) {
    case 3: /* square root */
        arith(prm, u, dbl ? prm->vfp_div_double_issue : prm->vfp_div_single_issue,
              dbl ? prm->vfp_div_double_latency : prm->vfp_div_single_latency, true, dbl);
        break;
    case 8:
    case 9: /* compare: result in FPSCR, fetched by FMSTAT */
        u->vrd = d.mask | m.mask;
        u->wr_fpscr = true;
        return;
    case 10:
    case 11: /* compare with zero */
        u->vrd = d.mask;
        u->wr_fpscr = true;
        return;
    case 15: /* single <-> double: the destination has the other size */
        d = vreg(op, 12, 22, !dbl);
        break;
    case 16:
    case 17: /* from integer: the source is a single register */
        m = vreg(op, 0, 5, false);
        u->vlat = (uint8_t)prm->vfp_add_latency;
        break;
    case 24:
    case 25:
    case 26:
    case 27: /* to integer */
        d = vreg(op, 12, 22, false);
        u->vlat = (uint8_t)prm->vfp_add_latency;
        break;
    default: /* copy, absolute value, negate */
        break;
    }
    u->vrd = m.mask;
    u->vwr = d.mask;
}

static void data_processing(const struct mpj_params *prm, uint32_t op, struct uop *u, bool dbl)
{
    unsigned pqrs = (op >> 20 & 8) | (op >> 19 & 6) | (op >> 6 & 1);
    if (pqrs == 15) {
        extension(prm, op, u, dbl);
        return;
    }
    struct vreg d = vreg(op, 12, 22, dbl);
    if (pqrs == 8)
        arith(prm, u, dbl ? prm->vfp_div_double_issue : prm->vfp_div_single_issue,
              dbl ? prm->vfp_div_double_latency : prm->vfp_div_single_latency, true, dbl);
    else if (pqrs == 6 || pqrs == 7)
        arith(prm, u, 1, prm->vfp_add_latency, false, dbl);
    else
        arith(prm, u, dbl ? prm->vfp_mul_double_issue : prm->vfp_mul_single_issue,
              dbl ? prm->vfp_mul_double_latency : prm->vfp_mul_single_latency, false, dbl);
    u->vrd = vreg(op, 16, 7, dbl).mask | vreg(op, 0, 5, dbl).mask;
    if (pqrs < 4) /* multiply-accumulate */
        u->vrd |= d.mask;
    u->vwr = d.mask;
}

static void load_store(const struct mpj_params *prm, uint32_t op, struct uop *u, bool dbl)
{
    bool load = op >> 20 & 1;
    bool single = (op >> 24 & 1) && !(op >> 21 & 1);
    unsigned words = single ? (dbl ? 2 : 1) : (op & 0xff & ~(dbl ? 1U : 0U));
    unsigned first = vreg(op, 12, 22, dbl).first;
    if (words > 32)
        words = 32;
    unsigned accesses = words ? (words + 1) / 2 : 1;
    u->kind = load ? MPJ_K_LOAD : MPJ_K_STORE;
    u->rd_addr = reg(op, 16);
    if (!single && (op >> 21 & 1))
        u->wr_base = reg(op, 16);
    u->unit = UNIT_LS;
    u->unit_busy = (uint8_t)accesses;
    u->loads = (uint8_t)(load ? accesses : 0);
    u->stores = (uint8_t)(load ? 0 : accesses);
    u->energy = (load ? prm->e_class_load : prm->e_class_store) * (int32_t)accesses;
    if (load) {
        u->vlist_first = (uint8_t)first;
        u->vlist_count = (uint8_t)words;
        u->vlat = (uint8_t)prm->vfp_load_latency;
    } else {
        for (unsigned i = 0; i < words; i++)
            u->vrd |= 1U << ((first + i) & 31);
    }
}

/* Moves core registers to the VFP or back; `out` towards the core. */
static void transfer(const struct mpj_params *prm, struct uop *u, uint32_t core, uint32_t vfp,
                     bool out)
{
    u->kind = MPJ_K_VFP;
    u->energy = prm->e_class_alu;
    if (out) {
        u->wr = core & 0x7fffU;
        u->lat = (uint8_t)prm->vfp_to_core_latency;
        u->vrd = vfp;
    } else {
        u->rd = core;
        u->vwr = vfp;
        u->vlat = (uint8_t)prm->vfp_from_core_latency;
    }
}

void uop_vfp(const struct mpj_params *prm, uint32_t op, struct uop *u)
{
    bool dbl = op >> 8 & 1;
    bool out = op >> 20 & 1;
    if ((op >> 24 & 15) != 14) {
        if ((op & 0x0fe00000) == 0x0c400000) { /* two core registers */
            struct vreg m = vreg(op, 0, 5, dbl);
            uint32_t mask = dbl ? m.mask : 3U << (m.first & 30);
            transfer(prm, u, reg(op, 12) | reg(op, 16), mask, out);
        } else {
            load_store(prm, op, u, dbl);
        }
        return;
    }
    if (!(op >> 4 & 1)) {
        data_processing(prm, op, u, dbl);
        return;
    }
    if ((op >> 21 & 7) == 7) { /* system registers: FMXR, FMRX, FMSTAT */
        transfer(prm, u, reg(op, 12), 0, out);
        if (out && (op >> 12 & 15) == 15) {
            u->wr_flags = true;
            u->rd_fpscr = true;
        }
        return;
    }
    unsigned n = (op >> 16 & 15) * 2;
    n += dbl ? (op >> 21 & 1) : (op >> 7 & 1); /* half of a double, or the single register */
    transfer(prm, u, reg(op, 12), 1U << n, out);
}
