/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_BITS_ITIMERSPEC_H
#define MPJ_LIBC_BITS_ITIMERSPEC_H

#include <bits/timespec.h>
#include <features.h>

struct itimerspec {
    struct timespec it_interval;
    struct timespec it_value;
};

#endif
