/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_POLL_H
#define MPJ_LIBC_POLL_H

#include <features.h>
#ifdef __USE_GNU
#include <bits/timespec.h>
#endif

#define POLLIN   0x001
#define POLLPRI  0x002
#define POLLOUT  0x004
#define POLLERR  0x008
#define POLLHUP  0x010
#define POLLNVAL 0x020
#if defined(__USE_XOPEN) || defined(__USE_XOPEN2K8)
#define POLLRDNORM 0x040
#define POLLRDBAND 0x080
#define POLLWRNORM 0x100
#define POLLWRBAND 0x200
#endif
#if defined(__USE_GNU)
#define POLLMSG    0x400
#define POLLREMOVE 0x1000
#define POLLRDHUP  0x2000
#endif

typedef unsigned long nfds_t;

struct pollfd {
    int fd;
    short events;
    short revents;
};

__MPJ_BEGIN

int poll(struct pollfd *, nfds_t, int);
#if defined(__USE_GNU)
int ppoll(struct pollfd *, nfds_t, const struct timespec *, const unsigned long long *);
#endif

__MPJ_END

#endif
