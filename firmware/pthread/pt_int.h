/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of the pthread layer share. */
#ifndef MPJ_PT_INT_H
#define MPJ_PT_INT_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "mpj_sched.h"

#define PT_STACK_DEFAULT (1024U * 1024U)
#define PT_GUARD_DEFAULT 4096U
/* Limits that the GNU C library gives no macro for; sysconf() has them. */
#define PT_TIMER_MAX    256
#define PT_SIGQUEUE_MAX 256
#define PT_CALLER()     __builtin_return_address(0)

/* Waiters of one object for different things: addresses of words have two bits to spare. */
#define PT_KEY(object, n) ((uintptr_t)(object) + (n))

struct pt_key_value {
    void *value;
    uint32_t serial; /* of the key it was set for */
};

/* Thread of a handle; NULL: none, or no more. Lock held. */
struct mpj_thread *pt_find_locked(pthread_t handle);
/* Handle of a thread. */
pthread_t pt_handle(const struct mpj_thread *t);

/* Whether attributes were initialised. */
bool pt_attr_ok(const pthread_attr_t *attr);
/* Cores the attributes name, beyond the fields of the C library's type; `otherwise` if none. */
uint32_t pt_attr_affinity(const pthread_attr_t *attr, uint32_t otherwise);
/* Sets them. */
void pt_attr_set_affinity(pthread_attr_t *attr, uint32_t mask);
/* Cores of the run. */
uint32_t pt_cores(void);

/* The deadline in ticks of an absolute time of a clock. Returns 0 or EINVAL. */
int pt_deadline(clockid_t clock, const struct timespec *abstime, uint64_t *ticks);

/* Nanoseconds of a clock; false: there is none, or its thread has ended. */
bool pt_clock_ns(clockid_t clock, uint64_t *ns);
/* How many cores may add to a clock of processor time at once; 0: it is none. */
unsigned pt_clock_processors(clockid_t clock);
/* The processor time of a thread; stays its own when others follow in its slot. */
clockid_t pt_clock_of(const struct mpj_thread *t);

/* setitimer()'s timers (timers.c): NULL for what is not wanted. 0 or EAGAIN. */
struct itimerspec;
int pt_itimer(int which, const struct itimerspec *value, struct itimerspec *old);

/* Locks, whatever its type; carrier: the caller was woken as the mutex's waiter, others may be
 * left. Returns an errno number. */
int pt_mutex_lock(pthread_mutex_t *mutex, uint64_t deadline, bool carrier, const void *caller);
/* Unlocks a mutex the caller holds, however often; returns the argument of pt_mutex_restore(). Lock
 * held. */
uint32_t pt_mutex_drop_locked(pthread_mutex_t *mutex);
/* Holds it again, as often as before. */
void pt_mutex_restore(pthread_mutex_t *mutex, uint32_t dropped);
/* Puts t, which waits for nothing at the moment, behind the mutex's waiters. always: even if the
 * mutex is free, because a carrier is on its way; else returns false then. Lock held. */
bool pt_mutex_requeue_locked(pthread_mutex_t *mutex, struct mpj_thread *t, bool always);
/* EPERM when the mutex knows its owner and it is not the caller; else 0. */
int pt_mutex_check(const pthread_mutex_t *mutex);

/*
 * Mutexes with a priority ceiling, and robust ones (mutex_special.c, which is linked where their
 * attributes are set): they have a record of their own, whose number is in the word.
 */
#define PT_SPECIAL (3U << 29)
/* attr->recursive, which newlib's type has without a use. */
static inline bool pt_attr_robust(const pthread_mutexattr_t *attr)
{
    return attr->recursive == PTHREAD_MUTEX_ROBUST;
}
/* 0 or ENOMEM. */
__attribute__((weak)) int pt_special_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attr);
__attribute__((weak)) void pt_special_destroy(pthread_mutex_t *mutex);
/* As pthread_mutex_trylock(), EDEADLK included; carrier as above. */
__attribute__((weak)) int pt_special_try(pthread_mutex_t *mutex, bool carrier);
/* By its owner. */
__attribute__((weak)) int pt_special_unlock(pthread_mutex_t *mutex);
/* The caller, its owner, lets go of all but the word; returns what pt_special_restore() wants. */
__attribute__((weak)) uint32_t pt_special_drop_locked(pthread_mutex_t *mutex);
__attribute__((weak)) void pt_special_restore(pthread_mutex_t *mutex, uint32_t dropped);
/* The calling thread ends: robust mutexes it holds go to others. */
__attribute__((weak)) void pt_special_leave(void);
/* The priority of a thread apart from ceilings. Lock held. */
__attribute__((weak)) unsigned pt_special_base_locked(const struct mpj_thread *t);
/* Another one, which ceilings do not lower; returns the thread's then. Lock held. */
__attribute__((weak)) unsigned pt_special_rebase_locked(const struct mpj_thread *t, unsigned base);

/* A value of PTHREAD_PROCESS_... */
static inline bool pt_shared_ok(int shared)
{
    return shared == PTHREAD_PROCESS_PRIVATE || shared == PTHREAD_PROCESS_SHARED;
}

/* Destructors of the calling thread's keys. */
void pt_keys_run(struct mpj_thread *t);

/* What mpj_thread_interrupt_locked() has a thread do: its signals and its cancellation. */
void pt_interrupted(void);
/* Runs the handlers of the signals that wait for the calling thread. Weak: in programs without
 * signals not there. */
__attribute__((weak)) void pt_signals_deliver(void);
/* The calling thread takes no more signals. The same. */
__attribute__((weak)) void pt_signals_leave(void);

struct _reent;
/* Makes a thread's state of the C library, before it runs. */
void pt_reent_init(struct _reent *r);
/* Takes it down; by the thread itself, at its end. */
void pt_reent_exit(struct mpj_thread *t);

/* A thread of the runtime: as pthread_create(), but stack and cores given. */
int pt_create(struct mpj_thread **out, const pthread_attr_t *attr, void *(*fn)(void *arg),
              void *arg);

#endif
