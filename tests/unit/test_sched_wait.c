/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Blocking, spin-waiting and waking of the scheduler, on the fake machine. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hal_fake.h"
#include "sched_rig.h"

#define NOW   1000U
#define WOKEN 77

static const struct mpj_wait_info on_mutex = {.kind = MPJ_WAIT_MUTEX};
static const struct mpj_wait_info on_cond = {.kind = MPJ_WAIT_COND};
static const struct mpj_wait_info asleep = {.kind = MPJ_WAIT_SLEEP};

static struct mpj_thread self;
static uint32_t word;

static int setup(void **state)
{
    (void)state;
    sched_rig_reset(NOW, 0xf);
    sched_rig_thread(&self, 1, 0);
    sched_rig_run(0, &self);
    return 0;
}

/* Blocks in the wait queue of `word`. */
static int block(const struct mpj_wait_info *info, uint64_t deadline, bool cancel)
{
    const hal_irq_state s = mpj_sched_lock();
    int r;

    mpj_waitq_announce(&mpj_sched.waitq, (uintptr_t)&word);
    mpj_waitq_add(&mpj_sched.waitq, &self.wait, (uintptr_t)&word, 0);
    r = mpj_sched_block_locked(info, deadline, cancel);
    assert_int_equal(mpj_sched.lock.taken, 0);
    assert_true(hal_irq_masked());
    hal_irq_restore(s);
    return r;
}

/* Wakes the spinning thread from core 1, when it looks for interrupts. */
static uint32_t wake_from_core_1(void *ctx, uintptr_t addr)
{
    (void)ctx;
    (void)addr;
    hal_fake_set_core(1);
    const hal_irq_state s = mpj_sched_lock();

    mpj_sched_wake_locked(&self, WOKEN);
    mpj_sched_unlock(s);
    hal_fake_set_core(0);
    return HAL_GIC_SPURIOUS;
}

static void cancelled_thread_does_not_block(void **state)
{
    (void)state;
    self.cancel_pending = true;
    assert_int_equal(block(&on_mutex, MPJ_NEVER, true), -ECANCELED);
    assert_int_equal(sched_rig_given_away(), 0);
    assert_int_equal(self.state, MPJ_THREAD_RUNNING);
    assert_true(mpj_waitq_idle(&mpj_sched.waitq, (uintptr_t)&word));
}

static void cancellation_needs_a_cancellation_point(void **state)
{
    (void)state;
    self.cancel_pending = true;
    (void)block(&on_mutex, MPJ_NEVER, false);
    assert_int_equal(sched_rig_given_away(), 1);
    setup(state);
    self.cancel_pending = self.cancel_off = true;
    (void)block(&on_mutex, MPJ_NEVER, true);
    assert_int_equal(sched_rig_given_away(), 1);
    assert_true(self.cancel_point);
}

static void nothing(void)
{
}

static void interrupted_thread_does_not_block(void **state)
{
    (void)state;
    self.interrupt = nothing;
    assert_int_equal(block(&on_mutex, MPJ_NEVER, false), -EINTR);
    assert_int_equal(sched_rig_given_away(), 0);
    assert_true(mpj_waitq_idle(&mpj_sched.waitq, (uintptr_t)&word));
    self.hold = 1; /* holds interruptions off */
    (void)block(&on_mutex, MPJ_NEVER, false);
    assert_int_equal(sched_rig_given_away(), 1);
}

static void deadline_arms_the_timer_until_woken(void **state)
{
    (void)state;
    self.result = 3; /* as the waker left it */
    assert_int_equal(block(&asleep, NOW + 16U, false), 3);
    assert_int_equal(sched_rig_given_away(), 1);
    assert_int_equal(self.state, MPJ_THREAD_BLOCKED);
    assert_int_equal(hal_fake_peek(SCHED_TIMER_LOAD), 69);
    assert_true(mpj_timeq_deadline(&mpj_sched.timeq) == NOW + 16U);
    mpj_sched_wake_locked(&self, WOKEN);
    assert_int_equal(self.result, WOKEN);
    assert_int_equal(self.state, MPJ_THREAD_READY);
    assert_true(mpj_timeq_deadline(&mpj_sched.timeq) == MPJ_NEVER);
    assert_true(mpj_waitq_idle(&mpj_sched.waitq, (uintptr_t)&word));
    assert_int_equal(mpj_sched.runq.count, 1);
}

static void spinning_thread_keeps_its_core(void **state)
{
    const struct mpj_wait_info *const kinds[] = {&on_mutex, &on_cond};

    for (unsigned i = 0; i < 2; i++) {
        setup(state);
        hal_fake_script(SCHED_GIC_PENDING, SCHED_GIC_PENDING + 4U, wake_from_core_1, NULL, NULL);
        assert_int_equal(block(kinds[i], NOW + 5000U, false), WOKEN);
        assert_int_equal(sched_rig_given_away(), 0);
        assert_int_equal(self.state, MPJ_THREAD_RUNNING);
        assert_int_equal(mpj_sched.runq.count, 0);
        assert_int_equal(sched_rig_sent(), 0);
        assert_true(mpj_timeq_deadline(&mpj_sched.timeq) == MPJ_NEVER);
    }
}

