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
    static uint64_t ticks[MPJ_BIN_KINDS][MPJ_BINS_MAX];
    const uint64_t *const r = ticks[MPJ_BIN_RUN];
    const uint64_t *const b = ticks[MPJ_BIN_BLOCK];
    uint64_t run = 0, block = 0;
    const uint64_t width = MPJ_BIN_WIDTH;

    (void)state;
    memset(bin, 0xa5, sizeof(bin));
    mpj_timeline_init(&t, bin, 3 * width + 5);
    assert_int_equal(t.first, 3);
    mpj_timeline_add(&t, 3 * width + 5, 5 * width + 7, MPJ_BIN_RUN);
    assert_int_equal(t.used, 3);
    mpj_timeline_ticks(&t, ticks);
    /* A closed bin has whole units (16 ticks); the next has what was left. */
    assert_int_equal(r[0], width - 16);
    assert_int_equal(r[1], width);
    assert_int_equal(r[2], 11 + 7);
    mpj_timeline_add(&t, 5 * width + 7, 5 * width + 9, MPJ_BIN_BLOCK);
    mpj_timeline_ticks(&t, ticks);
    assert_int_equal(b[2], 2);
    /* One tick behind the last bin there is room for: pairs join, the odd first one alone. */
    mpj_timeline_add(&t, (3 + MPJ_BINS_MAX) * width, (3 + MPJ_BINS_MAX) * width + 1, MPJ_BIN_RUN);
    assert_int_equal(mpj_timeline_width(&t), 2 * width);
    mpj_timeline_ticks(&t, ticks);
    assert_int_equal(t.first, 1);
    assert_int_equal(r[0], width - 32);
    assert_int_equal(r[1], width + 32);
    assert_int_equal(b[1], 0);
    assert_int_equal(r[t.used - 1U], 2 + 1);
    assert_int_equal(b[t.used - 1U], 2);
    mpj_timeline_add(&t, 1000 * width, 100000 * width + 11, MPJ_BIN_BLOCK);
    mpj_timeline_ticks(&t, ticks);
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
    static uint64_t ticks[MPJ_BIN_KINDS][MPJ_BINS_MAX];
    const uint64_t *const r = ticks[MPJ_BIN_RUN];
    const uint64_t *const b = ticks[MPJ_BIN_BLOCK];
    uint64_t now = 0, run = 0, block = 0;

    (void)state;
    memset(bin, 0xa5, sizeof(bin));
    mpj_timeline_init(&t, bin, 0);
    for (unsigned i = 0; i < 100000; i++, now += step) {
        mpj_timeline_add(&t, now, now + step / 2, MPJ_BIN_RUN);
        mpj_timeline_add(&t, now + step / 2, now + step / 2 + 17, MPJ_BIN_BLOCK);
    }
    assert_true(mpj_timeline_width(&t) * MPJ_BINS_MAX >= now - step);
    mpj_timeline_ticks(&t, ticks);
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
    mpj_timeline_add(&t, 0, 3, MPJ_BIN_BLOCK);
    mpj_timeline_add(&t, 3, 3 * MPJ_BIN_WIDTH, MPJ_BIN_RUN);
    mpj_timeline_ticks(&t, ticks);
    assert_int_equal(r[0] + b[0], MPJ_BIN_WIDTH);
    assert_int_equal(r[1] + b[1], MPJ_BIN_WIDTH);
    assert_int_equal(r[2] + b[2], MPJ_BIN_WIDTH);
    assert_int_equal(b[0] + b[1] + b[2], 3);
}

/* What began before the run is not of it, and takes no time. */
static void before(void **state)
{
    static struct mpj_bin bin[MPJ_BINS_MAX];
    static uint64_t ticks[MPJ_BIN_KINDS][MPJ_BINS_MAX];
    const uint64_t early = 24000;
    struct mpj_timeline t;

    (void)state;
    mpj_timeline_init(&t, bin, 0);
    mpj_timeline_add(&t, 0 - early, 0 - early / 2, MPJ_BIN_HOST);
    mpj_timeline_add(&t, 0, 3, MPJ_BIN_RUN);
    mpj_timeline_ticks(&t, ticks);
    assert_int_equal(t.used, 1);
    assert_int_equal(ticks[MPJ_BIN_RUN][0], 3);
    assert_int_equal(ticks[MPJ_BIN_HOST][0], 0);
    /* the longest there is ends */
    mpj_timeline_add(&t, 3, (1ULL << 57) - 1U, MPJ_BIN_RUN);
    assert_true(mpj_timeline_width(&t) * MPJ_BINS_MAX >= 1ULL << 57);
}

/* A month, in which bins become longer than 32 bits of ticks; the three kinds are told apart. */
static void months(void **state)
{
    static struct mpj_bin bin[MPJ_BINS_MAX];
    static uint64_t ticks[MPJ_BIN_KINDS][MPJ_BINS_MAX];
    const uint64_t hour = 24000000ULL * 3600U;
    const uint64_t hours = 30U * 24U;
    const uint64_t part[MPJ_BIN_KINDS] = {hour / 2, hour / 3 + 1, hour - hour / 2 - hour / 3 - 1};
    uint64_t sum[MPJ_BIN_KINDS] = {0};
    struct mpj_timeline t;
    uint64_t now = 0;

    (void)state;
    mpj_timeline_init(&t, bin, 0);
    for (unsigned i = 0; i < hours; i++) {
        for (unsigned k = 0; k < MPJ_BIN_KINDS; now += part[k++])
            mpj_timeline_add(&t, now, now + part[k], (enum mpj_bin_kind)k);
    }
    assert_true(now == hours * hour);
    assert_true(mpj_timeline_width(&t) > UINT32_MAX);
    mpj_timeline_ticks(&t, ticks);
    for (uint32_t i = 0; i < t.used; i++) {
        uint64_t all = 0;

        for (unsigned k = 0; k < MPJ_BIN_KINDS; k++) {
            all += ticks[k][i];
            sum[k] += ticks[k][i];
            if (i < t.used - 1U) /* of every bin about the same */
                assert_true(ticks[k][i] < part[k] * (mpj_timeline_width(&t) / hour + 2U));
        }
        assert_true(all <= mpj_timeline_width(&t));
        if (i < t.used - 1U)
            assert_true(all + 3U * (mpj_timeline_width(&t) / MPJ_BIN_UNITS) >=
                        mpj_timeline_width(&t));
    }
    /* Each call to the tick it is kept in, and what was open each time the bins doubled. */
    for (unsigned k = 0; k < MPJ_BIN_KINDS; k++)
        assert_in_range(sum[k] + hours * (1ULL << t.coarse) - hours * part[k], 0,
                        2U * hours * (1ULL << t.coarse));
    assert_true(now - sum[0] - sum[1] - sum[2] < (uint64_t)MPJ_BIN_KINDS << (t.coarse + 1U));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bins),
        cmocka_unit_test(bins_wide),
        cmocka_unit_test(before),
        cmocka_unit_test(months),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
