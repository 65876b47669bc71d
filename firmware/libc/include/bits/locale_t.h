/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_BITS_LOCALE_T_H
#define MPJ_LIBC_BITS_LOCALE_T_H

typedef struct __locale_t *locale_t; /* newlib's */

#endif
