/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ARM instructions (ARMv6K) to scheduler operations. Encodings: ARM ARM, DDI 0100. */
#include "pipe_int.h"

#define PC (1U << 15)
#define LR 14U
#define SP (1U << 13)

void uop_alu(const struct mpj_params *prm, struct uop *u)
{
    u->kind = MPJ_K_ALU;
    u->lat = (uint8_t)prm->pipe_alu_latency;
    u->energy = prm->e_class_alu;
}

void uop_branch(const struct mpj_params *prm, struct uop *u, unsigned kind)
{
    u->kind = (uint8_t)kind;
    u->branch = 1;
    u->pc_change = kind == MPJ_K_BRANCH_INDIRECT;
    if (u->energy < prm->e_class_branch)
        u->energy = prm->e_class_branch;
}

void uop_system(const struct mpj_params *prm, struct uop *u)
{
    u->kind = MPJ_K_SYSTEM;
    u->issue = (uint8_t)prm->pipe_system_issue;
    u->lat = (uint8_t)prm->pipe_system_latency;
    u->energy = prm->e_class_system;
}

void uop_load(const struct mpj_params *prm, struct uop *u, uint32_t wr, uint32_t base,
              uint32_t offset)
{
    u->kind = MPJ_K_LOAD;
    u->wr = wr;
    u->rd_addr = base | offset;
    u->lat = (uint8_t)prm->pipe_load_latency;
    u->unit = UNIT_LS;
    u->unit_busy = 1;
    u->loads = 1;
    u->energy = prm->e_class_load;
}

void uop_store(const struct mpj_params *prm, struct uop *u, uint32_t data, uint32_t base,
               uint32_t offset)
{
    u->kind = MPJ_K_STORE;
    u->rd = data;
    u->rd_addr = base | offset;
    u->unit = UNIT_LS;
    u->unit_busy = 1;
    u->stores = 1;
    u->energy = prm->e_class_store;
}

/* Adds the shifter's cycle, which the address needs, in the pipe and until the result. */
void uop_slow_address(const struct mpj_params *prm, struct uop *u)
{
    u->issue = (uint8_t)prm->pipe_load_slow_issue;
    u->unit_busy = u->issue;
    if (u->kind == MPJ_K_LOAD)
        u->lat = (uint8_t)prm->pipe_load_slow_latency;
}

void uop_multiple(const struct mpj_params *prm, struct uop *u, uint32_t list, uint32_t base,
                  bool load)
{
    unsigned n = (unsigned)__builtin_popcount(list);
    unsigned pairs = (n + 1) / 2;
    u->kind = load ? MPJ_K_LOAD : MPJ_K_STORE;
    u->list = list & ~PC;
    u->list_store = !load;
    u->rd_addr = base;
    u->unit = UNIT_LS;
    u->unit_busy = (uint8_t)(pairs ? pairs : 1);
    u->loads = (uint8_t)(load ? pairs : 0);
    u->stores = (uint8_t)(load ? 0 : pairs);
    u->energy = (load ? prm->e_class_load : prm->e_class_store) * (int32_t)(pairs ? pairs : 1);
}

void uop_mul(const struct mpj_params *prm, struct uop *u, uint32_t operands, uint32_t wr,
             bool flags)
{
    u->kind = MPJ_K_MUL;
    u->rd_early = operands;
    u->wr = wr;
    u->mul = true;
    u->wr_flags = flags;
    u->issue = (uint8_t)(flags ? prm->pipe_mul_flags_issue : prm->pipe_mul_issue);
    u->lat = (uint8_t)prm->pipe_mul_latency;
    u->energy = prm->e_class_mul;
}

static void long_mul(struct uop *u, uint32_t lo, uint32_t hi, int32_t issue, int32_t lat_lo,
                     int32_t lat_hi, int32_t energy)
{
    u->kind = MPJ_K_MUL;
    u->mul = true;
    u->wr = lo;
    u->wr_hi = hi;
    u->issue = (uint8_t)issue;
    u->lat = (uint8_t)lat_lo;
    u->lat_hi = (uint8_t)lat_hi;
    u->energy = energy;
}

