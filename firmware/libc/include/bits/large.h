/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The large file interface: off_t has 32 bits here and files are below 2 GB. */
#ifndef MPJ_LIBC_BITS_LARGE_H
#define MPJ_LIBC_BITS_LARGE_H

#include <features.h>
__MPJ_BEGIN
int *__errno(void);
__MPJ_END

/* Returns 0 with EOVERFLOW if off_t cannot hold the position, else 1. */
static __inline__ int __mpj_large_fits(long long __place)
{
    if ((long)__place == __place)
        return 1;
    *__errno() = 75; /* EOVERFLOW */
    return 0;
}

#endif
