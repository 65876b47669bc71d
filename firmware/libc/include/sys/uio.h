/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_SYS_UIO_H
#define MPJ_SYS_UIO_H

#include <stddef.h>
#include <sys/types.h>

struct iovec {
    void *iov_base;
    size_t iov_len;
};

#ifdef __cplusplus
extern "C" {
#endif

/* As POSIX has them, piece by piece: other threads' calls may come in between. */
ssize_t readv(int fd, const struct iovec *piece, int count);
ssize_t writev(int fd, const struct iovec *piece, int count);
/* From, or to, that place; the descriptor's own stays. */
ssize_t preadv(int fd, const struct iovec *piece, int count, off_t offset);
ssize_t pwritev(int fd, const struct iovec *piece, int count, off_t offset);

#ifdef __cplusplus
}
#endif

#endif
