/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_BYTESWAP_H
#define MPJ_LIBC_BYTESWAP_H

#include <features.h>
#define bswap_16(x) __builtin_bswap16(x)
#define bswap_32(x) __builtin_bswap32(x)
#define bswap_64(x) __builtin_bswap64(x)

#endif
