/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The host's end of the reliable link on a target's serial port: bit rate, acknowledgement,
 * retransmission, and a port that goes away and comes back.
 */
#ifndef RELIABLE_H
#define RELIABLE_H

#include "mpj_link.h"
#include "mpj_target.h"

struct reliable;

/* Takes frames: numbered ones in order and once, HELLO as often as it comes. Negative: stops. */
typedef int (*reliable_frame)(void *ctx, const struct mpj_frame *f);

/* On an open target. Frees with reliable_free(). NULL when out of memory. */
struct reliable *reliable_new(struct mpj_target *t, int fd, reliable_frame frame, void *ctx);
void reliable_free(struct reliable *r);

/* The target offers what it takes: acknowledges from here on; the bit rate is negotiated first when
 * both sides can. */
void reliable_begin(struct reliable *r, uint32_t features);
/* Numbered frames may be sent: the bit rate is settled. */
bool reliable_ready(const struct reliable *r);
/* Queues a numbered frame; MPJ_E_LINK when too many are unacknowledged. */
int reliable_send(struct reliable *r, uint8_t type, const void *payload, size_t len,
                  struct mpj_err *err);

/* Waits up to ms for something to happen and deals with it. MPJ_E_LINK: the port went away and did
 * not come back; or what a frame's taker returned. */
int reliable_turn(struct reliable *r, int ms, struct mpj_err *err);
/* After the last frame: makes sure the target knows that it arrived. At most a second or two. */
void reliable_finish(struct reliable *r);

struct mpj_link_stats;
const struct mpj_link_stats *reliable_stats(const struct reliable *r);
const struct mpj_frame_stats *reliable_line(const struct reliable *r);
/* Bits per second in use. */
uint32_t reliable_rate(const struct reliable *r);

#endif
