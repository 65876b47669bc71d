/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_SYS_UIO_H
#define MPJ_LIBC_SYS_UIO_H

#include <bits/iovec.h>
#include <features.h>
#include <sys/types.h>
#define UIO_MAXIOV 1024

/* Transferred piece by piece: other threads' calls may come in between. */
__MPJ_BEGIN

ssize_t readv(int, const struct iovec *, int);
ssize_t writev(int, const struct iovec *, int);
#if defined(__USE_MISC)
ssize_t preadv(int, const struct iovec *, int, off_t);
ssize_t pwritev(int, const struct iovec *, int, off_t);
#endif

__MPJ_END

#endif
