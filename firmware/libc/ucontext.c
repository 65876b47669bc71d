/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Contexts, several flows of control in one thread: the registers that a function must preserve,
 * and the signal mask. For the scheduler and the profile there is one thread, on another stack. */
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <ucontext.h>

#include "mpj_sched.h"

/* Defined in signals.c; only in programs that have signals. */
__attribute__((weak)) void mpj_sig_set_blocked(sigset_t blocked);

_Static_assert(offsetof(ucontext_t, uc_mcontext.arm_r0) == 32, "as below");
_Static_assert(offsetof(ucontext_t, uc_mcontext.arm_r4) == 48, "as below");
_Static_assert(offsetof(ucontext_t, uc_mcontext.arm_sp) == 84, "as below");
_Static_assert(offsetof(ucontext_t, uc_mcontext.arm_pc) == 92, "as below");
_Static_assert(offsetof(ucontext_t, uc_regspace) == 112, "as below");

/* Saves the registers in *r0, so that the enclosing function will return 0. Changes r2 and ip. */
#define KEEP                                                                                       \
    "add ip, r0, #48\n\t"                                                                          \
    "stmia ip, {r4-r11}\n\t"                                                                       \
    "str sp, [r0, #84]\n\t"                                                                        \
    "str lr, [r0, #88]\n\t"                                                                        \
    "str lr, [r0, #92]\n\t"                                                                        \
    "mov r2, #0\n\t"                                                                               \
    "str r2, [r0, #32]\n\t"                                                                        \
    "add ip, r0, #112\n\t"                                                                         \
    "vstmia ip!, {d8-d15}\n\t"                                                                     \
    "vmrs r2, fpscr\n\t"                                                                           \
    "str r2, [ip]\n\t"

int mpj_context_kept(ucontext_t *context);
int mpj_context_go(ucontext_t *old, const ucontext_t *next);
_Noreturn void mpj_context_load(const ucontext_t *context);
_Noreturn void mpj_context_over(const ucontext_t *context);
void mpj_context_end(void);

int mpj_context_kept(ucontext_t *context)
{
    context->uc_sigmask = mpj_thread_self()->signals.blocked;
    return 0;
}

int mpj_context_go(ucontext_t *old, const ucontext_t *next)
{
    (void)mpj_context_kept(old);
    return setcontext(next);
}

__attribute__((naked)) int getcontext(__attribute__((unused)) ucontext_t *context)
{
    __asm__ volatile(KEEP "b mpj_context_kept");
}

__attribute__((naked)) int swapcontext(__attribute__((unused)) ucontext_t *restrict old,
                                       __attribute__((unused)) const ucontext_t *restrict next)
{
    __asm__ volatile(KEEP "b mpj_context_go");
}

__attribute__((naked)) void mpj_context_load(__attribute__((unused)) const ucontext_t *context)
{
    __asm__ volatile("add ip, r0, #112\n\t"
                     "vldmia ip!, {d8-d15}\n\t"
                     "ldr r2, [ip]\n\t"
                     "vmsr fpscr, r2\n\t"
                     "add ip, r0, #48\n\t"
                     "ldmia ip, {r4-r11}\n\t"
                     "ldr sp, [r0, #84]\n\t"
                     "ldr lr, [r0, #88]\n\t"
                     "ldr ip, [r0, #92]\n\t"
                     "add r0, r0, #32\n\t"
                     "ldmia r0, {r0-r3}\n\t"
                     "bx ip");
}

int setcontext(const ucontext_t *context)
{
    if (mpj_sig_set_blocked != NULL && context->uc_sigmask != mpj_thread_self()->signals.blocked)
        mpj_sig_set_blocked(context->uc_sigmask);
    mpj_context_load(context);
}

/* fn returns to here: r4 is the context. */
__attribute__((naked)) void mpj_context_end(void)
{
    __asm__ volatile("mov r0, r4\n\t"
                     "b mpj_context_over");
}

void mpj_context_over(const ucontext_t *context)
{
    if (context->uc_link == NULL)
        exit(0);
    (void)setcontext(context->uc_link);
    abort();
}

void makecontext(ucontext_t *context, void (*fn)(void), int count, ...)
{
    mcontext_t *const m = &context->uc_mcontext;
    unsigned long *const in_registers = &m->arm_r0;
    const int more = count > 4 ? (count - 3) / 2 * 2 : 0; /* on the stack, kept aligned */
    uintptr_t top = (uintptr_t)context->uc_stack.ss_sp + context->uc_stack.ss_size;
    va_list ap;

    top = (top & ~(uintptr_t)7U) - (uintptr_t)more * sizeof(int);
    va_start(ap, count);
    for (int i = 0; i < count; i++) {
        const unsigned long value = va_arg(ap, unsigned long);

        if (i < 4)
            in_registers[i] = value;
        else
            ((unsigned long *)top)[i - 4] = value;
    }
    va_end(ap);
    m->arm_sp = top;
    m->arm_pc = (uintptr_t)fn;
    m->arm_lr = (uintptr_t)mpj_context_end;
    m->arm_r4 = (uintptr_t)context;
    m->arm_fp = 0;
}
