/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_BITS_SIZE_T_H
#define MPJ_LIBC_BITS_SIZE_T_H

typedef __SIZE_TYPE__ size_t;

#endif
