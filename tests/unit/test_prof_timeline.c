/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread's timeline: bins, which get wider. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mpj_timeline.h"

static void bins(void **state)
{
    static struct mpj_bin bin[MPJ_BINS_MAX];
    struct mpj_timeline t;
    static uint64_t r[MPJ_BINS_MAX], b[MPJ_BINS_MAX];
    uint64_t run = 0, block = 0;
    const uint64_t width = MPJ_BIN_WIDTH;

    (void)state;
    memset(bin, 0xa5, sizeof(bin));
    mpj_timeline_init(&t, bin, 3 * width + 5);
    assert_int_equal(t.first, 3);
    mpj_timeline_add(&t, 3 * width + 5, 5 * width + 7, false);
    assert_int_equal(t.used, 3);
    mpj_timeline_ticks(&t, r, b);
    /* A closed bin has whole units (16 ticks); the next has what was left. */
    assert_int_equal(r[0], width - 16);
    assert_int_equal(r[1], width);
    assert_int_equal(r[2], 11 + 7);
    mpj_timeline_add(&t, 5 * width + 7, 5 * width + 9, true);
    mpj_timeline_ticks(&t, r, b);
    assert_int_equal(b[2], 2);
    /* One tick behind the last bin there is room for: pairs join, the odd first one alone. */
    mpj_timeline_add(&t, (3 + MPJ_BINS_MAX) * width, (3 + MPJ_BINS_MAX) * width + 1, false);
    assert_int_equal(mpj_timeline_width(&t), 2 * width);
    mpj_timeline_ticks(&t, r, b);
    assert_int_equal(t.first, 1);
    assert_int_equal(r[0], width - 32);
    assert_int_equal(r[1], width + 32);
    assert_int_equal(b[1], 0);
    assert_int_equal(r[t.used - 1U], 2 + 1);
    assert_int_equal(b[t.used - 1U], 2);
    mpj_timeline_add(&t, 1000 * width, 100000 * width + 11, true);
    mpj_timeline_ticks(&t, r, b);
    for (unsigned i = 0; i < t.used; i++) {
        run += r[i];
        block += b[i];
    }
    assert_true(t.used <= MPJ_BINS_MAX);
    assert_true(run == 2 * width + 2 + 1);
    assert_true(block == 2 + 99000 * width + 11);
}

/* Bins that doubled often: nothing is lost, and none is off by more than a unit. */
static void bins_wide(void **state)
{
    static struct mpj_bin bin[MPJ_BINS_MAX];
    struct mpj_timeline t;
    const uint64_t step = 7 * MPJ_BIN_WIDTH + 13;
    static uint64_t r[MPJ_BINS_MAX], b[MPJ_BINS_MAX];
    uint64_t now = 0, run = 0, block = 0;

    (void)state;
    memset(bin, 0xa5, sizeof(bin));
    mpj_timeline_init(&t, bin, 0);
    for (unsigned i = 0; i < 100000; i++, now += step) {
        mpj_timeline_add(&t, now, now + step / 2, false);
        mpj_timeline_add(&t, now + step / 2, now + step / 2 + 17, true);
    }
    assert_true(mpj_timeline_width(&t) * MPJ_BINS_MAX >= now - step);
    mpj_timeline_ticks(&t, r, b);
    for (unsigned i = 0; i < t.used; i++) {
        const uint64_t width = mpj_timeline_width(&t);
        const uint64_t unit = width / MPJ_BIN_UNITS;
        const uint64_t expected = width * (step / 2) / step;

        run += r[i];
        block += b[i];
        assert_true(r[i] + b[i] <= width);
        if (i < t.used - 1U)
            assert_in_range(r[i], expected - step - unit, expected + step + unit);
    }
    assert_true(run == 100000 * (step / 2));
    assert_true(block == 100000 * 17);
    /* It ran all the time, and ends where a bin does: what was left of the others is not too much.
     */
    mpj_timeline_init(&t, bin, 0);
    mpj_timeline_add(&t, 0, 3, true);
    mpj_timeline_add(&t, 3, 3 * MPJ_BIN_WIDTH, false);
    mpj_timeline_ticks(&t, r, b);
    assert_int_equal(r[0] + b[0], MPJ_BIN_WIDTH);
    assert_int_equal(r[1] + b[1], MPJ_BIN_WIDTH);
    assert_int_equal(r[2] + b[2], MPJ_BIN_WIDTH);
    assert_int_equal(b[0] + b[1] + b[2], 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bins),
        cmocka_unit_test(bins_wide),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
