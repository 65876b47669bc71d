/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mpj_rate.h"

#include <string.h>

#define ANSWER_MS 300U
#define PROPOSALS 6U /* long enough that a target whose answer was lost is back */
#define ECHO_MS   100U
#define ECHO_GOOD 2U /* of */
#define ECHO_MOST 8U
#define BACK_MS   (MPJ_RATE_TRIAL_MS + 300U)
#define ECHO_LEN  24U

static void nothing(struct mpj_rate_do *out)
{
    memset(out, 0, sizeof(*out));
}

static void say_rate(uint32_t rate, struct mpj_rate_do *out)
{
    struct mpj_writer w;

    mpj_writer_init(&w, out->payload, sizeof(out->payload));
    mpj_put_varint(&w, rate);
    out->type = MPJ_FRAME_RATE;
    out->len = (uint8_t)(w.at - out->payload);
}

uint32_t mpj_rate_wanted(const struct mpj_frame *f)
{
    struct mpj_reader r;
    uint64_t v;

    if (f->type != MPJ_FRAME_RATE)
        return 0;
    mpj_reader_init(&r, f->payload, f->len);
    v = mpj_get_varint(&r);
    return r.malformed || v > UINT32_MAX ? 0 : (uint32_t)v;
}

/* Fills an ECHO with edges of every spacing that a wrong rate or a slow driver would misread. */
static void say_echo(uint8_t number, struct mpj_rate_do *out)
{
    static const uint8_t pattern[] = {0x55, 0xff, 0xaa, 0x01, 0x80, 0x7f, 0xf0, 0x33};

    out->type = MPJ_FRAME_ECHO;
    out->len = ECHO_LEN;
    for (unsigned i = 0; i < ECHO_LEN; i++)
        out->payload[i] = pattern[i % sizeof(pattern)];
    out->payload[0] = number;
}

/* ---- host ------------------------------------------------------------------------ */

void mpj_rate_host_begin(struct mpj_rate_host *r, uint32_t want, uint32_t now,
                         struct mpj_rate_do *out)
{
    nothing(out);
    memset(r, 0, sizeof(*r));
    r->want = want;
    r->rate = MPJ_RATE_BASE;
    r->since = now;
    if (want == 0 || want == MPJ_RATE_BASE) {
        r->state = MPJ_RATE_AGREED;
        out->done = true;
        return;
    }
    r->state = MPJ_RATE_PROPOSED;
    r->tries = 1;
    say_rate(want, out);
}

static void echo(struct mpj_rate_host *r, uint32_t now, struct mpj_rate_do *out)
{
    r->since = now;
    if (r->tries++ < ECHO_MOST) {
        say_echo(r->tries, out);
        return;
    }
    r->state = MPJ_RATE_BACK; /* the line does not carry it */
    r->rate = MPJ_RATE_BASE;
    out->rate = MPJ_RATE_BASE;
}

void mpj_rate_host_frame(struct mpj_rate_host *r, const struct mpj_frame *f, uint32_t now,
                         struct mpj_rate_do *out)
{
    nothing(out);
    if (r->state == MPJ_RATE_PROPOSED && f->type == MPJ_FRAME_RATE) {
        if (mpj_rate_wanted(f) != r->want) { /* it cannot */
            r->state = MPJ_RATE_AGREED;
            out->done = true;
            return;
        }
        r->state = MPJ_RATE_TESTING;
        r->rate = r->want;
        r->tries = 0;
        r->good = 0;
        out->rate = r->want;
        echo(r, now, out);
    } else if (r->state == MPJ_RATE_TESTING && f->type == MPJ_FRAME_ECHO) {
        if (f->len != ECHO_LEN || f->payload[0] != r->tries)
            return; /* an earlier one's, late */
        if (++r->good == ECHO_GOOD) {
            r->state = MPJ_RATE_AGREED;
            out->done = true;
            return;
        }
        echo(r, now, out);
    }
}

void mpj_rate_host_tick(struct mpj_rate_host *r, uint32_t now, struct mpj_rate_do *out)
{
    const uint32_t gone = now - r->since;

    nothing(out);
    if (r->state == MPJ_RATE_PROPOSED && gone >= ANSWER_MS) {
        r->since = now;
        if (r->tries++ < PROPOSALS) {
            say_rate(r->want, out);
            return;
        }
        r->state = MPJ_RATE_AGREED; /* stay where we are */
        out->done = true;
    } else if (r->state == MPJ_RATE_TESTING && gone >= ECHO_MS) {
        echo(r, now, out);
    } else if (r->state == MPJ_RATE_BACK && gone >= BACK_MS) {
        r->state = MPJ_RATE_AGREED;
        out->done = true;
    }
}

/* ---- target ---------------------------------------------------------------------- */

void mpj_rate_target_init(struct mpj_rate_target *r)
{
    memset(r, 0, sizeof(*r));
    r->rate = MPJ_RATE_BASE;
}

void mpj_rate_target_frame(struct mpj_rate_target *r, const struct mpj_frame *f, bool possible,
                           uint32_t now, struct mpj_rate_do *out)
{
    nothing(out);
    r->since = now;
    if (f->type == MPJ_FRAME_ECHO) {
        if (f->len > sizeof(out->payload))
            return;
        out->type = MPJ_FRAME_ECHO;
        out->len = (uint8_t)f->len;
        memcpy(out->payload, f->payload, f->len);
    } else if (f->type == MPJ_FRAME_RATE) {
        const uint32_t want = mpj_rate_wanted(f);
        say_rate(possible ? want : r->rate, out);
        if (!possible || want == r->rate)
            return;
        r->rate = want;
        r->trial = true;
        out->rate = want;
    }
}

void mpj_rate_target_confirm(struct mpj_rate_target *r)
{
    r->trial = false;
}

void mpj_rate_target_tick(struct mpj_rate_target *r, uint32_t now, struct mpj_rate_do *out)
{
    nothing(out);
    if (!r->trial || now - r->since < MPJ_RATE_TRIAL_MS)
        return;
    r->trial = false;
    r->rate = MPJ_RATE_BASE;
    out->rate = MPJ_RATE_BASE;
}
