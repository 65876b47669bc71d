/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames: coding, resynchronisation, damage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mpj_frame.h"

static uint32_t rng_state = 1;

static uint32_t rng(void)
{
    rng_state ^= rng_state << 13;
    rng_state ^= rng_state >> 17;
    rng_state ^= rng_state << 5;
    return rng_state;
}

static void crc_check_value(void **state)
{
    uint32_t crc;

    (void)state;
    assert_int_equal(mpj_crc32(0, "123456789", 9), 0xcbf43926);
    crc = mpj_crc32(0, "1234", 4); /* in pieces of any size */
    assert_int_equal(mpj_crc32(crc, "56789", 5), 0xcbf43926);
    assert_int_equal(mpj_crc32(0, "", 0), 0);
}

/* Every payload length; contents that exercise COBS: random, no zeros, mostly zeros. */
static void round_trip(void **state)
{
    static struct mpj_frame_decoder d;
    static uint8_t payload[MPJ_FRAME_PAYLOAD_MAX];
    static uint8_t wire[MPJ_FRAME_WIRE_MAX];
    struct mpj_frame f;
    int result;

    (void)state;
    mpj_frame_decoder_init(&d);
    for (unsigned mode = 0; mode < 3; mode++) {
        for (size_t len = 0; len <= MPJ_FRAME_PAYLOAD_MAX; len++) {
            for (size_t i = 0; i < len; i++)
                payload[i] = mode == 0   ? (uint8_t)rng()
                             : mode == 1 ? (uint8_t)(1U + rng() % 255U)
                                         : (uint8_t)(rng() % 8U == 0);
            const size_t n = mpj_frame_encode(MPJ_FRAME_DATA, (uint16_t)(len * 67U), payload, len,
                                              wire, sizeof(wire));
            assert_in_range(n, len + 9, sizeof(wire));
            assert_null(memchr(wire, 0, n - 1));
            assert_int_equal(wire[n - 1], 0);
            assert_int_equal(mpj_frame_decode(&d, wire, n, &f, &result), n);
            assert_int_equal(result, 1);
            assert_int_equal(f.type, MPJ_FRAME_DATA);
            assert_int_equal(f.seq, (uint16_t)(len * 67U));
            assert_int_equal(f.len, len);
            if (len > 0)
                assert_memory_equal(f.payload, payload, len);
        }
    }
    assert_int_equal(d.stats.frames, 3 * (MPJ_FRAME_PAYLOAD_MAX + 1));
    assert_int_equal(d.stats.bad, 0);
}

static void limits(void **state)
{
    static uint8_t payload[MPJ_FRAME_PAYLOAD_MAX + 1];
    static uint8_t wire[MPJ_FRAME_WIRE_MAX];

    (void)state;
    assert_int_equal(mpj_frame_encode(1, 0, payload, sizeof(payload), wire, sizeof(wire)), 0);
    assert_int_equal(mpj_frame_encode(1, 0, payload, MPJ_FRAME_PAYLOAD_MAX, wire, 1024), 0);
    assert_int_equal(mpj_frame_encode(1, 0, payload, 4, wire, 12), 0);
    assert_int_not_equal(mpj_frame_encode(1, 0, payload, 4, wire, 13), 0);
}

/* A frame split at every byte boundary arrives all the same. */
static void split(void **state)
{
    static struct mpj_frame_decoder d;
    uint8_t wire[64];
    struct mpj_frame f;
    int result;
    const size_t n = mpj_frame_encode(MPJ_FRAME_DATA, 7, "ab\0cd\0\0e", 8, wire, sizeof(wire));

    (void)state;
    for (size_t cut = 1; cut < n; cut++) {
        mpj_frame_decoder_init(&d);
        assert_int_equal(mpj_frame_decode(&d, wire, cut, &f, &result), cut);
        assert_int_equal(result, 0);
        assert_int_equal(mpj_frame_decode(&d, wire + cut, n - cut, &f, &result), n - cut);
        assert_int_equal(result, 1);
        assert_int_equal(f.len, 8);
        assert_memory_equal(f.payload, "ab\0cd\0\0e", 8);
    }
}

/* Bytes fed one way; counts frames and faults. */
static unsigned feed(struct mpj_frame_decoder *d, const uint8_t *p, size_t n, unsigned *faults)
{
    struct mpj_frame f;
    unsigned frames = 0;
    int result;

    while (n > 0) {
        const size_t used = mpj_frame_decode(d, p, n, &f, &result);
        assert_in_range(used, 1, n);
        frames += result > 0;
        *faults += result < 0;
        p += used;
        n -= used;
    }
    return frames;
}

