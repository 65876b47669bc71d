/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State of the scheduler, for its own files: sched.c switches threads, sched_place.c decides which
 * thread runs where, sched_timer.c keeps deadlines and time slices, sched_wait.c blocks and wakes.
 * All but sched.c run on the fake machine, too (tests/unit/test_sched_*.c).
 */
#ifndef MPJ_SCHED_CORE_H
#define MPJ_SCHED_CORE_H

#include "mpj_sched.h"

struct sched_core {
    struct mpj_thread *cur;
    uint64_t timer_at;  /* time at which the private timer fires, ticks; MPJ_NEVER */
    uint64_t slice_end; /* of cur; MPJ_NEVER: no thread waits for the core */
    volatile bool resched;
    bool called;     /* while idle, for a thread that became ready */
    bool slice_over; /* resched, because cur has had its share */
    volatile bool want_slice;
    bool timer_on; /* its interrupt is enabled */
    bool deadlock; /* found when this core went idle */
    uint32_t mmu_epoch;
    struct mpj_thread idle;
} __attribute__((aligned(32)));

struct sched {
    hal_spinlock lock;
    uint64_t now; /* since the lock was taken; 0: clock not read yet */
    bool on;
    volatile bool frozen;
    uint8_t keeper; /* core that keeps running when frozen */
    uint32_t active;
    uint32_t timer_ratio;     /* ticks of the private timer per tick of the clock, in 256ths */
    uint32_t slice;           /* ticks; 0: threads of a priority do not share */
    uint32_t idle;            /* cores that run their idle thread and are not yet called */
    volatile unsigned called; /* cores that are */
    uint32_t alone;           /* cores whose thread shares by slices, and no other waits for them */
    volatile uint32_t mmu_epoch;
    uint32_t next_id;
    unsigned live;
    struct mpj_runq runq;
    struct mpj_waitq waitq;
    struct mpj_timeq timeq;
    struct mpj_thread *slot[MPJ_THREADS_MAX];
    uint16_t generation[MPJ_THREADS_MAX];
    unsigned slot_hint;
    struct mpj_thread *recycled;
    struct sched_core core[HAL_CORES_MAX];
};

extern struct sched mpj_sched;

/* Returns the state of the calling core. */
static inline struct sched_core *mpj_sched_my_core(void)
{
    return &mpj_sched.core[hal_cpu_id()];
}

/* Takes the lock where IRQ is masked already: in an interrupt. */
static inline void mpj_sched_lock_masked(void)
{
    hal_spin_lock(&mpj_sched.lock);
    mpj_sched.now = 0;
}

/* Switches to another thread by a supervisor call, and returns when the caller has a core again.
 * Lock held; returns without it, IRQ masked. */
void mpj_sched_give_away(void);

/* ---- placing (sched_place.c): lock held -------------------------------------------- */

/* Puts a thread into the ready queue and calls a core for it: an idle one, or else one whose thread
 * is less urgent; if there is none, cores of equal urgency begin to share by time slices. */
void mpj_sched_place_locked(struct mpj_thread *t);
/* Makes a core reschedule. */
void mpj_sched_poke_locked(unsigned core);
/* True if no thread runs or is ready and no deadline is pending, so that nothing can ever happen.
 */
bool mpj_sched_all_wait_locked(void);
/* Returns mpj_rt_oversubscribed(), inline for loops that poll. The lock need not be held. */
static inline bool mpj_sched_oversubscribed(void)
{
    const volatile unsigned *ready = &mpj_sched.runq.count;

    return *ready > mpj_sched.called;
}
/* Takes the first ready thread that may run on a core and has at least that priority, and returns
 * it; NULL: there is none. */
static inline struct mpj_thread *mpj_sched_take_locked(unsigned core, unsigned least)
{
    struct mpj_runq_node *n = mpj_runq_take(&mpj_sched.runq, core, least);

    return n == NULL ? NULL : MPJ_LIST_ENTRY(n, struct mpj_thread, run);
}
/* Takes the thread that the calling core runs next out of the ready queue, and returns it; `from`,
 * which has the core now, or the core's idle thread when no other may run. share: equals of `from`
 * go first. Inline, as each switch calls it. */
static inline struct mpj_thread *mpj_sched_choose_locked(struct mpj_thread *from, bool share)
{
    unsigned core = hal_cpu_id();
    bool runs = from->state == MPJ_THREAD_RUNNING && from->id != 0;
    struct mpj_thread *idle = &mpj_sched.core[core].idle;
    struct mpj_thread *to;

    if (mpj_sched.frozen)
        return core == mpj_sched.keeper ? from : idle;
    if (runs && (from->run.affinity & (1U << core)) != 0)
        to = mpj_sched_take_locked(core, from->run.priority + (share ? 0U : 1U));
    else
        to = mpj_sched_take_locked(core, 0);
    if (to != NULL)
        return to;
    return runs && (from->run.affinity & (1U << core)) != 0 ? from : idle;
}

#endif
