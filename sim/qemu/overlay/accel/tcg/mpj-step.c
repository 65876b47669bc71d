/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slices that end at an instruction.
 *
 * A block runs as long as any budget is left, so a slice ends where a block
 * does. Interrupts must not: samples of the program counter, which are taken by
 * them, would be at blocks' starts only. So where a timer is due, or an
 * interrupt of another core, a slice is exact: generated code is left in good
 * time (MPJ_NEAR), and a block that may run past the end is executed
 * instruction by instruction, each a block of its own. That costs the same
 * cycles, see mpj_flow.h, so where the end is changes nothing but the place
 * where the core stops.
 *
 * What a block takes is known before it begins, but for its misses. So loads
 * that miss become blocks of their own somewhat earlier.
 */
#include "qemu/osdep.h"
#include "exec/exec-all.h"
#include "exec/mpj-core.h"
#include "hw/core/tcg-cpu-ops.h"
#include "tcg/tcg.h"

static uint32_t one_insn(CPUState *cpu)
{
    return curr_cflags(cpu) | CF_NO_GOTO_TB | CF_NO_GOTO_PTR | 1;
}

bool mpj_step(CPUState *cpu, const TranslationBlock *tb)
{
    MpjCpu *m = cpu_mpj(cpu);

    if (!mpj_near_fits(m, tb->icount)) {
        cpu->cflags_next_tb = one_insn(cpu);
        return false;
    }
    if (!mpj.full || !mpj.fast) { /* else mpj_enter lets it pass */
        m->hold += m->left - 1;
        m->left = 1;
    }
    return true;
}

void mpj_step_load(CPUState *cpu, uintptr_t retaddr)
{
    TranslationBlock *tb = tcg_tb_lookup(retaddr);
    uint64_t data[TARGET_INSN_START_WORDS];
    struct mpj_residue within = {};
    MpjRow rest;

    if (!tb || tb->icount == 1 || !mpj_unwind(tb, retaddr, data, &rest)) {
        return;
    }
    mpj_give_back_rest(cpu, tb, &rest);
    cpu->cc->tcg_ops->restore_state_to_opc(cpu, tb, data);
    within.inside = rest.instr < tb->icount ||
                    (tb->mpj_entry &&
                     mpj_residue_of(mpj.chip, tb->mpj_entry)->inside);
    cpu_mpj(cpu)->entry = mpj_residue_number(mpj.chip, &within);
    cpu->cflags_next_tb = one_insn(cpu);
    cpu_loop_exit_noexc(cpu);
}
