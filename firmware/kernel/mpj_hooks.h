/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel tells the layers above it: the profiler, the session with the host, the run. It
 * knows none of them; they define these functions, and the linker connects them. hooks.c has weak
 * ones that do nothing, for an image without those layers.
 *
 * Functions and not a struct of pointers: a switch of threads calls up to five of them, and a load
 * and an indirect branch each, which the ARM11 does not predict, would be part of every profile.
 */
#ifndef MPJ_HOOKS_H
#define MPJ_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

#include "mpj_rt.h"

struct mpj_prof_rec;
struct mpj_fault;
struct mpj_error_rec;

/* The profile's part of a thread, which may be used again for another thread after its exit. */
struct mpj_hook_thread {
    uint32_t id;
    struct mpj_prof_rec *rec; /* NULL: no room, or no accounting */
    uint64_t woken;           /* ticks: end of its wait; its waker writes this and `ready` only */
    bool ready;               /* woken, and not resumed yet */
    volatile bool settles;    /* mpj_hook_stay() or mpj_hook_settle() follows */
};

/* ---- threads: the profiler. IRQ masked and, unless said otherwise, the scheduler's lock held ----
 */

/* A thread is made: it is ready from now on. entry: address of its function. */
void mpj_hook_thread_init(struct mpj_hook_thread *p, uint32_t id, uint32_t parent,
                          const void *entry);
/* The thread ends at its next switch. */
void mpj_hook_thread_exit(struct mpj_hook_thread *p);
/* The program names the thread; the first 15 bytes are kept. */
void mpj_hook_thread_name(struct mpj_hook_thread *p, const char *name);
/* The core goes from one thread to another; NULL: idle or kernel, not both. Writes the core's
 * software context (CONTEXTIDR), too. A thread that leaves the core waits if mpj_hook_wait_begin()
 * was called for it, and is ready otherwise. */
void mpj_hook_switch(unsigned core, struct mpj_hook_thread *from, struct mpj_hook_thread *to);
/* The thread will wait, or waits for something else from now on. */
void mpj_hook_wait_begin(struct mpj_hook_thread *p, const struct mpj_wait_info *info);
/* The wait is over; the thread has no core yet. */
void mpj_hook_wait_end(struct mpj_hook_thread *p);

/*
 * Spin-waiting threads, which wait without giving up the core: their time is that of a wait, not of
 * a run, and the core is not at work; what is counted meanwhile is theirs. Called on the thread's
 * core, IRQ masked until the thread resumes or leaves the core, lock not held.
 */

/* After mpj_hook_wait_begin(): the thread keeps its core. It may be woken meanwhile, which
 * mpj_hook_wait_end() is not called for. `settles` was set before the lock was released. */
void mpj_hook_stay(unsigned core, struct mpj_hook_thread *p);
/* The thread has polled memory since the cycle counter was `since`; no other thread knows of it. */
void mpj_hook_spin(unsigned core, struct mpj_hook_thread *p, const struct mpj_wait_info *info,
                   uint32_t since);
/* The thread has waited for a while, so there is time to add up what was put off of its figures. If
 * other threads know that it waits, `settles` is set first, with the lock held. */
void mpj_hook_settle(unsigned core, struct mpj_hook_thread *p);
/* Settled and still waiting: adds up a little of the figures of all cores. Call now and then. */
void mpj_hook_more(unsigned core);
/* The wait is over, on the same core. */
void mpj_hook_resume(unsigned core, struct mpj_hook_thread *p);

/* ---- cores: the profiler. IRQ masked --------------------------------------------------------- */

/* The core begins to work for an interrupt or the scheduler. Does not nest. */
void mpj_hook_kernel_enter(unsigned core);
/* The core returns to its thread. */
void mpj_hook_kernel_leave(unsigned core);
/* An idle core sleeps: hal_wfi() with accounting. Returns masked. */
void mpj_hook_wfi(void);

/* ---- parallel regions: the profiler. Thread context -------------------------------------------
 */

/* A thread enters its part of a parallel region. region: address of the construct's outlined body,
 * which names the construct however often its caller was inlined; team: serial number of this
 * execution, the same for all its threads; num: thread number in the team; size: threads in it. */
void mpj_hook_region_begin(const void *region, uint32_t team, unsigned num, unsigned size);
/* The thread leaves it, the implicit barrier at the end included, whose waits are of kind
 * MPJ_WAIT_OMP_BARRIER with region as their caller. caller: address in the program behind the call
 * that forked. */
void mpj_hook_region_end(const void *region, uint32_t team, unsigned num, const void *caller);

/* ---- faults and the end: session and run ------------------------------------------------------
 */

/* Whether a host has started the session, so that faults can be reported to it. Any context, also
 * before .bss is zeroed. */
bool mpj_hook_host_listens(void);
/* Reports a fault, ends the session and resets. From the fault handler, other cores stopped. */
_Noreturn void mpj_hook_fault(const struct mpj_fault *f);
/* The same for an error of ours. */
_Noreturn void mpj_hook_error(const struct mpj_error_rec *e);
/* The measured run ends here, for want of a thread that could go on. Thread context of an idle
 * core; does nothing if the run has ended. */
void mpj_hook_run_end(void);

#endif
