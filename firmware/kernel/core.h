/* SPDX-License-Identifier: GPL-2.0-or-later */
/* State of the scheduler, for its own files. */
#ifndef MPJ_SCHED_CORE_H
#define MPJ_SCHED_CORE_H

#include "mpj_sched.h"

struct sched_core {
    struct mpj_thread *cur;
    uint64_t timer_at;  /* when the private timer will fire, ticks; MPJ_NEVER */
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
    uint32_t timer_ratio;     /* of its ticks to those of the clock, in TIMER_RATIO_ONE-ths */
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

/* Puts a thread into the ready queue and finds a core for it. */
void mpj_sched_place_locked(struct mpj_thread *t);
/* The supervisor call: another thread runs on this core, until the caller's turn comes again. Lock
 * held; returns without it, IRQ masked. */
void mpj_sched_give_away(void);
/* Some core's timer fires by `deadline`. */
void mpj_sched_need_timer_locked(uint64_t deadline);
/* Makes the core reschedule. */
void mpj_sched_poke_locked(unsigned core);

#endif
