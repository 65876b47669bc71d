/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lock of the C library's own data: recursive, its waiters sleep. While a thread holds it, it
 * is neither interrupted by signal handlers, which may need the same data, nor cancelled. Thread
 * context only.
 *
 * Until the program creates a second thread the word is written without LDREX, STREX and barriers;
 * the values are the same, so that the first thread may hold a lock while it creates the second.
 * After the scheduler is frozen there is one thread of control: it does not wait for a lock, since
 * the holder never runs again, but continues without it.
 */
#ifndef MPJ_RLOCK_H
#define MPJ_RLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "mpj_sched.h"

/* A lock; all zero: free. */
struct mpj_rlock {
    volatile uint32_t word; /* 0: free, 1: taken, 2: taken, threads may be waiting */
    struct mpj_thread *volatile owner;
    uint32_t depth;
};

/* Takes the lock; the profile shows a wait as one for a mutex, at `caller` in the program. */
void mpj_rlock_take(struct mpj_rlock *l, const void *caller);
/* Takes the lock unless an absolute mpj_time_ns() passes first; false: not taken. */
bool mpj_rlock_take_until(struct mpj_rlock *l, uint64_t deadline_ns, const void *caller);
/* Takes the lock if that needs no waiting. */
bool mpj_rlock_try(struct mpj_rlock *l);
/* Releases the lock, once for every time it was taken. */
void mpj_rlock_give(struct mpj_rlock *l);

/*
 * Replaces take and give around a few instructions that call nothing, such as those for a byte of a
 * stream. A thread that is alone needs none of this: there is no other thread, and its handlers run
 * only where it sends itself a signal. Other threads call mpj_brief_hold(), which holds back
 * handlers, and mpj_brief_take(), and if that returned true mpj_brief_untake() at the end. When
 * that returns true as well, mpj_brief_wake() completes it; else mpj_brief_release(), which returns
 * true when mpj_thread_poll() is due. hold: self->hold as it was before.
 */
static inline void mpj_brief_hold(struct mpj_thread *self, uint32_t hold)
{
    self->hold = hold + 1U;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static inline bool mpj_brief_release(struct mpj_thread *self, uint32_t hold)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    self->hold = hold;
    return __builtin_expect(self->interrupt != NULL, 0);
}

static inline bool mpj_brief_take(struct mpj_rlock *l, struct mpj_thread *self)
{
    uint32_t free_word = 0;

    if (!__atomic_compare_exchange_n(&l->word, &free_word, 1U, true, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED))
        return false;
    l->owner = self;
    return true;
}

static inline bool mpj_brief_untake(struct mpj_rlock *l)
{
    l->owner = NULL;
    return __builtin_expect(__atomic_exchange_n(&l->word, 0U, __ATOMIC_RELEASE) == 2U, 0);
}

void mpj_brief_wake(struct mpj_rlock *l);
/* Call mpj_brief_wake() and mpj_thread_poll() and return `result`, for use as a tail call. */
int mpj_brief_waking(int result, struct mpj_rlock *l);
int mpj_brief_polled(int result);

/* Returns the value, without a conditional return instruction of the compiler: the processor does
 * not predict such a return. */
static inline int mpj_brief_result(int value)
{
    __asm__ volatile("" : "+r"(value));
    return value;
}

/* Guards all streams: they flush each other's buffers and share one line to the host. */
extern struct mpj_rlock mpj_stdio_lock;

#endif
