/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scheduler's choice of cores and threads, on the fake machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hal_fake.h"
#include "sched_rig.h"

#define ALL 0xfU

static int setup(void **state)
{
    (void)state;
    sched_rig_reset(1000, ALL);
    return 0;
}

/* Lets all four cores run threads of these priorities; ids from 1. */
static void run_four(struct mpj_thread t[4], const uint8_t priority[4])
{
    for (unsigned i = 0; i < 4; i++) {
        sched_rig_thread(&t[i], i + 1U, priority[i]);
        sched_rig_run(i, &t[i]);
    }
    sched_rig_forget();
}

static void idle_core_where_the_thread_last_ran(void **state)
{
    struct mpj_thread t;

    (void)state;
    mpj_sched.idle = 0xe;
    sched_rig_thread(&t, 9, 0);
    t.core = 2;
    mpj_sched_place_locked(&t);
    assert_int_equal(t.state, MPJ_THREAD_READY);
    assert_int_equal(sched_rig_sent(), 1U << 2);
    assert_true(mpj_sched.core[2].resched);
    assert_true(mpj_sched.core[2].called);
    assert_int_equal(mpj_sched.idle, 0xa);
    assert_int_equal(mpj_sched.called, 1);
    assert_false(mpj_rt_oversubscribed()); /* a core has been called for it */
}

static void first_idle_core_that_the_affinity_allows(void **state)
{
    struct mpj_thread t;

    (void)state;
    mpj_sched.idle = 0xe;
    sched_rig_thread(&t, 9, 0);
    t.core = 0;
    t.run.affinity = 1U << 3 | 1U << 0;
    mpj_sched_place_locked(&t);
    assert_int_equal(sched_rig_sent(), 1U << 3);
}

static void inactive_core_is_never_called(void **state)
{
    struct mpj_thread t;

    (void)state;
    mpj_sched.active = 0x3;
    mpj_sched.idle = 0xc;
    sched_rig_thread(&t, 9, 0);
    mpj_sched_place_locked(&t);
    assert_int_equal(sched_rig_sent(), 0);
    assert_int_equal(mpj_sched.runq.count, 1);
    assert_true(mpj_rt_oversubscribed());
}

static void preempts_the_least_urgent_thread(void **state)
{
    struct mpj_thread run[4], t;
    static const uint8_t priority[4] = {7, 3, 2, 4};

    (void)state;
    run_four(run, priority);
    sched_rig_thread(&t, 9, 5);
    t.core = 3;
    mpj_sched_place_locked(&t);
    assert_int_equal(sched_rig_sent(), 1U << 2);
    assert_true(mpj_sched.core[2].resched);
    assert_int_equal(mpj_sched.called, 0);
    /* The next one takes the next core: this one reschedules already. */
    sched_rig_forget();
    sched_rig_thread(&t, 10, 5);
    mpj_sched_place_locked(&t);
    assert_int_equal(sched_rig_sent(), 1U << 1);
}

static void preempts_only_where_the_affinity_allows(void **state)
{
    struct mpj_thread run[4], t;
    static const uint8_t priority[4] = {7, 3, 2, 4};

    (void)state;
    run_four(run, priority);
    sched_rig_thread(&t, 9, 5);
    t.run.affinity = 1U << 0 | 1U << 3;
    mpj_sched_place_locked(&t);
    assert_int_equal(sched_rig_sent(), 1U << 3);
}

static void equals_are_not_preempted(void **state)
{
    struct mpj_thread run[4], t;
    static const uint8_t priority[4] = {5, 5, 6, 7};

    (void)state;
    run_four(run, priority);
    sched_rig_thread(&t, 9, 5);
    mpj_sched_place_locked(&t);
    assert_int_equal(sched_rig_sent(), 0);
    for (unsigned i = 0; i < 4; i++)
        assert_false(mpj_sched.core[i].resched);
}

/* Core 1 had its core for itself but is more urgent; core 3 shares it already. */
static void equals_begin_to_share(void **state)
{
    struct mpj_thread run[4], t;
    static const uint8_t priority[4] = {0, 1, 0, 0};

    (void)state;
    run_four(run, priority);
    mpj_sched.alone = 0x7;
    sched_rig_thread(&t, 9, 0);
    mpj_sched_place_locked(&t);
    assert_true(mpj_sched.core[0].slice_end == 1000U + MPJ_SLICE_TICKS); /* the calling one */
    assert_int_equal(sched_rig_writes(SCHED_TIMER_LOAD), 1);
    assert_true(mpj_sched.core[2].want_slice);
    assert_false(mpj_sched.core[1].want_slice);
    assert_false(mpj_sched.core[3].want_slice);
    assert_int_equal(sched_rig_sent(), 1U << 2);
    assert_int_equal(mpj_sched.alone, 0x2);
    for (unsigned i = 0; i < 4; i++)
        assert_false(mpj_sched.core[i].resched);
}

