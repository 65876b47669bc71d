/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Locks for the state that the C library shares between threads. newlib is built for one thread:
 * its heap, environment and time zone call lock functions that are defined here; its streams call
 * none, so that stdio_*.c come between the program and them (__wrap_, private_names.py).
 */
#include <errno.h>
#include <reent.h>
#include <stdlib.h>

#include "mpj.h"
#include "mpj_at_start.h"
#include "mpj_rt.h"
#include "mpj_sched.h"
#include "rlock.h"

#define EXIT_PATIENCE_NS 100000000U

#define CALLER()         __builtin_return_address(0)

/* newlib's functions that its headers do not declare. */
void __malloc_lock(struct _reent *r);
void __malloc_unlock(struct _reent *r);
void __env_lock(struct _reent *r);
void __env_unlock(struct _reent *r);
void __libc_fini_array(void);
void __tz_lock(void);
void __tz_unlock(void);
/* __fdlib_version selects if mathematical functions set errno: an enumeration of one byte, as
 * newlib was compiled. newlib 4 always sets errno and has no such variable, nor has a program
 * without mathematics. */
#define MATH_POSIX 0
extern signed char __fdlib_version __attribute__((weak));

struct mpj_rlock mpj_stdio_lock;
static struct mpj_rlock malloc_lock, env_lock, tz_lock;

static inline bool quick(struct mpj_rlock *l, struct mpj_thread *self)
{
    uint32_t free_word = 0;

    if (l->owner == self) {
        l->depth++;
        return true;
    }
    self->hold++;
    if (self->alone) {
        l->word = 1U;
    } else if (!__atomic_compare_exchange_n(&l->word, &free_word, 1U, false, __ATOMIC_ACQUIRE,
                                            __ATOMIC_RELAXED)) {
        mpj_thread_release();
        return false;
    }
    l->owner = self;
    return true;
}

bool mpj_rlock_try(struct mpj_rlock *l)
{
    return quick(l, mpj_thread_self()) || !mpj_sched_can_wait();
}

/* Takes the lock, marking it as having waiters. */
static bool take_contended(struct mpj_rlock *l)
{
    mpj_thread_hold();
    if (__atomic_exchange_n(&l->word, 2U, __ATOMIC_ACQUIRE) == 0)
        return true;
    mpj_thread_release();
    return false;
}

bool mpj_rlock_take_until(struct mpj_rlock *l, uint64_t deadline_ns, const void *caller)
{
    struct mpj_wait_info info = {.kind = MPJ_WAIT_MUTEX, .object = l, .caller = caller};

    if (mpj_rlock_try(l))
        return true;
    while (!take_contended(l)) {
        const struct mpj_thread *const owner = l->owner;

        info.owner = owner != NULL ? owner->id : 0;
        if (mpj_rt_wait(&l->word, 2U, &info, deadline_ns) == -ETIMEDOUT)
            return false;
        if (!mpj_sched_can_wait())
            return true; /* frozen during the wait: the holder never runs again */
    }
    l->owner = mpj_thread_self();
    return true;
}

void mpj_rlock_take(struct mpj_rlock *l, const void *caller)
{
    if (!quick(l, mpj_thread_self()))
        (void)mpj_rlock_take_until(l, UINT64_MAX, caller);
}

/* Wakes a waiter, as threads may be waiting for the lock. */
void mpj_brief_wake(struct mpj_rlock *l)
{
    if (mpj_sched_can_wait())
        (void)mpj_rt_wake(&l->word, 1);
    mpj_thread_release();
}

int mpj_brief_waking(int result, struct mpj_rlock *l)
{
    mpj_brief_wake(l);
    return result;
}

int mpj_brief_polled(int result)
{
    mpj_thread_poll();
    return result;
}

void mpj_rlock_give(struct mpj_rlock *l)
{
    struct mpj_thread *const self = mpj_thread_self();

    if (l->owner != self)
        return; /* was not taken because the scheduler is frozen */
    if (l->depth > 0) {
        l->depth--;
        return;
    }
    l->owner = NULL;
    if (self->alone)
        l->word = 0;
    else if (__atomic_exchange_n(&l->word, 0U, __ATOMIC_RELEASE) == 2U) {
        mpj_brief_wake(l);
        return;
    }
    mpj_thread_release();
}

void __malloc_lock(struct _reent *r)
{
    (void)r;
    mpj_rlock_take(&malloc_lock, CALLER());
}

void __malloc_unlock(struct _reent *r)
{
    (void)r;
    mpj_rlock_give(&malloc_lock);
}

void __env_lock(struct _reent *r)
{
    (void)r;
    mpj_rlock_take(&env_lock, CALLER());
}

void __env_unlock(struct _reent *r)
{
    (void)r;
    mpj_rlock_give(&env_lock);
}

void __tz_lock(void)
{
    mpj_rlock_take(&tz_lock, CALLER());
}

void __tz_unlock(void)
{
    mpj_rlock_give(&tz_lock);
}

/* Releases the streams' lock if the calling thread, which ends, holds it. All other locks are held
 * only while no code of the program is called. */
void mpj_thread_leaves(void)
{
    if (mpj_stdio_lock.owner != mpj_thread_self())
        return;
    mpj_stdio_lock.depth = 0;
    mpj_rlock_give(&mpj_stdio_lock);
}

/* Runs after all functions that the program registered: the library is about to flush its streams
 * without a lock. Waits for the lock's holder to finish, but only up to EXIT_PATIENCE_NS: a holder
 * that waits for the exiting thread must not block the end. */
static void at_exit(void)
{
    (void)mpj_rlock_take_until(&mpj_stdio_lock, mpj_time_ns() + EXIT_PATIENCE_NS, NULL);
}

/* Runs before any constructor of the program, so that destructors run after all functions that the
 * program registers. */
static void at_start(void)
{
    (void)atexit(at_exit);
    (void)atexit(__libc_fini_array);
    if (&__fdlib_version != NULL)
        __fdlib_version = MATH_POSIX; /* as math_errhandling promises */
}

MPJ_AT_START(at_start);
