/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hil/session.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "hil/line.h"
#include "session_int.h"

#define BOARD_S     15 /* a board repeats itself four times a second */
#define STOP_S      1.5
#define STALE_S     1.0 /* what a port's buffer holds of another program is older than this */
#define UNACKED_S   30  /* for an acknowledgement of anything; a port may be gone for 15 */
#define LOST_S      25  /* without a frame of a target that sends four a second at least */
#define SILENT_S    4   /* ... when --timeout is over: sixteen of its frames are missing */
#define SILENT_FOLD 3   /* ... and that is so many times longer than it has been silent before */
#define PROBE_S     1.0 /* between two questions whether a target that waits for input is alive */
#define LOOK_S      1.0 /* of silence between two looks: what stopped the host is not the target's */
#define TICK_MS     200 /* how often progress, deadlines and cancellation are looked at */
#define NOTES_AHEAD 8U  /* what a target keeps */
#define FINISH_S    3   /* for a program to notice that it should end, unless opt->finish_s says */
#define READ_CHUNK  65536U
#define INPUT_MS    20 /* how often a board's stdin is looked at when there was nothing */
#define BAD_LEAST   20 /* damaged frames that end a session, if they are also one in BAD_SHARE */
#define BAD_SHARE   4U

static const struct mpj_frame_stats *line_stats(const struct session *s)
{
    return s->link != NULL ? mpj_line_frames(s->link) : &s->decoder.stats;
}

/* ---- receiving -------------------------------------------------------------- */

static int malformed(struct session *s, const char *what)
{
    return mpj_err_set(s->err, MPJ_E_LINK, "the target sent a malformed %s record", what);
}

static bool another_build(const struct session *s, const struct mpj_hello *h)
{
    const struct mpj_image *const image = s->opt->image;

    return image != NULL && image->build_id_len > 0 && h->build_id.len > 0 &&
           (h->build_id.len != image->build_id_len ||
            memcmp(h->build_id.p, image->build_id, image->build_id_len) != 0);
}

static bool loader_speaks(const struct mpj_hello *h)
{
    return (h->features & 1U << MPJ_FEATURE_LOADER) != 0;
}

/* Takes the cores requested, all that the chip has when none are. A core that it lacks is an error.
 */
static int limit_cores(struct session *s, uint32_t cores)
{
    const uint32_t has = (1U << cores) - 1U;

    s->cores_mask = s->opt->config.cores_mask;
    if (s->cores_mask == 0)
        s->cores_mask = has;
    if ((s->cores_mask & ~has) == 0)
        return MPJ_E_OK;
    return mpj_err_set(s->err, MPJ_E_USAGE, "the board has %u core%s, but --cores names others",
                       cores, cores == 1 ? "" : "s");
}

/* Counts no group that was damaged up to now against the line. */
static void forgive_line(struct session *s)
{
    s->noise = line_stats(s)->bad;
    s->out->noise = s->noise;
}

