/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Types of POSIX threads. A synchronisation object is one word, by which the runtime finds its
 * state: it is smaller than that of the GNU C library. Only the runtime accesses the members of
 * attributes.
 */
#ifndef MPJ_LIBC_BITS_PTHREADTYPES_H
#define MPJ_LIBC_BITS_PTHREADTYPES_H

#include <features.h>

typedef unsigned long pthread_t;
typedef unsigned int pthread_key_t;

typedef int pthread_once_t;

typedef struct {
    int is_initialized;
    void *stackaddr;
    int stacksize;
    int contentionscope;
    int inheritsched;
    int schedpolicy;
    struct {
        int sched_priority;
    } schedparam;
    int cputime_clock_allowed;
    int detachstate;
} pthread_attr_t;

typedef unsigned int pthread_mutex_t;

typedef struct {
    int is_initialized;
    int process_shared;
    int prio_ceiling;
    int protocol;
    int type;
    int recursive;
} pthread_mutexattr_t;

typedef unsigned int pthread_cond_t;

typedef struct {
    int is_initialized;
    int clock;
    int process_shared;
} pthread_condattr_t;

#if defined(__USE_UNIX98) || defined(__USE_XOPEN2K)
typedef unsigned int pthread_rwlock_t;

typedef struct {
    int is_initialized;
    int process_shared;
} pthread_rwlockattr_t;
#endif

#if defined(__USE_XOPEN2K)
typedef unsigned int pthread_spinlock_t;
typedef unsigned int pthread_barrier_t;

typedef struct {
    int is_initialized;
    int process_shared;
} pthread_barrierattr_t;
#endif

#endif