/* Every single-bit error in one frame is noticed, and the next frame arrives. */
static void bit_errors(void **state)
{
    static struct mpj_frame_decoder d;
    uint8_t wire[128];
    unsigned faults;
    size_t n = mpj_frame_encode(MPJ_FRAME_DATA, 1, "payload with a\0zero", 19, wire, sizeof(wire));
    const size_t first = n;

    (void)state;
    n += mpj_frame_encode(MPJ_FRAME_DATA, 2, "next", 4, wire + n, sizeof(wire) - n);
    for (size_t bit = 0; bit < 8 * first; bit++) {
        mpj_frame_decoder_init(&d);
        faults = 0;
        wire[bit / 8] ^= (uint8_t)(1U << (bit % 8));
        const unsigned frames = feed(&d, wire, n, &faults);
        if (bit / 8 == first - 1) /* the delimiter itself: both frames run together */
            assert_int_equal(frames, 0);
        else
            assert_int_equal(frames, 1);
        assert_in_range(faults, 1, 2);
        wire[bit / 8] ^= (uint8_t)(1U << (bit % 8));
    }
}

static void garbage_at_start(void **state)
{
    static struct mpj_frame_decoder d;
    static uint8_t wire[8192];
    unsigned faults = 0;
    size_t n = 5000;

    (void)state;
    for (size_t i = 0; i < n; i++)
        wire[i] = (uint8_t)(1U + rng() % 255U); /* longer than any frame, no delimiter */
    wire[n++] = 0;
    n += mpj_frame_encode(MPJ_FRAME_HELLO, 0, "hello", 5, wire + n, sizeof(wire) - n);
    mpj_frame_decoder_init(&d);
    assert_int_equal(feed(&d, wire, n, &faults), 1);
    assert_int_equal(faults, 1);
    assert_int_equal(d.stats.junk, 5000);
    assert_int_equal(d.stats.bytes, n);
}

static void dropped_and_doubled_bytes(void **state)
{
    static struct mpj_frame_decoder d;
    uint8_t wire[64];
    uint8_t hurt[64];
    unsigned faults;
    const size_t n = mpj_frame_encode(MPJ_FRAME_DATA, 3, "0123456789abcdef", 16, wire, 64);

    (void)state;
    for (size_t at = 0; at + 1 < n; at++) {
        memcpy(hurt, wire, at);
        memcpy(hurt + at, wire + at + 1, n - at - 1);
        mpj_frame_decoder_init(&d);
        faults = 0;
        assert_int_equal(feed(&d, hurt, n - 1, &faults), 0);
        assert_int_equal(faults, 1);

        memcpy(hurt, wire, at + 1);
        memcpy(hurt + at + 1, wire + at, n - at);
        mpj_frame_decoder_init(&d);
        faults = 0;
        assert_int_equal(feed(&d, hurt, n + 1, &faults), 0);
        assert_int_equal(faults, 1);
    }
}

static void short_groups(void **state)
{
    static struct mpj_frame_decoder d;
    static const uint8_t wire[] = {0, 0, 1, 0, 3, 1, 2, 0, 5, 1, 0};
    unsigned faults = 0;

    (void)state;
    mpj_frame_decoder_init(&d);
    assert_int_equal(feed(&d, wire, sizeof(wire), &faults), 0);
    assert_int_equal(faults, 3); /* empty groups are none */
}

static void numbered(void **state)
{
    (void)state;
    assert_true(mpj_frame_sequenced(MPJ_FRAME_DATA));
    assert_true(mpj_frame_sequenced(MPJ_FRAME_END));
    assert_true(mpj_frame_sequenced(MPJ_FRAME_START));
    assert_false(mpj_frame_sequenced(MPJ_FRAME_HELLO));
    assert_false(mpj_frame_sequenced(MPJ_FRAME_ACK));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crc_check_value),
        cmocka_unit_test(round_trip),
        cmocka_unit_test(limits),
        cmocka_unit_test(split),
        cmocka_unit_test(bit_errors),
        cmocka_unit_test(garbage_at_start),
        cmocka_unit_test(dropped_and_doubled_bytes),
        cmocka_unit_test(short_groups),
        cmocka_unit_test(numbered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