static int on_hello(struct session *s, const struct mpj_frame *f)
{
    struct mpj_reader r;
    struct mpj_rec rec;
    struct mpj_hello h;

    if (s->started)
        return MPJ_E_OK; /* repeated before our answer arrived */
    mpj_reader_init(&r, f->payload, f->len);
    if (mpj_rec_next(&r, &rec) != 1 || rec.kind != MPJ_REC_HELLO || mpj_hello_get(&rec, &h) != 0)
        return malformed(s, "HELLO");
    if (h.protocol != MPJ_LINK_VERSION || h.abi != MPJ_ABI_VERSION)
        return mpj_err_set(s->err, MPJ_E_IDENTITY,
                           "the firmware has link version %u, ABI %u; this mpjoule has %u, %u: "
                           "build the program again with `mpjoule cc`",
                           h.protocol, h.abi, MPJ_LINK_VERSION, MPJ_ABI_VERSION);
    if (h.cores == 0 || h.cores > MPJ_CORES_MAX || h.clock_hz == 0 || h.time_hz == 0)
        return mpj_err_set(
            s->err, MPJ_E_IDENTITY,
            "the target describes an impossible chip: %u cores, %u Hz, time at %u Hz", h.cores,
            h.clock_hz, h.time_hz);
    if (loader_speaks(&h))
        return mpj_err_set(s->err, MPJ_E_IDENTITY,
                           "%s is in its resident loader, not in the program: a board that has one "
                           "needs \"boot: loader\" in the list of boards",
                           s->opt->target->name);
    if (another_build(s, &h))
        return mpj_err_set(s->err, MPJ_E_IDENTITY,
                           "the target runs another program (build ids differ)");
    if (s->opt->identity != NULL) {
        const struct mpj_identity seen = {.sys_id = h.sys_id, .proc_id = h.proc_id, .midr = h.midr};
        if (mpj_identity_check(s->opt->identity, &seen, s->opt->target->name, s->err) != MPJ_E_OK)
            return s->err->code;
    }
    if (limit_cores(s, h.cores) != MPJ_E_OK)
        return s->err->code;
    s->out->have_hello = true;
    s->out->cores = h.cores;
    s->out->clock_hz = h.clock_hz;
    s->out->time_hz = h.time_hz;
    s->started = true;
    forgive_line(s);
    s->features = s->opt->config.features & h.features;
    if (s->link == NULL)
        return session_send_start(s);
    if (!(h.features & 1U << MPJ_FEATURE_ACK))
        return mpj_err_set(s->err, MPJ_E_IDENTITY,
                           "the firmware does not acknowledge frames, as a serial line requires: "
                           "build the program again with `mpjoule cc`");
    s->features |=
        h.features & (1U << MPJ_FEATURE_ACK | 1U << MPJ_FEATURE_RATE | 1U << MPJ_FEATURE_STOP);
    s->beats = (h.features & 1U << MPJ_FEATURE_BEAT) != 0;
    mpj_line_begin(s->link, h.features);
    return MPJ_E_OK;
}

static void seen(struct session *s, uint64_t time)
{
    if (time > s->ticks)
        s->ticks = time;
}

static void seen_sample(struct session *s, uint64_t time)
{
    seen(s, time);
    if (s->link != NULL && s->out->time_hz > 0)
        mpj_drift_add(&s->out->drift, mpj_clock_s(), (double)time / s->out->time_hz);
}

/* Records that matter while the run continues; the rest is for the report. */
static int on_record(struct session *s, const struct mpj_rec *rec)
{
    const struct mpj_session_opts *const opt = s->opt;

    if (opt->record != NULL)
        opt->record(opt->ctx, rec);
    switch (rec->kind) {
    case MPJ_REC_CONSOLE_OUT:
    case MPJ_REC_CONSOLE_ERR:
        if (opt->console != NULL)
            opt->console(opt->ctx, rec->kind == MPJ_REC_CONSOLE_OUT ? 1 : 2, rec->body, rec->len);
        break;
    case MPJ_REC_FAULT: {
        struct mpj_fault f;
        if (mpj_fault_get(rec, &f) != 0)
            return malformed(s, "FAULT");
        seen(s, f.time);
        if (!s->out->have_fault)
            s->out->fault = f;
        s->out->have_fault = true;
        break;
    }
    case MPJ_REC_ERROR: {
        struct mpj_error_rec e;
        if (mpj_error_get(rec, &e) != 0)
            return malformed(s, "ERROR");
        if (!s->have_error) {
            const size_t n =
                e.text.len < sizeof(s->error_text) - 1 ? e.text.len : sizeof(s->error_text) - 1;
            memcpy(s->error_text, e.text.p, n);
            s->error_text[n] = '\0';
            s->error = e;
            s->out->error = e.code;
        }
        s->have_error = true;
        break;
    }
    case MPJ_REC_MARK: {
        struct mpj_mark m;
        if (mpj_mark_get(rec, &m) != 0)
            return malformed(s, "MARK");
        s->out->notes_back += m.origin == MPJ_MARK_HOST;
        break;
    }
    case MPJ_REC_DROPPED:
        if (mpj_dropped_get(rec, &s->out->dropped) != 0)
            return malformed(s, "DROPPED");
        s->out->have_dropped = true;
        break;
    case MPJ_REC_ADC: {
        struct mpj_adc_rec a;
        if (mpj_adc_get(rec, &a) != 0)
            return malformed(s, "ADC");
        if (a.count > 0)
            seen_sample(s, a.s[a.count - 1].time);
        break;
    }
    default:
        break;
    }
    return MPJ_E_OK;
}

