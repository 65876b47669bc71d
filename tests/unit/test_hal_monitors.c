/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Drivers of the event monitors against registers as the hardware documents them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hal_fake.h"
#include "hal_l2cc.h"
#include "hal_map.h"
#include "hal_pmu.h"
#include "hal_scu.h"

static int setup(void **state)
{
    (void)state;
    hal_fake_reset();
    return 0;
}

static void pmu_setup_word(void **state)
{
    const struct hal_pmu_config c = {.event = {0x0b, 0x12}, .cycles_div64 = true, .irq_mask = 5};
    const struct hal_fake_write *log;

    (void)state;
    hal_pmu_setup(&c);
    assert_int_equal(hal_fake_log(&log), 2);
    assert_int_equal(log[0].addr, hal_fake_cp15(0, 15, 0, 12, 0));
    assert_int_equal(log[0].value, 0);
    /* event0 [27:20], event1 [19:12], flags [10:8], irq [6:4], D [3], C [2], P [1] */
    assert_int_equal(log[1].value, 0x0b00000 | 0x12000 | 0x700 | 0x50 | 0x8 | 0x4 | 0x2);
}

static void pmu_counts_and_divides(void **state)
{
    const struct hal_pmu_config c = {.event = {8, 2}};
    const struct hal_pmu_config slow = {.event = {8, 2}, .cycles_div64 = true};

    (void)state;
    hal_fake_monitors();
    hal_pmu_setup(&c);
    assert_false(hal_pmu_running());
    hal_fake_count(HAL_FAKE_PMU, 0, 7, 10);
    assert_int_equal(hal_pmu_read(HAL_PMU_CCNT), 0);
    hal_pmu_start();
    assert_true(hal_pmu_running());
    hal_fake_count(HAL_FAKE_PMU, 0, 4, 1000);
    hal_fake_count(HAL_FAKE_PMU, 0, 1, 11);
    hal_fake_count(HAL_FAKE_PMU, 0, 2, 22);
    hal_pmu_stop();
    hal_fake_count(HAL_FAKE_PMU, 0, 7, 10);
    assert_int_equal(hal_pmu_read(HAL_PMU_CCNT), 1000);
    assert_int_equal(hal_pmu_read(HAL_PMU_PMN0), 11);
    assert_int_equal(hal_pmu_read(HAL_PMU_PMN1), 22);
    hal_pmu_setup(&slow);
    hal_pmu_start();
    hal_fake_count(HAL_FAKE_PMU, 0, 4, 640 + 63);
    assert_int_equal(hal_pmu_read(HAL_PMU_CCNT), 10);
}

static void pmu_flags_survive_other_writes(void **state)
{
    const struct hal_pmu_config c = {.event = {8, 2}, .irq_mask = HAL_PMU_ALL};

    (void)state;
    hal_fake_monitors();
    hal_pmu_setup(&c);
    hal_pmu_write(HAL_PMU_PMN0, 0xffffffff);
    hal_pmu_write(HAL_PMU_CCNT, 0xfffffff0);
    hal_pmu_start();
    hal_fake_count(HAL_FAKE_PMU, 0, 1, 1);
    hal_fake_count(HAL_FAKE_PMU, 0, 4, 15);
    assert_int_equal(hal_pmu_overflow(), HAL_PMU_BIT(HAL_PMU_PMN0));
    hal_fake_count(HAL_FAKE_PMU, 0, 4, 1);
    /* Start and stop read-modify-write the register the flags live in. */
    hal_pmu_stop();
    hal_pmu_start();
    assert_int_equal(hal_pmu_overflow(), HAL_PMU_BIT(HAL_PMU_PMN0) | HAL_PMU_BIT(HAL_PMU_CCNT));
    hal_pmu_overflow_clear(HAL_PMU_BIT(HAL_PMU_CCNT));
    assert_int_equal(hal_pmu_overflow(), HAL_PMU_BIT(HAL_PMU_PMN0));
    assert_true(hal_pmu_running());
    assert_int_equal(hal_pmu_read(HAL_PMU_PMN0), 0);
}

static void pmu_is_per_core(void **state)
{
    const struct hal_pmu_config c = {.event = {8, 2}};

    (void)state;
    hal_fake_monitors();
    hal_fake_set_core(2);
    hal_pmu_setup(&c);
    hal_pmu_start();
    hal_fake_count(HAL_FAKE_PMU, 2, 1, 5);
    hal_fake_set_core(0);
    assert_int_equal(hal_pmu_read(HAL_PMU_PMN0), 0);
    assert_int_equal(hal_pmu_irq(0), 49);
    assert_int_equal(hal_pmu_irq(3), 52);
    hal_fake_set_core(2);
    assert_int_equal(hal_pmu_read(HAL_PMU_PMN0), 5);
}

static void scu_monitor_words(void **state)
{
    static const uint8_t ev[8] = {1, 2, 3, 4, 5, 0x12, 0x13, 0x1f};

    (void)state;
    hal_scu_mon_setup(ev, 0x81);
    assert_int_equal(hal_fake_peek(0x10100014), 0x04030201);
    assert_int_equal(hal_fake_peek(0x10100018), 0x1f131205);
    assert_int_equal(hal_fake_peek(0x10100010), 0xff8102); /* flags, irq enables, reset */
    assert_int_equal(hal_scu_mon_irq(0), 53);
    assert_int_equal(hal_scu_mon_irq(7), 60);
}

