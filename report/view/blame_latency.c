/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/blame_latency.h"

#include <string.h>

#include <capstone/capstone.h>

#define FLAGS    (1ULL << 31)
#define CLOBBERS 0x0000ffff0000500fULL /* registers a call may change: r0-r3, r12, r14, s0-s15 */
#define NEAR     64                    /* instructions that are looked back */

/* Returns the bits of a register: r0 to r15 are 0 to 15, s0 to s31 are 32 to 63. */
static uint64_t bits_of(unsigned reg)
{
    if (reg >= ARM_REG_R0 && reg <= ARM_REG_R12)
        return 1ULL << (reg - ARM_REG_R0);
    if (reg >= ARM_REG_S0 && reg <= ARM_REG_S31)
        return 1ULL << (32U + reg - ARM_REG_S0);
    if (reg >= ARM_REG_D0 && reg <= ARM_REG_D15)
        return 3ULL << (32U + 2U * (reg - ARM_REG_D0));
    switch (reg) {
    case ARM_REG_SP:
        return 1ULL << 13U;
    case ARM_REG_LR:
        return 1ULL << 14U;
    case ARM_REG_CPSR:
    case ARM_REG_FPSCR:
    case ARM_REG_FPSCR_NZCV:
        return FLAGS;
    default:
        return 0;
    }
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Returns the cycles until a result is there, roughly as on an ARM11: only their order matters. */
static int latency_of(const char *name)
{
    static const struct {
        const char *begin;
        int cycles;
    } known[] = {{"vdiv", 33}, {"vsqrt", 33}, {"vldr", 4}, {"vldm", 4}, {"vpop", 4}, {"vmov", 3},
                 {"vmrs", 3},  {"v", 8},      {"ld", 3},   {"pop", 3},  {"mul", 4},  {"ml", 4},
                 {"smul", 4},  {"smla", 4},   {"umul", 4}, {"umla", 4}};

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (begins(name, known[i].begin))
            return known[i].cycles;
    }
    return 1;
}

/* Adds the VFP registers of a list, which the library does not count as read or written. */
static void add_list(const cs_insn *c, struct blame_insn *insn)
{
    const bool loads = begins(c->mnemonic, "vldm") || begins(c->mnemonic, "vpop");
    uint64_t list = 0;

    if (!loads && !begins(c->mnemonic, "vstm") && !begins(c->mnemonic, "vpush"))
        return;
    for (unsigned i = 0; i < c->detail->arm.op_count; i++) {
        if (c->detail->arm.operands[i].type == ARM_OP_REG)
            list |= bits_of((unsigned)c->detail->arm.operands[i].reg) >> 32U << 32U;
    }
    insn->uses |= loads ? 0 : list;
    insn->sets |= loads ? list : 0;
}

/* Sets what one instruction reads and writes. */
static void set_effect(csh engine, const cs_insn *c, struct blame_insn *insn)
{
    const cs_arm *const arm = &c->detail->arm;
    cs_regs read;
    cs_regs written;
    uint8_t reads = 0;
    uint8_t writes = 0;

    if (cs_regs_access(engine, c, read, &reads, written, &writes) != CS_ERR_OK)
        return;
    for (unsigned i = 0; i < reads; i++)
        insn->uses |= bits_of(read[i]);
    for (unsigned i = 0; i < writes; i++)
        insn->sets |= bits_of(written[i]);
    if (arm->cc != ARM_CC_AL && arm->cc != ARM_CC_INVALID)
        insn->uses |= FLAGS;
    if (arm->update_flags)
        insn->sets |= FLAGS;
    if (c->id == ARM_INS_BL || c->id == ARM_INS_BLX)
        insn->sets |= CLOBBERS;
    add_list(c, insn);
    insn->latency = latency_of(c->mnemonic);
}

bool blame_latency_decode(struct blame_insn *insn, size_t n)
{
    csh engine;

    if (cs_open(CS_ARCH_ARM, CS_MODE_ARM, &engine) != CS_ERR_OK)
        return false;
    (void)cs_option(engine, CS_OPT_DETAIL, CS_OPT_ON);
    for (size_t i = 0; i < n; i++) {
        uint8_t code[4];
        cs_insn *c = NULL;
        size_t count;

        for (unsigned k = 0; k < 4; k++)
            code[k] = (uint8_t)(insn[i].word >> 8U * k);
        insn[i].uses = insn[i].sets = 0;
        insn[i].latency = 1;
        count = cs_disasm(engine, code, sizeof(code), insn[i].address, 1, &c);
        if (count > 0) {
            set_effect(engine, c, &insn[i]);
            cs_free(c, count);
        }
    }
    cs_close(&engine);
    return true;
}

/* State of a search for what sets some registers. */
struct search {
    const struct blame_insn *insn;
    size_t i;
    uint64_t left; /* registers that are not found yet */
    int best;
    size_t found;
};

/* Looks at an instruction that is executed `between` instructions before, if it is so about as
 * often: in the same loop. */
static void look_at(struct search *s, size_t at, int between)
{
    const struct blame_insn *const a = &s->insn[at];
    const struct blame_insn *const b = &s->insn[s->i];

    if ((a->sets & s->left) == 0 || a->executions < b->executions / 2 ||
        a->executions / 2 > b->executions)
        return;
    s->left &= ~a->sets;
    if (a->latency - between > s->best) {
        s->best = a->latency - between;
        s->found = at;
    }
}

size_t blame_latency_of(const struct blame_insn *insn, size_t n, size_t i)
{
    struct search s = {.insn = insn, .i = i, .left = insn[i].uses, .best = -2 * NEAR, .found = i};
    int between = 0;

    for (size_t at = i; at-- > 0 && between < NEAR && s.left != 0;)
        look_at(&s, at, between++);
    /* what is left is from the last round of the loop: the nearest one at its end */
    for (size_t at = n - i > NEAR ? i + NEAR : n; at-- > i && s.left != 0;)
        look_at(&s, at, between);
    return s.found;
}
