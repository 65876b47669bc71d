/* SPDX-License-Identifier: GPL-2.0-or-later */
/* newlib's, and the types of large files, which off_t cannot hold (mpj_large.h). */
#ifndef MPJ_SYS_TYPES_H
#define MPJ_SYS_TYPES_H

#include_next <sys/types.h>

#if __GNU_VISIBLE || __MISC_VISIBLE || defined(_LARGEFILE64_SOURCE)
typedef _off64_t loff_t;
#endif
#if __GNU_VISIBLE || defined(_LARGEFILE64_SOURCE)
typedef _off64_t off64_t;
#endif

#endif
