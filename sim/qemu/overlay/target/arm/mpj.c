/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Properties of an ARM core that the chip model needs. */
#include "qemu/osdep.h"
#include "cpu.h"
#include "internals.h"
#include "exec/helper-proto.h"
#include "fpu/softfloat.h"
#include "exec/cpu_ldst.h"
#include "exec/exec-all.h"
#include "exec/mpj-core.h"
#include "tcg/tcg.h"

/* Returns true for a branch that is a LDR, LDM or POP. */
static bool loads_pc(uint32_t opcode, bool thumb)
{
    return thumb ? (opcode & 0xfe00) == 0xbc00
                 : (opcode & 0x0c000000) == 0x04000000 ||
                   (opcode & 0x0e000000) == 0x08000000;
}

enum mpj_branch_kind mpj_branch_kind(uint32_t opcode, bool thumb,
                                     enum mpj_insn_kind kind)
{
    switch (kind) {
    case MPJ_K_BRANCH_DIRECT:
        return MPJ_BR_DIRECT;
    case MPJ_K_CALL:
        return MPJ_BR_CALL;
    case MPJ_K_RETURN:
        return loads_pc(opcode, thumb) ? MPJ_BR_RETURN_LOAD : MPJ_BR_RETURN;
    default:
        if (loads_pc(opcode, thumb)) {
            return MPJ_BR_INDIRECT_LOAD;
        }
        /* BLX register */
        if (thumb ? (opcode & 0xff87) == 0x4780
            : (opcode & 0x0ffffff0) == 0x012fff30) {
            return MPJ_BR_CALL_INDIRECT;
        }
        return MPJ_BR_INDIRECT;
    }
}

bool mpj_mmu_enabled(CPUARMState *env)
{
    return arm_sctlr(env, arm_current_el(env)) & SCTLR_M;
}

bool mpj_cacheable(CPUARMState *env, const CPUTLBEntryFull *full, bool insn)
{
    uint8_t outer = full->pte_attrs >> 4, inner = full->pte_attrs & 0xf;

    if (!mpj_mmu_enabled(env)) {
        return insn && (arm_sctlr(env, arm_current_el(env)) & SCTLR_I);
    }
    /* As in MAIR: 0 is device memory, 4 non-cacheable. */
    return outer != 0 && inner != 4;
}

target_ulong mpj_branch_target(CPUARMState *env)
{
    return env->regs[15];
}

size_t mpj_all_regs(CPUState *cpu, void *to)
{
    CPUARMState *env = cpu->env_ptr;
    struct {
        uint32_t regs[15], cpsr;
        uint64_t exclusive_addr, exclusive_val;
        uint64_t vfp[16];
    } r;

    memcpy(r.regs, env->regs, sizeof(r.regs));
    r.cpsr = cpsr_read(env);
    r.exclusive_addr = env->exclusive_addr;
    r.exclusive_val = env->exclusive_val;
    for (unsigned i = 0; i < 16; i++) {
        r.vfp[i] = *aa32_vfp_dreg(env, i);
    }
    QEMU_BUILD_BUG_ON(sizeof(r) > MPJ_REGS_MAX);
    memcpy(to, &r, sizeof(r));
    return sizeof(r);
}

const uint32_t *mpj_core_regs(CPUState *cpu)
{
    CPUARMState *env = cpu->env_ptr;

    return env->regs;
}

void mpj_sample_regs(CPUState *cpu, uint32_t regs[16])
{
    memcpy(regs, mpj_core_regs(cpu), 15 * sizeof(*regs));
    /* Up to date only at some block boundaries: not for a reproducible result. */
    regs[15] = 0;
}

/* ---- loops that poll -------------------------------------------------------- */

typedef struct MpjLoopPeer {
    CPUState *cpu;
    target_ulong page; /* of code that has just been executed, */
    const uint8_t *code; /* and where the host has it */
} MpjLoopPeer;

static bool loop_code(void *opaque, uint32_t address, uint32_t *insn)
{
    const MpjLoopPeer *peer = opaque;

    if ((address & TARGET_PAGE_MASK) != peer->page) {
        return false;
    }
    *insn = ldl_le_p(peer->code + (address & ~TARGET_PAGE_MASK));
    return true;
}

static uint8_t line_state(CPUState *cpu, uint32_t line)
{
    return cpu_mpj(cpu)->hot.dline[line];
}

static bool loop_load(void *opaque, uint32_t address, unsigned bytes,
                      uint32_t *value)
{
    const MpjLoopPeer *peer = opaque;
    uint32_t line;
    const void *host = mpj_data_host(peer->cpu, address, false, &line);

    if (!host ||
        (line_state(peer->cpu, line) & ~MPJ_LINE_WATCHED) == MPJ_LINE_I) {
        return false;
    }
    *value = bytes == 4 ? ldl_le_p(host)
                        : bytes == 2 ? lduw_le_p(host) : ldub_p(host);
    return true;
}

static bool loop_store(void *opaque, uint32_t address)
{
    const MpjLoopPeer *peer = opaque;
    uint32_t line;

    return mpj_data_host(peer->cpu, address, true, &line) &&
           mpj_store_hits(line_state(peer->cpu, line));
}

/*
 * Returns true if an instruction of the block before @end may use one of these
 * registers.
 */
static bool uses_before(MpjLoopPeer *peer, target_ulong begin, target_ulong end,
                        uint32_t regs)
{
    uint32_t insn;

    for (target_ulong pc = begin; regs && pc != end; pc += 4) {
        unsigned kind;

        if (!loop_code(peer, pc, &insn)) {
            return true;
        }
        kind = insn >> 25 & 7;
        if (kind == 4 || kind > 5 || (kind == 0 && (insn & 0x90) == 0x90) ||
            (regs & (1u << (insn & 15) | 1u << (insn >> 8 & 15) |
                     1u << (insn >> 12 & 15) | 1u << (insn >> 16 & 15)))) {
            return true;
        }
    }
    return false;
}

