/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Changes of files, which cannot be observed here. */
#ifndef MPJ_SYS_INOTIFY_H
#define MPJ_SYS_INOTIFY_H

#include <fcntl.h>
#include <stdint.h>

#define IN_CLOEXEC       O_CLOEXEC
#define IN_NONBLOCK      O_NONBLOCK
#define IN_ACCESS        0x1
#define IN_MODIFY        0x2
#define IN_ATTRIB        0x4
#define IN_CLOSE_WRITE   0x8
#define IN_CLOSE_NOWRITE 0x10
#define IN_CLOSE         0x18
#define IN_OPEN          0x20
#define IN_MOVED_FROM    0x40
#define IN_MOVED_TO      0x80
#define IN_MOVE          0xc0
#define IN_CREATE        0x100
#define IN_DELETE        0x200
#define IN_DELETE_SELF   0x400
#define IN_MOVE_SELF     0x800
#define IN_ALL_EVENTS    0xfff
#define IN_UNMOUNT       0x2000
#define IN_Q_OVERFLOW    0x4000
#define IN_IGNORED       0x8000
#define IN_ONLYDIR       0x1000000
#define IN_ONESHOT       0x80000000U
#define IN_ISDIR         0x40000000

struct inotify_event {
    int wd;
    uint32_t mask, cookie, len;
    char name[];
};

#ifdef __cplusplus
extern "C" {
#endif

/* Fail with ENOSYS. */
int inotify_init(void);
int inotify_init1(int flags);
int inotify_add_watch(int fd, const char *path, uint32_t mask);
int inotify_rm_watch(int fd, int watch);

#ifdef __cplusplus
}
#endif

#endif