static int on_data(struct session *s, const struct mpj_frame *f)
{
    struct mpj_reader r;
    struct mpj_rec rec;
    int result;

    mpj_reader_init(&r, f->payload, f->len);
    while ((result = mpj_rec_next(&r, &rec)) == 1) {
        s->out->records++;
        if (on_record(s, &rec) != MPJ_E_OK)
            return s->err->code;
    }
    return result < 0 ? malformed(s, "cut") : MPJ_E_OK;
}

static int serve(struct session *s, const struct mpj_io_req *request)
{
    uint8_t payload[MPJ_FRAME_PAYLOAD_MAX];
    struct mpj_io_reply reply = {.result = -1, .error = MPJ_IO_ENOSYS};
    struct mpj_writer w;

    if (s->opt->io != NULL)
        mpj_io_serve(s->opt->io, request, &reply);
    mpj_writer_init(&w, payload, sizeof(payload));
    if (mpj_io_reply_put(&w, &reply) != MPJ_LINK_OK)
        return mpj_err_set(s->err, MPJ_E_LINK, "a reply does not fit its frame");
    return session_send(s, MPJ_FRAME_IO_REPLY, payload, (size_t)(w.at - payload));
}

static int on_io(struct session *s, const struct mpj_frame *f)
{
    struct mpj_io_req request;
    struct mpj_reader r;
    struct mpj_rec rec;

    mpj_reader_init(&r, f->payload, f->len);
    if (mpj_rec_next(&r, &rec) != 1 || mpj_io_req_get(&rec, &request) != 0)
        return malformed(s, "IO_REQ");
    if (s->opt->io == NULL || mpj_io_ready(s->opt->io, &request))
        return serve(s, &request);
    /* a read, which has neither path nor data: deadlines and Ctrl-C continue in the meantime */
    s->waiting = true;
    s->probed_at = s->listened_at;
    s->request = (struct mpj_io_req){
        .op = request.op, .fd = request.fd, .flags = request.flags, .length = request.length};
    return MPJ_E_OK;
}

/* A read that had to wait. */
static int serve_late(struct session *s)
{
    if (!s->waiting || !mpj_io_ready(s->opt->io, &s->request))
        return MPJ_E_OK;
    s->waiting = false;
    return serve(s, &s->request);
}

static int on_end(struct session *s, const struct mpj_frame *f)
{
    struct mpj_reader r;
    struct mpj_rec rec;

    mpj_reader_init(&r, f->payload, f->len);
    if (mpj_rec_next(&r, &rec) != 1 || rec.kind != MPJ_REC_END ||
        mpj_end_get(&rec, &s->out->end) != 0)
        return malformed(s, "END");
    s->out->have_end = true;
    seen(s, s->out->end.time);
    return MPJ_E_OK;
}

static int on_frame(struct session *s, const struct mpj_frame *f)
{
    if (mpj_log_frame(s->opt->log, f->type, f->seq, f->payload, f->len, s->err) != MPJ_E_OK)
        return s->err->code;
    if (mpj_frame_sequenced(f->type)) {
        /* without retransmission the only sane distance is forward */
        s->out->lost_frames += (uint16_t)(f->seq - s->next);
        s->next = (uint16_t)(f->seq + 1U);
    }
    if (!s->started && f->type != MPJ_FRAME_HELLO && (f->type & MPJ_FRAME_OPTIONAL) == 0)
        return mpj_err_set(s->err, MPJ_E_LINK,
                           "the target sent a frame of type 0x%02x before HELLO", f->type);
    switch (f->type) {
    case MPJ_FRAME_HELLO:
        return on_hello(s, f);
    case MPJ_FRAME_DATA:
        return on_data(s, f);
    case MPJ_FRAME_IO_REQ:
        return on_io(s, f);
    case MPJ_FRAME_END:
        return on_end(s, f);
    default:
        if (f->type & MPJ_FRAME_OPTIONAL)
            return MPJ_E_OK;
        return mpj_err_set(s->err, MPJ_E_LINK,
                           "the target sent a frame of unknown type 0x%02x: build the program "
                           "again with `mpjoule cc`",
                           f->type);
    }
}

