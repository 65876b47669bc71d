/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread of control with a stack of its own, inside of one thread. */
#ifndef EXEC_MPJ_FIBRE_H
#define EXEC_MPJ_FIBRE_H

#include <setjmp.h>

typedef struct MpjFibre {
#ifdef __x86_64__
    void *place; /* its stack, with the address where it continues on top */
#else
    sigjmp_buf place; /* where it goes on */
#endif
    void (*run)(void *opaque);
    void *opaque;
} MpjFibre;

/* Runs run(opaque), which must not return, at the first switch to it. */
void mpj_fibre_new(MpjFibre *f, void (*run)(void *), void *opaque);

/* Leaves @from, which must be the running one, until something switches to it. */
#ifdef __x86_64__
/*
 * A new fibre starts at a function, with its arguments in the registers of @from
 * and @to. The compiler saves what it needs of all registers but two.
 */
static inline __attribute__((always_inline)) void
mpj_fibre_switch(MpjFibre *from, MpjFibre *to)
{
    __asm__ volatile(
        "leaq -128(%%rsp), %%rsp\n\t" /* the red zone */
        "pushq %%rbp\n\t"
        "leaq 1f(%%rip), %%rax\n\t"
        "pushq %%rax\n\t"
        "movq %%rsp, (%%rdi)\n\t"
        "movq (%%rsi), %%rsp\n\t"
        "popq %%rax\n\t"
        "jmp *%%rax\n"
        "1:\n\t"
        "popq %%rbp\n\t"
        "leaq 128(%%rsp), %%rsp"
        : "+D"(from), "+S"(to)
        :
        : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13",
          "r14", "r15", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6",
          "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14",
          "xmm15", "memory", "cc");
}
#else
void mpj_fibre_switch(MpjFibre *from, MpjFibre *to);
#endif

#endif
