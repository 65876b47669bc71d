/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pseudo-terminals. */
#ifndef MPJ_PTY_H
#define MPJ_PTY_H

#include <sys/ioctl.h>
#include <termios.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Fail with ENOSYS. */
int openpty(int *one, int *other, char *name, const struct termios *settings,
            const struct winsize *size);
int forkpty(int *one, char *name, const struct termios *settings, const struct winsize *size);

#ifdef __cplusplus
}
#endif

#endif