static bool read_hello(const struct mpj_frame *f, struct mpj_hello *h)
{
    struct mpj_reader r;
    struct mpj_rec rec;

    mpj_reader_init(&r, f->payload, f->len);
    return mpj_rec_next(&r, &rec) == 1 && rec.kind == MPJ_REC_HELLO &&
           mpj_hello_get(&rec, h) == MPJ_LINK_OK;
}

/* A HELLO from before the board was started: the port kept it in the meantime. What says it now
 * says it again. */
static bool stale(const struct session *s, const struct mpj_frame *f)
{
    struct mpj_hello h;

    return mpj_clock_s() - s->begun < STALE_S && read_hello(f, &h) &&
           (loader_speaks(&h) || another_build(s, &h));
}

/* Handles a HELLO after START was sent: one from before its arrival, or the target has restarted.
 * The watchdog that resets a board that hangs leaves its RAM alone. */
static int restarted(struct session *s, const struct mpj_hello *h)
{
    const bool loader = loader_speaks(h);

    if (!loader && mpj_line_unsettled(s->link) >= s->sent)
        return MPJ_E_OK; /* nothing of START was acknowledged */
    s->gone = true;
    if (loader && (h->features & 1U << MPJ_FEATURE_COLD) == 0)
        return mpj_err_set(s->err, MPJ_E_PROGRAM,
                           "the board is back in its loader and the program has not ended: it "
                           "hung with its interrupts off, or it was reset");
    return mpj_err_set(s->err, MPJ_E_LINK,
                       "the target restarted in the middle of the run%s: check its supply and "
                       "reset",
                       loader ? " (it lost its RAM, and is back in its loader)" : "");
}

/* Handles a frame of a line that resends lost frames: repeated HELLOs are ignored, and damaged
 * frames are not part of the recording. */
static int on_reliable_frame(void *ctx, const struct mpj_frame *f)
{
    struct session *const s = ctx;
    struct mpj_hello h;

    if (s->stopping)
        return f->type == MPJ_FRAME_HELLO ? MPJ_E_CANCELLED : MPJ_E_OK;
    if (f->type == MPJ_FRAME_HELLO && s->started)
        return s->asked && read_hello(f, &h) ? restarted(s, &h) : MPJ_E_OK;
    if (f->type == MPJ_FRAME_HELLO ? stale(s, f) : !s->asked)
        return MPJ_E_OK; /* of another session */
    if (!s->numbered && mpj_frame_sequenced(f->type)) {
        s->numbered = true;
        forgive_line(s); /* what came before may be text that asks for Enter */
    }
    return on_frame(s, f);
}

/* Bytes of a group that was not a frame go to the log as they came. */
static int keep_noise(struct session *s)
{
    const size_t n = s->group_len;

    s->group_len = 0;
    return mpj_log_bytes(s->opt->log, MPJ_LOG_JUNK, s->group, n, s->err);
}

static int keep(struct session *s, const uint8_t *p, size_t n)
{
    while (n > 0) {
        size_t part = GROUP_MAX - s->group_len;
        if (part == 0) { /* longer than any frame: it is junk already */
            if (keep_noise(s) != MPJ_E_OK)
                return s->err->code;
            continue;
        }
        if (part > n)
            part = n;
        memcpy(s->group + s->group_len, p, part);
        s->group_len += part;
        p += part;
        n -= part;
    }
    return MPJ_E_OK;
}

static int on_bytes(struct session *s, const uint8_t *p, size_t n)
{
    struct mpj_frame f;
    int result;

    while (n > 0 && !s->out->have_end) {
        const size_t used = mpj_frame_decode(&s->decoder, p, n, &f, &result);
        if (result > 0) {
            s->group_len = 0;
            if (on_frame(s, &f) != MPJ_E_OK)
                return s->err->code;
        } else if (keep(s, p, used) != MPJ_E_OK || (result < 0 && keep_noise(s) != MPJ_E_OK)) {
            return s->err->code;
        } else if (used > 0 && p[used - 1] == 0) {
            s->group_len = 0; /* extra delimiters are not junk */
        }
        p += used;
        n -= used;
    }
    return MPJ_E_OK;
}

