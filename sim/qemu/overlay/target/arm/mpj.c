/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Properties of an ARM core that the chip model needs. */
#include "qemu/osdep.h"
#include "cpu.h"
#include "internals.h"
#include "exec/helper-proto.h"
#include "fpu/softfloat.h"
#include "exec/mpj-core.h"

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

void mpj_sample_regs(CPUState *cpu, uint32_t regs[16])
{
    CPUARMState *env = cpu->env_ptr;

    memcpy(regs, env->regs, 15 * sizeof(*regs));
    /* Up to date only at some block boundaries: not for a reproducible result. */
    regs[15] = 0;
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
