/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Limits and facts of the system that programs ask for. */
#include <errno.h>
#include <limits.h>
#include <semaphore.h>
#include <unistd.h>

#include "pt_int.h"

#define STREAMS    64 /* open at once; the same as descriptors */
#define LINKS      40 /* links that a path may contain */

#define PAGE_BYTES 4096
#define RAM_PAGES  ((long)(BOARD_RAM_BYTES / PAGE_BYTES))
#define FILES_MAX  64

long sysconf(int name)
{
    switch (name) {
    case _SC_NPROCESSORS_CONF:
    case _SC_NPROCESSORS_ONLN:
        return (long)mpj_rt_cores();
    case _SC_CLK_TCK:
        return 100;
    case _SC_PAGESIZE:
        return PAGE_BYTES;
    case _SC_PHYS_PAGES:
    case _SC_AVPHYS_PAGES:
        return RAM_PAGES;
    case _SC_OPEN_MAX:
        return FILES_MAX;
    case _SC_ARG_MAX:
        return 16384; /* as many bytes as the session with the host keeps */
    case _SC_THREAD_STACK_MIN:
        return PTHREAD_STACK_MIN;
    case _SC_THREAD_KEYS_MAX:
        return PTHREAD_KEYS_MAX;
    case _SC_THREAD_DESTRUCTOR_ITERATIONS:
        return PTHREAD_DESTRUCTOR_ITERATIONS;
    case _SC_THREAD_THREADS_MAX:
        return MPJ_THREADS_MAX;
    case _SC_SEM_VALUE_MAX:
        return SEM_VALUE_MAX;
    case _SC_LEVEL1_ICACHE_SIZE:
    case _SC_LEVEL1_DCACHE_SIZE:
        return 32L << 10;
    case _SC_LEVEL2_CACHE_SIZE:
        return 1L << 20;
    case _SC_LEVEL1_ICACHE_ASSOC:
    case _SC_LEVEL1_DCACHE_ASSOC:
        return 4;
    case _SC_LEVEL2_CACHE_ASSOC:
        return 8;
    case _SC_LEVEL1_ICACHE_LINESIZE:
    case _SC_LEVEL1_DCACHE_LINESIZE:
    case _SC_LEVEL2_CACHE_LINESIZE:
        return 32;
    case _SC_LEVEL3_CACHE_SIZE:
    case _SC_LEVEL3_CACHE_ASSOC:
    case _SC_LEVEL3_CACHE_LINESIZE:
    case _SC_LEVEL4_CACHE_SIZE:
    case _SC_LEVEL4_CACHE_ASSOC:
    case _SC_LEVEL4_CACHE_LINESIZE:
        return 0; /* there is no such cache */
    case _SC_HOST_NAME_MAX:
        return HOST_NAME_MAX;
    case _SC_LINE_MAX:
        return 2048;
    case _SC_NGROUPS_MAX:
        return NGROUPS_MAX;
    case _SC_CHILD_MAX:
        return 0;
    case _SC_IOV_MAX:
        return IOV_MAX;
    case _SC_STREAM_MAX:
        return STREAMS;
    case _SC_TZNAME_MAX:
        return _POSIX_TZNAME_MAX;
    case _SC_SYMLOOP_MAX:
        return LINKS;
    case _SC_LOGIN_NAME_MAX:
        return LOGIN_NAME_MAX;
    case _SC_TTY_NAME_MAX:
        return TTY_NAME_MAX;
    case _SC_RTSIG_MAX:
        return RTSIG_MAX;
    case _SC_SIGQUEUE_MAX:
        return PT_SIGQUEUE_MAX;
    case _SC_TIMER_MAX:
        return PT_TIMER_MAX;
    case _SC_DELAYTIMER_MAX:
        return DELAYTIMER_MAX;
    case _SC_ATEXIT_MAX:
        return INT_MAX;
    case _SC_XOPEN_VERSION:
        return _XOPEN_VERSION;
    case _SC_REGEXP:
        return _POSIX_REGEXP;
    case _SC_VERSION:
    case _SC_2_VERSION:
    case _SC_CPUTIME:
    case _SC_THREAD_CPUTIME:
    case _SC_REALTIME_SIGNALS:
    case _SC_TIMEOUTS:
    case _SC_PRIORITY_SCHEDULING:
    case _SC_FSYNC:
    case _SC_MAPPED_FILES:
    case _SC_THREADS:
    case _SC_BARRIERS:
    case _SC_SEMAPHORES:
    case _SC_READER_WRITER_LOCKS:
    case _SC_SPIN_LOCKS:
    case _SC_TIMERS:
    case _SC_MONOTONIC_CLOCK:
    case _SC_CLOCK_SELECTION:
    case _SC_THREAD_ATTR_STACKSIZE:
    case _SC_THREAD_ATTR_STACKADDR:
    case _SC_THREAD_PRIORITY_SCHEDULING:
    case _SC_THREAD_PRIO_INHERIT:
    case _SC_THREAD_PRIO_PROTECT:
    case _SC_THREAD_PROCESS_SHARED:
    case _SC_THREAD_SAFE_FUNCTIONS:
        return _POSIX_VERSION;
    default:
        errno = EINVAL;
        return -1;
    }
}

int getpagesize(void)
{
    return PAGE_BYTES;
}
