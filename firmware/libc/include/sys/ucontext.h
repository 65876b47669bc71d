/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Saved contexts, laid out as on Linux for ARM. */
#ifndef MPJ_SYS_UCONTEXT_H
#define MPJ_SYS_UCONTEXT_H

#include <bits/sigset.h>
#include <bits/stack_t.h>

typedef int greg_t;

/* getcontext() saves r4 to r11, sp, lr, pc; d8 to d15 and the FPSCR in uc_regspace. */
typedef struct {
    unsigned long trap_no, error_code, oldmask;
    unsigned long arm_r0, arm_r1, arm_r2, arm_r3, arm_r4, arm_r5, arm_r6, arm_r7, arm_r8, arm_r9,
        arm_r10, arm_fp, arm_ip, arm_sp, arm_lr, arm_pc, arm_cpsr, fault_address;
} mcontext_t;

typedef struct ucontext_t {
    unsigned long uc_flags;
    struct ucontext_t *uc_link;
    stack_t uc_stack;
    mcontext_t uc_mcontext;
    sigset_t uc_sigmask;
    unsigned long uc_regspace[128] __attribute__((__aligned__(8)));
} ucontext_t;

#endif
