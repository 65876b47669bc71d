/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sends the frames of a session to its target. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "hil/line.h"
#include "session_int.h"

#define START_LIMIT 64 /* frames: 64 KB of arguments and environment */

static int send_all(struct session *s, const uint8_t *p, size_t n)
{
    while (n > 0) {
        const ssize_t done = write(s->fd, p, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0 && errno == EAGAIN) {
            struct pollfd w = {.fd = s->fd, .events = POLLOUT};
            if (poll(&w, 1, HELLO_S * 1000) == 0)
                return mpj_err_set(s->err, MPJ_E_LINK,
                                   "the target stopped reading: its arguments cannot be sent");
            continue;
        }
        if (done < 0)
            return s->opt->target->ops->lost(s->opt->target, s->err);
        p += done;
        n -= (size_t)done;
    }
    return MPJ_E_OK;
}

int session_send(struct session *s, uint8_t type, const uint8_t *payload, size_t len)
{
    uint8_t wire[MPJ_FRAME_WIRE_MAX];
    size_t n;

    if (mpj_log_frame(s->opt->log, type, s->sent, payload, len, s->err) != MPJ_E_OK)
        return s->err->code;
    n = mpj_frame_encode(type, s->sent++, payload, len, wire, sizeof(wire));
    if (s->link != NULL)
        return mpj_line_send(s->link, type, payload, len, s->err);
    return send_all(s, wire, n);
}

/* Begins a new START frame: the present one is full. */
static int begin_frame(struct session *s, struct mpj_writer *w, uint8_t *payload)
{
    const size_t len = (size_t)(w->at - payload);

    mpj_writer_init(w, payload, MPJ_FRAME_PAYLOAD_MAX);
    return session_send(s, MPJ_FRAME_START, payload, len);
}

/* Appends a string record, beginning a new START frame when the present one is full. */
static int put_string(struct session *s, struct mpj_writer *w, uint8_t *payload, uint32_t kind,
                      const char *text)
{
    const size_t len = strlen(text);

    if (len > MPJ_ARG_MAX)
        return mpj_err_set(s->err, MPJ_E_USAGE, "an argument of %zu bytes is too long (at most %u)",
                           len, MPJ_ARG_MAX);
    if (mpj_blob_put(w, kind, text, len) == MPJ_LINK_OK)
        return MPJ_E_OK;
    if (s->sent >= START_LIMIT)
        return mpj_err_set(s->err, MPJ_E_USAGE, "the arguments are too long");
    return begin_frame(s, w, payload) != MPJ_E_OK ? s->err->code : mpj_blob_put(w, kind, text, len);
}

/* Writes which functions are measured. */
static int put_choice(struct session *s, struct mpj_writer *w, uint8_t *payload)
{
    struct mpj_func_choice_rec c = {.count = MPJ_FUNC_CHOICE_BYTES};

    for (; c.first < MPJ_FUNC_MAX / 8U; c.first += c.count) {
        memcpy(c.bits, s->opt->chosen + c.first, c.count);
        if (begin_frame(s, w, payload) != MPJ_E_OK)
            return s->err->code;
        mpj_func_choice_put(w, &c);
    }
    return MPJ_E_OK;
}

int session_send_start(struct session *s)
{
    uint8_t payload[MPJ_FRAME_PAYLOAD_MAX];
    struct mpj_writer w;
    struct mpj_go go = {0, 0};
    struct mpj_config_rec config = s->opt->config;

    s->asked = true;
    s->asked_at = mpj_clock_s();
    config.features = s->features;
    config.cores_mask = s->cores_mask;
    mpj_writer_init(&w, payload, sizeof(payload));
    mpj_config_put(&w, &config);
    if (s->opt->rotation.count > 0)
        mpj_rotation_put(&w, &s->opt->rotation);
    if (s->opt->trace.flags != 0)
        mpj_trace_config_put(&w, &s->opt->trace);
    if (s->opt->chosen != NULL && put_choice(s, &w, payload) != MPJ_E_OK)
        return s->err->code;
    for (; s->opt->argv[go.argc] != NULL; go.argc++) {
        if (put_string(s, &w, payload, MPJ_REC_ARG, s->opt->argv[go.argc]) != MPJ_E_OK)
            return s->err->code;
    }
    for (; s->opt->envp != NULL && s->opt->envp[go.envc] != NULL; go.envc++) {
        if (put_string(s, &w, payload, MPJ_REC_ENV, s->opt->envp[go.envc]) != MPJ_E_OK)
            return s->err->code;
    }
    if (mpj_go_put(&w, &go) != MPJ_LINK_OK) {
        if (begin_frame(s, &w, payload) != MPJ_E_OK)
            return s->err->code;
        mpj_go_put(&w, &go);
    }
    return session_send(s, MPJ_FRAME_START, payload, (size_t)(w.at - payload));
}
