/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of the host, which newlib's calls reach through the link. Thread context. */
#ifndef MPJ_FILES_H
#define MPJ_FILES_H

#include <stddef.h>

/* write() on anything but stdout and stderr: bytes taken, or -1 with errno. */
int mpj_file_write(int fd, const void *data, size_t len);

/* Asks the host for nothing: it sends what it has for the target before it replies. */
void mpj_file_turn(void);

#endif
