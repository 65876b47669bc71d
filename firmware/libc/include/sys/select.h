/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_SYS_SELECT_H
#define MPJ_LIBC_SYS_SELECT_H

#include <bits/sigset.h>
#include <bits/timeval.h>
#include <features.h>

typedef long time_t;
typedef long suseconds_t;
#ifdef __USE_XOPEN2K
#include <bits/timespec.h>
#else
struct timespec;
#endif

#define FD_SETSIZE    1024
#define __MPJ_FD_BITS 32

typedef struct {
#ifdef __USE_XOPEN
    long fds_bits[FD_SETSIZE / __MPJ_FD_BITS];
#define __MPJ_FD_WORD(set, fd) ((set)->fds_bits[(fd) / __MPJ_FD_BITS])
#else
    long __fds_bits[FD_SETSIZE / __MPJ_FD_BITS];
#define __MPJ_FD_WORD(set, fd) ((set)->__fds_bits[(fd) / __MPJ_FD_BITS])
#endif
} fd_set;

#ifdef __USE_MISC
typedef long fd_mask;
#define NFDBITS __MPJ_FD_BITS
#endif

#define __MPJ_FD_MASK(fd) ((long)(1UL << ((fd) % __MPJ_FD_BITS)))
#define FD_SET(fd, set)   ((void)(__MPJ_FD_WORD(set, fd) |= __MPJ_FD_MASK(fd)))
#define FD_CLR(fd, set)   ((void)(__MPJ_FD_WORD(set, fd) &= ~__MPJ_FD_MASK(fd)))
#define FD_ISSET(fd, set) ((__MPJ_FD_WORD(set, fd) & __MPJ_FD_MASK(fd)) != 0)
#define FD_ZERO(set)      ((void)__builtin_memset((set), 0, sizeof(fd_set)))

__MPJ_BEGIN

int select(int, fd_set *__restrict, fd_set *__restrict, fd_set *__restrict,
           struct timeval *__restrict);
#if defined(__USE_XOPEN2K)
int pselect(int, fd_set *__restrict, fd_set *__restrict, fd_set *__restrict,
            const struct timespec *__restrict, const sigset_t *__restrict);
#endif

__MPJ_END

#endif
