/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of the large file interface (off64_t, lseek64() ...), for the headers that have them. off_t
 * has 32 bits here and files are below 2 GB: a place beyond that is EOVERFLOW.
 */
#ifndef MPJ_LARGE_H
#define MPJ_LARGE_H

#include <sys/types.h>

#if __POSIX_VISIBLE >= 200809 && (__GNU_VISIBLE || defined(_LARGEFILE64_SOURCE))
#define MPJ_LARGE 1

#include <errno.h>

static __inline__ int mpj_large_fits(off64_t place)
{
    if ((off64_t)(off_t)place == place)
        return 1;
    errno = EOVERFLOW;
    return 0;
}
#endif

#endif
