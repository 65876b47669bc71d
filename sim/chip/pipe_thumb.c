/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Thumb instructions (16 bits; the core has no Thumb-2) to scheduler operations.
 * Coarse: the same latencies as ARM code. A 32-bit `op` is a BL or BLX pair with
 * the first half in the low 16 bits.
 */
#include "pipe_int.h"

#define LO(op, shift) (1U << ((op) >> (shift)&7))

static void alu_register(const struct mpj_params *prm, uint32_t op, struct uop *u)
{
    unsigned code = op >> 6 & 15;
    if (code == 13) { /* MUL sets the flags */
        uop_mul(prm, u, LO(op, 0) | LO(op, 3), LO(op, 0), true);
        u->issue = (uint8_t)prm->pipe_mul_flags_issue;
        return;
    }
    uop_alu(prm, u);
    u->wr_flags = true;
    bool test = code == 8 || code == 10 || code == 11;
    bool by_register = code == 2 || code == 3 || code == 4 || code == 7;
    u->rd = LO(op, 0);
    if (by_register) {
        u->rd_early = LO(op, 3);
        u->issue = (uint8_t)prm->pipe_shift_reg_issue;
        u->lat = (uint8_t)prm->pipe_shift_reg_latency;
        u->energy = prm->e_class_shift;
    } else {
        u->rd |= LO(op, 3);
    }
    if (code == 5 || code == 6)
        u->rd_flags = true;
    u->wr = test ? 0 : LO(op, 0);
}

/* Decodes 010001xx: ADD, CMP, MOV of any register, BX, BLX */
static void high_register(const struct mpj_params *prm, uint32_t op, struct uop *u)
{
    uint32_t rm = 1U << (op >> 3 & 15);
    uint32_t rd = 1U << ((op & 7) | (op >> 4 & 8));
    unsigned code = op >> 8 & 3;
    uop_alu(prm, u);
    u->rd = rm;
    if (code == 3) {
        bool link = op >> 7 & 1;
        uop_branch(prm, u, !link && rm == 1U << 14 ? MPJ_K_RETURN : MPJ_K_BRANCH_INDIRECT);
        u->energy = prm->e_class_branch;
        u->wr = link ? 1U << 14 : 0;
        return;
    }
    if (code != 2)
        u->rd |= rd;
    u->wr_flags = code == 1;
    u->wr = code == 1 ? 0 : rd & 0x7fffU;
    if (code != 1 && rd == 1U << 15)
        uop_branch(prm, u, code == 2 && rm == 1U << 14 ? MPJ_K_RETURN : MPJ_K_BRANCH_INDIRECT);
}

static void load_store(const struct mpj_params *prm, struct uop *u, bool load, uint32_t data,
                       uint32_t base, uint32_t offset)
{
    if (load)
        uop_load(prm, u, data, base, offset);
    else
        uop_store(prm, u, data, base, offset);
}

/* Decodes 1011xxxx */
static void miscellaneous(const struct mpj_params *prm, uint32_t op, struct uop *u)
{
    uint32_t sp = 1U << 13;
    switch (op >> 8 & 15) {
    case 4:
    case 5: /* PUSH */
        uop_multiple(prm, u, (op & 0xff) | (op >> 8 & 1 ? 1U << 14 : 0), sp, false);
        u->wr_base = sp;
        break;
    case 12:
    case 13: /* POP */
        uop_multiple(prm, u, (op & 0xff) | (op >> 8 & 1 ? 1U << 15 : 0), sp, true);
        u->wr_base = sp;
        if (op >> 8 & 1)
            uop_branch(prm, u, MPJ_K_RETURN);
        break;
    case 0: /* ADD, SUB sp */
        uop_alu(prm, u);
        u->rd = u->wr = sp;
        break;
    case 2:
    case 10: /* extend, byte reverse */
        uop_alu(prm, u);
        u->rd_early = LO(op, 3);
        u->wr = LO(op, 0);
        break;
    default: /* SETEND, CPS, BKPT */
        uop_system(prm, u);
        break;
    }
}

static void branches(const struct mpj_params *prm, uint32_t op, struct uop *u)
{
    switch (op >> 11 & 31) {
    case 26:
    case 27:
        if ((op >> 8 & 15) == 15) {
            uop_system(prm, u); /* SVC */
        } else {
            uop_branch(prm, u, MPJ_K_BRANCH_DIRECT);
            u->rd_flags = true;
        }
        break;
    case 28:
        uop_branch(prm, u, MPJ_K_BRANCH_DIRECT);
        break;
    case 30: /* first half of BL: computes; a whole pair is the call */
        if (op >> 16) {
            uop_branch(prm, u, MPJ_K_CALL);
            u->issue = 2;
        } else {
            uop_alu(prm, u);
        }
        u->wr = 1U << 14;
        u->lat = 1;
        break;
    default: /* second half of BL, BLX */
        uop_branch(prm, u, MPJ_K_CALL);
        u->rd = u->wr = 1U << 14;
        u->lat = 1;
        break;
    }
}

void uop_thumb(const struct mpj_params *prm, uint32_t op, struct uop *u)
{
    switch (op >> 12 & 15) {
    case 0:
    case 1: /* shifts by immediate, ADD, SUB */
        uop_alu(prm, u);
        u->wr_flags = true;
        u->wr = LO(op, 0);
        if ((op >> 11 & 3) == 3) {
            u->rd = LO(op, 3) | (op >> 10 & 1 ? 0 : LO(op, 6));
        } else {
            u->rd_early = LO(op, 3);
            u->energy = prm->e_class_shift;
        }
        break;
    case 2:
    case 3: /* MOV, CMP, ADD, SUB with 8-bit immediate */
        uop_alu(prm, u);
        u->wr_flags = true;
        if (op >> 11 & 3)
            u->rd = LO(op, 8);
        if ((op >> 11 & 3) != 1)
            u->wr = LO(op, 8);
        break;
    case 4:
        if (op >> 11 & 1)
            uop_load(prm, u, LO(op, 8), 0, 0);
        else if (op >> 10 & 1)
            high_register(prm, op, u);
        else
            alu_register(prm, op, u);
        break;
    case 5: { /* register offset; code 3 is LDRSB, 4 to 7 are loads */
        bool load = (op >> 9 & 7) >= 3;
        load_store(prm, u, load, LO(op, 0), LO(op, 3), LO(op, 6));
        break;
    }
    case 6:
    case 7:
    case 8:
        load_store(prm, u, op >> 11 & 1, LO(op, 0), LO(op, 3), 0);
        break;
    case 9: /* sp relative */
        load_store(prm, u, op >> 11 & 1, LO(op, 8), 1U << 13, 0);
        break;
    case 10: /* ADD rd, pc or sp */
        uop_alu(prm, u);
        u->rd = op >> 11 & 1 ? 1U << 13 : 0;
        u->wr = LO(op, 8);
        break;
    case 11:
        miscellaneous(prm, op, u);
        break;
    case 12:
        uop_multiple(prm, u, op & 0xff, LO(op, 8), op >> 11 & 1);
        u->wr_base = LO(op, 8) & (op >> 11 & 1 ? ~(op & 0xff) : UINT32_MAX);
        break;
    default:
        branches(prm, op, u);
        break;
    }
}
