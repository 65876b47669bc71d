/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Accounting by thread: time run, blocked, asleep and ready, cycles and events, who waited for
 * what, what each thread did in each parallel region, how many cores ran threads.
 *
 * What happens to threads comes through the hooks of mpj_hooks.h; the scheduler's lock is the only
 * one. Memory is bounded: MPJ_PROF_THREADS threads of a run have a record,
 * MPJ_WAITS_MAX kinds of waits and MPJ_REGIONS_MAX (region, thread) pairs are kept; what finds no
 * room is counted in DROPPED records. Counters of a core go to the thread it runs; what is left
 * belongs to the idle core and the kernel.
 */
#ifndef MPJ_PROF_THREAD_H
#define MPJ_PROF_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "hal_cpu.h"
#include "mpj_hooks.h"

#define MPJ_PROF_THREADS 2048U

/* ---- the kernel's hooks: what each does is said in mpj_hooks.h ---------------------------------
 */

void mpj_prof_kernel_enter(unsigned core);
void mpj_prof_kernel_leave(unsigned core);
void mpj_prof_switch(unsigned core, struct mpj_hook_thread *from, struct mpj_hook_thread *to);
void mpj_prof_wait_begin(struct mpj_hook_thread *p, const struct mpj_wait_info *info);
void mpj_prof_wait_end(struct mpj_hook_thread *p);
void mpj_prof_spin(unsigned core, struct mpj_hook_thread *p, const struct mpj_wait_info *info,
                   uint32_t since);
void mpj_prof_settle(unsigned core, struct mpj_hook_thread *p);
void mpj_prof_resume(unsigned core, struct mpj_hook_thread *p);
void mpj_prof_stay(unsigned core, struct mpj_hook_thread *p);
void mpj_prof_more(unsigned core);
void mpj_prof_thread_init(struct mpj_hook_thread *p, uint32_t id, uint32_t parent,
                          const void *entry);
void mpj_prof_thread_exit(struct mpj_hook_thread *p);
void mpj_prof_thread_name(struct mpj_hook_thread *p, const char *name);
void mpj_prof_wfi(void);
void mpj_prof_region_begin(const void *region, uint32_t team, unsigned num, unsigned size);
void mpj_prof_region_end(const void *region, uint32_t team, unsigned num, const void *caller);

/* ---- for the C library ------------------------------------------------------------------ */

/*
 * Runtime work of the calling thread, which may be interrupted and may wait: what the thread runs
 * from begin to end is the runtime's share. Thread context.
 */
struct mpj_prof_work {
    uint64_t ran;    /* ticks */
    uint64_t kernel; /* cycles */
};
void mpj_prof_work_begin(const struct mpj_hook_thread *p, struct mpj_prof_work *w);
void mpj_prof_work_end(struct mpj_hook_thread *p, const struct mpj_prof_work *w);
/* Ticks that a thread, and all threads of the program, have run until now (without the time they
 * polled for what they waited for); false: there is no accounting. Lock held. */
bool mpj_prof_thread_ran(const struct mpj_hook_thread *p, uint64_t *ticks);
bool mpj_prof_program_ran(uint64_t *ticks);

/* ---- for the profiler core -------------------------------------------------------------- */

/* Before any thread is made. on: false leaves only the software context. */
void mpj_prof_threads_reset(bool on);
/* The run begins, at the time of its counters. */
void mpj_prof_threads_begin(uint64_t now);
/* Counts of the calling core so far go to the thread it runs. IRQ masked. */
void mpj_prof_threads_rest(void);
/* The run ends on the calling core, as if its thread gave the core away: what the core counts from
 * here belongs to no thread, by the software context and by the counts at the same moment. IRQ
 * masked. */
void mpj_prof_threads_leave(void);
/* The records. After the end of the run; nothing else runs. */
void mpj_prof_threads_send(void);

#endif
