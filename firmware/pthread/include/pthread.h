/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The C library's pthread.h, and what GNU/Linux programs use beside it. */
#ifndef MPJ_PTHREAD_PUBLIC_H
#define MPJ_PTHREAD_PUBLIC_H

#include_next <pthread.h>
#include <sched.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef PTHREAD_STACK_MIN
#define PTHREAD_STACK_MIN 16384
#endif
#ifndef PTHREAD_KEYS_MAX
#define PTHREAD_KEYS_MAX 128
#endif
#ifndef PTHREAD_DESTRUCTOR_ITERATIONS
#define PTHREAD_DESTRUCTOR_ITERATIONS 4
#endif
#ifndef PTHREAD_THREADS_MAX
#define PTHREAD_THREADS_MAX 2047
#endif
#define PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP  ((pthread_mutex_t)0x20000000)
#define PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP ((pthread_mutex_t)0x40000000)
#define PTHREAD_MUTEX_TIMED_NP                  PTHREAD_MUTEX_NORMAL
#define PTHREAD_MUTEX_FAST_NP                   PTHREAD_MUTEX_NORMAL
#define PTHREAD_MUTEX_ADAPTIVE_NP               PTHREAD_MUTEX_NORMAL
#define PTHREAD_MUTEX_RECURSIVE_NP              PTHREAD_MUTEX_RECURSIVE
#define PTHREAD_MUTEX_ERRORCHECK_NP             PTHREAD_MUTEX_ERRORCHECK

/* As on GNU/Linux. EINVAL: none of the cores takes part in the run. */
int pthread_attr_setaffinity_np(pthread_attr_t *attr, size_t size, const cpu_set_t *set);
int pthread_attr_getaffinity_np(const pthread_attr_t *attr, size_t size, cpu_set_t *set);
int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *set);
int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *set);
int pthread_getattr_np(pthread_t thread, pthread_attr_t *attr);
/* Attributes of threads that are created without; EINVAL: a stack of its own, an invalid policy. */
int pthread_getattr_default_np(pthread_attr_t *attr);
int pthread_setattr_default_np(const pthread_attr_t *attr);
int pthread_getname_np(pthread_t thread, char *name, size_t size);
int pthread_setname_np(pthread_t thread, const char *name);
int pthread_tryjoin_np(pthread_t thread, void **value);
int pthread_timedjoin_np(pthread_t thread, void **value, const struct timespec *abstime);
void pthread_yield(void);

/* As those without clock, which mean CLOCK_REALTIME. */
int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock,
                            const struct timespec *abstime);
int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock,
                               const struct timespec *abstime);
int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock,
                               const struct timespec *abstime);
int pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
                           const struct timespec *abstime);
int pthread_clockjoin_np(pthread_t thread, void **value, clockid_t clock,
                         const struct timespec *abstime);

#define PTHREAD_MUTEX_STALLED    0
#define PTHREAD_MUTEX_ROBUST     1
#define PTHREAD_MUTEX_STALLED_NP PTHREAD_MUTEX_STALLED
#define PTHREAD_MUTEX_ROBUST_NP  PTHREAD_MUTEX_ROBUST
/* When a thread ends that holds a PTHREAD_MUTEX_ROBUST, the next to lock it gets EOWNERDEAD; unless
 * that one calls pthread_mutex_consistent() all get ENOTRECOVERABLE from then on. */
int pthread_mutexattr_setrobust(pthread_mutexattr_t *attr, int robust);
int pthread_mutexattr_getrobust(const pthread_mutexattr_t *attr, int *robust);
int pthread_mutex_consistent(pthread_mutex_t *mutex);

enum {
    PTHREAD_RWLOCK_PREFER_READER_NP,
    PTHREAD_RWLOCK_PREFER_WRITER_NP,
    PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP,
    PTHREAD_RWLOCK_DEFAULT_NP = PTHREAD_RWLOCK_PREFER_READER_NP
};
/* Stored without effect: waiters are served first come, first served. */
int pthread_rwlockattr_setkind_np(pthread_rwlockattr_t *attr, int kind);
int pthread_rwlockattr_getkind_np(const pthread_rwlockattr_t *attr, int *kind);

#ifdef __cplusplus
}
#endif
#endif
