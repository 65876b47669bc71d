/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Clocks. The time of day begins at the reset, because the emulator and the board share no
 * calendar; processor time is the running time that the profiler accounts to threads.
 */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/timeb.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#include "hal_sys.h"
#include "mpj.h"
#include "mpj_prof_thread.h"
#include "mpj_sched.h"
#include "pt_int.h"

#define NS_PER_S 1000000000U
#define TICKS_S  100U /* of times(), as sysconf(_SC_CLK_TCK) */
/* Clocks of threads have the handle in their low bits. */
#define THREAD_CLOCK 0x40000000U

extern char __heap_start[];

static uint64_t ns_of(uint64_t ticks)
{
    return ticks / HAL_SYS_TIME_HZ * NS_PER_S +
           ticks % HAL_SYS_TIME_HZ * NS_PER_S / HAL_SYS_TIME_HZ;
}

/* Returns the processor time of a thread, or (NULL) of the program; without thread accounting, the
 * time of day. */
static uint64_t processor_ns(const struct mpj_thread *t)
{
    uint64_t ticks;
    hal_irq_state s = mpj_sched_lock();
    const bool known =
        t != NULL ? mpj_prof_thread_ran(&t->prof, &ticks) : mpj_prof_program_ran(&ticks);

    mpj_sched_unlock(s);
    return known ? ns_of(ticks) : mpj_time_ns();
}

/* Sets *ns to the thread's processor time; false: there is no such thread. Scheduler's lock
 * held. */
static bool thread_ns_locked(const struct mpj_thread *t, uint64_t *ns)
{
    uint64_t ticks;

    if (t == NULL)
        return false;
    *ns = mpj_prof_thread_ran(&t->prof, &ticks) ? ns_of(ticks) : mpj_time_ns();
    return true;
}

int gettimeofday(struct timeval *restrict tv, void *restrict tz)
{
    uint64_t us = mpj_time_ns() / 1000U;

    (void)tz;
    if (tv != NULL)
        *tv = (struct timeval){.tv_sec = (time_t)(us / 1000000U),
                               .tv_usec = (suseconds_t)(us % 1000000U)};
    return 0;
}

/* True if the clock is one that does not belong to a thread. */
static bool known(clockid_t id)
{
    return id == CLOCK_REALTIME || id == CLOCK_MONOTONIC || id == CLOCK_REALTIME_COARSE ||
           id == CLOCK_MONOTONIC_RAW || id == CLOCK_MONOTONIC_COARSE || id == CLOCK_BOOTTIME;
}

clockid_t pt_clock_of(const struct mpj_thread *t)
{
    return THREAD_CLOCK | pt_handle(t);
}

unsigned pt_clock_processors(clockid_t id)
{
    if (id == CLOCK_PROCESS_CPUTIME_ID)
        return mpj_rt_cores();
    return id == CLOCK_THREAD_CPUTIME_ID || (id & THREAD_CLOCK) != 0 ? 1U : 0;
}

bool pt_clock_ns(clockid_t id, uint64_t *ns)
{
    hal_irq_state s;
    bool there;

    if (id == CLOCK_PROCESS_CPUTIME_ID) {
        *ns = processor_ns(NULL);
    } else if (id == CLOCK_THREAD_CPUTIME_ID) {
        *ns = processor_ns(mpj_thread_self());
    } else if ((id & THREAD_CLOCK) != 0) {
        s = mpj_sched_lock();
        there = thread_ns_locked(pt_find_locked(id & ~THREAD_CLOCK), ns);
        mpj_sched_unlock(s);
        return there;
    } else if (known(id)) {
        *ns = mpj_time_ns();
    } else {
        return false;
    }
    return true;
}

int clock_gettime(clockid_t id, struct timespec *ts)
{
    uint64_t ns;

    if (!pt_clock_ns(id, &ns)) {
        errno = EINVAL;
        return -1;
    }
    ts->tv_sec = (time_t)(ns / NS_PER_S);
    ts->tv_nsec = (long)(ns % NS_PER_S);
    return 0;
}

int clock_getres(clockid_t id, struct timespec *ts)
{
    uint64_t ns;

    if (!pt_clock_ns(id, &ns)) {
        errno = EINVAL;
        return -1;
    }
    /* every clock has the resolution of the board's counter */
    if (ts != NULL)
        *ts = (struct timespec){.tv_nsec = (NS_PER_S + HAL_SYS_TIME_HZ - 1U) / HAL_SYS_TIME_HZ};
    return 0;
}

int clock_settime(clockid_t id, const struct timespec *ts)
{
    errno =
        id != CLOCK_REALTIME || ts->tv_nsec < 0 || ts->tv_nsec >= (long)NS_PER_S ? EINVAL : EPERM;
    return -1;
}

int clock_getcpuclockid(pid_t pid, clockid_t *clock)
{
    if (pid != 0 && pid != getpid())
        return ESRCH;
    *clock = CLOCK_PROCESS_CPUTIME_ID;
    return 0;
}

int pthread_getcpuclockid(pthread_t handle, clockid_t *clock)
{
    hal_irq_state s = mpj_sched_lock();
    const struct mpj_thread *t = pt_find_locked(handle);

    if (t != NULL)
        *clock = pt_clock_of(t);
    mpj_sched_unlock(s);
    return t != NULL ? 0 : ESRCH;
}

clock_t clock(void)
{
    return (clock_t)(processor_ns(NULL) / (NS_PER_S / (uint64_t)CLOCKS_PER_SEC));
}

/* Returns the ticks since the reset. The program is the only process and spends time in user mode
 * only. */
clock_t times(struct tms *t)
{
    const uint64_t ns_per_clock = NS_PER_S / TICKS_S;

    if (t != NULL)
        *t = (struct tms){.tms_utime = (clock_t)(processor_ns(NULL) / ns_per_clock)};
    return (clock_t)(mpj_time_ns() / ns_per_clock);
}

/* Returns the peak memory use in KB: code, static data and the heap at its largest. */
static long most_memory(void)
{
    uint32_t now, peak, room;

    mpj_mem_heap(&now, &peak, &room);
    return (long)(((uintptr_t)__heap_start + peak) >> 10);
}

int getrusage(int who, struct rusage *usage)
{
    uint64_t us = 0;

    if (who == RUSAGE_SELF)
        us = processor_ns(NULL) / 1000U;
    else if (who == RUSAGE_THREAD)
        us = processor_ns(mpj_thread_self()) / 1000U;
    else if (who != RUSAGE_CHILDREN) {
        errno = EINVAL;
        return -1;
    }
    *usage = (struct rusage){.ru_utime.tv_sec = (time_t)(us / 1000000U),
                             .ru_utime.tv_usec = (suseconds_t)(us % 1000000U),
                             .ru_maxrss = who != RUSAGE_CHILDREN ? most_memory() : 0};
    return 0;
}

int ftime(struct timeb *t)
{
    const uint64_t ms = mpj_time_ns() / 1000000U;

    *t = (struct timeb){.time = (time_t)(ms / 1000U), .millitm = (unsigned short)(ms % 1000U)};
    return 0;
}