/* Decodes MUL, MLA, UMAAL, UMULL, UMLAL, SMULL, SMLAL: bits [7:4] = 1001, [27:24] = 0 */
static void multiply(const struct mpj_params *prm, uint32_t op, struct uop *u)
{
    unsigned what = op >> 21 & 7;
    bool flags = op >> 20 & 1;
    if (what < 2) {
        uop_mul(prm, u, reg(op, 0) | reg(op, 8), reg(op, 16), flags);
        if (what == 1)
            u->rd_acc = reg(op, 12);
        return;
    }
    u->rd_early = reg(op, 0) | reg(op, 8);
    long_mul(u, reg(op, 12), reg(op, 16), flags ? prm->pipe_mull_flags_issue : prm->pipe_mull_issue,
             prm->pipe_mull_latency_lo, prm->pipe_mull_latency_hi, prm->e_class_mull);
    u->wr_flags = flags;
    if (what == 2 || what == 5 || what == 7) /* accumulating */
        u->rd_acc = reg(op, 12) | reg(op, 16);
}

/* Decodes 16-bit multiplies with 32-bit result: SMULxy, SMLAxy, SMLAWy, SMLAD, USAD8 ... */
static void multiply16(const struct mpj_params *prm, uint32_t op, struct uop *u, bool accumulate)
{
    uop_mul(prm, u, reg(op, 0) | reg(op, 8), reg(op, 16), false);
    u->issue = (uint8_t)prm->pipe_mul16_issue;
    u->lat = (uint8_t)prm->pipe_mul16_latency;
    if (accumulate)
        u->rd_acc = reg(op, 12);
}

static void multiply16_long(const struct mpj_params *prm, uint32_t op, struct uop *u)
{
    u->rd_early = reg(op, 0) | reg(op, 8);
    u->rd_acc = reg(op, 12) | reg(op, 16);
    long_mul(u, reg(op, 12), reg(op, 16), prm->pipe_mlal16_issue, prm->pipe_mlal16_latency_lo,
             prm->pipe_mlal16_latency_hi, prm->e_class_mull);
}

static void writeback(struct uop *u, uint32_t op)
{
    bool pre = op >> 24 & 1;
    bool w = op >> 21 & 1;
    if (!pre || w)
        u->wr_base = reg(op, 16) & ~u->wr;
}

/* Marks a load that writes the PC: from the stack a return, else a jump through a table. */
static void load_pc(const struct mpj_params *prm, struct uop *u, bool from_stack)
{
    uop_branch(prm, u, from_stack ? MPJ_K_RETURN : MPJ_K_BRANCH_INDIRECT);
}

/* Decodes LDR, STR, LDRB, STRB with immediate or register offset */
static void single(const struct mpj_params *prm, uint32_t op, struct uop *u, bool reg_offset)
{
    bool load = op >> 20 & 1;
    uint32_t offset = reg_offset ? reg(op, 0) : 0;
    if (load)
        uop_load(prm, u, reg(op, 12) & ~PC, reg(op, 16), offset);
    else
        uop_store(prm, u, reg(op, 12), reg(op, 16), offset);
    writeback(u, op);
    if (reg_offset) {
        bool up = op >> 23 & 1;
        unsigned shift = op >> 4 & 0xff; /* amount and type */
        if (!up || (shift != 0 && shift != (2U << 3)))
            uop_slow_address(prm, u);
    }
    if (load && (op >> 12 & 15) == 15)
        load_pc(prm, u, (op >> 16 & 15) == 13);
}

/* Decodes LDRH, STRH, LDRSB, LDRSH, LDRD, STRD */
static void extra(const struct mpj_params *prm, uint32_t op, struct uop *u)
{
    bool l = op >> 20 & 1;
    unsigned sh = op >> 5 & 3;
    bool immediate = op >> 22 & 1;
    uint32_t offset = immediate ? 0 : reg(op, 0);
    bool dual = !l && sh >= 2;
    uint32_t data = reg(op, 12) | (dual ? (reg(op, 12) << 1) & 0xffff : 0);
    if (l || sh == 2)
        uop_load(prm, u, data, reg(op, 16), offset);
    else
        uop_store(prm, u, data, reg(op, 16), offset);
    writeback(u, op);
    if (!immediate && !(op >> 23 & 1))
        uop_slow_address(prm, u);
}