bool mpj_loop_here(CPUState *cpu, MpjPoll *round)
{
    CPUARMState *env = cpu->env_ptr;
    struct mpj_loop *loop = &round->loop;
    uintptr_t from = cpu_mpj(cpu)->from;
    TranslationBlock *tb = tcg_tb_lookup(from);
    uint64_t data[TARGET_INSN_START_WORDS];
    MpjLoopPeer peer = { .cpu = cpu };
    const struct mpj_loop_memory memory = {
        .code = loop_code, .load = loop_load, .store = loop_store,
        .peer = &peer,
    };
    uint32_t line;

    if (!tb || is_a64(env) || env->thumb || arm_cpu_data_is_big_endian(env) ||
        !cpu_unwind_state_data(cpu, from, data)) {
        return false;
    }
    peer.page = data[0] & TARGET_PAGE_MASK;
    peer.code = tlb_vaddr_to_host(env, peer.page, MMU_INST_FETCH,
                                  cpu_mmu_index(env, true));
    if (!peer.code) {
        return false;
    }
    /*
     * Generated code finds registers that no instruction of the block has used
     * before where they are written here.
     */
    if (!mpj_loop_find(loop, data[0], env->regs, &memory) ||
        uses_before(&peer, tb_pc(tb), data[0], loop->changed)) {
        return false;
    }
    for (unsigned i = 0; i < loop->cells; i++) {
        round->host[i] = mpj_data_host(cpu, loop->cell[i].address, true, &line);
    }
    for (unsigned i = 0; i < loop->lines; i++) {
        mpj_data_host(cpu, loop->line[i] << MPJ_LINE_SHIFT, false,
                      &round->accessed[i]);
    }
    round->code = from;
    return true;
}

void mpj_loop_skip(CPUState *cpu, const MpjPoll *round, uint64_t times)
{
    CPUARMState *env = cpu->env_ptr;
    const struct mpj_loop *loop = &round->loop;

    for (unsigned i = 0; i < ARRAY_SIZE(loop->each); i++) {
        env->regs[i] += loop->each[i] * times;
    }
    for (unsigned i = 0; i < loop->cells; i++) {
        stl_le_p(round->host[i],
                 ldl_le_p(round->host[i]) + loop->cell[i].each * times);
    }
}

uint32_t mpj_core_mode(CPUState *cpu)
{
    CPUARMState *env = cpu->env_ptr;

    return env->uncached_cpsr & CPSR_M;
}

static float32 fop_sp(unsigned op, float32 d, float32 n, float32 m,
                      float_status *s)
{
    switch (op) {
    case MPJ_FOP_ADD:
        return float32_add(n, m, s);
    case MPJ_FOP_SUB:
        return float32_sub(n, m, s);
    case MPJ_FOP_DIV:
        return float32_div(n, m, s);
    case MPJ_FOP_MUL:
        return float32_mul(n, m, s);
    case MPJ_FOP_NMUL:
        return float32_chs(float32_mul(n, m, s));
    /* The order of the operands of the sum matters for NaNs. */
    case MPJ_FOP_MLA:
        return float32_add(d, float32_mul(n, m, s), s);
    case MPJ_FOP_MLS:
        return float32_add(d, float32_chs(float32_mul(n, m, s)), s);
    case MPJ_FOP_NMLA:
        m = float32_chs(float32_mul(n, m, s));
        return float32_add(float32_chs(d), m, s);
    default:
        m = float32_mul(n, m, s);
        return float32_add(float32_chs(d), m, s);
    }
}

static float64 fop_dp(unsigned op, float64 d, float64 n, float64 m,
                      float_status *s)
{
    switch (op) {
    case MPJ_FOP_ADD:
        return float64_add(n, m, s);
    case MPJ_FOP_SUB:
        return float64_sub(n, m, s);
    case MPJ_FOP_DIV:
        return float64_div(n, m, s);
    case MPJ_FOP_MUL:
        return float64_mul(n, m, s);
    case MPJ_FOP_NMUL:
        return float64_chs(float64_mul(n, m, s));
    case MPJ_FOP_MLA:
        return float64_add(d, float64_mul(n, m, s), s);
    case MPJ_FOP_MLS:
        return float64_add(d, float64_chs(float64_mul(n, m, s)), s);
    case MPJ_FOP_NMLA:
        m = float64_chs(float64_mul(n, m, s));
        return float64_add(float64_chs(d), m, s);
    default:
        m = float64_mul(n, m, s);
        return float64_add(float64_chs(d), m, s);
    }
}

void HELPER(mpj_fop)(CPUARMState *env, uint32_t op, uint32_t dn, uint32_t m)
{
    float_status *s = &env->vfp.fp_status;
    char *base = (char *)env;
    void *d = base + (dn & 0xffff), *n = base + (dn >> 16), *mp = base + m;

    if (op & MPJ_FOP_DP) {
        *(float64 *)d = fop_dp(op & ~MPJ_FOP_DP, *(float64 *)d, *(float64 *)n,
                               *(float64 *)mp, s);
    } else {
        *(float32 *)d = fop_sp(op, *(float32 *)d, *(float32 *)n,
                               *(float32 *)mp, s);
    }
#ifdef __x86_64__
    /* Generated code looks for what the host raises from here on. */
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() & ~0x3fu);
#endif
}
