/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The reliable link and the bit-rate negotiation over a line in virtual time that damages, drops,
 * repeats, stalls, breaks and carries another program's output: nothing lost, nothing doubled.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lossy_line.h"
#include "mpj_link.h"
#include "mpj_rate.h"

#define SLOTS  1024U
#define STARTS 5U

/* The target is the firmware in short: waits, runs without listening, settles. */
enum phase { WAITING, RUNNING, SETTLING, OVER };

struct rig {
    struct lossy_line up, down; /* to the host, to the target */
    struct mpj_link host, target;
    struct mpj_link_slot host_slots[16], target_slots[SLOTS];
    struct mpj_link_ahead *ahead;
    uint8_t host_tx[16384], *target_tx;
    uint32_t now;

    bool
        board; /* the target hears, through 16 bytes of FIFO looked at every 10 ms, while it runs */
    uint8_t fifo[65536];
    uint32_t fifo_len;
    enum phase phase;
    uint32_t to_send, made, pace; /* frames of the run; bytes of each in make() */
    uint32_t refused, refusals;   /* since it last settled; in all */
    uint32_t starts;              /* received */
    uint32_t got;                 /* frames at the host */
    uint64_t bytes;
    bool hello, over_seen;
    uint32_t seed;
};

/* Contents follow from the number: a repeated or swapped frame shows. */
static size_t make(uint32_t number, uint8_t *out)
{
    const size_t len = 1 + number * 2654435761U % MPJ_FRAME_PAYLOAD_MAX;

    for (size_t i = 0; i < len; i++)
        out[i] = (uint8_t)(number * 31U + i * 7U);
    return len;
}

static void check(const struct mpj_frame *f, uint32_t number)
{
    uint8_t want[MPJ_FRAME_PAYLOAD_MAX];

    assert_int_equal(f->len, make(number, want));
    assert_memory_equal(f->payload, want, f->len);
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

    assert_false(r->over_seen);
    if (f->type == MPJ_FRAME_END) {
        r->over_seen = true;
        return 0;
    }
    assert_int_equal(f->type, MPJ_FRAME_DATA);
    check(f, r->got++);
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
    for (uint32_t i = 0; i < STARTS; i++)
        assert_int_equal(
            mpj_link_send(&r->host, MPJ_FRAME_START, buf, make(1000000 + i, buf), false), 0);
    return 0;
}

static int target_deliver(void *ctx, const struct mpj_frame *f)
{
    struct rig *const r = ctx;

    assert_int_equal(f->type, MPJ_FRAME_START);
    check(f, 1000000 + r->starts);
    if (++r->starts == 1)
        mpj_link_reliable(&r->target);
    r->target.want_status = true;
    if (r->starts == STARTS)
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

static struct rig *rig_new(uint32_t seed, const struct lossy_faults *faults, uint32_t tx_bytes)
{
    struct rig *const r = calloc(1, sizeof(*r));
    struct mpj_link_config h = {.active = true,
                                .tx = r->host_tx,
                                .tx_bytes = sizeof(r->host_tx),
                                .slots = r->host_slots,
                                .slot_count = 16,
                                .ahead_count = SLOTS,
                                .put = host_put,
                                .deliver = host_deliver,
                                .control = host_control,
                                .ctx = r};
    struct mpj_link_config t = {.tx_bytes = tx_bytes,
                                .reserve = 8192,
                                .slots = r->target_slots,
                                .slot_count = SLOTS,
                                .put = target_put,
                                .deliver = target_deliver,
                                .control = target_control,
                                .ctx = r};

    r->seed = seed;
    h.ahead = r->ahead = calloc(SLOTS, sizeof(*r->ahead));
    t.tx = r->target_tx = malloc(tx_bytes);
    mpj_link_init(&r->host, &h);
    mpj_link_init(&r->target, &t);
    lossy_init(&r->up, seed, 16, faults);
    lossy_init(&r->down, seed ^ 0x5555, 4096, faults);
    say_hello(r);
    return r;
}

static void rig_free(struct rig *r)
{
    lossy_free(&r->up);
    lossy_free(&r->down);
    free(r->ahead);
    free(r->target_tx);
    free(r);
}

static void target_hears(struct rig *r)
{
    assert_int_equal(mpj_link_receive(&r->target, r->fifo, r->fifo_len), 0);
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
            if (mpj_link_send(&r->target, MPJ_FRAME_DATA, buf, make(r->made, buf), false) == 0)
                r->made++;
            else
                r->refused++, r->refusals++;
        }
        if (r->made == r->to_send || (!r->board && r->refused > 0)) {
            if (r->made == r->to_send)
                assert_int_equal(mpj_link_send(&r->target, MPJ_FRAME_END, "", 0, true), 0);
            r->phase = SETTLING;
        }
    } else {
        if (r->fifo_len > 0)
            target_hears(r);
        assert_int_equal(mpj_link_receive(&r->target, in, n), 0);
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

    assert_int_equal(mpj_link_receive(&r->host, in, n), 0);
    (void)mpj_link_tick(&r->host, r->now);
    (void)mpj_link_pump(&r->host);
}

