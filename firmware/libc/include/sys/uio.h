/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_SYS_UIO_H
#define MPJ_SYS_UIO_H

#include <stddef.h>
#include <sys/types.h>

struct iovec {
    void *iov_base;
    size_t iov_len;
};

/* As POSIX has them, piece by piece: other threads' calls may come in between. */
ssize_t readv(int fd, const struct iovec *piece, int count);
ssize_t writev(int fd, const struct iovec *piece, int count);

#endif
