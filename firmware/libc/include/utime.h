/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_UTIME_H
#define MPJ_LIBC_UTIME_H

#include <features.h>
#if defined(__USE_XOPEN) || defined(__USE_XOPEN2K8)
typedef long time_t;
#endif

struct utimbuf {
    long actime;
    long modtime;
};

__MPJ_BEGIN

int utime(const char *, const struct utimbuf *);

__MPJ_END

#endif
