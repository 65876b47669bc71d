/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Deadlines and time slices of the scheduler on the fake machine. The clock counts at 24 MHz, the
 * private timer at half of 210 MHz: 4.375 of its ticks to one of the clock, rounded up; its load
 * register holds one less.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hal_fake.h"
#include "sched_rig.h"
#include "sched_timer.h"

#define START 1000U
#define SLICE 96000U /* 4 ms */
#define ALL   0xfU

static int setup(void **state)
{
    (void)state;
    sched_rig_reset(START, ALL);
    return 0;
}

static int clock_back(void **state)
{
    (void)state;
    hal_sys_clock_set(BOARD_CORE_HZ);
    return 0;
}

static void need(uint64_t deadline)
{
    const hal_irq_state s = mpj_sched_lock();

    mpj_sched_need_timer_locked(deadline);
    mpj_sched_unlock(s);
}

static void begin_slice(unsigned core)
{
    hal_fake_set_core(core);
    const hal_irq_state s = mpj_sched_lock();

    mpj_sched_begin_slice_locked(&mpj_sched.core[core]);
    mpj_sched_unlock(s);
    hal_fake_set_core(0);
}

/* Checks that the timer was armed once since the last check, with that load. */
static void assert_armed(uint32_t load)
{
    assert_int_equal(sched_rig_writes(SCHED_TIMER_LOAD), 1);
    assert_int_equal(hal_fake_peek(SCHED_TIMER_LOAD), load);
    assert_int_equal(hal_fake_peek(SCHED_TIMER_CONTROL), 5); /* counts once, with its interrupt */
    sched_rig_forget();
}

static void assert_not_armed(void)
{
    assert_int_equal(sched_rig_writes(SCHED_TIMER_LOAD), 0);
}

static void assert_timed_out(const struct mpj_thread *t)
{
    assert_int_equal(t->state, MPJ_THREAD_READY);
    assert_int_equal(t->result, -ETIMEDOUT);
    assert_null(t->time.slot);
}

static void ticks_of_ns_round_up(void **state)
{
    (void)state;
    assert_true(mpj_sched_ticks(0) == 0);
    assert_true(mpj_sched_ticks(1) == 1);
    assert_true(mpj_sched_ticks(41) == 1); /* a tick is 41.67 ns */
    assert_true(mpj_sched_ticks(42) == 2);
    assert_true(mpj_sched_ticks(1000000) == 24000);
    assert_true(mpj_sched_ticks(UINT64_MAX / 4U) == 110680464442257310U);
    assert_true(mpj_sched_ticks(UINT64_MAX / 4U + 1U) == MPJ_NEVER);
    assert_true(mpj_sched_ticks(UINT64_MAX) == MPJ_NEVER);
    assert_true(mpj_sched_ticks_after_us(0) == START);
    assert_true(mpj_sched_ticks_after_us(UINT32_MAX) == START + 103079215080U);
}

static void no_deadline_arms_nothing(void **state)
{
    (void)state;
    need(MPJ_NEVER);
    assert_not_armed();
    assert_true(mpj_sched.core[0].timer_at == MPJ_NEVER);
    assert_int_equal(sched_rig_writes(SCHED_GIC_ENABLE), 0);
}

static void deadline_arms_the_timer(void **state)
{
    (void)state;
    need(START + 24000U);
    assert_int_equal(hal_fake_peek(SCHED_GIC_ENABLE), 1U << HAL_IRQ_PRIVATE_TIMER);
    assert_armed(104999);
    assert_true(mpj_sched.core[0].timer_at == START + 24000U);
    need(START + 16U); /* an earlier one; the interrupt is enabled once */
    assert_int_equal(sched_rig_writes(SCHED_GIC_ENABLE), 0);
    assert_armed(69);
}

