/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A serial cable between an emulated board and the host that opens its other end: a pseudo-terminal
 * or a TCP port. It misbehaves on demand, from a seed: damaged, lost and repeated bytes, stalls,
 * noise, a limited rate, an end that is unplugged.
 */
#ifndef HIL_CABLE_H
#define HIL_CABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/errors.h"
#include "hil/lossy_line.h"

struct mpj_cable_options {
    struct lossy_faults faults;
    uint64_t seed;      /* of every fault */
    uint32_t noise;     /* bytes of another program before anything else */
    uint32_t rate;      /* bits per second; 0: no limit */
    uint64_t unplug;    /* after this many bytes to the host its end vanishes once ... */
    uint32_t unplug_ms; /* ... for this time; 0 bytes: never */
    const char *link;   /* symbolic link to the pseudo-terminal; NULL: none */
    const char *listen; /* "[HOST:]PORT" for TCP, HOST 127.0.0.1, PORT 0: a free one; NULL:
                           a pseudo-terminal */
    bool waits;         /* what the board sends while no host is there waits, and is not lost */
};

struct mpj_cable;

/* Creates a cable. MPJ_E_BUSY: the link is another file, or the port is taken; MPJ_E_USAGE,
 * MPJ_E_IO, MPJ_E_NOMEM. Strings are copied. Free with mpj_cable_free(), which removes the link. */
int mpj_cable_new(struct mpj_cable **out, const struct mpj_cable_options *opt, struct mpj_err *err);
void mpj_cable_free(struct mpj_cable *c);

/* Returns the name that a host opens: the link, the pseudo-terminal's path, or
 * "tcp://HOST:PORT". */
const char *mpj_cable_name(const struct mpj_cable *c);

/*
 * Moves bytes, waiting at most 20 ms for some. board: the non-blocking descriptor of the board's
 * line, -1: it is off, and bytes sent to it are lost. Returns 1: the board has hung up; 0; or an
 * error.
 */
int mpj_cable_turn(struct mpj_cable *c, int board, struct mpj_err *err);
/* Discards the bytes in transit in both directions: the board was switched off. */
void mpj_cable_lose(struct mpj_cable *c);
/* Returns the number of bytes given to the board, and to the host, so far. */
uint64_t mpj_cable_to_board(const struct mpj_cable *c);
uint64_t mpj_cable_to_host(const struct mpj_cable *c);
/* True if no bytes are in transit, and the host has read everything. */
bool mpj_cable_read(const struct mpj_cable *c);

#endif
