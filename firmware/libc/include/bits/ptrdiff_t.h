/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_BITS_PTRDIFF_T_H
#define MPJ_LIBC_BITS_PTRDIFF_T_H

typedef __PTRDIFF_TYPE__ ptrdiff_t;

#endif