/* ---- the loop --------------------------------------------------------------- */

/* Delivers pending user requests: marks, and the program's end. */
static int deliver_requests(struct session *s, double now)
{
    const struct mpj_session_opts *const opt = s->opt;
    const bool able = (s->features & 1U << MPJ_FEATURE_NOTE) != 0;
    uint8_t payload[MPJ_NOTE_MAX + 16];
    char text[MPJ_NOTE_MAX + 1];
    struct mpj_writer w;

    while (s->asked && opt->note != NULL && s->out->notes - s->out->notes_back < NOTES_AHEAD &&
           opt->note(opt->ctx, text)) {
        if (!able) {
            s->out->no_notes = true;
            continue;
        }
        /* the text stays here: on the line a mark is as short as the target's receiver is deep */
        mpj_writer_init(&w, payload, sizeof(payload));
        mpj_put_varint(&w, ++s->out->notes);
        mpj_put_bytes(&w, text, strlen(text));
        if (mpj_log_frame(opt->log, MPJ_LOG_LABEL, 0, payload, (size_t)(w.at - payload), s->err) !=
            MPJ_E_OK)
            return s->err->code;
        mpj_writer_init(&w, payload, sizeof(payload));
        mpj_put_varint(&w, s->out->notes);
        if (session_send(s, MPJ_FRAME_NOTE, payload, (size_t)(w.at - payload)) != MPJ_E_OK)
            return s->err->code;
    }
    if (s->finishing && now - s->finish_at >= (opt->finish_s > 0 ? opt->finish_s : FINISH_S))
        return mpj_err_set(s->err, MPJ_E_CANCELLED, "ended before the program's end");
    if (s->finishing || opt->finish == NULL || !opt->finish(opt->ctx))
        return MPJ_E_OK;
    if (!s->asked || !able)
        return mpj_err_set(s->err, MPJ_E_CANCELLED, "ended before the program's end");
    s->finishing = true;
    s->finish_at = now;
    return session_send(s, MPJ_FRAME_FINISH, NULL, 0);
}

/* Handles a target that has taken START and then sends no frame. */
static int lost(struct session *s)
{
    char where[64] = "";

    s->gone = s->silent_s >= LOST_S;
    if (s->ticks > 0)
        snprintf(where, sizeof(where), " after %.3f s of its own time",
                 (double)s->ticks / s->out->time_hz);
    return mpj_err_set(s->err, MPJ_E_LINK,
                       "the board is gone%s: nothing came from it for %d s: check its supply and "
                       "its line (or the program masks interrupts for good)",
                       where, (int)s->silent_s);
}

/* --timeout is over: a target that sent no HELLO, or acknowledged nothing, has not begun; one whose
 * port is away, or that no longer beats, is lost, no matter what its program does. An emulated one
 * on a busy machine beats slowly. */
static int late(struct session *s)
{
    const unsigned timeout_s = s->opt->timeout_s;
    const bool reliable = s->link != NULL;
    char where[64] = "";

    if (reliable && !s->started)
        return mpj_err_set(
            s->err, MPJ_E_NO_ANSWER,
            "the target did not answer within %u s (--timeout): no HELLO, but %llu other bytes",
            timeout_s, (unsigned long long)line_stats(s)->bytes);
    if (reliable && !s->answered)
        return mpj_err_set(s->err, MPJ_E_NO_ANSWER,
                           "the target did not answer within %u s (--timeout): it sends data but "
                           "acknowledges none: check the wire from this machine to the board",
                           timeout_s);
    if (!s->started && !s->opt->held)
        return mpj_err_set(s->err, MPJ_E_TIMEOUT,
                           "the program did not start within %u s (--timeout): no HELLO",
                           timeout_s);
    if (reliable && mpj_line_away(s->link))
        return mpj_err_set(s->err, MPJ_E_LINK,
                           "the port of %s disappeared and did not come back within %u s "
                           "(--timeout)",
                           s->opt->target->name, timeout_s);
    if (s->beats && s->answered && s->silent_s >= SILENT_S &&
        s->silent_s >= SILENT_FOLD * s->longest_s)
        return lost(s);
    if (s->ticks > 0)
        snprintf(where, sizeof(where), "; its last record is from %.3f s of target time",
                 (double)s->ticks / s->out->time_hz);
    return mpj_err_set(s->err, MPJ_E_TIMEOUT, "the program did not end within %u s (--timeout)%s",
                       timeout_s, where);
}

