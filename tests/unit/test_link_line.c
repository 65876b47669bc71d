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

#include "link_rig.h"
#include "mpj_rate.h"

/* Until the target is through; fails after `limit` milliseconds. */
static void through(struct rig *r, uint32_t limit)
{
    if (!rig_run(r, limit))
        fail_msg("not through after %u ms%s: phase %d, made %u, got %u, base %u of %u", limit,
                 r->wrong ? ", but a frame was wrong" : "", (int)r->phase, r->made, r->got,
                 r->target.base, r->target.next);
}

static void clean(void **state)
{
    struct rig *const r = rig_new(1, NULL, 1U << 20);

    (void)state;
    r->to_send = 300;
    r->pace = 300;
    through(r, 60000);
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
            through(r, 300000);
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
    through(r, 400000);
    assert_true(r->refusals > 0);
    rig_free(r);

    r = rig_new(8, &some, 40000);
    r->to_send = 400;
    r->pace = 2;
    through(r, 400000);
    rig_free(r);

    r = rig_new(9, &some, 1U << 20);
    r->board = true;
    r->to_send = 66000;
    r->pace = 4;
    r->up.sender_rate = r->up.receiver_rate = 50000000;
    r->up.limit = 4096;
    through(r, 4000000);
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
        through(r, 60000);
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
        while (r->now < at && r->phase != OVER)
            rig_step(r);
        r->up.cut = r->down.cut = true;
        while (r->now < at + 500 && r->phase != OVER)
            rig_step(r);
        r->up.cut = r->down.cut = false;
        mpj_link_restart_line(&r->host);
        through(r, 60000);
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
        while (r->now < at)
            rig_step(r);
        mpj_link_seize(&r->target);
        through(r, 60000);
        rig_free(r);
    }
}

/* Nothing is in parts on a good line; with a peer that does not know them, nothing is said of them.
 */
static void whole(void **state)
{
    static const struct lossy_faults bad = {.bit_error = 1e-4};

    (void)state;
    for (unsigned kind = 0; kind < 3; kind++) {
        struct rig *const r = rig_new(kind, kind > 0 ? &bad : NULL, 1U << 20);
        r->whole = kind == 1;
        r->to_send = 100;
        r->pace = 100;
        through(r, 300000);
        assert_int_equal(r->target.sized, !r->whole);
        if (kind < 2)
            assert_int_equal(r->target.stats.parts_out + r->host.stats.parts_out, 0);
        else
            assert_true(r->target.stats.parts_out > 0);
        rig_free(r);
    }
}

/* A line on which no long frame arrives: all arrive in parts, whichever way they go; without parts,
 * none does. Once the line is good, frames are whole. */
static void parts(void **state)
{
    static const struct lossy_faults none;
    static const struct lossy_faults bad = {.bit_error = 1e-3};
    static const struct lossy_faults worse = {.bit_error = 2e-3, .stall = 0.002, .stall_ms = 500};
    struct rig *r;
    uint64_t before;

    (void)state;
    for (uint32_t seed = 1; seed <= 8; seed++) {
        r = rig_new(seed, seed > 6 ? &worse : &bad, 1U << 20);
        r->board = seed % 2 == 0;
        r->to_send = seed > 6 ? 20 : 60;
        r->pace = seed % 3 == 0 ? 60 : 1;
        r->length = seed % 4 == 0 ? 0 : MPJ_FRAME_PAYLOAD_MAX;
        through(r, 120000);
        rig_free(r);
    }
    r = rig_new(1, &bad, 1U << 20);
    r->whole = true;
    r->to_send = 60;
    r->pace = 1;
    r->length = MPJ_FRAME_PAYLOAD_MAX;
    assert_false(rig_run(r, 120000));
    assert_int_equal(r->got, 0);
    rig_free(r);

    r = rig_new(2, &bad, 1U << 20);
    r->to_send = 1000;
    r->pace = 1;
    while (r->got < 30)
        rig_step(r);
    r->up.faults = r->down.faults = none;
    while (r->got < 300)
        rig_step(r);
    before = r->target.stats.parts_out;
    through(r, 200000);
    assert_int_equal(r->target.stats.parts_out, before);
    rig_free(r);
}

/* What a line of a rate carries: payload against what the bits could. */
struct slow {
    uint32_t room, taken;
};

static size_t slow_put(void *ctx, const uint8_t *p, size_t n)
{
    struct slow *const s = ctx;
    const size_t put = n < s->room ? n : s->room;

    (void)p;
    s->room -= (uint32_t)put;
    s->taken += (uint32_t)put;
    return put;
}

static int no_frame(void *ctx, const struct mpj_frame *f)
{
    (void)ctx;
    (void)f;
    return 0;
}

/* A port that takes a byte in a millisecond: no frame goes out again while it or another is still
 * being given to the port, but it does when the time for an acknowledgement is over. */
static void slow_port(void **state)
{
    static const uint8_t payload[1000];
    struct slow port = {0};
    struct mpj_link_slot slots[16];
    uint8_t tx[4096];
    const struct mpj_link_config cfg = {.active = true,
                                        .tx = tx,
                                        .tx_bytes = sizeof(tx),
                                        .slots = slots,
                                        .slot_count = 16,
                                        .put = slow_put,
                                        .deliver = no_frame,
                                        .ctx = &port};
    struct mpj_link l;
    uint32_t now = 1;

    (void)state;
    mpj_link_init(&l, &cfg);
    mpj_link_reliable(&l);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(mpj_link_send(&l, MPJ_FRAME_DATA, payload, sizeof(payload), false),
                         MPJ_LINK_OK);
    while (mpj_link_due(&l) || l.cur_len > 0) {
        assert_true(now < 5000);
        (void)mpj_link_tick(&l, now++);
        port.room = 1;
        (void)mpj_link_pump(&l);
        assert_int_equal(l.stats.resent, 0);
    }
    assert_true(port.taken > 2 * sizeof(payload));
    for (const uint32_t end = now + MPJ_LINK_RTO_MS + 10U; now < end;) {
        (void)mpj_link_tick(&l, now++);
        port.room = 4096;
        (void)mpj_link_pump(&l);
    }
    assert_int_equal(l.stats.resent, 2);
}

static void efficiency(void **state)
{
    struct rig *const r = rig_new(3, NULL, 1U << 20);
    uint64_t before;
    uint64_t carried;

    (void)state;
    r->to_send = 800;
    r->pace = 800;
    while (r->got < 100)
        rig_step(r);
    before = r->bytes;
    carried = r->up.carried;
    while (r->got < 700)
        rig_step(r);
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
        cmocka_unit_test(whole),       cmocka_unit_test(parts),  cmocka_unit_test(slow_port),
        cmocka_unit_test(efficiency),  cmocka_unit_test(rates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
