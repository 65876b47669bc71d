/* SPDX-License-Identifier: GPL-2.0-or-later */
/* epoll, as on Linux. */
#ifndef MPJ_SYS_EPOLL_H
#define MPJ_SYS_EPOLL_H

#include <bits/sigset.h>
#include <fcntl.h>
#include <stdint.h>
#include <time.h>

#define EPOLL_CLOEXEC O_CLOEXEC
#define EPOLL_CTL_ADD 1
#define EPOLL_CTL_DEL 2
#define EPOLL_CTL_MOD 3

enum EPOLL_EVENTS {
    EPOLLIN = 0x001,
    EPOLLPRI = 0x002,
    EPOLLOUT = 0x004,
    EPOLLERR = 0x008,
    EPOLLHUP = 0x010,
    EPOLLRDNORM = 0x040,
    EPOLLRDBAND = 0x080,
    EPOLLWRNORM = 0x100,
    EPOLLWRBAND = 0x200,
    EPOLLRDHUP = 0x2000,
    EPOLLONESHOT = 1 << 30
};
#define EPOLLIN      EPOLLIN
#define EPOLLPRI     EPOLLPRI
#define EPOLLOUT     EPOLLOUT
#define EPOLLERR     EPOLLERR
#define EPOLLHUP     EPOLLHUP
#define EPOLLRDHUP   EPOLLRDHUP
#define EPOLLONESHOT EPOLLONESHOT
#define EPOLLET      (1U << 31)

typedef union epoll_data {
    void *ptr;
    int fd;
    uint32_t u32;
    uint64_t u64;
} epoll_data_t;

struct epoll_event {
    uint32_t events;
    epoll_data_t data;
};

#ifdef __cplusplus
extern "C" {
#endif

/* Creates a set; size only has to be positive. */
int epoll_create(int size);
int epoll_create1(int flags);
/* Changes a set. EPOLLET is EINVAL; files are EPERM, as on Linux. A closed descriptor is removed
 * from the set at the next wait. */
int epoll_ctl(int set, int operation, int fd, struct epoll_event *event);
int epoll_wait(int set, struct epoll_event *events, int most, int milliseconds);
int epoll_pwait(int set, struct epoll_event *events, int most, int milliseconds,
                const sigset_t *mask);

#ifdef __cplusplus
}
#endif

#endif