/* Counts how long no frame has come. A target that waits for input sends none: it is asked. */
static void count_silence(struct session *s, double now)
{
    const uint64_t frames = line_stats(s)->frames;
    const double passed = now - s->listened_at;

    if (frames != s->last_frames && s->answered && s->silent_s > s->longest_s)
        s->longest_s = s->silent_s;
    if (s->waiting && s->link != NULL && now - s->probed_at >= PROBE_S) {
        mpj_line_probe(s->link);
        s->probed_at = now;
    }
    if (frames != s->last_frames || (s->waiting && s->link == NULL))
        s->silent_s = 0;
    else
        s->silent_s += passed < LOOK_S ? passed : LOOK_S;
    s->last_frames = frames;
    s->listened_at = now;
}

static int check_clock(struct session *s, double *tick)
{
    const struct mpj_session_opts *const opt = s->opt;
    const double now = mpj_clock_s();
    const int hello_s = opt->target->reliable ? BOARD_S : HELLO_S;

    if (opt->cancelled != NULL && opt->cancelled(opt->ctx))
        return mpj_err_set(s->err, MPJ_E_CANCELLED, "interrupted");
    if (s->started && deliver_requests(s, now) != MPJ_E_OK)
        return s->err->code;
    count_silence(s, now);
    if (s->link != NULL && s->asked && !s->answered) {
        s->answered = mpj_line_unsettled(s->link) < s->sent;
        if (!s->answered && now - s->asked_at >= UNACKED_S)
            return mpj_err_set(s->err, MPJ_E_NO_ANSWER,
                               "the target has sent data but acknowledged none for %d s: check the "
                               "wire from this machine to the board",
                               UNACKED_S);
    }
    if (s->beats && s->answered && s->silent_s >= LOST_S)
        return lost(s);
    if (opt->timeout_s > 0 && now - s->begun >= opt->timeout_s)
        return late(s);
    if (!s->started && !opt->held && !opt->patient && now - s->begun >= hello_s)
        return mpj_err_set(s->err, MPJ_E_NO_ANSWER,
                           "no HELLO from the target in %d s (%llu other bytes)", hello_s,
                           (unsigned long long)line_stats(s)->bytes);
    if (opt->progress != NULL && now - *tick >= TICK_MS / 1000.0) {
        const struct mpj_progress p = {
            now - s->begun, s->out->time_hz > 0 ? (double)s->ticks / s->out->time_hz : 0.0,
            line_stats(s)->bytes};
        *tick = now;
        opt->progress(opt->ctx, &p);
    }
    return MPJ_E_OK;
}

/* Gives the run up: stops the board, which would otherwise continue until it is switched off. */
static void stop_target(struct session *s)
{
    const double begun = mpj_clock_s();
    struct mpj_err ignored;

    if (mpj_line_send(s->link, MPJ_FRAME_STOP, NULL, 0, &ignored) != MPJ_E_OK)
        return;
    s->stopping = true;
    while (mpj_clock_s() - begun < STOP_S && mpj_line_turn(s->link, TICK_MS, &ignored) == MPJ_E_OK)
        ;
}

