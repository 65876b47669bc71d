/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One run of a program on a target: start it, configure it, record it, notice how it ended. */
#ifndef HIL_SESSION_H
#define HIL_SESSION_H

#include "hil/board.h"
#include "hil/drift.h"
#include "hil/image.h"
#include "hil/io.h"
#include "hil/target.h"
#include "log/log.h"
#include "mpj_link.h"
#include "mpj_records.h"
#include "mpj_trace_records.h"

#define MPJ_NOTE_MAX 200U /* bytes of a mark's text */

struct mpj_progress {
    double host_s;   /* since the session began, host's clock: for progress, never for results */
    double target_s; /* target's time, of the latest record that has one */
    uint64_t bytes;  /* received */
};

struct mpj_session_opts {
    struct mpj_target *target;
    const struct mpj_identity *identity; /* what the board must be; NULL: anything */
    const struct mpj_image *image;       /* NULL: do not compare the build id */
    struct mpj_io *io;   /* serves the program's files; NULL: everything it asks for fails */
    struct mpj_log *log; /* receives every frame; stays open */
    struct mpj_config_rec config;
    struct mpj_rotation_rec rotation; /* count 0: the config's events all the time */
    struct mpj_trace_config trace;    /* flags 0: none */
    const uint8_t *chosen;            /* MPJ_FUNC_MAX bits (MPJ_TRACE_CHOICE); NULL: none */
    const char *const *argv;          /* NULL-terminated, argv[0] first */
    const char *const *envp;          /* NULL-terminated; NULL: none */
    unsigned timeout_s;               /* host's clock; 0: no limit */
    bool patient;                     /* nor one for HELLO */
    bool held;                        /* it does not begin before a debugger says so */

    /* May be NULL. stream: 1 stdout, 2 stderr. */
    void (*console)(void *ctx, int stream, const void *data, size_t len);
    void (*progress)(void *ctx, const struct mpj_progress *p); /* a few times a second */
    bool (*cancelled)(void *ctx);                              /* true: end the run */
    /* Every record of the run, in the order of the log. */
    void (*record)(void *ctx, const struct mpj_rec *rec);
    /* True: set a mark, with this text (not empty), now; asked again at once, unless the target
     * still has many to set. */
    bool (*note)(void *ctx, char text[MPJ_NOTE_MAX + 1]);
    /* True, and from then on: ask the program to end gracefully. One whose runtime does not support
     * that, or that does not end within finish_s seconds, is ended as if cancelled. */
    bool (*finish)(void *ctx);
    unsigned finish_s; /* 0: 3 */
    unsigned tick_ms;  /* how often the four above are looked at; 0: 200 */
    void *ctx;
};

struct mpj_session_result {
    bool have_end;
    struct mpj_end end;
    bool have_fault;
    struct mpj_fault fault; /* the first */
    uint32_t error;         /* enum mpj_target_error, the first; 0: none */
    bool have_hello;
    uint32_t cores, clock_hz, time_hz;
    uint64_t records;     /* in DATA frames */
    uint64_t lost_frames; /* by sequence gaps */
    struct mpj_frame_stats line;
    /* Damaged groups not counted against the line: before HELLO, of another program; on a serial
     * port, text for a person before the first numbered frame. */
    uint64_t noise;
    struct mpj_link_stats link; /* of a serial port; zeros for the emulator's socket */
    bool have_dropped;
    struct mpj_dropped dropped; /* records lost on the target, by kind */
    uint32_t rate;              /* bits per second of a serial port */
    uint32_t notes;             /* marks requested ... */
    uint32_t notes_back;        /* ... and in the record */
    struct mpj_drift drift;     /* of the board's clock, by its samples; of a serial port */
    bool no_notes;              /* marks were requested, but the program's runtime has no marks */
};

/*
 * Runs to the end, or to a failure. MPJ_E_OK: the program ended by itself and every record
 * arrived; *out has its exit status. Otherwise the code says what went wrong and err->text is
 * one line; MPJ_E_LINK: also a board that sends nothing for 25 s. The target is closed in every
 * case; the log has everything received, and the truth file as far as there is one, but not its
 * closing frame.
 */
int mpj_session_run(const struct mpj_session_opts *opt, struct mpj_session_result *out,
                    struct mpj_err *err);

#endif
