/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Both ends of a reliable link, the target being the firmware in short, with a line in virtual time
 * between them: for tests and benchmarks.
 */
#ifndef LINK_RIG_H
#define LINK_RIG_H

#include "hil/lossy_line.h"
#include "mpj_link.h"

#define RIG_SLOTS  1024U
#define RIG_STARTS 5U

/* The target waits, runs without listening, settles. */
enum phase { WAITING, RUNNING, SETTLING, OVER };

struct rig {
    struct lossy_line up, down; /* to the host, to the target */
    struct mpj_link host, target;
    struct mpj_link_slot host_slots[16], target_slots[RIG_SLOTS];
    struct mpj_link_ahead *ahead, gathered;
    uint8_t host_tx[16384], *target_tx;
    uint32_t now; /* milliseconds */

    bool
        board; /* the target hears, through 16 bytes of FIFO looked at every 10 ms, while it runs */
    bool whole; /* host and target know nothing of parts */
    uint8_t fifo[65536];
    uint32_t fifo_len;
    enum phase phase;
    uint32_t to_send, made, pace; /* frames of the run; how many are made in a millisecond */
    uint32_t length;              /* bytes of each; 0: from 1 to 1024 */
    uint32_t refused, refusals;   /* since it last settled; in all */
    uint32_t starts;              /* received */
    uint32_t got;                 /* frames at the host */
    uint64_t bytes;
    bool hello, over_seen;
    bool wrong; /* a frame came out of order, twice, or with other contents */
};

/* tx_bytes: what the target can keep. The caller sets board, whole, to_send, pace, length. */
struct rig *rig_new(uint64_t seed, const struct lossy_faults *faults, uint32_t tx_bytes);
void rig_free(struct rig *r);
/* A millisecond passes. */
void rig_step(struct rig *r);
/* Until the target is through, but at most for limit milliseconds; true when all has arrived, in
 * order and once. */
bool rig_run(struct rig *r, uint32_t limit);

#endif