static void sharing_respects_the_affinity(void **state)
{
    struct mpj_thread run[4], t;
    static const uint8_t priority[4] = {0, 0, 0, 0};

    (void)state;
    run_four(run, priority);
    mpj_sched.alone = ALL;
    sched_rig_thread(&t, 9, 0);
    t.run.affinity = 1U << 1;
    mpj_sched_place_locked(&t);
    assert_int_equal(sched_rig_sent(), 1U << 1);
    assert_int_equal(mpj_sched.alone, 0xd);
}

static void chooses_the_most_urgent_thread(void **state)
{
    struct mpj_thread from, t[3];
    static const uint8_t priority[3] = {4, 6, 6};

    (void)state;
    sched_rig_thread(&from, 1, 5);
    sched_rig_run(0, &from);
    for (unsigned i = 0; i < 3; i++) {
        sched_rig_thread(&t[i], 2U + i, priority[i]);
        mpj_sched_place_locked(&t[i]);
    }
    assert_ptr_equal(mpj_sched_choose_locked(&from, false), &t[1]);
    assert_ptr_equal(mpj_sched_choose_locked(&from, true), &t[2]);
    assert_ptr_equal(mpj_sched_choose_locked(&from, true), &from); /* the last one is less urgent */
    from.state = MPJ_THREAD_BLOCKED;
    assert_ptr_equal(mpj_sched_choose_locked(&from, false), &t[0]);
    assert_ptr_equal(mpj_sched_choose_locked(&from, false), &mpj_sched.core[0].idle);
}

static void equals_go_first_only_to_share(void **state)
{
    struct mpj_thread from, t;

    (void)state;
    sched_rig_thread(&from, 1, 5);
    sched_rig_run(0, &from);
    sched_rig_thread(&t, 2, 5);
    mpj_sched_place_locked(&t);
    assert_ptr_equal(mpj_sched_choose_locked(&from, false), &from);
    assert_ptr_equal(mpj_sched_choose_locked(&from, true), &t);
}

static void chooses_only_threads_for_the_core(void **state)
{
    struct mpj_thread from, t;

    (void)state;
    sched_rig_thread(&from, 1, 0);
    sched_rig_run(0, &from);
    sched_rig_thread(&t, 2, 9);
    t.run.affinity = 1U << 1;
    mpj_sched_place_locked(&t);
    assert_ptr_equal(mpj_sched_choose_locked(&from, true), &from);
    from.run.affinity = 1U << 1; /* it must leave core 0 */
    assert_ptr_equal(mpj_sched_choose_locked(&from, true), &mpj_sched.core[0].idle);
    hal_fake_set_core(1);
    assert_ptr_equal(mpj_sched_choose_locked(&mpj_sched.core[1].idle, false), &t);
}

static void frozen_scheduler_keeps_one_thread(void **state)
{
    struct mpj_thread run[4], t;
    static const uint8_t priority[4] = {0, 0, 0, 0};

    (void)state;
    run_four(run, priority);
    sched_rig_thread(&t, 9, 9);
    mpj_sched_place_locked(&t);
    mpj_sched.frozen = true;
    mpj_sched.keeper = 2;
    for (unsigned i = 0; i < 4; i++) {
        hal_fake_set_core(i);
        assert_ptr_equal(mpj_sched_choose_locked(&run[i], true),
                         i == 2 ? &run[i] : &mpj_sched.core[i].idle);
    }
    assert_int_equal(mpj_sched.runq.count, 1);
}

static void all_wait_when_nothing_can_happen(void **state)
{
    struct mpj_thread t;

    (void)state;
    assert_false(mpj_sched_all_wait_locked()); /* there is no thread */
    sched_rig_thread(&t, 1, 0);
    t.state = MPJ_THREAD_BLOCKED;
    assert_true(mpj_sched_all_wait_locked());
    mpj_timeq_put(&mpj_sched.timeq, &t.time, 5000);
    assert_false(mpj_sched_all_wait_locked());
    mpj_timeq_remove(&mpj_sched.timeq, &t.time);
    assert_true(mpj_sched_all_wait_locked());
    mpj_runq_put(&mpj_sched.runq, &t.run);
    assert_false(mpj_sched_all_wait_locked());
    mpj_runq_remove(&mpj_sched.runq, &t.run);
    sched_rig_run(3, &t);
    assert_false(mpj_sched_all_wait_locked());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(idle_core_where_the_thread_last_ran, setup),
        cmocka_unit_test_setup(first_idle_core_that_the_affinity_allows, setup),
        cmocka_unit_test_setup(inactive_core_is_never_called, setup),
        cmocka_unit_test_setup(preempts_the_least_urgent_thread, setup),
        cmocka_unit_test_setup(preempts_only_where_the_affinity_allows, setup),
        cmocka_unit_test_setup(equals_are_not_preempted, setup),
        cmocka_unit_test_setup(equals_begin_to_share, setup),
        cmocka_unit_test_setup(sharing_respects_the_affinity, setup),
        cmocka_unit_test_setup(chooses_the_most_urgent_thread, setup),
        cmocka_unit_test_setup(equals_go_first_only_to_share, setup),
        cmocka_unit_test_setup(chooses_only_threads_for_the_core, setup),
        cmocka_unit_test_setup(frozen_scheduler_keeps_one_thread, setup),
        cmocka_unit_test_setup(all_wait_when_nothing_can_happen, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
