/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens a pseudo-terminal as a port: that of an emulated board. libserialport knows only devices.
 */
#ifndef PTY_PORT_H
#define PTY_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/errors.h"

/* True if the path, or what it links to, is a pseudo-terminal. */
bool pty_port_is(const char *path);
/* Returns the code of an errno of opening a port: MPJ_E_BUSY, which says nothing of the board, if
 * another process has it or this user has no right to it; else MPJ_E_NO_PORT. */
int port_open_code(int number);
/* Opens a pseudo-terminal. Returns a non-blocking descriptor, raw, opened exclusively; close()
 * closes it. MPJ_E_NO_PORT, MPJ_E_BUSY. */
int pty_port_open(const char *path, struct mpj_err *err);
/* Reads or writes bytes without waiting. Returns their number, at most n, 0: none now; MPJ_E_LINK:
 * the other end has gone. */
ssize_t pty_port_read(int fd, const char *path, void *buf, size_t n, struct mpj_err *err);
ssize_t pty_port_write(int fd, const char *path, const void *buf, size_t n, struct mpj_err *err);

#endif
