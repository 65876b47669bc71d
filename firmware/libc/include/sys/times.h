/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_SYS_TIMES_H
#define MPJ_LIBC_SYS_TIMES_H

#include <features.h>
typedef long clock_t;

struct tms {
    clock_t tms_utime;
    clock_t tms_stime;
    clock_t tms_cutime;
    clock_t tms_cstime;
};

__MPJ_BEGIN

clock_t times(struct tms *);

__MPJ_END

#endif
