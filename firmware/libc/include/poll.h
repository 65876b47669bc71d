/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_POLL_H
#define MPJ_POLL_H

#define POLLIN   1
#define POLLPRI  2
#define POLLOUT  4
#define POLLERR  8
#define POLLHUP  16
#define POLLNVAL 32

typedef unsigned long nfds_t;

struct pollfd {
    int fd;
    short events, revents;
};

/* Files are always ready; without any (fd < 0) it is a sleep of so many milliseconds. */
int poll(struct pollfd *file, nfds_t count, int milliseconds);

#endif