/* Decodes SWP, SWPB, LDREX*, STREX*: bits [27:24] = 0001, [7:4] = 1001 */
static void exclusive(const struct mpj_params *prm, uint32_t op, struct uop *u)
{
    bool swap = !(op >> 23 & 1);
    bool l = op >> 20 & 1;
    bool dual = (op >> 21 & 3) == 1;
    if (swap) {
        uop_load(prm, u, reg(op, 12), reg(op, 16), 0);
        u->rd = reg(op, 0);
        u->stores = 1;
        u->unit_busy = 2;
        u->issue = 2;
        u->energy += prm->e_class_store;
    } else if (l) {
        uop_load(prm, u, reg(op, 12) | (dual ? (reg(op, 12) << 1) & 0xffff : 0), reg(op, 16), 0);
    } else {
        uop_store(prm, u, reg(op, 0) | (dual ? (reg(op, 0) << 1) & 0xffff : 0), reg(op, 16), 0);
        u->wr = reg(op, 12); /* success comes back like loaded data */
        u->lat = (uint8_t)prm->pipe_load_latency;
    }
}

/* Decodes bits [27:23] = 00010, S clear: MRS, MSR, BX, BLX, CLZ, saturating, halfword multiplies */
static void miscellaneous(const struct mpj_params *prm, uint32_t op, struct uop *u)
{
    unsigned what = op >> 21 & 3;
    if ((op & 0x90) == 0x80) {
        if (what == 2)
            multiply16_long(prm, op, u);
        else
            multiply16(prm, op, u, what == 0 || (what == 1 && !(op >> 5 & 1)));
        return;
    }
    uop_alu(prm, u);
    switch (op >> 4 & 15) {
    case 1:
        u->rd = reg(op, 0);
        if (what == 1) {
            uop_branch(prm, u, (op & 15) == LR ? MPJ_K_RETURN : MPJ_K_BRANCH_INDIRECT);
            u->energy = prm->e_class_branch;
        } else {
            u->wr = reg(op, 12); /* CLZ */
        }
        break;
    case 2:
    case 3: /* BXJ, BLX register */
        u->rd = reg(op, 0);
        u->wr = (op >> 4 & 15) == 3 ? 1U << LR : 0;
        uop_branch(prm, u, MPJ_K_BRANCH_INDIRECT);
        u->energy = prm->e_class_branch;
        break;
    case 5: /* QADD ... */
        u->rd = reg(op, 0) | reg(op, 16);
        u->wr = reg(op, 12);
        break;
    default: /* MRS, MSR, BKPT */
        uop_system(prm, u);
        if (what & 1)
            u->rd = reg(op, 0);
        else
            u->wr = reg(op, 12);
        u->wr_flags = what & 1;
        break;
    }
}

static void data_processing(const struct mpj_params *prm, uint32_t op, struct uop *u,
                            bool immediate)
{
    unsigned code = op >> 21 & 15;
    bool test = code >= 8 && code <= 11;
    bool move = code == 13 || code == 15;
    uop_alu(prm, u);
    if (!move)
        u->rd = reg(op, 16);
    if (code >= 5 && code <= 7) /* ADC, SBC, RSC */
        u->rd_flags = true;
    u->wr_flags = op >> 20 & 1;
    if (!test)
        u->wr = reg(op, 12) & ~PC;
    if (!immediate) {
        if (op >> 4 & 1) { /* shift by register: Rs a stage sooner, Rm with it */
            u->rd |= reg(op, 0);
            u->rd_early = reg(op, 8);
            u->issue = (uint8_t)prm->pipe_shift_reg_issue;
            u->lat = (uint8_t)prm->pipe_shift_reg_latency;
            u->energy = prm->e_class_shift;
        } else if (op & 0xfe0) { /* the shifter sits before the ALU */
            u->rd_early = reg(op, 0);
            u->energy = prm->e_class_shift;
        } else {
            u->rd |= reg(op, 0);
        }
    }
    if (!test && (op >> 12 & 15) == 15) {
        bool ret = move && !immediate && (op & 0xfff) == LR;
        uop_branch(prm, u, ret ? MPJ_K_RETURN : MPJ_K_BRANCH_INDIRECT);
    }
}

/* Decodes bits [27:25] = 000 */
static void group0(const struct mpj_params *prm, uint32_t op, struct uop *u)
{
    if ((op & 0x90) == 0x90) {
        if ((op & 0x60) != 0)
            extra(prm, op, u);
        else if (op >> 24 & 1)
            exclusive(prm, op, u);
        else
            multiply(prm, op, u);
    } else if ((op & 0x01900000) == 0x01000000) {
        miscellaneous(prm, op, u);
    } else {
        data_processing(prm, op, u, false);
    }
}

