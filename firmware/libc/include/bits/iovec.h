/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_BITS_IOVEC_H
#define MPJ_LIBC_BITS_IOVEC_H

#include <bits/size_t.h>
#include <features.h>

struct iovec {
    void *iov_base;
    size_t iov_len;
};

#endif
