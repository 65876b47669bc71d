/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A serial port, 8N1: of this machine, by path or by the serial number of its USB adapter
 * (libserialport), a pseudo-terminal, or of another one, through a server of ports. Every function
 * may be called from one thread at a time per port.
 */
#ifndef HIL_PORT_H
#define HIL_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/errors.h"

struct mpj_port;

struct mpj_port_id {
    const char *path; /* "/dev/ttyUSB0", "rfc2217://bench:2000", "tcp://bench:2001"; NULL: look
                         for usb_serial */
    const char *usb_serial; /* of the USB adapter; NULL: any */
    const char *locks;      /* folder of the locks of ports (hil/uucp.h); NULL: they do not count */
};

/* True if a port's path is one whose bit rate is fixed by its server, and which has no reset line:
 * tcp://. */
bool mpj_port_fixed(const char *path);

/* Checks the form of a port's path, without looking for the port. MPJ_E_USAGE: it has a scheme and
 * is not tcp://HOST:PORT or rfc2217://HOST:PORT. */
int mpj_port_path_check(const char *path, struct mpj_err *err);

enum mpj_port_state {
    MPJ_PORT_ABSENT,
    MPJ_PORT_ATTACHED,
    MPJ_PORT_REMOTE, /* another machine's: nothing is known of it until it is opened, and its
                        server, not this machine's locks, excludes others */
    MPJ_PORT_OTHER   /* there is something else: a file, a folder */
};
/* Returns what is at a port's path, without opening it. */
enum mpj_port_state mpj_port_state(const char *path);

/* Finds the path of the port that is meant; allocated. MPJ_E_NO_PORT when no such port is
 * attached. */
int mpj_port_find(char **path, const struct mpj_port_id *id, struct mpj_err *err);

/* Checks that a port is there, without opening it: MPJ_E_NO_PORT. Another machine's always is. */
int mpj_port_check(const struct mpj_port_id *id, struct mpj_err *err);

/* Writes one line on the program that has the port by a lock file (id->locks) or by flock(), as tio
 * and picocom take it; "" when none has, or when the port is not attached or another machine's.
 * Opens nothing. */
void mpj_port_holder(const struct mpj_port_id *id, char *out, size_t cap);

/* Calls port() for each serial port of this machine, with its path and its adapter's description of
 * itself ("" when there is none). Returns how many; or MPJ_E_NO_PORT: they cannot be listed. */
int mpj_port_list(void (*port)(void *ctx, const char *path, const char *adapter), void *ctx,
                  struct mpj_err *err);

/* Takes the port's lock, opens it exclusively (flock(), TIOCEXCL), sets 8N1, no flow control.
 * MPJ_E_NO_PORT when it does not exist or may not be opened, MPJ_E_BUSY when another program has
 * it. *out is NULL on error. */
int mpj_port_open(struct mpj_port **out, const struct mpj_port_id *id, uint32_t bits_per_s,
                  struct mpj_err *err);
/* Closes and frees; NULL is allowed. */
void mpj_port_close(struct mpj_port *p);

/* Returns the path it was opened by. */
const char *mpj_port_path(const struct mpj_port *p);
/* Returns a descriptor for poll(); not for reading. */
int mpj_port_fd(const struct mpj_port *p);
/* Reads the bytes that have arrived, at most n, without waiting. Returns their number, 0: none.
 * MPJ_E_LINK: the port has gone. */
ssize_t mpj_port_read(struct mpj_port *p, void *buf, size_t n, struct mpj_err *err);
/* Writes as many bytes as the driver takes at once; returns how many. MPJ_E_LINK as above. */
ssize_t mpj_port_write(struct mpj_port *p, const void *buf, size_t n, struct mpj_err *err);
/* The modem lines by which an adapter may reset a board, and a break on the data line. */
enum mpj_port_line { MPJ_PORT_DTR, MPJ_PORT_RTS, MPJ_PORT_BREAK };
/* Returns the line with that name, "dtr", "rts" or "break"; -1: there is none. NULL is allowed. */
int mpj_port_line_of(const char *name);
/* Asserts or releases the line. MPJ_E_USAGE: the port has none; MPJ_E_LINK: it has gone. */
int mpj_port_set_line(struct mpj_port *p, enum mpj_port_line line, bool on, struct mpj_err *err);
/* Waits until everything written is out, then changes the rate. MPJ_E_LINK: the port cannot. */
int mpj_port_rate(struct mpj_port *p, uint32_t bits_per_s, struct mpj_err *err);

#endif
