/* SPDX-License-Identifier: GPL-2.0-or-later */
/* newlib's, and what POSIX has beside it. */
#ifndef MPJ_FCNTL_H
#define MPJ_FCNTL_H

#include_next <fcntl.h>

#include <mpj_large.h>

#define POSIX_FADV_NORMAL     0
#define POSIX_FADV_RANDOM     1
#define POSIX_FADV_SEQUENTIAL 2
#define POSIX_FADV_WILLNEED   3
#define POSIX_FADV_DONTNEED   4
#define POSIX_FADV_NOREUSE    5

#ifdef __cplusplus
extern "C" {
#endif

/* Nothing is cached: 0, EBADF or EINVAL. */
int posix_fadvise(int fd, off_t from, off_t n, int advice);
/* The file has at least from + n bytes: 0, or an error's number. */
int posix_fallocate(int fd, off_t from, off_t n);

#ifdef __cplusplus
}
#endif

#ifdef MPJ_LARGE
#define O_LARGEFILE 0
#define open64      open
#define openat64    openat
#define creat64     creat
#endif

#endif
