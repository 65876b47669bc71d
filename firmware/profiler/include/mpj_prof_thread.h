/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Accounting by thread: time run, blocked, asleep and ready, cycles and events, who waited for
 * what, what each thread did in each parallel region, how many cores ran threads.
 *
 * The scheduler calls the hooks below with IRQ masked and, but for the kernel's two, its lock held:
 * there is no other lock. Memory is bounded: MPJ_PROF_THREADS threads of a run have a record,
 * MPJ_WAITS_MAX kinds of waits and MPJ_REGIONS_MAX (region, thread) pairs are kept; what finds no
 * room is counted in DROPPED records. Counters of a core go to the thread it runs; what is left
 * belongs to the idle core and the kernel.
 */
#ifndef MPJ_PROF_THREAD_H
#define MPJ_PROF_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "hal_cpu.h"
#include "mpj_rt.h"

#define MPJ_PROF_THREADS 2048U

struct mpj_prof_rec;

/* In the scheduler's thread, which may be used again for another one after its exit. */
struct mpj_prof_thread {
    uint32_t id;
    struct mpj_prof_rec *rec; /* NULL: no room, or no accounting */
    uint64_t woken;        /* ticks: its wait ended; who wakes it writes no more than these two */
    bool ready;            /* woken, and not resumed yet */
    volatile bool settles; /* mpj_prof_stay() or mpj_prof_settle() follows */
};

/* ---- for the scheduler --------------------------------------------------------------- */

/* A thread is made: it is ready from now on. entry: address of its function. */
void mpj_prof_thread_init(struct mpj_prof_thread *p, uint32_t id, uint32_t parent,
                          const void *entry);
/* The core goes from one thread to another; NULL: idle or kernel. Not both. Writes the core's
 * software context, too. A thread that left waits if mpj_prof_wait_begin() was called for it, and
 * else is ready. */
void mpj_prof_switch(unsigned core, struct mpj_prof_thread *from, struct mpj_prof_thread *to);
/* The thread will wait, or waits for something else now. */
void mpj_prof_wait_begin(struct mpj_prof_thread *p, const struct mpj_wait_info *info);
/* It waits no more, but has no core yet. */
void mpj_prof_wait_end(struct mpj_prof_thread *p);
/*
 * Threads that wait on their core, looking for what they wait for: their time is that of a wait,
 * not of a run, and the core is not at work; what is counted meanwhile is theirs. The thread's
 * core, IRQ masked until it goes on or leaves the core, lock not held.
 *
 * stay: mpj_prof_wait_begin() was called, the thread keeps its core and may be woken meanwhile,
 * which mpj_prof_wait_end() is not called for; before the lock was given back `settles` was set.
 * look: it looks at memory since the cycle counter was `since`; nobody else knows that it waits.
 * settle: there is time, it waits already for some while: what has been put off of its figures is
 * added up. If others know that it waits, `settles` is set first, with the lock held.
 * more: settled, it goes on waiting: a little of what all cores' figures are made of. Now and then.
 * go_on: it has found it.
 */
void mpj_prof_stay(unsigned core, struct mpj_prof_thread *p);
void mpj_prof_look(unsigned core, struct mpj_prof_thread *p, const struct mpj_wait_info *info,
                   uint32_t since);
void mpj_prof_settle(unsigned core, struct mpj_prof_thread *p);
void mpj_prof_more(unsigned core);
void mpj_prof_go_on(unsigned core, struct mpj_prof_thread *p);
/* It ends at its next switch. */
void mpj_prof_thread_exit(struct mpj_prof_thread *p);
/* The name the program gave it; the first 15 bytes are kept. */
void mpj_prof_thread_name(struct mpj_prof_thread *p, const char *name);
/*
 * Runtime work of the calling thread, which may be interrupted and may wait: what the thread runs
 * from begin to end is the runtime's share. Thread context.
 */
struct mpj_prof_work {
    uint64_t ran;    /* ticks */
    uint64_t kernel; /* cycles */
};
void mpj_prof_work_begin(const struct mpj_prof_thread *p, struct mpj_prof_work *w);
void mpj_prof_work_end(struct mpj_prof_thread *p, const struct mpj_prof_work *w);
/* The core works for interrupts or the scheduler. Do not nest. */
void mpj_prof_kernel_enter(unsigned core);
void mpj_prof_kernel_leave(unsigned core);
/* Ticks that a thread, and all threads of the program, have run until now (without the time they
 * looked for what they waited for); false: there is no accounting. Lock held. */
bool mpj_prof_thread_ran(const struct mpj_prof_thread *p, uint64_t *ticks);
bool mpj_prof_program_ran(uint64_t *ticks);
/* The scheduler's lock, for the regions' hooks, which threads call. */
hal_irq_state mpj_sched_lock(void);
void mpj_sched_unlock(hal_irq_state s);

/* ---- for the profiler core -------------------------------------------------------------- */

/* Before any thread is made. on: false leaves only the software context. */
void mpj_prof_threads_reset(bool on);
/* The run begins, at the time of its counters. */
void mpj_prof_threads_begin(uint64_t now);
/* Counts of the calling core so far go to the thread it runs. IRQ masked. */
void mpj_prof_threads_rest(void);
/* The run ends on the calling core, as if its thread gave the core away: what the core counts from
 * here is nobody's, by the software context and by the counts at the same moment. IRQ masked. */
void mpj_prof_threads_leave(void);
/* The records. After the end of the run; nothing else runs. */
void mpj_prof_threads_send(void);

#endif
