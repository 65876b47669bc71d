/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Limits and use of resources, as on Linux. Of the use processor time and memory are known. */
#ifndef MPJ_SYS_RESOURCE_H
#define MPJ_SYS_RESOURCE_H

#include <sys/time.h>
#include <sys/types.h>

#define RUSAGE_SELF     0
#define RUSAGE_CHILDREN (-1)
#define RUSAGE_THREAD   1

struct rusage {
    struct timeval ru_utime; /* with accounting of threads: the time they ran */
    struct timeval ru_stime; /* 0 */
    long ru_maxrss;          /* KB: code, static data and the heap at its largest; no stacks */
    /* All 0. */
    long ru_ixrss, ru_idrss, ru_isrss, ru_minflt, ru_majflt, ru_nswap, ru_inblock, ru_oublock,
        ru_msgsnd, ru_msgrcv, ru_nsignals, ru_nvcsw, ru_nivcsw;
};

int getrusage(int who, struct rusage *usage);

#define RLIMIT_CPU     0
#define RLIMIT_FSIZE   1
#define RLIMIT_DATA    2
#define RLIMIT_STACK   3
#define RLIMIT_CORE    4
#define RLIMIT_RSS     5
#define RLIMIT_NPROC   6
#define RLIMIT_NOFILE  7
#define RLIMIT_MEMLOCK 8
#define RLIMIT_AS      9
#define RLIM_INFINITY  (~0UL)

typedef unsigned long rlim_t;

struct rlimit {
    rlim_t rlim_cur, rlim_max;
};

/* The stack's is the size of main's, and a larger one cannot be had (EPERM); nothing else has a
 * limit, whatever is set. */
int getrlimit(int resource, struct rlimit *limit);
int setrlimit(int resource, const struct rlimit *limit);

#define PRIO_PROCESS 0
#define PRIO_PGRP    1
#define PRIO_USER    2

/*
 * The program's nice value, -20 to 19 (values beyond become these), which nothing goes by: threads
 * have priorities (pthread_setschedparam()). who: 0, the program's process group or root, the
 * process, or a thread of it, whose value is the program's. -1 with EINVAL: which is none of the
 * above; ESRCH: there is no such process, group or user. Thread context.
 */
int getpriority(int which, id_t who);
int setpriority(int which, id_t who, int priority);

#endif