/* Until the target is through; fails after `limit` milliseconds. */
static void rig_run(struct rig *r, uint32_t limit)
{
    const uint32_t end = r->now + limit;

    for (; r->phase != OVER; r->now++) {
        if (r->now == end)
            fail_msg("seed %u: not through after %u ms: phase %d, made %u, got %u, base %u of %u",
                     r->seed, limit, (int)r->phase, r->made, r->got, r->target.base,
                     r->target.next);
        target_step(r);
        host_step(r);
    }
    assert_true(r->over_seen);
    assert_int_equal(r->got, r->to_send);
    assert_int_equal(r->starts, STARTS);
}

static void clean(void **state)
{
    struct rig *const r = rig_new(1, NULL, 1U << 20);

    (void)state;
    r->to_send = 300;
    r->pace = 300;
    rig_run(r, 60000);
    assert_int_equal(r->target.stats.resent, 0);
    assert_int_equal(r->host.stats.resent, 0);
    assert_int_equal(r->host.stats.early, 0);
    rig_free(r);
}

static const struct lossy_faults kinds[] = {
    {.bit_error = 1e-4},
    {.drop = 1e-3},
    {.twice = 1e-3},
    {.stall = 0.01, .stall_ms = 400},
    {.bit_error = 1e-4, .drop = 1e-4, .twice = 1e-4, .stall = 0.002, .stall_ms = 1000},
};

static void faults(void **state)
{
    (void)state;
    for (uint32_t kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]); kind++) {
        for (uint32_t seed = 1; seed <= 8; seed++) {
            struct rig *const r = rig_new(seed * 100 + kind, &kinds[kind], 1U << 20);
            r->board = seed % 2 == 0;
            r->to_send = 100;
            r->pace = seed % 3 == 0 ? 100 : 1;
            rig_run(r, 300000);
            rig_free(r);
        }
    }
}

/* More than the window and the memory hold: the sender is refused and goes on when there is room;
 * frame numbers pass 65535. */
static void narrow(void **state)
{
    static const struct lossy_faults some = {.drop = 2e-5};
    struct rig *r = rig_new(7, &some, 40000);

    (void)state;
    r->board = true;
    r->to_send = 400;
    r->pace = 2;
    rig_run(r, 400000);
    assert_true(r->refusals > 0);
    rig_free(r);

    r = rig_new(8, &some, 40000);
    r->to_send = 400;
    r->pace = 2;
    rig_run(r, 400000);
    rig_free(r);

    r = rig_new(9, &some, 1U << 20);
    r->board = true;
    r->to_send = 66000;
    r->pace = 4;
    r->up.sender_rate = r->up.receiver_rate = 50000000;
    r->up.limit = 4096;
    rig_run(r, 4000000);
    assert_true(r->target.next > 65536);
    rig_free(r);
}

