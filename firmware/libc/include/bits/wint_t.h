/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_BITS_WINT_T_H
#define MPJ_LIBC_BITS_WINT_T_H

typedef __WINT_TYPE__ wint_t;

#endif
