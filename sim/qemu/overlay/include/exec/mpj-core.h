/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between the parts of the model that are built into the accelerator:
 * scheduler, translation-time instrumentation and memory accesses.
 */
#ifndef EXEC_MPJ_CORE_H
#define EXEC_MPJ_CORE_H

#include "hw/core/cpu.h"
#include "cpu.h"
#include "exec/cpu-all.h"
#include "exec/mpj-cpu.h"
#include "exec/mpj.h"

static inline MpjCpu *cpu_mpj(CPUState *cpu)
{
    return &cpu_neg(cpu)->mpj;
}

struct DisasContextBase;

/* Around the translation of a block, see mpj-gen.c. */
void mpj_gen_tb_start(struct DisasContextBase *db);
void mpj_gen_tb_end(struct DisasContextBase *db);

/* Core registers r0..r14 for the power model; provided by the target. */
void mpj_sample_regs(CPUState *cpu, uint32_t regs[16]);

#endif