static void spinning_thread_gives_up_after_a_while(void **state)
{
    (void)state;
    (void)block(&on_mutex, MPJ_NEVER, false);
    assert_int_equal(sched_rig_given_away(), 1);
    assert_int_equal(self.state, MPJ_THREAD_BLOCKED);
    assert_false(self.spins);
}

static uint32_t pending_reads;

static uint32_t timer_pending(void *ctx, uintptr_t addr)
{
    (void)ctx;
    (void)addr;
    pending_reads++;
    return HAL_IRQ_PRIVATE_TIMER;
}

static void pending_interrupt_ends_the_spinning(void **state)
{
    (void)state;
    pending_reads = 0;
    hal_fake_script(SCHED_GIC_PENDING, SCHED_GIC_PENDING + 4U, timer_pending, NULL, NULL);
    (void)block(&on_mutex, MPJ_NEVER, false);
    assert_int_equal(pending_reads, 1);
    assert_int_equal(sched_rig_given_away(), 1);
}

/* The interrupt controller is only asked by a thread that spins. */
static void core_that_others_need_is_given_away_at_once(void **state)
{
    struct mpj_thread ready;

    for (unsigned i = 0; i < 4; i++) {
        setup(state);
        pending_reads = 0;
        hal_fake_script(SCHED_GIC_PENDING, SCHED_GIC_PENDING + 4U, timer_pending, NULL, NULL);
        sched_rig_thread(&ready, 2, 0);
        if (i == 0)
            mpj_runq_put(&mpj_sched.runq, &ready.run);
        else if (i == 1)
            mpj_sched.core[0].resched = true;
        else if (i == 2)
            mpj_sched.frozen = true;
        (void)block(i == 3 ? &asleep : &on_mutex, MPJ_NEVER, false);
        assert_int_equal(pending_reads, 0);
        assert_int_equal(sched_rig_given_away(), 1);
    }
}

static void yield_needs_a_ready_thread(void **state)
{
    struct mpj_thread ready;

    (void)state;
    mpj_rt_yield();
    assert_int_equal(sched_rig_given_away(), 0);
    sched_rig_thread(&ready, 2, 0);
    mpj_sched_place_locked(&ready);
    mpj_rt_yield();
    assert_int_equal(sched_rig_given_away(), 1);
    mpj_sched.frozen = true;
    mpj_rt_yield();
    assert_int_equal(sched_rig_given_away(), 1);
}

static void renamed_wait_has_no_deadline(void **state)
{
    (void)state;
    (void)block(&on_cond, NOW + 16U, true);
    mpj_sched_rename_wait_locked(&self, &on_mutex);
    assert_int_equal(self.info.kind, MPJ_WAIT_MUTEX);
    assert_false(self.cancel_point);
    assert_true(mpj_timeq_deadline(&mpj_sched.timeq) == MPJ_NEVER);
    assert_int_equal(self.state, MPJ_THREAD_BLOCKED);
}

static void spin_wait_stops_when_the_core_is_needed(void **state)
{
    struct mpj_rt_spin l;

    (void)state;
    mpj_rt_spin_enter(&l);
    assert_true(hal_irq_masked());
    for (unsigned i = 0; i < 3; i++)
        assert_true(mpj_rt_spin_on(&l, &on_mutex));
    assert_int_equal(l.checks, 3);
    mpj_sched.core[0].resched = true;
    assert_false(mpj_rt_spin_on(&l, &on_mutex));
    mpj_sched.core[0].resched = false;
    hal_fake_poke(SCHED_GIC_PENDING, HAL_IRQ_PRIVATE_TIMER);
    assert_false(mpj_rt_spin_on(&l, &on_mutex));
    mpj_rt_spin_leave(&l);
    assert_false(hal_irq_masked());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(cancelled_thread_does_not_block, setup),
        cmocka_unit_test_setup(cancellation_needs_a_cancellation_point, setup),
        cmocka_unit_test_setup(interrupted_thread_does_not_block, setup),
        cmocka_unit_test_setup(deadline_arms_the_timer_until_woken, setup),
        cmocka_unit_test_setup(spinning_thread_keeps_its_core, setup),
        cmocka_unit_test_setup(spinning_thread_gives_up_after_a_while, setup),
        cmocka_unit_test_setup(pending_interrupt_ends_the_spinning, setup),
        cmocka_unit_test_setup(core_that_others_need_is_given_away_at_once, setup),
        cmocka_unit_test_setup(yield_needs_a_ready_thread, setup),
        cmocka_unit_test_setup(renamed_wait_has_no_deadline, setup),
        cmocka_unit_test_setup(spin_wait_stops_when_the_core_is_needed, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
