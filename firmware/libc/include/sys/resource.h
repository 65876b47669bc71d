/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Limits and use of resources, as on Linux. Processor time and memory are the only uses that are
 * known. */
#ifndef MPJ_LIBC_SYS_RESOURCE_H
#define MPJ_LIBC_SYS_RESOURCE_H

#include <bits/timeval.h>
#include <features.h>

typedef unsigned int id_t;

#define RUSAGE_SELF     0
#define RUSAGE_CHILDREN (-1)
#ifdef __USE_GNU
#define RUSAGE_THREAD 1
#define RUSAGE_LWP    1
#endif

struct rusage {
    struct timeval ru_utime; /* with thread accounting: the threads' running time */
    struct timeval ru_stime; /* 0 */
    long ru_maxrss;          /* KB: code, static data and the heap at its largest; no stacks */
    /* All 0. */
    long ru_ixrss;
    long ru_idrss;
    long ru_isrss;
    long ru_minflt;
    long ru_majflt;
    long ru_nswap;
    long ru_inblock;
    long ru_oublock;
    long ru_msgsnd;
    long ru_msgrcv;
    long ru_nsignals;
    long ru_nvcsw;
    long ru_nivcsw;
};

#define RLIMIT_CPU    0
#define RLIMIT_FSIZE  1
#define RLIMIT_DATA   2
#define RLIMIT_STACK  3
#define RLIMIT_CORE   4
#define RLIMIT_NOFILE 7
#define RLIMIT_AS     9
#ifdef __USE_MISC
#define RLIMIT_RSS     5
#define RLIMIT_NPROC   6
#define RLIMIT_MEMLOCK 8
#endif
#define RLIM_INFINITY  (~0UL)
#define RLIM_SAVED_MAX RLIM_INFINITY
#define RLIM_SAVED_CUR RLIM_INFINITY

typedef unsigned long rlim_t;

struct rlimit {
    rlim_t rlim_cur;
    rlim_t rlim_max;
};

#define PRIO_PROCESS 0
#define PRIO_PGRP    1
#define PRIO_USER    2
#define PRIO_MIN     (-20)
#define PRIO_MAX     20

/*
 * The limit of the stack is the size of main's stack, and a larger one is refused (EPERM); other
 * resources have no limit, whatever is set. getpriority() returns the program's nice value, -20 to
 * 19 (others are clamped), which has no effect: threads have priorities (pthread_setschedparam()).
 * who: 0, the program's process group or root, the process, or a thread of it, whose value is the
 * program's. -1 with EINVAL: `which` is invalid; ESRCH: there is no such process, group or user.
 */
__MPJ_BEGIN

int getrlimit(int, struct rlimit *);
int setrlimit(int, const struct rlimit *);
int getrusage(int, struct rusage *);
int getpriority(int, id_t);
int setpriority(int, id_t, int);

__MPJ_END

#endif
