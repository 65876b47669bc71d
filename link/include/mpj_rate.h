/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Agreeing on a bit rate (SPEC.md, "Bit rate"): the host proposes with a RATE frame, the target
 * answers at the old rate and changes, the host changes and tests the line with ECHO frames. A side
 * that receives nothing at the new rate returns to the old one.
 *
 * Both state machines are passive: the caller feeds frames and the time, and acts on the result.
 * Freestanding, no allocation, re-entrant.
 */
#ifndef MPJ_RATE_H
#define MPJ_RATE_H

#include "mpj_wire.h"

#define MPJ_RATE_BASE     115200U /* every session begins at it */
#define MPJ_RATE_TRIAL_MS 1000U   /* target: reverts after this time without a good frame */

/* Actions for the caller. The host changes the rate, then sends; the target sends, waits until that
 * is out, then changes the rate. */
struct mpj_rate_do {
    uint32_t rate; /* 0: leave the rate */
    uint8_t type;  /* frame to send; 0: none */
    uint8_t len;
    uint8_t payload[32];
    bool done; /* host: the negotiation is over */
};

enum mpj_rate_state {
    MPJ_RATE_IDLE = 0,
    MPJ_RATE_PROPOSED = 1,
    MPJ_RATE_TESTING = 2,
    MPJ_RATE_BACK = 3, /* until the target has gone back, too */
    MPJ_RATE_AGREED = 4,
};

struct mpj_rate_host {
    uint8_t state; /* enum mpj_rate_state */
    uint8_t tries;
    uint8_t good;
    uint32_t want;
    uint32_t rate; /* in use */
    uint32_t since;
};

/* Proposes `want` instead of MPJ_RATE_BASE. now: milliseconds, wrapping. */
void mpj_rate_host_begin(struct mpj_rate_host *r, uint32_t want, uint32_t now,
                         struct mpj_rate_do *out);
/* Handles a received RATE or ECHO frame. */
void mpj_rate_host_frame(struct mpj_rate_host *r, const struct mpj_frame *f, uint32_t now,
                         struct mpj_rate_do *out);
/* Advances the timers; call every 20 ms or so. */
void mpj_rate_host_tick(struct mpj_rate_host *r, uint32_t now, struct mpj_rate_do *out);

struct mpj_rate_target {
    uint32_t rate;
    bool trial;
    uint32_t since;
};

void mpj_rate_target_init(struct mpj_rate_target *r);
/* Handles any unnumbered frame of the host except ACK and POLL. possible: the rate in it can be
 * made (see mpj_rate_wanted()). now: milliseconds. */
void mpj_rate_target_frame(struct mpj_rate_target *r, const struct mpj_frame *f, bool possible,
                           uint32_t now, struct mpj_rate_do *out);
/* Returns the rate that a RATE frame asks for or grants; 0: none, or another frame. */
uint32_t mpj_rate_wanted(const struct mpj_frame *f);
/* Keeps the rate: a numbered frame came. */
void mpj_rate_target_confirm(struct mpj_rate_target *r);
/* Advances the timers; call now and then while waiting. */
void mpj_rate_target_tick(struct mpj_rate_target *r, uint32_t now, struct mpj_rate_do *out);

#endif
