/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_SYS_IOCTL_H
#define MPJ_SYS_IOCTL_H

#define TIOCGWINSZ 0x5413
#define FIONREAD   0x541b
#define FIONBIO    0x5421

struct winsize {
    unsigned short ws_row, ws_col, ws_xpixel, ws_ypixel;
};

#ifdef __cplusplus
extern "C" {
#endif

/* FIONREAD (pipes, sockets, files) and FIONBIO; -1 with EBADF or ENOTTY otherwise. */
int ioctl(int fd, unsigned long request, ...);

#ifdef __cplusplus
}
#endif

#endif
