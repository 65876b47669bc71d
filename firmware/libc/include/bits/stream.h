/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Streams are newlib's. */
#ifndef MPJ_LIBC_BITS_STREAM_H
#define MPJ_LIBC_BITS_STREAM_H

struct __sFILE;
typedef struct __sFILE FILE;

#endif
