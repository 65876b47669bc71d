/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Device numbers, composed as in the GNU C library. */
#ifndef MPJ_LIBC_SYS_SYSMACROS_H
#define MPJ_LIBC_SYS_SYSMACROS_H

#include <features.h>
#define major(device)                                                                              \
    ((unsigned)((((unsigned long long)(device) >> 32) & 0xfffff000ULL) |                           \
                (((unsigned long long)(device) >> 8) & 0xfffULL)))
#define minor(device)                                                                              \
    ((unsigned)((((unsigned long long)(device) >> 12) & 0xffffff00ULL) |                           \
                ((unsigned long long)(device)&0xffULL)))
#define makedev(first, second)                                                                     \
    ((((unsigned long long)(first)&0xfffff000ULL) << 32) |                                         \
     (((unsigned long long)(first)&0xfffULL) << 8) |                                               \
     (((unsigned long long)(second)&0xffffff00ULL) << 12) |                                        \
     ((unsigned long long)(second)&0xffULL))

#endif
