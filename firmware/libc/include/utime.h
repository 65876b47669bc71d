/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_UTIME_H
#define MPJ_LIBC_UTIME_H

#include <features.h>
typedef long time_t;

struct utimbuf {
    time_t actime;
    time_t modtime;
};

__MPJ_BEGIN

int utime(const char *, const struct utimbuf *);

__MPJ_END

#endif
