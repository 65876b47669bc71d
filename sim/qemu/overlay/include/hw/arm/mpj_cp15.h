/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CP15 of the MP11 core as the chip model sees it; every call is cheap without a model. */
#ifndef HW_ARM_MPJ_CP15_H
#define HW_ARM_MPJ_CP15_H

/* Defines c15,c12 (monitors), c7 (maintenance, barriers) and the auxiliary control register. */
void mpj_define_cp15(ARMCPU *cpu);
/* Called after SCTLR changed. */
void mpj_sctlr_changed(CPUARMState *env, uint32_t value);
/*
 * Called before CONTEXTIDR changes from old to value; true: the ASID stays, no
 * TLB flush is due.
 */
bool mpj_contextidr_changed(CPUARMState *env, uint32_t old, uint32_t value);
/* Called for a c8 operation on this core's TLB. */
void mpj_tlb_op(CPUARMState *env);

#endif
