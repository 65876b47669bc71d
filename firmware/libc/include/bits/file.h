/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Streams are newlib's. */
#ifndef MPJ_LIBC_BITS_FILE_H
#define MPJ_LIBC_BITS_FILE_H

struct __sFILE;
typedef struct __sFILE FILE;

#endif
