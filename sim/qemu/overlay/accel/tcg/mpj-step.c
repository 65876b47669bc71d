/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slices that end at an instruction.
 *
 * A block runs as long as any budget is left, so a slice ends where a block does.
 * Interrupts must not: whoever samples the program counter by them would find
 * blocks' starts only. So where a timer is due, or an interrupt of another core,
 * a slice is exact: generated code is left in good time (MPJ_NEAR), and from
 * there on each block is one of one instruction. That costs the same cycles, see
 * mpj_flow.h, so where the end is changes nothing but where the core stands.
 */
#include "qemu/osdep.h"
#include "exec/exec-all.h"
#include "exec/mpj-core.h"

void mpj_step(CPUState *cpu)
{
    MpjCpu *m = cpu_mpj(cpu);

    mpj_resume_drop(cpu);
    if (cpu->cflags_next_tb == -1) {
        cpu->cflags_next_tb = curr_cflags(cpu) | CF_NO_GOTO_TB |
                              CF_NO_GOTO_PTR | 1;
    }
    if (!mpj.full || !mpj.fast) { /* else mpj_enter lets one instruction pass */
        m->hold += m->left - 1;
        m->left = 1;
    }
}
