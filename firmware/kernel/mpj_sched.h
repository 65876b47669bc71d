/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The scheduler: threads on the cores of the run, preemptive and tickless.
 *
 * One queue of ready threads for all cores (runq.h), one lock for everything, taken with IRQ
 * masked. A thread gives its core away by a supervisor call, or loses it in an interrupt; either
 * way its frame is on its own stack and the switch is made on the core's Supervisor stack. The
 * private timer of each core is the scheduler's. It runs only while a thread waits for that core,
 * or a deadline is pending: a core with one thread is never interrupted.
 *
 * Functions named _locked require the lock (mpj_sched_lock()); callers of the others must not hold
 * it.
 */
#ifndef MPJ_SCHED_H
#define MPJ_SCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hal_cpu.h"
#include "hal_sys.h"
#include "mpj_hooks.h"
#include "mpj_irq.h"
#include "mpj_layout.h"
#include "mpj_lock.h"
#include "mpj_rt.h"
#include "runq.h"
#include "stacks.h"
#include "timeq.h"
#include "waitq.h"

#define MPJ_THREADS_MAX  2047U /* at a time, main included; 12 bits with room for 0 */
#define MPJ_THREAD_NAME  16U
#define MPJ_PRIORITY_MAX (MPJ_PRIORITIES - 1U)
#define MPJ_SLICE_TICKS  (HAL_SYS_TIME_HZ / 250U) /* 4 ms, unless mpj_sched_slice() */
#define MPJ_NEVER        UINT64_MAX
#define MPJ_READ_HELD    8U

/* Address of newlib's _impure_ptr: in a page of its own for every core (pthread/reent.c). */
#define MPJ_PERCORE_REENT ((void *volatile *)MPJ_CORE_PAGE)

enum mpj_thread_state {
    MPJ_THREAD_FREE = 0, /* slot without a thread, or one being made */
    MPJ_THREAD_READY,
    MPJ_THREAD_RUNNING,
    MPJ_THREAD_BLOCKED,
    MPJ_THREAD_DEAD, /* waits to be joined */
};

/* The pthread layer's (pthread/signals.c): sets have a bit for each signal. */
struct mpj_thread_signals {
    uint64_t blocked, pending;
    uint64_t waits_for;          /* it is in sigwait() */
    void *queue;                 /* what is known of those pending, first come first */
    uint32_t handled;            /* handlers that have run in it */
    uint32_t broken;             /* those of them that do not let a wait go on */
    uintptr_t stack, stack_size; /* sigaltstack(); 0: none */
    bool leaves;                 /* about to end: takes no more */
};

struct mpj_thread {
    struct mpj_vfp vfp;
    struct mpj_context *frame; /* while it does not run */
    void *tls;
    void *reent; /* newlib's struct _reent */
    uint32_t id; /* 0: an idle thread */
    uint16_t slot;
    uint16_t generation; /* of the slot */
    uint8_t state;
    uint8_t core;        /* where it runs, or last ran */
    bool slices;         /* shares its priority by time slices */
    volatile bool spins; /* blocked, but still on its core, polling */
    bool detached;
    bool buried;                          /* dead and off its stack */
    uint16_t read_locks;                  /* it holds rwlocks to read */
    const void *read_held[MPJ_READ_HELD]; /* the first of them */
    /* Waiting. */
    struct mpj_runq_node run;
    struct mpj_waitq_node wait;
    struct mpj_timeq_node time;
    struct mpj_wait_info info;
    int result;
    bool spin_over; /* mpj_spin_us() has lasted long enough */
    bool alone;     /* main, until the program makes a second thread; never again then */
    /* To run in its context as soon as it may be interrupted; NULL: nothing. */
    void (*volatile interrupt)(void);
    volatile uint32_t hold; /* not interrupted meanwhile: mpj_thread_hold() */
    void *aux;              /* of who made it wait: a condition's mutex */
    /* Ends. */
    struct mpj_thread *joiner, *joining;
    void *value;
    /* Cancellation. */
    bool cancel_pending, cancel_off, cancel_point;
    uint8_t cancel_type;
    /* Memory. */
    uintptr_t stack; /* lowest usable byte; 0: not ours to give back */
    uintptr_t stack_low, stack_high;
    /* The pthread layer's. */
    void *(*entry)(void *arg);
    void *arg;
    void *cleanup;
    void *keys; /* room for thread-specific data */
    bool keys_used;
    int policy;
    struct mpj_thread_signals signals;
    char name[MPJ_THREAD_NAME];
    struct mpj_thread *next_free;
    struct mpj_hook_thread prof;
};

/* ---- start and end: core 0 ------------------------------------------------------ */

/* Makes the caller main's thread. cores: mask of the cores that run threads. */
void mpj_sched_init(uint32_t cores);
/* Sets another time slice than MPJ_SLICE_TICKS, in ticks; 0: a thread keeps its core until it
 * blocks. Before there are threads. */
