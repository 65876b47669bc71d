/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One end of a reliable link over a line that damages, loses and repeats bytes (SPEC.md, "The
 * reliable link"): numbered frames arrive in order, once, or not at all while the line is dead.
 *
 * Both sides run this code. The active side (the host) owns every timer; the passive side (the
 * target) only reacts, so that it does not depend on time passing while it waits: in the
 * emulator time is stopped then.
 *
 * Freestanding, no allocation: buffers are the caller's. One context at a time may use an end,
 * with one exception: mpj_link_send() may be interrupted by, or overlap, one context that calls
 * the other functions. No function waits. Nothing is static: any number of ends.
 */
#ifndef MPJ_LINK_H
#define MPJ_LINK_H

#include "mpj_wire.h"

#define MPJ_LINK_SLOTS_MAX 16384U /* frames in flight: half of half the number space */
#define MPJ_LINK_RTO_MS    300U   /* active side: unacknowledged frames go out again */
#define MPJ_LINK_RTO_MAX   1200U
#define MPJ_LINK_QUIET_MS  200U /* active side: after this silence it sends a status */
#define MPJ_LINK_QUIET_MAX 1600U
#define MPJ_LINK_STREAM_MS 50U /* active side: interval of ACKs while frames stream in */

/* Parts of frames (SPEC.md, "Parts"). What parts are made of is counted in units: the frame's type,
 * then its payload. */
#define MPJ_LINK_UNIT      40U /* bytes; the last one of a frame may have fewer */
#define MPJ_LINK_UNITS_MAX ((1U + MPJ_FRAME_PAYLOAD_MAX + MPJ_LINK_UNIT - 1U) / MPJ_LINK_UNIT)
#define MPJ_LINK_PART_MAX  16U /* units in a part */
#define MPJ_LINK_PART_WIRE                                                                         \
    (MPJ_FRAME_HEAD + 1U + MPJ_LINK_PART_MAX * MPJ_LINK_UNIT + MPJ_FRAME_CHECK + 4U)
#define MPJ_LINK_LISTED 8U /* frames of which an ACK says which units are here */

/* A frame kept until it is acknowledged. */
struct mpj_link_slot {
    uint32_t at;
    uint16_t len;
    uint8_t due; /* to be sent (again) */
};

/* A frame that arrived early, since an earlier one is missing; or parts of one. */
struct mpj_link_ahead {
    uint16_t len;
    uint8_t type;
    uint8_t have;
    uint8_t end;    /* units of the frame; 0: not known yet */
    uint32_t units; /* here, a bit each; 0: no parts */
    uint8_t payload[MPJ_FRAME_PAYLOAD_MAX];
};

struct mpj_link_config {
    bool active; /* the host */

    uint8_t *tx; /* frames as they go onto the line, kept until acknowledged */
    uint32_t tx_bytes;
    uint32_t reserve; /* of tx, kept for frames sent as urgent; and a quarter of the slots, at most
                         64, likewise */
    struct mpj_link_slot *slots;
    uint32_t slot_count; /* a power of two, at most MPJ_LINK_SLOTS_MAX */

    /* 1: frames are taken in order only; NULL and 0: likewise, and parts not at all. A frame that
     * came in parts is delivered from here and valid until the next call. */
    struct mpj_link_ahead *ahead;
    uint32_t ahead_count; /* a power of two, at most MPJ_LINK_SLOTS_MAX */

    /* Sends as many bytes as the line accepts at once; returns how many. */
    size_t (*put)(void *ctx, const uint8_t *p, size_t n);
    /* Takes a numbered frame, in order, once. Negative: mpj_link_receive() stops and returns it. */
    int (*deliver)(void *ctx, const struct mpj_frame *f);
    /* Takes an unnumbered frame that is not the link's own (HELLO, RATE, ECHO); may be NULL.
     * Negative as above. */
    int (*control)(void *ctx, const struct mpj_frame *f);
    void *ctx;
};

struct mpj_link_stats {
    uint64_t sent;      /* numbered frames, the first time */
    uint64_t resent;    /* again */
    uint64_t delivered; /* numbered frames, in order */
    uint64_t repeated;  /* received again: dropped */
    uint64_t early;     /* received before a missing one */
    uint64_t polls;     /* sent */
    uint64_t statuses;  /* ACK frames sent */
    uint64_t parts_out; /* PART frames sent, */
    uint64_t parts_in;  /* received */
};

/* Units of a frame that the other side is known to have. */
struct mpj_link_there {
    uint32_t seq;
    uint32_t units;
};

/* Treat as opaque except for stats and decoder.stats. */
struct mpj_link {
    struct mpj_link_config cfg;
    struct mpj_link_stats stats;
    struct mpj_frame_decoder decoder;
    bool reliable;

    uint32_t base;       /* first frame not acknowledged; all numbers count on past 16 bits */
    uint32_t next;       /* next new frame */
    uint32_t head;       /* where it goes in tx */
    uint32_t scan;       /* no frame before this one is due */
    uint32_t first_time; /* frames from here on were never sent */
    uint32_t cur;        /* frame being sent, and what is left of it or of its part */
    const uint8_t *cur_from;
    uint32_t cur_len;
    bool cur_cut; /* it was acknowledged meanwhile: terminate it */

    bool sized;             /* the other side takes parts: ACKs have sizes */
    bool split;             /* some frames go out in parts: */
    uint8_t size;           /* units in one, as the other side wants them; 0: whole frames */
    uint8_t wish;           /* the same of what it sends us */
    uint32_t todo;          /* units of the current frame that go out after cur_len */
    struct mpj_frame whole; /* that frame, in: */
    struct mpj_frame_decoder unpacked;
    uint8_t part[MPJ_LINK_PART_WIRE];
    struct mpj_link_there there[MPJ_LINK_LISTED]; /* by number */
    uint64_t judged_bytes, judged_bad; /* of decoder.stats, how far the line was judged */
    uint32_t judged, damage;           /* bytes that count, 16 times the damaged groups */
    uint8_t unlisted;                  /* ACKs without a list of units since the last one with it */
    bool odd;                          /* every other ACK of a stream lists units */

    uint8_t ctl[MPJ_FRAME_WIRE_MAX]; /* unnumbered frame being sent */
    uint32_t ctl_at, ctl_len;

    uint32_t expected; /* next frame of the other side */
    uint32_t newest;   /* past the newest frame received */
    uint32_t told;     /* past the newest frame the other side reports as sent */
    uint8_t number;    /* of the newest POLL of the other side */
    uint8_t asked;     /* number of our newest POLL */
    bool answered;     /* ... and its answer was here */
    bool want_poll;
    bool want_status;
    bool full_status; /* ... with every gap */
    bool quiet_status;

    uint32_t now; /* active side: milliseconds, and when what happened */
    uint32_t rx_at, status_at, tx_at;
    uint32_t quiet, rto;
    bool ticking;
    bool streamed; /* numbered frames came since the last status */
};

/* Initialises an end at the start of a session: numbers from 0, nothing in flight, not reliable:
 * numbered frames are accepted in order, nothing is acknowledged or kept. */
void mpj_link_init(struct mpj_link *l, const struct mpj_link_config *cfg);
/* Makes the end reliable: frames are acknowledged, kept and sent again from here on. */
void mpj_link_reliable(struct mpj_link *l);
/* Notes that the other side takes parts of frames: ACKs give the size from here on, and those of
 * the other side are obeyed. The active side calls this when HELLO has the feature PARTS; the
 * passive side learns it from the first ACK that has a size. */
void mpj_link_parts(struct mpj_link *l);
/* True while frames go out in parts. */
bool mpj_link_in_parts(const struct mpj_link *l);

/* Queues a numbered frame (reliable ends only). Returns 0; MPJ_LINK_ERR_SPACE while too much is
 * unacknowledged, nothing changed; MPJ_LINK_ERR_LONG. urgent: may use the reserve. */
int mpj_link_send(struct mpj_link *l, uint8_t type, const void *payload, size_t len, bool urgent);
/* Queues an unnumbered frame; MPJ_LINK_ERR_SPACE while the previous one is not sent. */
int mpj_link_control(struct mpj_link *l, uint8_t type, uint16_t seq, const void *payload,
                     size_t len);

/* Sends what the line accepts. True while there is more to send. */
bool mpj_link_pump(struct mpj_link *l);
/* Feeds bytes from the line, none is allowed. Returns 0, or what a callback returned: the bytes
 * after that frame are lost, frames that came early and are in order now are delivered by the next
 * call. Pump afterwards. */
int mpj_link_receive(struct mpj_link *l, const void *data, size_t len);

/* True if a numbered frame waits to be sent, also one that mpj_link_send() queued concurrently. */
bool mpj_link_due(const struct mpj_link *l);
/* True if everything that was queued has been acknowledged. */
bool mpj_link_settled(const struct mpj_link *l);
/* Polls the other side for missing frames, unless a poll is still unanswered: for a passive side
 * that can only wait. Call when pump has nothing more, then pump, then feed received bytes. */
void mpj_link_ask(struct mpj_link *l);

/* Sets the active side's clock, milliseconds from any origin, wrapping. Call at least every 20 ms
 * or when mpj_link_receive() was called; pump afterwards. Returns the milliseconds until it is next
 * needed. */
uint32_t mpj_link_tick(struct mpj_link *l, uint32_t now);
/* Sends a status of the active side now, also without a poll. */
void mpj_link_tell(struct mpj_link *l);
/* Notes on the active side that the line was interrupted and is back: bytes in flight are lost. */
void mpj_link_restart_line(struct mpj_link *l);
/* Terminates a half-sent frame with a delimiter: it will be sent again. For the fault handler that
 * takes the line over from the interrupted code. */
void mpj_link_seize(struct mpj_link *l);

#endif
