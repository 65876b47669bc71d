/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_SYS_TIMEB_H
#define MPJ_LIBC_SYS_TIMEB_H

#include <features.h>
typedef long time_t;

struct timeb {
    time_t time;
    unsigned short millitm;
    short timezone;
    short dstflag;
};

__MPJ_BEGIN

int ftime(struct timeb *);

__MPJ_END

#endif