/* Decodes bits [27:25] = 011, bit 4 set: ARMv6 media instructions */
static void media(const struct mpj_params *prm, uint32_t op, struct uop *u)
{
    unsigned what = op >> 20 & 7;
    if ((op >> 23 & 3) == 2) { /* 01110xxx: signed multiplies */
        bool accumulate = (op >> 12 & 15) != 15;
        if (what == 4) {
            multiply16_long(prm, op, u);
        } else if (what == 5) { /* SMMUL, SMMLA, SMMLS */
            uop_mul(prm, u, reg(op, 0) | reg(op, 8), reg(op, 16), false);
            u->issue = (uint8_t)prm->pipe_smmul_issue;
            u->lat = (uint8_t)prm->pipe_smmul_latency;
            u->rd_acc = accumulate ? reg(op, 12) : 0;
        } else {
            multiply16(prm, op, u, accumulate);
        }
        return;
    }
    if ((op >> 23 & 3) == 3) { /* USAD8, USADA8 */
        multiply16(prm, op, u, (op >> 12 & 15) != 15);
        return;
    }
    uop_alu(prm, u);
    u->wr = reg(op, 12);
    if ((op >> 23 & 1) == 0) { /* parallel add and subtract */
        u->rd = reg(op, 0) | reg(op, 16);
    } else { /* PKH, SXT, SSAT, REV, SEL: through the shifter */
        u->rd_early = reg(op, 0);
        if ((op >> 16 & 15) != 15 && what != 2 && what != 6)
            u->rd = reg(op, 16);
        u->energy = prm->e_class_shift;
    }
}

static void multiple(const struct mpj_params *prm, uint32_t op, struct uop *u)
{
    uint32_t list = op & 0xffff;
    bool load = op >> 20 & 1;
    uop_multiple(prm, u, list, reg(op, 16), load);
    if (op >> 21 & 1)
        u->wr_base = reg(op, 16) & ~(load ? list : 0);
    if (load && (list & PC))
        load_pc(prm, u, reg(op, 16) == SP);
}

static void unconditional(const struct mpj_params *prm, uint32_t op, struct uop *u)
{
    if ((op & 0xfe000000) == 0xfa000000) { /* BLX label */
        uop_branch(prm, u, MPJ_K_CALL);
        u->wr = 1U << LR;
        u->lat = 1;
    } else if ((op & 0xfd70f000) == 0xf550f000) { /* PLD: an ALU slot; no access is modelled */
        uop_alu(prm, u);
        u->rd_addr = reg(op, 16);
    } else {
        uop_system(prm, u);
    }
}

void uop_arm(const struct mpj_params *prm, uint32_t op, struct uop *u)
{
    if (op >> 28 == 15) {
        unconditional(prm, op, u);
        return;
    }
    switch (op >> 25 & 7) {
    case 0:
        group0(prm, op, u);
        break;
    case 1:
        if ((op & 0x01900000) == 0x01000000) { /* MSR immediate, NOP, WFI ... */
            if ((op & 0x000f0000) == 0 && !(op >> 22 & 1))
                uop_alu(prm, u);
            else
                uop_system(prm, u);
        } else {
            data_processing(prm, op, u, true);
        }
        break;
    case 2:
        single(prm, op, u, false);
        break;
    case 3:
        if (op >> 4 & 1)
            media(prm, op, u);
        else
            single(prm, op, u, true);
        break;
    case 4:
        multiple(prm, op, u);
        break;
    case 5:
        uop_branch(prm, u, op >> 24 & 1 ? MPJ_K_CALL : MPJ_K_BRANCH_DIRECT);
        if (op >> 24 & 1) {
            u->wr = 1U << LR;
            u->lat = 1;
        }
        break;
    default:
        if ((op >> 24 & 15) != 15 && (op >> 9 & 7) == 5) { /* coprocessors 10 and 11 */
            uop_vfp(prm, op, u);
        } else {
            uop_system(prm, u);
            if ((op & 0x0f100010) == 0x0e100010) /* MRC */
                u->wr = reg(op, 12) & ~PC;
            else if ((op & 0x0f100010) == 0x0e000010) /* MCR */
                u->rd = reg(op, 12);
        }
        break;
    }
    if (op >> 28 != 14)
        u->rd_flags = true;
}
