/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The floating-point environment: the VFP's status and control register, one per thread. The
 * library's own header is for processors without a VFP; without the labels its functions would be
 * linked.
 */
#ifndef MPJ_FENV_H
#define MPJ_FENV_H

#include <features.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FE_INVALID    0x01
#define FE_DIVBYZERO  0x02
#define FE_OVERFLOW   0x04
#define FE_UNDERFLOW  0x08
#define FE_INEXACT    0x10
#define FE_ALL_EXCEPT 0x1f

#define FE_TONEAREST  0x000000
#define FE_UPWARD     0x400000
#define FE_DOWNWARD   0x800000
#define FE_TOWARDZERO 0xc00000

typedef unsigned int fenv_t;
typedef unsigned int fexcept_t;

#define FE_DFL_ENV ((const fenv_t *)-1)

int feclearexcept(int exceptions) __asm__("mpj_feclearexcept");
int fegetexceptflag(fexcept_t *flags, int exceptions) __asm__("mpj_fegetexceptflag");
int feraiseexcept(int exceptions) __asm__("mpj_feraiseexcept");
int fesetexceptflag(const fexcept_t *flags, int exceptions) __asm__("mpj_fesetexceptflag");
int fetestexcept(int exceptions) __asm__("mpj_fetestexcept");
int fegetround(void) __asm__("mpj_fegetround");
int fesetround(int mode) __asm__("mpj_fesetround");
int fegetenv(fenv_t *env) __asm__("mpj_fegetenv");
int feholdexcept(fenv_t *env) __asm__("mpj_feholdexcept");
int fesetenv(const fenv_t *env) __asm__("mpj_fesetenv");
int feupdateenv(const fenv_t *env) __asm__("mpj_feupdateenv");

#ifdef __USE_GNU
/* Exceptions never trap: enabling one returns -1. */
int feenableexcept(int exceptions) __asm__("mpj_feenableexcept");
int fedisableexcept(int exceptions) __asm__("mpj_fedisableexcept");
int fegetexcept(void) __asm__("mpj_fegetexcept");
#endif

#ifdef __cplusplus
}
#endif
#endif
