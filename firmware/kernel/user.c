/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions of mpj.h for threads and time. */
#include <stddef.h>

#include "core.h"
#include "hal_sys.h"
#include "mpj.h"
#include "sched_timer.h"

uint64_t mpj_time_ns(void)
{
    return hal_sys_ns(hal_sys_ticks());
}

void mpj_sleep_us(uint32_t us)
{
    struct mpj_wait_info info = {.kind = MPJ_WAIT_SLEEP, .caller = __builtin_return_address(0)};
    uint64_t end = mpj_sched_ticks_after_us(us);

    while (us > 0 && mpj_sched_can_wait() && hal_sys_ticks() < end) {
        hal_irq_state s = mpj_sched_lock();

        (void)mpj_sched_block_locked(&info, end, false);
        hal_irq_restore(s);
        mpj_thread_poll();
    }
}

/* Branches to itself. IRQ is masked until the branch: every interrupt finds the core there. */
static __attribute__((noinline)) void spin_here(void)
{
    __asm__ volatile(".global mpj_spin_here, mpj_spin_done\n\t"
                     "cpsie i\n"
                     "mpj_spin_here:\n\tb mpj_spin_here\n"
                     "mpj_spin_done:" ::
                         : "memory");
}

void mpj_spin_us(uint32_t us)
{
    struct mpj_thread *self = mpj_thread_self();
    uint64_t end = mpj_sched_ticks_after_us(us);
    hal_irq_state s;

    if (us == 0 || !mpj_sched_can_wait())
        return;
    mpj_thread_hold(); /* a handler that sleeps would take the deadline away */
    s = mpj_sched_lock();
    self->spin_over = false;
    mpj_timeq_put(&mpj_sched.timeq, &self->time, end);
    mpj_sched_need_timer_locked(end);
    hal_spin_unlock(&mpj_sched.lock);
    spin_here();
    hal_irq_restore(s);
    mpj_thread_release();
}
