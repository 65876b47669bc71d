/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "link_rig.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_START 1000000U /* of the contents of START frames */

/* Contents follow from the number: a repeated or swapped frame shows. */
static size_t make(const struct rig *r, uint32_t number, uint8_t *out)
{
    const size_t len =
        r->length != 0 ? r->length : 1 + number * 2654435761U % MPJ_FRAME_PAYLOAD_MAX;

    for (size_t i = 0; i < len; i++)
        out[i] = (uint8_t)(number * 31U + i * 7U);
    return len;
}

static void check(struct rig *r, const struct mpj_frame *f, uint8_t type, uint32_t number)
{
    uint8_t want[MPJ_FRAME_PAYLOAD_MAX];

    if (f->type != type || f->len != make(r, number, want) || memcmp(f->payload, want, f->len) != 0)
        r->wrong = true;
}

static size_t host_put(void *ctx, const uint8_t *p, size_t n)
{
    return lossy_put(&((struct rig *)ctx)->down, p, n);
}

static size_t target_put(void *ctx, const uint8_t *p, size_t n)
{
    return lossy_put(&((struct rig *)ctx)->up, p, n);
}

static int host_deliver(void *ctx, const struct mpj_frame *f)
{
    struct rig *const r = ctx;

    r->wrong = r->wrong || r->over_seen;
    if (f->type == MPJ_FRAME_END) {
        r->over_seen = true;
        return 0;
    }
    check(r, f, MPJ_FRAME_DATA, r->got++);
    r->bytes += f->len;
    return 0;
}

static int host_control(void *ctx, const struct mpj_frame *f)
{
    struct rig *const r = ctx;
    uint8_t buf[MPJ_FRAME_PAYLOAD_MAX];

    if (f->type != MPJ_FRAME_HELLO || r->hello)
        return 0;
    r->hello = true;
    mpj_link_reliable(&r->host);
    if (!r->whole)
        mpj_link_parts(&r->host);
    for (uint32_t i = 0; i < RIG_STARTS; i++)
        r->wrong |= mpj_link_send(&r->host, MPJ_FRAME_START, buf, make(r, FIRST_START + i, buf),
                                  false) != MPJ_LINK_OK;
    return 0;
}

static int target_deliver(void *ctx, const struct mpj_frame *f)
{
    struct rig *const r = ctx;

    check(r, f, MPJ_FRAME_START, FIRST_START + r->starts);
    if (++r->starts == 1)
        mpj_link_reliable(&r->target);
    r->target.want_status = true;
    if (r->starts == RIG_STARTS)
        r->phase = RUNNING;
    return 0;
}

static void say_hello(struct rig *r)
{
    (void)mpj_link_control(&r->target, MPJ_FRAME_HELLO, 0, "hello", 5);
}

static int target_control(void *ctx, const struct mpj_frame *f)
{
    struct rig *const r = ctx;

    if (f->type == MPJ_FRAME_ACK && r->phase == WAITING && r->starts == 0)
        say_hello(r); /* no timer of its own */
    return 0;
}

struct rig *rig_new(uint64_t seed, const struct lossy_faults *faults, uint32_t tx_bytes)
{
    struct rig *const r = calloc(1, sizeof(*r));
    struct mpj_link_config h = {.active = true,
                                .tx = r->host_tx,
                                .tx_bytes = sizeof(r->host_tx),
                                .slots = r->host_slots,
                                .slot_count = 16,
                                .ahead_count = RIG_SLOTS,
                                .put = host_put,
                                .deliver = host_deliver,
                                .control = host_control,
                                .ctx = r};
    struct mpj_link_config t = {.tx_bytes = tx_bytes,
                                .reserve = 8192,
                                .slots = r->target_slots,
                                .slot_count = RIG_SLOTS,
                                .ahead = &r->gathered,
                                .ahead_count = 1,
                                .put = target_put,
                                .deliver = target_deliver,
                                .control = target_control,
                                .ctx = r};

    h.ahead = r->ahead = calloc(RIG_SLOTS, sizeof(*r->ahead));
    t.tx = r->target_tx = malloc(tx_bytes);
    mpj_link_init(&r->host, &h);
    mpj_link_init(&r->target, &t);
    lossy_init(&r->up, seed, 16, faults);
    lossy_init(&r->down, seed ^ 0x5555, 4096, faults);
    say_hello(r);
    return r;
}

void rig_free(struct rig *r)
{
    lossy_free(&r->up);
    lossy_free(&r->down);
    free(r->ahead);
    free(r->target_tx);
    free(r);
}

static void target_hears(struct rig *r)
{
    (void)mpj_link_receive(&r->target, r->fifo, r->fifo_len);
    r->fifo_len = 0;
}

static void target_step(struct rig *r)
{
    uint8_t buf[MPJ_FRAME_PAYLOAD_MAX];
    /* in the emulator bytes wait; the board's FIFO overflows */
    const uint32_t room = r->board ? 16 : sizeof(r->fifo);
    uint8_t in[512];
    const size_t n = lossy_step(&r->down, in, sizeof(in));

    if (r->phase == RUNNING) {
        for (size_t i = 0; i < n && r->fifo_len < room; i++)
            r->fifo[r->fifo_len++] = in[i];
        if (r->board && r->now % 10 == 0)
            target_hears(r);
        for (uint32_t i = 0; i < r->pace && r->made < r->to_send; i++) {
            /* a refused frame would be counted as dropped; here it is made again later */
            if (mpj_link_send(&r->target, MPJ_FRAME_DATA, buf, make(r, r->made, buf), false) == 0)
                r->made++;
            else
                r->refused++, r->refusals++;
        }
        if (r->made == r->to_send || (!r->board && r->refused > 0)) {
            if (r->made == r->to_send)
                r->wrong |= mpj_link_send(&r->target, MPJ_FRAME_END, "", 0, true) != MPJ_LINK_OK;
            r->phase = SETTLING;
        }
    } else {
        if (r->fifo_len > 0)
            target_hears(r);
        (void)mpj_link_receive(&r->target, in, n);
        if (r->phase == SETTLING) {
            if (!mpj_link_pump(&r->target))
                mpj_link_ask(&r->target);
            if (mpj_link_settled(&r->target))
                r->phase = r->made == r->to_send ? OVER : RUNNING;
            r->refused = 0;
        }
    }
    if (r->phase != OVER)
        (void)mpj_link_pump(&r->target);
}

static void host_step(struct rig *r)
{
    uint8_t in[512];
    const size_t n = lossy_step(&r->up, in, sizeof(in));

    (void)mpj_link_receive(&r->host, in, n);
    (void)mpj_link_tick(&r->host, r->now);
    (void)mpj_link_pump(&r->host);
}

void rig_step(struct rig *r)
{
    target_step(r);
    host_step(r);
    r->now++;
}

bool rig_run(struct rig *r, uint32_t limit)
{
    const uint32_t end = r->now + limit;

    while (r->phase != OVER && r->now != end && !r->wrong)
        rig_step(r);
    return r->phase == OVER && !r->wrong && r->over_seen && r->got == r->to_send &&
           r->starts == RIG_STARTS;
}
