/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_BITS_TIMESPEC_H
#define MPJ_LIBC_BITS_TIMESPEC_H

typedef long time_t;

struct timespec {
    time_t tv_sec;
    long tv_nsec;
};

#endif
