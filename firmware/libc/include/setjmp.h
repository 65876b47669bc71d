/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_SETJMP_H
#define MPJ_LIBC_SETJMP_H

#include <features.h>
typedef struct __jmp_buf_tag {
    int __registers[32]; /* newlib's jmp_buf, and further words */
    int __saved;
    unsigned long long __blocked;
} jmp_buf[1];

__MPJ_BEGIN

int setjmp(jmp_buf) __attribute__((__returns_twice__));
int _setjmp(jmp_buf) __asm__("setjmp") __attribute__((__returns_twice__));
void longjmp(jmp_buf, int) __attribute__((__noreturn__));
#define setjmp(env) setjmp(env)
#if defined(__USE_MISC) || defined(__USE_XOPEN)
/* longjmp() that does not restore the blocked signals. */
void _longjmp(jmp_buf, int) __asm__("longjmp") __attribute__((__noreturn__));
#endif

#ifdef __USE_POSIX
typedef jmp_buf sigjmp_buf;

/* Saves the blocked signals if save is not 0. */
struct __jmp_buf_tag *__mpj_sigsave(struct __jmp_buf_tag *, int);
#define sigsetjmp(env, save) setjmp(__mpj_sigsave((env), (save)))
void siglongjmp(sigjmp_buf, int) __attribute__((__noreturn__));
#endif

__MPJ_END

#endif