void mpj_sched_slice(uint32_t ticks);
/* Returns the time slice; 0: there is none. */
uint32_t mpj_sched_slice_ticks(void);
/* Lets threads run on every core. */
void mpj_sched_begin(void);
/* Stops the other cores, which stay idle; the caller keeps its core, and no thread can wait from
 * now on. Thread context, any core. Does nothing the second time. */
void mpj_sched_freeze(void);
/* Sleeps until there is a thread to run, for ever. Thread context of a core's own stack. */
_Noreturn void mpj_sched_idle(void);
/* Returns true from mpj_sched_begin() to mpj_sched_freeze(), in a thread. */
bool mpj_sched_can_wait(void);

/* ---- threads ---------------------------------------------------------------------- */

/* Returns the calling thread; the core's idle thread outside of threads. */
static inline struct mpj_thread *mpj_thread_self(void)
{
    return hal_cpu_self();
}

/* Takes a slot for the thread *t (memory that lives until the slot is given back), and gives it
 * id, handle fields, name and a wait state. Returns false when there are too many. */
bool mpj_thread_register(struct mpj_thread *t, const void *entry);
/* Undoes mpj_thread_register(). */
void mpj_thread_unregister_locked(struct mpj_thread *t);
/* Builds the first frame of a thread: fn(t) on the stack that ends at `top`. */
void mpj_thread_frame(struct mpj_thread *t, uintptr_t top, void (*fn)(struct mpj_thread *t));
/* Paints the stack of a thread (paint.h), if the profile accounts for it, before its first frame is
 * built. last: the thread that had the stack before. */
void mpj_thread_paint(struct mpj_thread *t, const struct mpj_stack_note *last);
/* Reports the depth of the stacks of all threads to the profile (hook stack_used), also of those
 * that have ended. After the run. */
void mpj_thread_stacks_seen(void);
/* Makes a new thread ready to run. */
void mpj_thread_start(struct mpj_thread *t);
/* Ends the calling thread. Its joiner is woken, a detached one is released by
 * mpj_thread_reclaim_locked(), both when it has left its stack. */
_Noreturn void mpj_thread_end(void);
/* Gives stack and slot back; the memory of *t to the list that mpj_thread_memory() takes from. */
void mpj_thread_reclaim_locked(struct mpj_thread *t);
/* Returns memory for a thread: that of a released one, with its old contents, or new; NULL: none
 * left. */
struct mpj_thread *mpj_thread_memory(void);
/* Gives back memory of mpj_thread_memory() that did not become a thread. */
void mpj_thread_forget(struct mpj_thread *t);
/* Returns the thread of a slot (mutexes keep slot + 1 as owner); NULL: none. */
struct mpj_thread *mpj_thread_by_slot(unsigned slot);
/* Returns how many threads have begun and not left their stacks: at least those that are neither
 * FREE nor DEAD. Scheduler's lock held. */
unsigned mpj_thread_live_locked(void);
/* Returns the id of the thread that a mutex keeps as owner; 0 for none. Any context. */
uint32_t mpj_thread_owner_id(unsigned slot_plus_1);
/* Changes a thread's priority, affinity or policy, and moves it to another core if it must. */
void mpj_thread_set(struct mpj_thread *t, unsigned priority, uint32_t affinity, bool slices);

/* ---- interrupting a thread ------------------------------------------------------------ */

/*
 * Calls fn(), which takes no locks that code of t holds, in the context of t: where it runs on any
 * core at once, where it waits after its wait has returned -EINTR, else when it gets a core. The
 * interrupted code finds all its registers as before; fn may also not return. Not while t has IRQ
 * masked or holds interruptions off. One request at a time: a second before the call replaces it.
 * Not for the calling thread, which calls fn itself. Lock held.
 */
void mpj_thread_interrupt_locked(struct mpj_thread *t, void (*fn)(void));
/* Calls the function that interrupts the calling thread, if one is requested and the thread does
 * not hold interruptions off. IRQ unmasked. */
void mpj_thread_poll(void);
/* Runs the program's handler for a signal that an instruction of the calling thread causes (code:
 * its si_code), and returns true; false when there is no handler, or the thread blocks the signal,
 * which is the end of the program. Weak (pthread/signals.c): absent from programs without signals.
 * Thread context. */
__attribute__((weak)) bool mpj_thread_trap(int sig, int code);
/* Notifies the program as the event requests: sends the signal with this si_code, or calls the
 * function in a thread of its own. Thread context, no lock held. */
struct sigevent;
void mpj_thread_tell(const struct sigevent *event, int code);
/* Gives back what the C library holds for the calling thread, which ends, cancelled in a function
 * of the program that a stream calls, say. Weak (libc/libc_lock.c). Thread context, handlers held
 * off. */
__attribute__((weak)) void mpj_thread_leaves(void);
/* Holds interruptions of the calling thread off until mpj_thread_release(); nests. Needed around
 * locks that a signal handler might take, too. */
