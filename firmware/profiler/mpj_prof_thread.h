/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Accounting by thread: time run, blocked, asleep and ready, cycles and events, waits and their
 * causes, each thread's part in each parallel region, number of busy cores.
 *
 * Events of threads arrive through the hooks of mpj_hooks.h; the scheduler's lock is the only one.
 * Memory is bounded: MPJ_PROF_THREADS threads of a run have a record, MPJ_WAITS_MAX kinds of waits
 * and MPJ_REGIONS_MAX (region, thread) pairs are kept; the rest is counted in DROPPED records.
 * Counters of a core go to the thread it runs; the rest belongs to the idle core and the kernel.
 */
#ifndef MPJ_PROF_THREAD_H
#define MPJ_PROF_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "hal_cpu.h"
#include "mpj_hooks.h"

#define MPJ_PROF_THREADS 2048U

/* ---- the kernel's hooks, described in mpj_hooks.h ------------------------------------------- */

/* kernel_enter: counts cycles of the kernel from now on. */
void mpj_prof_kernel_enter(unsigned core);
/* kernel_leave: stops counting them; they are charged to the core's thread. */
void mpj_prof_kernel_leave(unsigned core);
/* switch_to: charges counts and time to the thread that leaves. */
void mpj_prof_switch(unsigned core, struct mpj_hook_thread *from, struct mpj_hook_thread *to);
/* wait_begin: notes what the thread waits for. */
void mpj_prof_wait_begin(struct mpj_hook_thread *p, const struct mpj_wait_info *info);
/* wait_end: notes the time of the wait. */
void mpj_prof_wait_end(struct mpj_hook_thread *p);
/* spin: charges the time since `since` to a wait. */
void mpj_prof_spin(unsigned core, struct mpj_hook_thread *p, const struct mpj_wait_info *info,
                   uint32_t since);
/* settle: adds up the notes of the thread. */
void mpj_prof_settle(unsigned core, struct mpj_hook_thread *p);
/* resume: ends the wait of a spinning thread. */
void mpj_prof_resume(unsigned core, struct mpj_hook_thread *p);
/* stay: notes that the thread waits without leaving the core. */
void mpj_prof_stay(unsigned core, struct mpj_hook_thread *p);
/* more: merges some of the cores' logs (mpj_degree.h). */
void mpj_prof_more(unsigned core);
/* thread_init: gives the thread a record, if there is one left. */
void mpj_prof_thread_init(struct mpj_hook_thread *p, uint32_t id, uint32_t parent,
                          const void *entry);
/* thread_exit: completes the record at the next switch. */
void mpj_prof_thread_exit(struct mpj_hook_thread *p);
/* thread_name: keeps the name. */
void mpj_prof_thread_name(struct mpj_hook_thread *p, const char *name);
/* stack_used: keeps the figures for the thread's record. */
void mpj_prof_stack_used(struct mpj_prof_rec *rec, uint32_t bytes, uint32_t used);
/* wfi: adds the time to the core's wfi_cycles. */
void mpj_prof_wfi(void);
/* region_begin: notes the thread's figures at the beginning. */
void mpj_prof_region_begin(const void *region, uint32_t team, unsigned num, unsigned size);
/* region_end: charges the differences to the region. */
void mpj_prof_region_end(const void *region, uint32_t team, unsigned num, const void *caller);

/* ---- for the C library ------------------------------------------------------------------ */

/* Begins a transfer of data from or to the host by the calling thread, which may wait for it: its
 * time is neither run nor block but `host`, counts belong to no thread, and its core is not busy.
 * Nests. Thread context. */
void mpj_prof_host_begin(struct mpj_hook_thread *p);
/* Ends such a transfer. Thread context. */
void mpj_prof_host_end(struct mpj_hook_thread *p);
/* Returns the ticks that the thread has run until now, without the time it polled while it waited.
 * False: there is no accounting. Lock held. */
bool mpj_prof_thread_ran(const struct mpj_hook_thread *p, uint64_t *ticks);
/* Returns such ticks of all threads of the program. */
bool mpj_prof_program_ran(uint64_t *ticks);

/* Ticks that all threads have run until now, as above, and counts of the first pair of events in
 * that time, polling included. */
struct mpj_prof_counts {
    uint64_t ticks, event[2];
};
/* Reads the program's counts. Returns false, and leaves *c unchanged, if a thread other than the
 * caller has a core, whose counts cannot be read from here, if not all threads are accounted for,
 * or if more than one pair is multiplexed. Thread context. */
bool mpj_prof_program_counts(struct mpj_prof_counts *c);

/* ---- for the profiler core -------------------------------------------------------------- */

/* Resets the accounting, before any thread is created. on: false leaves only the software
 * context. */
void mpj_prof_threads_reset(bool on);
/* Begins the run, at the time of its counters. */
void mpj_prof_threads_begin(uint64_t now);
/* Charges the counts of the calling core so far to the thread it runs. IRQ masked. */
void mpj_prof_threads_rest(void);
/* Ends the run on the calling core, as if its thread gave the core away: later counts of the core
 * belong to no thread, by the software context and by the counts at the same moment. IRQ masked. */
void mpj_prof_threads_leave(void);
/* Sends the records. After the end of the run; nothing else runs. */
void mpj_prof_threads_send(void);

#endif
