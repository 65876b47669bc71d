/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the chip model needs to know about an ARM core.
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "internals.h"
#include "exec/mpj-core.h"

enum mpj_branch_kind mpj_branch_kind(uint32_t opcode, bool thumb,
                                     enum mpj_insn_kind kind)
{
    switch (kind) {
    case MPJ_K_BRANCH_DIRECT:
        return MPJ_BR_DIRECT;
    case MPJ_K_CALL:
        return MPJ_BR_CALL;
    case MPJ_K_RETURN:
        if (thumb ? (opcode & 0xfe00) == 0xbc00
            : (opcode & 0x0c000000) == 0x04000000 ||
              (opcode & 0x0e000000) == 0x08000000) {
            return MPJ_BR_RETURN_LOAD;
        }
        return MPJ_BR_RETURN;
    default:
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

unsigned mpj_row_set(int mmu_idx)
{
    return mmu_idx == arm_to_core_mmu_idx(ARMMMUIdx_E10_0);
}

bool mpj_cacheable(const CPUTLBEntryFull *full)
{
    uint8_t outer = full->pte_attrs >> 4, inner = full->pte_attrs & 0xf;

    /* As in MAIR: 0 is device memory, 4 non-cacheable. */
    return outer != 0 && inner != 4;
}

target_ulong mpj_branch_target(CPUARMState *env)
{
    return env->regs[15];
}

void mpj_sample_regs(CPUState *cpu, uint32_t regs[16])
{
    CPUARMState *env = cpu->env_ptr;

    memcpy(regs, env->regs, 15 * sizeof(*regs));
    /* Up to date only at some block boundaries: not for a reproducible result. */
    regs[15] = 0;
}
