/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_SYS_IOCTL_H
#define MPJ_LIBC_SYS_IOCTL_H

#include <features.h>
#define TIOCGWINSZ 0x5413
#define FIONREAD   0x541b
#define FIONBIO    0x5421

struct winsize {
    unsigned short ws_row;
    unsigned short ws_col;
    unsigned short ws_xpixel;
    unsigned short ws_ypixel;
};

/* Supports FIONREAD (pipes, sockets, files) and FIONBIO; else returns -1 with EBADF or ENOTTY. */
__MPJ_BEGIN

int ioctl(int, unsigned long, ...);

__MPJ_END

#endif