static int reliable_loop(struct session *s)
{
    double tick = s->begun;
    int result = MPJ_E_OK;

    s->link = mpj_line_new(s->opt->target, s->fd, on_reliable_frame, s);
    if (s->link == NULL)
        return mpj_err_nomem(s->err);
    while (result == MPJ_E_OK && !s->out->have_end) {
        const bool soon = s->waiting && s->tick_ms > INPUT_MS;
        result = check_clock(s, &tick);
        if (result == MPJ_E_OK)
            result = serve_late(s);
        if (result == MPJ_E_OK)
            result = mpj_line_turn(s->link, soon ? INPUT_MS : s->tick_ms, s->err);
        if (result == MPJ_E_OK && s->started && !s->asked && mpj_line_ready(s->link))
            result = session_send_start(s);
    }
    if (s->out->have_end)
        mpj_line_finish(s->link);
    else if (s->asked && (s->features & 1U << MPJ_FEATURE_STOP) != 0)
        stop_target(s); /* the rest of its run is of no use */
    s->out->line = *mpj_line_frames(s->link);
    s->out->link = *mpj_line_stats(s->link);
    s->out->rate = mpj_line_rate(s->link);
    snprintf(s->words.kept, sizeof(s->words.kept), "%s", mpj_line_words(s->link));
    mpj_line_free(s->link);
    s->link = NULL;
    return result;
}

static int loop(struct session *s)
{
    uint8_t *const chunk = malloc(READ_CHUNK);
    double tick = s->begun;
    int result = MPJ_E_OK;

    if (chunk == NULL)
        return mpj_err_nomem(s->err);
    while (result == MPJ_E_OK && !s->out->have_end) {
        struct pollfd p[2] = {{.fd = s->fd, .events = POLLIN}, {.fd = -1, .events = POLLIN}};
        ssize_t n = -1;
        result = check_clock(s, &tick);
        if (result == MPJ_E_OK)
            result = serve_late(s);
        if (result != MPJ_E_OK)
            break;
        if (s->waiting)
            p[1].fd = mpj_io_input(s->opt->io);
        if (poll(p, 2, s->tick_ms) <= 0 || p[0].revents == 0)
            continue;
        n = read(s->fd, chunk, READ_CHUNK);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            continue;
        if (n <= 0)
            result = s->opt->target->ops->lost(s->opt->target, s->err);
        else
            result = on_bytes(s, chunk, (size_t)n);
        if (n > 0 && !s->started)
            mpj_words_take(&s->words, chunk, (size_t)n);
    }
    free(chunk);
    return result;
}

/* The program ended by itself: was it well, and did everything arrive? */
static int judge(struct session *s)
{
    const struct mpj_session_result *const out = s->out;

    if (s->have_error) {
        const bool text = s->error_text[0] != '\0';
        /* The text lists the threads, a line each: for the report. */
        if (s->error.code == MPJ_TERR_DEADLOCK)
            return mpj_err_set(s->err, MPJ_E_PROGRAM, "%s: %" PRIu64 " in all",
                               mpj_target_strerror(s->error.code), s->error.detail);
        return mpj_err_set(s->err, MPJ_E_PROGRAM, "%s%s%s", mpj_target_strerror(s->error.code),
                           text ? ": " : "", s->error_text);
    }
    if (out->have_fault) {
        const struct mpj_fault *const f = &out->fault;
        if (f->kind == MPJ_FAULT_DATA)
            return mpj_err_set(s->err, MPJ_E_FAULT,
                               "the program faulted: %s at address 0x%08x, core %u, pc 0x%08x",
                               mpj_fault_name(f->kind), f->dfar, f->core, f->r[15]);
        if (f->kind == MPJ_FAULT_PREFETCH && f->r[15] < MPJ_FAULT_NULL_BYTES)
            return mpj_err_set(
                s->err, MPJ_E_FAULT,
                "the program faulted: %s, jump to address 0x%08x, core %u, lr 0x%08x",
                mpj_fault_name(f->kind), f->r[15], f->core, f->r[14]);
        return mpj_err_set(s->err, MPJ_E_FAULT, "the program faulted: %s, core %u, pc 0x%08x",
                           mpj_fault_name(f->kind), f->core, f->r[15]);
    }
    if (!s->opt->target->reliable && (out->lost_frames > 0 || out->line.bad > s->noise))
        return mpj_err_set(s->err, MPJ_E_LINK,
                           "%llu damaged and %llu missing frames on the link: the recording is "
                           "incomplete",
                           (unsigned long long)(out->line.bad - s->noise),
                           (unsigned long long)out->lost_frames);
    if (out->records != out->end.records)
        return mpj_err_set(
            s->err, MPJ_E_LINK,
            "the target sent %llu records, but %llu arrived: the recording is incomplete",
            (unsigned long long)out->end.records, (unsigned long long)out->records);
    return MPJ_E_OK;
}

