/* SPDX-License-Identifier: GPL-2.0-or-later */
/* newlib's, and the jumps that keep the blocked signals. */
#ifndef MPJ_SETJMP_H
#define MPJ_SETJMP_H

#include_next <setjmp.h>
#include <signal.h>
#include <stddef.h>

typedef struct {
    jmp_buf __registers;
    int __saved;
    sigset_t __blocked;
} sigjmp_buf[1];

/* For those who ask whether there is one; the macro is the same. */
void siglongjmp(sigjmp_buf env, int value) __attribute__((__noreturn__));

/* Of BSD: those that do not keep the blocked signals. */
#define _setjmp(env)         setjmp(env)
#define _longjmp(env, value) longjmp((env), (value))

#undef sigsetjmp
#undef siglongjmp
#define sigsetjmp(env, save)                                                                       \
    ((void)(((env)->__saved = (save)) != 0 ? sigprocmask(0, NULL, &(env)->__blocked) : 0),         \
     setjmp((env)->__registers))
#define siglongjmp(env, value)                                                                     \
    ((void)((env)->__saved != 0 ? sigprocmask(SIG_SETMASK, &(env)->__blocked, NULL) : 0),          \
     longjmp((env)->__registers, (value)))

#endif
