/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SESSION_INT_H
#define SESSION_INT_H

#include "hil/line.h"
#include "hil/session.h"

#define GROUP_MAX MPJ_FRAME_WIRE_MAX
#define HELLO_S   60 /* a loaded machine starts slowly */
struct session {
    const struct mpj_session_opts *opt;
    struct mpj_session_result *out;
    struct mpj_err *err;
    int fd;
    struct mpj_line *link; /* NULL: the line loses nothing */
    struct mpj_frame_decoder decoder;
    uint8_t
        group[GROUP_MAX]; /* bytes since the last delimiter, kept for the log if they are junk */
    size_t group_len;
    bool started; /* HELLO came */
    double begun; /* when the session began, and when START was sent */
    double asked_at;
    bool asked;           /* START was sent */
    bool answered;        /* ... and some of it was acknowledged */
    bool stopping;        /* ... and STOP: later frames are discarded */
    uint32_t cores_mask;  /* CONFIG's, limited to the cores that the chip has */
    uint32_t features;    /* of HELLO's, those in use */
    uint64_t noise;       /* damaged groups that do not count as losses: see mpj_session_result */
    bool numbered;        /* at least one numbered frame came over a line */
    uint16_t next;        /* expected number */
    uint16_t sent;        /* number of our next frame */
    uint64_t ticks;       /* newest time seen */
    bool finishing;       /* FINISH was sent ... */
    double finish_at;     /* ... then */
    uint64_t last_frames; /* received when the host last looked, and when that was */
    double listened_at;
    double silent_s;  /* that none came since */
    double longest_s; /* ... and the longest time until one came, since it took START */
    bool beats;       /* it never is silent for long */
    bool gone;        /* it has restarted, or answers nothing: no matter what the line damaged */
    int tick_ms;
    bool waiting;     /* for input that the program reads: */
    double probed_at; /* ... the target was last asked whether it is alive */
    struct mpj_io_req request;
    bool have_error;
    struct mpj_error_rec error; /* text not kept: see error_text */
    char error_text[200];
    struct mpj_words words; /* before HELLO, in plain text */
};

/* Sends a frame, and puts it into the log. Returns an enum mpj_code. */
int session_send(struct session *s, uint8_t type, const uint8_t *payload, size_t len);
/* Sends START: configuration, arguments, environment. Returns an enum mpj_code. */
int session_send_start(struct session *s);

#endif
