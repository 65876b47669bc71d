/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stack of a fault: what is coded is what is read, repetitions are short, damage is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mpj_stack_records.h"

#define WORDS_MAX 100000U

struct pair {
    uint32_t address, value;
};

static struct pair in[WORDS_MAX], out[WORDS_MAX];
static unsigned taken;
static struct mpj_stack_coder coder;

static bool take(void *ctx, uint32_t address, uint32_t value)
{
    (void)ctx;
    assert_in_range(taken, 0, WORDS_MAX - 1U);
    out[taken++] = (struct pair){address, value};
    return true;
}

static uint32_t kind_of(uint32_t value)
{
    return value >= 0x100000 ? MPJ_STACK_POINTER : MPJ_STACK_CODE;
}

/* The bytes that n words take; they are read again, from as many records as they need. */
static size_t there_and_back(unsigned n)
{
    static uint8_t buf[MPJ_FRAME_PAYLOAD_MAX];
    const uint32_t end = in[n - 1U].address + 40U;
    struct mpj_stack_rec rec, read;
    struct mpj_writer w;
    struct mpj_reader r;
    struct mpj_rec raw;
    size_t bytes = 0;

    taken = 0;
    mpj_stack_start(&coder, in[0].address - 8U);
    for (unsigned i = 0; i <= n; i++) {
        if (i < n && mpj_stack_add(&coder, in[i].address, in[i].value, kind_of(in[i].value)))
            continue;
        mpj_stack_finish(&coder, i < n ? in[i].address : end, &rec);
        mpj_writer_init(&w, buf, sizeof(buf));
        assert_int_equal(mpj_stack_put(&w, &rec), 0);
        bytes += (size_t)(w.at - buf);
        mpj_reader_init(&r, buf, (size_t)(w.at - buf));
        assert_int_equal(mpj_rec_next(&r, &raw), 1);
        assert_int_equal(raw.kind, MPJ_REC_FAULT_STACK);
        assert_int_equal(mpj_stack_get(&raw, &read), 0);
        assert_int_equal(read.from, rec.from);
        assert_int_equal(read.to, rec.to);
        assert_int_equal(mpj_stack_words(&read, take, NULL), 0);
        if (i < n) {
            mpj_stack_start(&coder, in[i].address);
            i--;
        }
    }
    assert_int_equal(taken, n);
    assert_memory_equal(in, out, n * sizeof(in[0]));
    return bytes;
}

static void any_words(void **state)
{
    uint32_t random = 1, at = 0x00f00000;

    (void)state;
    for (unsigned i = 0; i < 5000; i++) {
        random = random * 1664525U + 1013904223U;
        at += 4U * (1U + (random >> 20) % 9U);
        in[i].address = at;
        in[i].value =
            random >> 31 ? 0x8000U + (random >> 8) % 0x40000U : at + (random >> 12) % 400U;
    }
    in[17].value = 0xffffffff;
    in[18].value = 0x100000;
    assert_in_range(there_and_back(5000), 5000, 5000 * 6);
    (void)there_and_back(1);
    (void)there_and_back(2);
}

/* A function of three frames that calls itself: whatever the depth, a record. */
static void recursion(void **state)
{
    (void)state;
    for (unsigned i = 0; i < WORDS_MAX; i++) {
        in[i].address = 0x00f00000 + 4U * (5U * i + i % 3U);
        in[i].value = i % 3U == 1 ? in[i].address + 24U : 0x9000U + 16U * (i % 3U);
    }
    assert_in_range(there_and_back(WORDS_MAX), 10, 100);
    in[WORDS_MAX / 2].value += 8; /* once something else */
    assert_in_range(there_and_back(WORDS_MAX), 10, 200);
}

static void damaged(void **state)
{
    static const struct {
        uint8_t byte[8];
        size_t n;
    } row[] = {
        {{0x00}, 1},                   /* cut */
        {{0x03, 0x02}, 2},             /* no such kind */
        {{0x06, 0x01}, 2},             /* nothing before it */
        {{0x00, 0x02, 0x02, 0x01}, 4}, /* no distance */
        {{0x00, 0x02, 0x0a, 0x01}, 4}, /* farther back than there is */
        {{0x40, 0x02}, 2},             /* beyond the end */
        {{0x00, 0x02, 0x06, 0x10}, 4}, /* so often beyond the end */
        {{0xfc, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x02}, 8},
    };
    const struct mpj_stack_rec good = {
        0x1000, 0x1040, {(const uint8_t[]){0x00, 0x02, 0x06, 15}, 4}};

    (void)state;
    taken = 0;
    assert_int_equal(mpj_stack_words(&good, take, NULL), 0);
    assert_int_equal(taken, 16);
    for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        const struct mpj_stack_rec bad = {0x1000, 0x1040, {row[i].byte, row[i].n}};

        if (mpj_stack_words(&bad, take, NULL) != MPJ_LINK_ERR_FORMAT)
            fail_msg("row %u", i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_words),
        cmocka_unit_test(recursion),
        cmocka_unit_test(damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
