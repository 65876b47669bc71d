/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal interface of the pthread layer's files. */
#ifndef MPJ_PT_INT_H
#define MPJ_PT_INT_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "mpj_sched.h"

#define PT_STACK_DEFAULT (1024U * 1024U)
#define PT_GUARD_DEFAULT 4096U
/* Limits that the GNU C library has no macro for; sysconf() returns them. */
#define PT_TIMER_MAX    256
#define PT_SIGQUEUE_MAX 256
#define PT_CALLER()     __builtin_return_address(0)

/* Distinguishes the waiters of one object: addresses of words have two spare bits. */
#define PT_KEY(object, n) ((uintptr_t)(object) + (n))

struct pt_key_value {
    void *value;
    uint32_t serial; /* of the key that the value was set for */
};

/* Returns the thread of a handle; NULL: there is none, or it has ended. Lock held. */
struct mpj_thread *pt_find_locked(pthread_t handle);
/* Returns the handle of a thread. */
pthread_t pt_handle(const struct mpj_thread *t);

/* True if the attributes are initialised. */
bool pt_attr_ok(const pthread_attr_t *attr);
/* Returns the cores that the attributes name, beyond the fields of the C library's type;
 * `otherwise` if they name none. */
uint32_t pt_attr_affinity(const pthread_attr_t *attr, uint32_t otherwise);
/* Sets the cores that the attributes name. */
void pt_attr_set_affinity(pthread_attr_t *attr, uint32_t mask);
/* Returns the cores of the run, a bit each. */
uint32_t pt_cores(void);

/* Converts an absolute time of a clock to a deadline in ticks. Returns 0 or EINVAL. */
int pt_deadline(clockid_t clock, const struct timespec *abstime, uint64_t *ticks);

/* Reads a clock in nanoseconds; false: there is no such clock, or its thread has ended. */
bool pt_clock_ns(clockid_t clock, uint64_t *ns);
/* Returns how many cores may add to a processor-time clock at once; 0: it is not such a clock. */
unsigned pt_clock_processors(clockid_t clock);
/* Returns the processor-time clock of a thread; it stays that thread's when others reuse its
 * slot. */
clockid_t pt_clock_of(const struct mpj_thread *t);

/* Sets and reads a timer of setitimer() (timers.c); value and old may be NULL. Returns 0 or
 * EAGAIN. */
struct itimerspec;
int pt_itimer(int which, const struct itimerspec *value, struct itimerspec *old);

/* Locks a mutex of any type; carrier: the caller was woken as the mutex's waiter, and others may
 * still wait. Returns an errno number. */
int pt_mutex_lock(pthread_mutex_t *mutex, uint64_t deadline, bool carrier, const void *caller);
/* Unlocks a mutex that the caller holds, whatever its lock count; returns the argument of
 * pt_mutex_restore(). Lock held. */
uint32_t pt_mutex_drop_locked(pthread_mutex_t *mutex);
/* Restores the lock count of a mutex that the caller has locked again. */
void pt_mutex_restore(pthread_mutex_t *mutex, uint32_t dropped);
/* Appends t, which waits for nothing at the moment, to the mutex's waiters. always: even if the
 * mutex is free, because a carrier is on its way; otherwise returns false for a free mutex. Lock
 * held. */
bool pt_mutex_requeue_locked(pthread_mutex_t *mutex, struct mpj_thread *t, bool always);
/* Returns EPERM if the mutex records its owner and the caller is not the owner; else 0. */
int pt_mutex_check(const pthread_mutex_t *mutex);

/*
 * Mutexes with a priority ceiling, and robust ones (mutex_special.c, linked only where their
 * attributes are set), have a record of their own, whose number is in the word.
 */
#define PT_SPECIAL      (3U << 29)
#define PT_MUTEX_STATIC 0xffffffffU /* the C library's static initialiser, a free normal mutex */
static inline bool pt_is_special(uint32_t word)
{
    return (word & PT_SPECIAL) == PT_SPECIAL && word != PT_MUTEX_STATIC;
}
/* True for robust mutexes: kept in attr->recursive, which newlib does not use. */
static inline bool pt_attr_robust(const pthread_mutexattr_t *attr)
{
    return attr->recursive == PTHREAD_MUTEX_ROBUST;
}
/* Initialises a special mutex. Returns 0 or ENOMEM. */
__attribute__((weak)) int pt_special_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attr);
__attribute__((weak)) void pt_special_destroy(pthread_mutex_t *mutex);
/* Tries to lock, as pthread_mutex_trylock(), but may return EDEADLK; carrier as above. */
__attribute__((weak)) int pt_special_try(pthread_mutex_t *mutex, bool carrier);
/* Unlocks a special mutex; the caller is its owner. */
__attribute__((weak)) int pt_special_unlock(pthread_mutex_t *mutex);
/* Gives up the caller's ownership except for the word; returns the argument of
 * pt_special_restore(). */
__attribute__((weak)) uint32_t pt_special_drop_locked(pthread_mutex_t *mutex);
__attribute__((weak)) void pt_special_restore(pthread_mutex_t *mutex, uint32_t dropped);
/* Passes on the robust mutexes that the calling thread holds, as it ends. */
__attribute__((weak)) void pt_special_leave(void);
/* Returns the priority of a thread without ceilings. Lock held. */
__attribute__((weak)) unsigned pt_special_base_locked(const struct mpj_thread *t);
/* Sets the priority of a thread without ceilings; returns the priority that results with them. Lock
 * held. */
__attribute__((weak)) unsigned pt_special_rebase_locked(const struct mpj_thread *t, unsigned base);

/* True for a value of PTHREAD_PROCESS_... */
static inline bool pt_shared_ok(int shared)
{
    return shared == PTHREAD_PROCESS_PRIVATE || shared == PTHREAD_PROCESS_SHARED;
}

/* Runs the destructors of the calling thread's keys. */
void pt_keys_run(struct mpj_thread *t);

/* Handles the thread's signals and its cancellation: mpj_thread_interrupt_locked() has a thread
 * call this. */
void pt_interrupted(void);
/* Runs the handlers of the signals that are pending for the calling thread. Weak: absent from
 * programs without signals. */
__attribute__((weak)) void pt_signals_deliver(void);
/* Stops the delivery of signals to the calling thread. Weak, as pt_signals_deliver(). */
__attribute__((weak)) void pt_signals_leave(void);

struct _reent;
/* Initialises a thread's state of the C library, before the thread runs. */
void pt_reent_init(struct _reent *r);
/* Frees the thread's state of the C library; called by the thread itself, at its end. */
void pt_reent_exit(struct mpj_thread *t);

/* Creates a thread of the runtime: as pthread_create(), but with the stack and the cores of the
 * caller's choice. */
int pt_create(struct mpj_thread **out, const pthread_attr_t *attr, void *(*fn)(void *arg),
              void *arg);

#endif
