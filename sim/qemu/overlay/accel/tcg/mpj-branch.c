/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Branches that generated code does not decide itself.
 */
#include "qemu/osdep.h"
#include "exec/exec-all.h"
#include "exec/helper-proto.h"
#include "exec/mpj-core.h"
#include "mpj_branch.h"

/*
 * Returns the cycles that it takes in addition to what the block was charged.
 */
static int32_t branch(CPUArchState *env, target_ulong pc, target_ulong target,
                      uint32_t info)
{
    CPUState *cpu = env_cpu(env);
    MpjCpu *m = cpu_mpj(cpu);
    unsigned kind = info & MPJ_BRANCH_KIND;
    unsigned age = info >> MPJ_BRANCH_AGE_SHIFT;
    MpjInsnEvents events;
    int32_t cycles;

    if (unlikely(mpj.held)) {
        return 0;
    }
    if (unlikely(mpj.insns)) {
        mpj_insn_events(cpu, pc, &events, true);
    }
    if (age && unlikely(m->hot.busy)) {
        mpj_flow_settle(cpu);
        age = mpj_flow_flags_age(mpj.chip, cpu->cpu_index, age);
    }
    if (likely(m->hot.ev) &&
        (kind == MPJ_BR_DIRECT || kind == MPJ_BR_DIRECT_FIRST)) {
        cycles = mpj_branch_direct(&m->hot, mpj.prm, pc, target,
                                   info & MPJ_BRANCH_TAKEN, age,
                                   kind == MPJ_BR_DIRECT);
    } else {
        cycles = mpj_branch(mpj.chip, cpu->cpu_index, pc, target,
                            info & MPJ_BRANCH_TAKEN, age, kind);
    }
    cycles += info & MPJ_BRANCH_FOLDS ? 1 : 0;
    m->left -= cycles;
    if (unlikely(mpj.insns)) {
        mpj_insn_events(cpu, pc, &events, false);
        mpj_insn_cycles(pc, cycles);
    }
    mpj_flow_age(mpj.chip, cpu->cpu_index, cycles);
    return cycles;
}

void HELPER(mpj_branch)(CPUArchState *env, target_ulong pc, target_ulong target,
                        uint32_t info)
{
    branch(env, pc, target, info);
}

/*
 * Executes the branch; returns the cycles that it takes in addition to what the
 * block was charged.
 */
uint32_t HELPER(mpj_branch_late)(CPUArchState *env, target_ulong pc,
                                 target_ulong target, uint32_t info)
{
    return branch(env, pc, target, info);
}

/* Does the same with functions. */
uint32_t HELPER(mpj_branch_prof)(CPUArchState *env, target_ulong pc,
                                 target_ulong target, uint32_t info)
{
    int32_t cycles = branch(env, pc, target, info);

    if (cycles > 0 && (info & MPJ_BRANCH_TAKEN)) {
        mpj_prof_direct(env, pc, target, info); /* the block ends here */
    }
    return cycles;
}

/*
 * Returns the code to continue with at @pc that many cycles after a block that
 * left @number.
 */
const void *HELPER(mpj_carry)(CPUArchState *env, uint32_t number,
                              uint32_t cycles, target_ulong pc)
{
    env_neg(env)->mpj.entry = mpj_residue_aged(mpj.chip, number, cycles);
    env->regs[15] = pc;
    return helper_lookup_tb_ptr(env);
}

void HELPER(mpj_branch_indirect)(CPUArchState *env, target_ulong pc,
                                 uint32_t info)
{
    target_ulong target = mpj_branch_target(env);
    int32_t cycles = branch(env, pc, target, info);

    if (unlikely(mpj.prof)) {
        mpj_prof_indirect(env, pc, target, info);
    }
    if (cycles > 0) {
        MpjCpu *m = &env_neg(env)->mpj;

        m->entry = mpj_residue_aged(mpj.chip, m->entry, cycles);
    }
}