static void deadline_that_has_passed_fires_at_once(void **state)
{
    (void)state;
    need(START); /* now */
    assert_armed(4);
    assert_true(mpj_sched.core[0].timer_at == START + 1U);
    setup(state);
    need(START - 1U);
    assert_armed(4);
    setup(state);
    need(0);
    assert_armed(4);
    assert_true(mpj_sched.core[0].timer_at == START + 1U);
}

static void deadline_covered_by_a_timer_arms_nothing(void **state)
{
    (void)state;
    need(START + 100U);
    sched_rig_forget();
    need(START + 100U);
    need(START + 101U);
    assert_not_armed();
    hal_fake_set_core(2); /* nor on another core */
    need(START + 100U);
    assert_not_armed();
    assert_true(mpj_sched.core[2].timer_at == MPJ_NEVER);
    need(START + 99U);
    assert_int_equal(sched_rig_writes(SCHED_TIMER_LOAD), 1);
    assert_true(mpj_sched.core[2].timer_at == START + 99U);
    assert_true(mpj_sched.core[0].timer_at == START + 100U);
}

static void longest_wait_is_armed_in_parts(void **state)
{
    struct mpj_thread t;
    const uint64_t deadline = (uint64_t)START + 1000000000U; /* 41.7 s */

    (void)state;
    sched_rig_thread(&t, 1, 0);
    sched_rig_block(&t, deadline);
    need(deadline);
    assert_armed(2099999999); /* 20 s */
    for (uint64_t at = START + 480000000U; at < deadline; at += 480000000U) {
        sched_rig_time(at);
        sched_rig_interrupt(0, HAL_IRQ_PRIVATE_TIMER);
        assert_int_equal(t.state, MPJ_THREAD_BLOCKED);
        assert_armed(at + 480000000U < deadline ? 2099999999U : 174999999U);
    }
    sched_rig_time(deadline);
    sched_rig_interrupt(0, HAL_IRQ_PRIVATE_TIMER);
    assert_timed_out(&t);
    assert_not_armed();
}

/* The fastest clock for which the longest wait is 20 s: the load register is nearly full. */
static void largest_load_fits_into_32_bits(void **state)
{
    (void)state;
    hal_sys_clock_set(420000000U);
    sched_rig_reset(START, ALL);
    need(MPJ_NEVER - 1U);
    assert_armed(4199999999U);
    assert_true(mpj_sched.core[0].timer_at == START + 480000000U);
}

/* A ratio that is no multiple of 1/256 is rounded down: 24000 ticks are 105500 of the timer's. */
static void inexact_ratio_fires_early(void **state)
{
    struct mpj_thread t;

    (void)state;
    hal_sys_clock_set(211000000U);
    sched_rig_reset(START, ALL);
    sched_rig_thread(&t, 1, 0);
    sched_rig_block(&t, START + 24000U);
    need(START + 24000U);
    assert_armed(105468);
    sched_rig_time(START + 23993U);
    sched_rig_interrupt(0, HAL_IRQ_PRIVATE_TIMER);
    assert_int_equal(t.state, MPJ_THREAD_BLOCKED);
    assert_armed(30); /* for the 7 ticks that are left */
    sched_rig_time(START + 24000U);
    sched_rig_interrupt(0, HAL_IRQ_PRIVATE_TIMER);
    assert_timed_out(&t);
}

static void deadline_past_the_wrap_of_the_counter(void **state)
{
    struct mpj_thread t;
    const uint64_t deadline = 0x100000010U;

    (void)state;
    sched_rig_reset(0xfffffff0U, ALL);
    sched_rig_thread(&t, 1, 0);
    sched_rig_block(&t, deadline);
    need(deadline);
    assert_armed(139); /* 32 ticks */
    sched_rig_time(0xffffffffU);
    sched_rig_interrupt(0, HAL_IRQ_PRIVATE_TIMER);
    assert_int_equal(t.state, MPJ_THREAD_BLOCKED);
    assert_armed(74); /* 17 */
    sched_rig_time(0x10000000fU);
    sched_rig_interrupt(0, HAL_IRQ_PRIVATE_TIMER);
    assert_int_equal(t.state, MPJ_THREAD_BLOCKED);
    assert_armed(4);
    sched_rig_time(deadline);
    sched_rig_interrupt(0, HAL_IRQ_PRIVATE_TIMER);
    assert_timed_out(&t);
}

