/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_POLL_H
#define MPJ_POLL_H

#include <sys/features.h>

#define POLLIN     0x001
#define POLLPRI    0x002
#define POLLOUT    0x004
#define POLLERR    0x008
#define POLLHUP    0x010
#define POLLNVAL   0x020
#define POLLRDNORM 0x040
#define POLLRDBAND 0x080
#define POLLWRNORM 0x100
#define POLLWRBAND 0x200
#if __GNU_VISIBLE
#define POLLRDHUP 0x2000
#endif

typedef unsigned long nfds_t;

struct pollfd {
    int fd;
    short events, revents;
};

#ifdef __cplusplus
extern "C" {
#endif

/* Files and stdin are always ready, and one that is not open is POLLNVAL; pipes, sockets and their
 * like are waited for. Without any (fd < 0) it is a sleep of so many milliseconds. */
int poll(struct pollfd *file, nfds_t count, int milliseconds);
#if __GNU_VISIBLE
#include <signal.h>
#include <time.h>
/* The same with this signal mask, unless that is NULL; limit NULL: without end. */
int ppoll(struct pollfd *file, nfds_t count, const struct timespec *limit, const sigset_t *mask);
#endif

#ifdef __cplusplus
}
#endif

#endif