static inline void mpj_thread_hold(void)
{
    mpj_thread_self()->hold++;
}
static inline void mpj_thread_release(void)
{
    struct mpj_thread *self = mpj_thread_self();

    if (--self->hold == 0 && self->interrupt != NULL)
        mpj_thread_poll();
}

/* ---- waiting ------------------------------------------------------------------------ */

/*
 * Blocks the caller, which is in the wait queue or otherwise known to the later caller of
 * mpj_sched_wake_locked(): gives its core away until it is woken, or until the deadline (ticks,
 * MPJ_NEVER). Takes over the lock; returns without it, IRQ masked, the waker's result, or
 * -ETIMEDOUT, or -ECANCELED when `cancel` and the thread is cancelled, or -EINTR when it is to be
 * interrupted: the caller then calls mpj_thread_poll() with IRQ unmasked, and waits again if its
 * wait continues. The thread is in no queue then.
 */
int mpj_sched_block_locked(const struct mpj_wait_info *info, uint64_t deadline, bool cancel);
/* Makes a blocked thread ready, out of whatever queue it is in; its wait returns `result`. Any
 * context. */
void mpj_sched_wake_locked(struct mpj_thread *t, int result);
/* Lets a blocked thread wait for another object from now on (a waiter of a condition for the
 * mutex), without a deadline. */
void mpj_sched_rename_wait_locked(struct mpj_thread *t, const struct mpj_wait_info *info);
/* Returns the time (ticks) of the present section under the lock: read once, as a read takes as
 * long as 90 other instructions. */
uint64_t mpj_sched_now_locked(void);
/* Returns the wait queue. */
struct mpj_waitq *mpj_sched_waitq(void);
/* Returns the ticks of an absolute mpj_time_ns(), rounded up. */
uint64_t mpj_sched_ticks(uint64_t ns);
/* Returns the thread of a node in the wait queue. */
static inline struct mpj_thread *mpj_thread_of_wait(struct mpj_waitq_node *n)
{
    return MPJ_LIST_ENTRY(n, struct mpj_thread, wait);
}

/* ---- memory (mem.c) -------------------------------------------------------------------- */

/* Moves the heap's end, which stacks limit from above: sbrk(). (void *)-1 when there is no room. */
void *mpj_mem_sbrk(intptr_t by);
/* Returns the bytes of the heap, and how many it could have with the stacks there are. */
void mpj_mem_use(size_t *used, size_t *limit);
/* Paints main's stack, which the caller is on, and makes those of the first threads ready
 * (paint.h). First of all, before anything depends on the host. IRQ masked. */
void mpj_mem_open(void);
/* Paints what the session's begin used of main's stack, which is not main's use. When main has a
 * record. */
void mpj_mem_paint_main(void);
/* Returns the heap's size in bytes, now and at most, and how large it could be with the stacks
 * there are. Any context, also while another core changes it. */
void mpj_mem_heap(uint32_t *now, uint32_t *peak, uint32_t *room);
/* Takes a stack of at least *bytes above a guard and returns its lowest usable address; writes back
 * the size, and to *last which thread had it. 0: no memory is left. */
uintptr_t mpj_mem_stack_get(uint32_t *bytes, struct mpj_stack_note *last);
/* Gives back a stack, which had that note. */
void mpj_mem_stack_put(uintptr_t usable, const struct mpj_stack_note *last);
/* Reports the depth of a stack to the profile (hook stack_used), in bytes, and returns it; 0: no
 * thread's, or not painted. quick: as in mpj_paint_depth(). Thread context. */
uint32_t mpj_mem_stack_seen(const struct mpj_stack_note *note, bool quick);
/* Reports the depth of all stacks whose threads have ended. Nothing else runs. */
void mpj_mem_stacks_seen(void);

/* ---- memory that is executed (execute.c) ---------------------------------------------------- */

/* Allows or forbids to execute the pages of [first, end): data memory (heap, static data, stacks)
 * in pages of 4 KB; false where it is none. On all cores at once. Thread context, IRQ unmasked. */
bool mpj_mem_execute(uintptr_t first, uintptr_t end, bool allow);
/* Makes every core execute what has been written to [first, end), on whichever core that was.
 * Thread context, IRQ unmasked. */
void mpj_mem_code_written(uintptr_t first, uintptr_t end);

/* ---- all threads wait (deadlock.c) -------------------------------------------------------- */

/* Reports that all threads wait, and ends the run. Thread context of an idle core. */
_Noreturn void mpj_sched_deadlock(void);
/* Returns the id of a thread, if possible another than `waiter`, that holds a rwlock; 0: unknown.
 * Weak; the one here knows of none, pthread/rwlock.c has another. No thread runs. */
uint32_t mpj_sched_rwlock_holder(const void *lock, uint32_t waiter);

#endif
