/* SPDX-License-Identifier: GPL-2.0-or-later */
/* <stdckdint.h> of C23, which the compiler of Debian 12 does not have, as far as gnulib uses it. */
#ifndef MPJ_GNULIB_STDCKDINT_H
#define MPJ_GNULIB_STDCKDINT_H

#define ckd_add(result, a, b) __builtin_add_overflow(a, b, result)
#define ckd_mul(result, a, b) __builtin_mul_overflow(a, b, result)

#endif