static void scu_counts_and_flags(void **state)
{
    static const uint8_t ev[8] = {1, 2, 3, 4, 5, 6, 7, 0x1f};

    (void)state;
    hal_fake_monitors();
    hal_scu_mon_setup(ev, 0xff);
    hal_scu_mon_start();
    hal_fake_count(HAL_FAKE_SCU, 0, 0x80, 123);
    hal_scu_mon_write(3, 0xfffffffe);
    hal_fake_count(HAL_FAKE_SCU, 0, 0x08, 5);
    assert_int_equal(hal_scu_mon_read(7), 123);
    assert_int_equal(hal_scu_mon_read(3), 3);
    hal_scu_mon_stop();
    assert_int_equal(hal_scu_mon_overflow(), 0x08);
    hal_scu_mon_overflow_clear(0xf7);
    assert_int_equal(hal_scu_mon_overflow(), 0x08);
    hal_scu_mon_overflow_clear(0x08);
    assert_int_equal(hal_scu_mon_overflow(), 0);
    hal_fake_count(HAL_FAKE_SCU, 0, 0xff, 9);
    assert_int_equal(hal_scu_mon_read(7), 123);
}

static void scu_status(void **state)
{
    (void)state;
    hal_fake_poke(BOARD_SCU_BASE + 4, 0x55f3);
    assert_int_equal(hal_scu_cores(), 4);
    hal_scu_set_power(2, HAL_SCU_DORMANT);
    hal_scu_set_power(3, HAL_SCU_OFF);
    assert_int_equal(hal_fake_peek(BOARD_SCU_BASE + 8), 0xe0);
    hal_scu_set_power(2, HAL_SCU_NORMAL);
    assert_int_equal(hal_fake_peek(BOARD_SCU_BASE + 8), 0xc0);
    assert_int_equal(hal_scu_power(3), HAL_SCU_OFF);
}

static void l2_counters(void **state)
{
    static const uint8_t ev[2] = {3, 5};
    static const uint8_t other[2] = {3, 4};

    (void)state;
    hal_l2cc_mon_setup(ev, true);
    assert_int_equal(hal_fake_peek(0x10102208), (3 << 2) | 2);
    assert_int_equal(hal_fake_peek(0x10102204), (5 << 2) | 2);
    assert_int_equal(hal_fake_peek(0x10102214), 1);
    hal_fake_monitors();
    hal_l2cc_mon_setup(ev, true);
    assert_true(hal_l2cc_mon_answers(ev));
    assert_false(hal_l2cc_mon_answers(other));
    hal_l2cc_mon_start();
    hal_fake_count(HAL_FAKE_L2, 0, 1, 0xfffffff0);
    hal_fake_count(HAL_FAKE_L2, 0, 2, 7);
    assert_int_equal(hal_l2cc_mon_read(0), 0xfffffff0);
    assert_int_equal(hal_l2cc_mon_read(1), 7);
    assert_false(hal_l2cc_mon_overflow());
    hal_fake_count(HAL_FAKE_L2, 0, 1, 0x20);
    assert_true(hal_l2cc_mon_overflow());
    hal_l2cc_mon_overflow_clear();
    assert_false(hal_l2cc_mon_overflow());
    assert_int_equal(hal_l2cc_mon_irq(), 61);
}

static uint32_t never_done(void *ctx, uintptr_t addr)
{
    (void)ctx;
    (void)addr;
    return 1;
}

static void l2_enable(void **state)
{
    (void)state;
    hal_fake_poke(BOARD_L220_BASE + 0x104, 0xfe020fff);
    /* The operation is over at once: the way register reads zero. */
    hal_fake_script(BOARD_L220_BASE + 0x77c, BOARD_L220_BASE + 0x780, NULL, NULL, NULL);
    hal_fake_script(BOARD_L220_BASE + 0x730, BOARD_L220_BASE + 0x734, NULL, NULL, NULL);
    hal_fake_poke(BOARD_L220_BASE + 0x77c, 0);
    assert_false(hal_l2cc_enabled());
    hal_fake_script(BOARD_L220_BASE + 0x77c, BOARD_L220_BASE + 0x780, never_done, NULL, NULL);
    assert_true(hal_l2cc_enable() < 0);
    assert_false(hal_l2cc_enabled());
    assert_int_equal(hal_fake_peek(BOARD_L220_BASE + 0x104), 0xfe790fff);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(pmu_setup_word, setup),
        cmocka_unit_test_setup(pmu_counts_and_divides, setup),
        cmocka_unit_test_setup(pmu_flags_survive_other_writes, setup),
        cmocka_unit_test_setup(pmu_is_per_core, setup),
        cmocka_unit_test_setup(scu_monitor_words, setup),
        cmocka_unit_test_setup(scu_counts_and_flags, setup),
        cmocka_unit_test_setup(scu_status, setup),
        cmocka_unit_test_setup(l2_counters, setup),
        cmocka_unit_test_setup(l2_enable, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