static void two_deadlines_at_once_expire_together(void **state)
{
    struct mpj_thread t[4];
    static const unsigned after[4] = {100, 100, 90, 101};

    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        sched_rig_thread(&t[i], i + 1U, 0);
        sched_rig_block(&t[i], START + after[i]);
    }
    need(START + 90U);
    sched_rig_forget();
    sched_rig_time(START + 100U);
    sched_rig_interrupt(0, HAL_IRQ_PRIVATE_TIMER);
    for (unsigned i = 0; i < 3; i++)
        assert_timed_out(&t[i]);
    assert_int_equal(t[3].state, MPJ_THREAD_BLOCKED);
    assert_armed(4);
    /* Ready in the order of their deadlines, equal ones first come first served. */
    assert_ptr_equal(mpj_sched_take_locked(0, 0), &t[2]);
    assert_ptr_equal(mpj_sched_take_locked(0, 0), &t[0]);
    assert_ptr_equal(mpj_sched_take_locked(0, 0), &t[1]);
    assert_int_equal(mpj_sched.lock.taken, 0);
}

static void timer_without_a_deadline_stays_off(void **state)
{
    (void)state;
    need(START + 10U);
    sched_rig_forget();
    sched_rig_time(START + 10U);
    sched_rig_interrupt(0, HAL_IRQ_PRIVATE_TIMER); /* whoever wanted it was woken */
    assert_not_armed();
    assert_true(mpj_sched.core[0].timer_at == MPJ_NEVER);
    assert_false(mpj_sched.core[0].resched);
}

static void slice_ends_before_a_deadline(void **state)
{
    struct mpj_thread t;

    (void)state;
    sched_rig_thread(&t, 1, 0);
    sched_rig_block(&t, START + SLICE + 16U);
    need(START + SLICE + 16U);
    sched_rig_forget();
    begin_slice(0);
    assert_armed(419999);
    sched_rig_time(START + SLICE);
    sched_rig_interrupt(0, HAL_IRQ_PRIVATE_TIMER);
    assert_true(mpj_sched.core[0].resched);
    assert_true(mpj_sched.core[0].slice_over);
    assert_int_equal(t.state, MPJ_THREAD_BLOCKED);
    assert_armed(69); /* for the deadline */
}

static void deadline_before_the_end_of_a_slice(void **state)
{
    struct mpj_thread t;

    (void)state;
    sched_rig_thread(&t, 1, 0);
    begin_slice(0);
    sched_rig_block(&t, START + SLICE - 16U);
    sched_rig_forget();
    need(START + SLICE - 16U);
    assert_armed(419929);
    sched_rig_time(START + SLICE - 16U);
    sched_rig_interrupt(0, HAL_IRQ_PRIVATE_TIMER);
    assert_timed_out(&t);
    assert_false(mpj_sched.core[0].slice_over);
    assert_false(mpj_sched.core[0].resched);
    assert_armed(69); /* for the end of the slice */
    assert_true(mpj_sched.core[0].slice_end == START + SLICE);
}

static void slice_ends_at_a_deadline(void **state)
{
    struct mpj_thread t;

    (void)state;
    sched_rig_thread(&t, 1, 0);
    begin_slice(0);
    sched_rig_block(&t, START + SLICE);
    sched_rig_forget();
    need(START + SLICE); /* the slice's timer serves both */
    assert_not_armed();
    sched_rig_time(START + SLICE);
    sched_rig_interrupt(0, HAL_IRQ_PRIVATE_TIMER);
    assert_timed_out(&t);
    assert_true(mpj_sched.core[0].slice_over);
    assert_not_armed();
}