static void noise_first(void **state)
{
    static const char prompt[] = "ARM Boot Monitor\r\n> ";

    (void)state;
    for (uint32_t seed = 1; seed <= 10; seed++) {
        struct rig *const r = rig_new(seed, NULL, 1U << 20);
        uint8_t junk[3000];
        for (size_t i = 0; i < sizeof(junk); i++)
            junk[i] = (uint8_t)lossy_random(&r->up);
        r->up.limit = 65536;
        lossy_put(&r->up, junk, sizeof(junk));
        lossy_put(&r->up, (const uint8_t *)prompt, sizeof(prompt) - 1);
        r->up.limit = 16;
        r->to_send = 20;
        r->pace = 1;
        rig_run(r, 60000);
        assert_true(r->host.decoder.stats.bad > 0);
        rig_free(r);
    }
}

/* Half a second without the line, in every phase. */
static void cut(void **state)
{
    (void)state;
    for (uint32_t at = 50; at < 3000; at += 170) {
        struct rig *const r = rig_new(at, NULL, 1U << 20);
        r->to_send = 40;
        r->pace = 1;
        for (; r->now < at && r->phase != OVER; r->now++) {
            target_step(r);
            host_step(r);
        }
        r->up.cut = r->down.cut = true;
        for (; r->now < at + 500 && r->phase != OVER; r->now++) {
            target_step(r);
            host_step(r);
        }
        r->up.cut = r->down.cut = false;
        mpj_link_restart_line(&r->host);
        rig_run(r, 60000);
        rig_free(r);
    }
}

/* The handler of a fault takes the line over in the middle of a frame. */
static void seized(void **state)
{
    (void)state;
    for (uint32_t at = 700; at < 1000; at += 7) {
        struct rig *const r = rig_new(at, NULL, 1U << 20);
        r->to_send = 40;
        r->pace = 1;
        for (; r->now < at; r->now++) {
            target_step(r);
            host_step(r);
        }
        mpj_link_seize(&r->target);
        rig_run(r, 60000);
        rig_free(r);
    }
}

/* What a line of a rate carries: payload against what the bits could. */
static void efficiency(void **state)
{
    struct rig *const r = rig_new(3, NULL, 1U << 20);
    uint64_t before;
    uint64_t carried;

    (void)state;
    r->to_send = 800;
    r->pace = 800;
    while (r->got < 100) {
        target_step(r);
        host_step(r);
        r->now++;
    }
    before = r->bytes;
    carried = r->up.carried;
    while (r->got < 700) {
        target_step(r);
        host_step(r);
        r->now++;
    }
    /* frames of every length from 1 to 1024: full ones do better */
    assert_true((double)(r->bytes - before) > 0.97 * (double)(r->up.carried - carried));
    rig_free(r);
}

/* ---- bit rate ------------------------------------------------------------------------ */

struct duo {
    struct lossy_line up, down;
    struct mpj_frame_decoder at_host, at_target;
    struct mpj_rate_host host;
    struct mpj_rate_target target;
    uint32_t now;
    uint32_t fastest; /* the target's limit */
    bool done;
    uint32_t change; /* the target's new rate, once what it said is out */
};

static void speak(struct lossy_line *l, const struct mpj_rate_do *d)
{
    uint8_t wire[64];

    if (d->type != 0)
        lossy_put(l, wire, mpj_frame_encode(d->type, 0, d->payload, d->len, wire, sizeof(wire)));
}

static void host_does(struct duo *d, const struct mpj_rate_do *todo)
{
    if (todo->rate != 0)
        d->down.sender_rate = d->up.receiver_rate = todo->rate;
    speak(&d->down, todo);
    d->done = d->done || todo->done;
}

