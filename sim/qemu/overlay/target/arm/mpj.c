/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the chip model needs to know about an ARM core.
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "exec/mpj-core.h"

void mpj_sample_regs(CPUState *cpu, uint32_t regs[16])
{
    CPUARMState *env = cpu->env_ptr;

    memcpy(regs, env->regs, 15 * sizeof(*regs));
    /* Up to date only at some block boundaries: not for a reproducible result. */
    regs[15] = 0;
}
