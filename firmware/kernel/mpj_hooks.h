/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Callbacks from the kernel to the layers above it: the profiler, the session with the host, the
 * run. The kernel knows none of them; run/ fills in the one struct below, at link time. hooks.c has
 * a weak one whose functions do nothing, for an image without those layers.
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
    volatile bool settles;    /* stay() or settle() follows */
};

/* Nothing here may be NULL. The first eight are one line of the cache: a switch needs no more. */
struct mpj_hooks {
    /* ---- cores: IRQ masked ---- */

    /* Notes that the core begins to work for an interrupt or the scheduler. Does not nest. */
    void (*kernel_enter)(unsigned core);
    /* Notes that the core returns to its thread. */
    void (*kernel_leave)(unsigned core);

    /* ---- threads: IRQ masked and, unless said otherwise, the scheduler's lock held ---- */

    /* Notes that the core goes from one thread to another; NULL: idle or kernel, not both. Writes
     * the core's software context (CONTEXTIDR), too. A thread that leaves the core waits if
     * wait_begin() was called for it, and is ready otherwise. */
    void (*switch_to)(unsigned core, struct mpj_hook_thread *from, struct mpj_hook_thread *to);
    /* Notes that the thread will wait, or waits for something else from now on. */
    void (*wait_begin)(struct mpj_hook_thread *p, const struct mpj_wait_info *info);
    /* Notes that the wait is over; the thread has no core yet. */
    void (*wait_end)(struct mpj_hook_thread *p);

    /*
     * Spin-waiting threads, which wait without giving up the core: their time is that of a wait,
     * not of a run, and the core is not busy; what is counted meanwhile is theirs. Called on the
     * thread's core until it resumes or leaves the core, lock not held.
     */

    /* Notes that the thread has polled memory since the cycle counter was `since`; no other thread
     * knows. */
    void (*spin)(unsigned core, struct mpj_hook_thread *p, const struct mpj_wait_info *info,
                 uint32_t since);
    /* Adds up deferred figures of the thread, which has waited for a while, so there is time. If
     * other threads know that it waits, `settles` is set first, with the lock held. */
    void (*settle)(unsigned core, struct mpj_hook_thread *p);
    /* Notes that the wait is over, on the same core. */
    void (*resume)(unsigned core, struct mpj_hook_thread *p);
    /* Notes, after wait_begin(), that the thread keeps its core. Another thread may wake it
     * meanwhile, without a call of wait_end(). `settles` was set before the lock was released. */
    void (*stay)(unsigned core, struct mpj_hook_thread *p);
    /* Adds up a little of the figures of all cores, while a settled thread still waits. Now and
     * then. */
    void (*more)(unsigned core);

    /* Notes a new thread, which is ready from now on. entry: address of its function. */
    void (*thread_init)(struct mpj_hook_thread *p, uint32_t id, uint32_t parent, const void *entry);
    /* Notes that the thread ends at its next switch. */
    void (*thread_exit)(struct mpj_hook_thread *p);
    /* Notes the name that the program gives the thread; the first 15 bytes are kept. */
    void (*thread_name)(struct mpj_hook_thread *p, const char *name);

    /* Notes how many bytes of a stack were used, by the thread that had this record
     * (mpj_hook_thread.rec), as paint.h knows it. Once, when its stack goes to another thread or
     * the run is over; any context. */
    void (*stack_used)(struct mpj_prof_rec *rec, uint32_t bytes, uint32_t used);

    /* Lets an idle core sleep: hal_wfi() with accounting. IRQ masked, lock not held. */
    void (*wfi)(void);

    /* ---- parallel regions: thread context ---- */

    /* Notes that a thread enters its part of a parallel region. region: address of the construct's
     * outlined body, which names the construct however often its caller was inlined; team: serial
     * number of this execution, the same for all its threads; num: thread number in the team; size:
     * threads in it. */
    void (*region_begin)(const void *region, uint32_t team, unsigned num, unsigned size);
    /* Notes that the thread leaves it, after the implicit barrier at the end, whose waits are of
     * kind MPJ_WAIT_OMP_BARRIER with region as their caller. caller: address in the program after
     * the call that forked. */
    void (*region_end)(const void *region, uint32_t team, unsigned num, const void *caller);

    /* ---- faults and the end ---- */

    /* Returns true if a host has started the session, so that faults can be reported to it. Any
     * context, also before .bss is zeroed. */
    bool (*host_listens)(void);
    /* Reports a fault, ends the session and resets. From the fault handler, other cores stopped. */
    __attribute__((noreturn)) void (*fault)(const struct mpj_fault *f);
    /* Reports an error of the runtime, ends the session and resets. Context as fault(). */
    __attribute__((noreturn)) void (*error)(const struct mpj_error_rec *e);
    /* Ends the measured run: no thread can ever run again. Thread context of an idle core; does
     * nothing if the run has ended. */
    void (*run_end)(void);
};

extern const struct mpj_hooks mpj_hooks;

#endif
