/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A serial port of another machine: tcp://HOST:PORT carries its bytes and nothing else,
 * rfc2217://HOST:PORT its settings as well (RFC 2217, as used by ser2net and port servers). The
 * functions are those of hil/port.h.
 */
#ifndef NET_PORT_H
#define NET_PORT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/errors.h"
#include "hil/port.h"

struct net_port;

/* True if a port's path is one of these, or any other with a scheme. */
bool net_port_is(const char *path);
/* Checks such a path: MPJ_E_USAGE for another scheme, or not HOST:PORT. */
int net_port_check(const char *path, struct mpj_err *err);
/* True if it is one whose rate cannot be changed. */
bool net_port_fixed(const char *path);
/* Connects, and sets 8N1 without flow control where it can. MPJ_E_USAGE: not HOST:PORT;
 * MPJ_E_NO_PORT: no answer, or not by this protocol; MPJ_E_BUSY: the server closed the
 * connection at once, as it does when the port is taken. *out is NULL on error. */
int net_port_open(struct net_port **out, const char *url, uint32_t bits_per_s, struct mpj_err *err);
void net_port_close(struct net_port *p); /* NULL is allowed */
const char *net_port_url(const struct net_port *p);
int net_port_fd(const struct net_port *p);
ssize_t net_port_read(struct net_port *p, void *buf, size_t n, struct mpj_err *err);
ssize_t net_port_write(struct net_port *p, const void *buf, size_t n, struct mpj_err *err);
/* Changes the rate. MPJ_E_LINK for tcp://, which has no way to, unless it is the rate that the port
 * was opened with. */
int net_port_rate(struct net_port *p, uint32_t bits_per_s, struct mpj_err *err);
/* Asks for DTR, or RTS, to be asserted or released. MPJ_E_USAGE: tcp:// cannot. */
int net_port_set_line(struct net_port *p, enum mpj_port_line line, bool on, struct mpj_err *err);

#endif