static void slices_have_the_length_that_was_set(void **state)
{
    (void)state;
    assert_int_equal(mpj_sched_slice_ticks(), SLICE);
    mpj_sched_slice(48000);
    assert_int_equal(mpj_sched_slice_ticks(), 48000);
    mpj_sched.alone = ALL;
    begin_slice(3);
    assert_armed(209999);
    assert_true(mpj_sched.core[3].slice_end == START + 48000U);
    assert_int_equal(mpj_sched.alone, 0x7);
}

static void no_slices_arm_nothing(void **state)
{
    (void)state;
    mpj_sched_slice(0);
    mpj_sched.alone = ALL;
    begin_slice(0);
    assert_not_armed();
    assert_true(mpj_sched.core[0].slice_end == MPJ_NEVER);
    assert_int_equal(mpj_sched.alone, 0xe);
}

static void other_core_begins_a_slice_when_asked(void **state)
{
    (void)state;
    sched_rig_interrupt(2, MPJ_SGI_SCHED);
    assert_not_armed();
    mpj_sched.core[2].want_slice = true;
    sched_rig_interrupt(2, MPJ_SGI_SCHED);
    assert_armed(419999);
    assert_false(mpj_sched.core[2].want_slice);
    assert_true(mpj_sched.core[2].slice_end == START + SLICE);
    sched_rig_interrupt(2, MPJ_SGI_SCHED);
    assert_not_armed();
}

/* mpj_spin_us(): the thread runs while its deadline is pending. */
static void running_thread_is_told_of_its_deadline(void **state)
{
    struct mpj_thread here, there;

    (void)state;
    sched_rig_thread(&here, 1, 0);
    sched_rig_thread(&there, 2, 0);
    sched_rig_block(&here, START + 5U);
    sched_rig_block(&there, START + 5U);
    sched_rig_run(0, &here);
    sched_rig_run(3, &there);
    sched_rig_time(START + 5U);
    sched_rig_interrupt(0, HAL_IRQ_PRIVATE_TIMER);
    assert_true(here.spin_over);
    assert_true(there.spin_over);
    assert_int_equal(here.state, MPJ_THREAD_RUNNING);
    assert_int_equal(sched_rig_sent(), 1U << 3);
    assert_int_equal(mpj_sched.runq.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(ticks_of_ns_round_up, setup),
        cmocka_unit_test_setup(no_deadline_arms_nothing, setup),
        cmocka_unit_test_setup(deadline_arms_the_timer, setup),
        cmocka_unit_test_setup(deadline_that_has_passed_fires_at_once, setup),
        cmocka_unit_test_setup(deadline_covered_by_a_timer_arms_nothing, setup),
        cmocka_unit_test_setup(longest_wait_is_armed_in_parts, setup),
        cmocka_unit_test_setup_teardown(largest_load_fits_into_32_bits, setup, clock_back),
        cmocka_unit_test_setup_teardown(inexact_ratio_fires_early, setup, clock_back),
        cmocka_unit_test_setup(deadline_past_the_wrap_of_the_counter, setup),
        cmocka_unit_test_setup(two_deadlines_at_once_expire_together, setup),
        cmocka_unit_test_setup(timer_without_a_deadline_stays_off, setup),
        cmocka_unit_test_setup(slice_ends_before_a_deadline, setup),
        cmocka_unit_test_setup(deadline_before_the_end_of_a_slice, setup),
        cmocka_unit_test_setup(slice_ends_at_a_deadline, setup),
        cmocka_unit_test_setup(slices_have_the_length_that_was_set, setup),
        cmocka_unit_test_setup(no_slices_arm_nothing, setup),
        cmocka_unit_test_setup(other_core_begins_a_slice_when_asked, setup),
        cmocka_unit_test_setup(running_thread_is_told_of_its_deadline, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
