/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The host's end of the reliable link on a target's serial port: bit rate, acknowledgement,
 * retransmission, and a port that goes away and comes back.
 */
#ifndef HIL_LINE_H
#define HIL_LINE_H

#include "hil/target.h"
#include "mpj_link.h"

struct mpj_line;

/*
 * Use: open the target, mpj_line_new() on its descriptor, mpj_line_turn() in a loop. The taker sees
 * HELLO, checks it, and calls mpj_line_begin(); when mpj_line_ready(), frames may be sent. Not
 * thread-safe: one thread per line. The resident loader's frames (0x40 to 0x5f) use the same line.
 */

/* Takes frames: numbered ones in order and once, HELLO as often as it comes. A negative result
 * stops. */
typedef int (*mpj_line_frame)(void *ctx, const struct mpj_frame *f);

/* Creates a line on an open target. Free with mpj_line_free(). NULL when out of memory. */
struct mpj_line *mpj_line_new(struct mpj_target *t, int fd, mpj_line_frame frame, void *ctx);
void mpj_line_free(struct mpj_line *r);

/* Begins with the features that the target offers: acknowledges from here on; the bit rate is
 * negotiated first when both sides can. */
void mpj_line_begin(struct mpj_line *r, uint32_t features);
bool mpj_line_begun(const struct mpj_line *r);
/* Announces a host and restarts the link; only before mpj_line_begin(). The resident loader answers
 * with HELLO at the base rate, whatever it was doing; programs do not listen to it. */
void mpj_line_greet(struct mpj_line *r);
/* Announces a host once, at another bit rate: that of a session whose host died, which the board
 * cannot know. Waits until it is out; the line is at the base rate again. Does nothing on a port
 * that has no such rate. */
void mpj_line_greet_at(struct mpj_line *r, uint32_t rate);
/* True if numbered frames may be sent: the bit rate is settled. */
bool mpj_line_ready(const struct mpj_line *r);
/* Returns true while the port has disappeared; mpj_line_turn() opens it again. */
bool mpj_line_away(const struct mpj_line *r);
/* Queues a numbered frame; MPJ_E_LINK when too many are unacknowledged. */
int mpj_line_send(struct mpj_line *r, uint8_t type, const void *payload, size_t len,
                  struct mpj_err *err);

/* Returns the number of frames queued and not yet acknowledged. */
unsigned mpj_line_unsettled(const struct mpj_line *r);
/* Asks the target for a sign of life: it answers with a status. */
void mpj_line_probe(struct mpj_line *r);
/* True if frames go out in parts: the line is bad. */
bool mpj_line_in_parts(const struct mpj_line *r);

/* Waits up to ms for an event and handles it. MPJ_E_LINK: the port went away and did not come back;
 * or the result of a frame's taker. */
int mpj_line_turn(struct mpj_line *r, int ms, struct mpj_err *err);
/* Acknowledges the last frame until the target stops repeating it, or the taker of a frame returns
 * an error, since that frame belongs to another session; at most 3 s. */
void mpj_line_finish(struct mpj_line *r);

const struct mpj_link_stats *mpj_line_stats(const struct mpj_line *r);
const struct mpj_frame_stats *mpj_line_frames(const struct mpj_line *r);
/* Returns the number of bytes given to the port so far. */
uint64_t mpj_line_sent(const struct mpj_line *r);
/*
 * Collects the firmware's messages in plain text when its start-up faults, before there is a
 * session: the last line that begins with MPJ_WORDS. Zero-initialise; feed with every byte
 * received. kept: "" when there was none, without the beginning.
 */
#define MPJ_WORDS "mpjoule: start-up: "
struct mpj_words {
    char kept[200];
    char line[200];
    size_t len;
};
void mpj_words_take(struct mpj_words *w, const uint8_t *p, size_t n);
/* Returns the last such message of a line. */
const char *mpj_line_words(const struct mpj_line *r);
/* Returns the bits per second in use. */
uint32_t mpj_line_rate(const struct mpj_line *r);

#endif
