/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One direction of a serial line in virtual time that misbehaves from a seed. */
#ifndef HIL_LOSSY_LINE_H
#define HIL_LOSSY_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lossy_faults {
    double bit_error; /* probability per bit */
    double drop;      /* per byte */
    double twice;     /* per byte */
    double stall;     /* probability per millisecond that the line pauses for up to stall_ms */
    uint32_t stall_ms;
};

#define LOSSY_QUEUE (1U << 22)

struct lossy_line {
    struct lossy_faults faults;
    uint64_t rng;
    uint8_t *queue; /* LOSSY_QUEUE bytes: sent, not yet on the way */
    uint32_t head, tail;
    uint32_t limit; /* bytes the sender may have queued: its FIFO or the driver's buffer */
    uint32_t sender_rate, receiver_rate;
    uint32_t stalled; /* milliseconds left */
    bool cut;         /* bytes vanish */
    double credit;    /* bytes the line may carry */
    uint64_t carried;
};

uint64_t lossy_random(struct lossy_line *l);
/* True with probability p. */
bool lossy_chance(struct lossy_line *l, double p);
void lossy_init(struct lossy_line *l, uint64_t seed, uint32_t limit,
                const struct lossy_faults *faults);
void lossy_free(struct lossy_line *l);
/* Takes the bytes that fit, from the sender. Returns how many. */
size_t lossy_put(struct lossy_line *l, const uint8_t *p, size_t n);
/* Advances by a millisecond: arriving bytes go to out (cap bytes); returns how many. */
size_t lossy_step(struct lossy_line *l, uint8_t *out, size_t cap);

#endif