static void target_does(struct duo *d, const struct mpj_rate_do *todo)
{
    speak(&d->up, todo);
    if (todo->rate != 0)
        d->change = todo->rate;
}

static void hear(struct duo *d, bool host, const uint8_t *p, size_t n)
{
    struct mpj_frame f;
    struct mpj_rate_do todo;
    int result;

    while (n > 0) {
        const size_t used = mpj_frame_decode(host ? &d->at_host : &d->at_target, p, n, &f, &result);
        p += used;
        n -= used;
        if (result != 1)
            continue;
        if (host) {
            mpj_rate_host_frame(&d->host, &f, d->now, &todo);
            host_does(d, &todo);
        } else {
            mpj_rate_target_frame(&d->target, &f, mpj_rate_wanted(&f) <= d->fastest, d->now, &todo);
            target_does(d, &todo);
        }
    }
}

static void duo_step(struct duo *d)
{
    struct mpj_rate_do todo;
    uint8_t in[512];

    hear(d, false, in, lossy_step(&d->down, in, sizeof(in)));
    hear(d, true, in, lossy_step(&d->up, in, sizeof(in)));
    mpj_rate_host_tick(&d->host, d->now, &todo);
    host_does(d, &todo);
    mpj_rate_target_tick(&d->target, d->now, &todo);
    target_does(d, &todo);
    if (d->change != 0 && d->up.head == d->up.tail) {
        d->up.sender_rate = d->down.receiver_rate = d->change;
        d->change = 0;
    }
    d->now++;
}

static uint32_t agree(uint32_t seed, uint32_t want, uint32_t fastest, const struct lossy_faults *f,
                      double fast_error)
{
    struct duo d = {.fastest = fastest};
    struct mpj_rate_do todo;
    uint32_t rate;

    lossy_init(&d.up, seed, 4096, f);
    lossy_init(&d.down, seed + 1, 4096, f);
    mpj_frame_decoder_init(&d.at_host);
    mpj_frame_decoder_init(&d.at_target);
    mpj_rate_target_init(&d.target);
    mpj_rate_host_begin(&d.host, want, 0, &todo);
    host_does(&d, &todo);
    for (unsigned ms = 0; !d.done && ms < 10000; ms++) {
        if (fast_error > 0 && d.up.sender_rate > 115200)
            d.up.faults.bit_error = d.down.faults.bit_error = fast_error;
        duo_step(&d);
    }
    assert_true(d.done);
    for (unsigned ms = 0; ms < 1500 && d.host.rate == 115200; ms++)
        duo_step(&d); /* a target on trial goes back */
    rate = d.host.rate;
    assert_int_equal(d.up.sender_rate, rate);
    assert_int_equal(d.up.receiver_rate, rate);
    assert_int_equal(d.down.sender_rate, rate);
    assert_int_equal(d.down.receiver_rate, rate);
    lossy_free(&d.up);
    lossy_free(&d.down);
    return rate;
}

static void rates(void **state)
{
    static const struct lossy_faults poor = {.bit_error = 1e-3, .drop = 1e-3};

    (void)state;
    assert_int_equal(agree(1, 921600, 921600, NULL, 0), 921600);
    assert_int_equal(agree(1, 115200, 921600, NULL, 0), 115200);
    assert_int_equal(agree(1, 921600, 460800, NULL, 0), 115200);   /* the target cannot */
    assert_int_equal(agree(1, 921600, 921600, NULL, 0.2), 115200); /* the line cannot */
    for (uint32_t seed = 1; seed <= 200; seed++)
        (void)agree(seed, 921600, 921600, &poor, 0); /* whatever comes out, both have it */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clean),       cmocka_unit_test(faults), cmocka_unit_test(narrow),
        cmocka_unit_test(noise_first), cmocka_unit_test(cut),    cmocka_unit_test(seized),
        cmocka_unit_test(efficiency),  cmocka_unit_test(rates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
