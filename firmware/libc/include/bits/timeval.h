/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_BITS_TIMEVAL_H
#define MPJ_LIBC_BITS_TIMEVAL_H

struct timeval {
    long tv_sec;
    long tv_usec;
};

#endif