/* A line that damages a quarter of all frames is the reason, not what came of it. */
static int blame_line(const struct session *s, int result)
{
    const struct mpj_frame_stats *const line = &s->out->line;
    const uint64_t bad = line->bad - s->noise;
    const uint64_t all = line->frames + bad;
    char what[300];

    if (!s->opt->target->reliable || !s->started || s->gone || bad < BAD_LEAST ||
        bad < all / BAD_SHARE ||
        (result != MPJ_E_TIMEOUT && result != MPJ_E_NO_ANSWER && result != MPJ_E_LINK))
        return result;
    snprintf(what, sizeof(what), "%.*s", (int)sizeof(what) - 1, s->err->text);
    return mpj_err_set(
        s->err, MPJ_E_LINK,
        "the line damages frames, %" PRIu64 " of %" PRIu64
        ": check cable and ground, or try a lower bit_rate in the list of boards (%s)",
        bad, all, what);
}

static int opts_tick(const struct mpj_session_opts *opt)
{
    return opt->tick_ms > 0 && opt->tick_ms < TICK_MS ? (int)opt->tick_ms : TICK_MS;
}

/* Adds the files to the log that the target has written in addition to what it sent. */
static int keep_files(const struct mpj_session_opts *opt, struct mpj_err *err)
{
    struct mpj_target *const t = opt->target;
    size_t len = 0;
    const char *file = t->ops->truth(t, &len);

    if (file != NULL && mpj_log_bytes(opt->log, MPJ_LOG_TRUTH, file, len, err) != MPJ_E_OK)
        return err->code;
    file = t->ops->profile != NULL ? t->ops->profile(t, &len) : NULL;
    if (file != NULL && mpj_log_bytes(opt->log, MPJ_LOG_PROFILE, file, len, err) != MPJ_E_OK)
        return err->code;
    return MPJ_E_OK;
}

int mpj_session_run(const struct mpj_session_opts *opt, struct mpj_session_result *out,
                    struct mpj_err *err)
{
    struct mpj_target *const t = opt->target;
    struct session *s;
    struct mpj_err ignored;
    int result;

    memset(out, 0, sizeof(*out));
    s = calloc(1, sizeof(*s));
    if (s == NULL)
        return mpj_err_nomem(err);
    s->opt = opt;
    s->out = out;
    s->err = err;
    s->tick_ms = opts_tick(opt);
    mpj_frame_decoder_init(&s->decoder);

    s->fd = t->ops->open(t, err);
    s->begun = mpj_clock_s();
    result = s->fd < 0 ? s->fd : t->reliable ? reliable_loop(s) : loop(s);
    /* Ctrl-C ends the start command as well */
    if (s->fd < 0 && opt->cancelled != NULL && opt->cancelled(opt->ctx))
        result = mpj_err_set(err, MPJ_E_CANCELLED, "interrupted");
    result = blame_line(s, result);
    if (s->group_len > 0 && !out->have_end)
        mpj_log_bytes(opt->log, MPJ_LOG_JUNK, s->group, s->group_len, &ignored);
    if (!t->reliable)
        out->line = s->decoder.stats;
    /* a fault explains a broken line, not the other way round */
    if (result == MPJ_E_OK || s->have_error || out->have_fault)
        result = judge(s);
    else if (!out->have_hello && s->words.kept[0] != '\0')
        result =
            mpj_err_set(err, MPJ_E_FAULT, "the firmware's start-up faulted: %s", s->words.kept);
    /* whatever the target says while closing matters less than what came before */
    if (t->ops->close(t, out->have_end, result == MPJ_E_OK ? err : &ignored) != MPJ_E_OK &&
        result == MPJ_E_OK)
        result = err->code;
    if (keep_files(opt, result == MPJ_E_OK ? err : &ignored) != MPJ_E_OK && result == MPJ_E_OK)
        result = err->code;
    free(s);
    return result;
}
