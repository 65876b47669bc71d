/* SPDX-License-Identifier: GPL-2.0-or-later */
/* newlib's, and the rest of C11's functions of long double, which is double here. */
#ifndef MPJ_COMPLEX_H
#define MPJ_COMPLEX_H

#include_next <complex.h>

#ifdef __cplusplus
extern "C" {
#endif

long double complex cacoshl(long double complex z);
long double complex cacosl(long double complex z);
long double complex casinhl(long double complex z);
long double complex catanhl(long double complex z);
long double complex ccoshl(long double complex z);
long double complex ccosl(long double complex z);
long double complex cexpl(long double complex z);
long double complex conjl(long double complex z);
long double complex cpowl(long double complex x, long double complex y);
long double complex cprojl(long double complex z);
long double complex csinhl(long double complex z);
long double complex csinl(long double complex z);
long double complex ctanhl(long double complex z);
long double complex ctanl(long double complex z);

#ifdef __cplusplus
}
#endif

#endif
