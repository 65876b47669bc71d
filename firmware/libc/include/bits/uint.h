/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_BITS_UINT_H
#define MPJ_LIBC_BITS_UINT_H

typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;

#endif
