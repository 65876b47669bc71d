/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Deadlines and sleeping. */
#include <errno.h>
#include <unistd.h>

#include "hal_sys.h"
#include "mpj.h"
#include "pt_int.h"

#define NS_PER_S     1000000000
#define LONG_SECONDS 2000000000 /* beyond any run */
#define SHORTEST_NS  20000U     /* shortest time between two readings of processor time */

int pt_deadline(clockid_t clock, const struct timespec *abstime, uint64_t *ticks)
{
    struct timespec now;
    int64_t ns;

    if (abstime->tv_nsec < 0 || abstime->tv_nsec >= NS_PER_S || clock_gettime(clock, &now) != 0)
        return EINVAL;
    /* Limits the seconds to a value far beyond any run, so that the product stays in range. */
    if ((int64_t)abstime->tv_sec - now.tv_sec > LONG_SECONDS) {
        *ticks = MPJ_NEVER;
        return 0;
    }
    ns = ((int64_t)abstime->tv_sec - now.tv_sec) * NS_PER_S + (abstime->tv_nsec - now.tv_nsec);
    *ticks = mpj_sched_ticks(mpj_time_ns() + (uint64_t)(ns > 0 ? ns : 0));
    return 0;
}

/* Sleeps until the deadline. Returns 0, or EINTR after a handler has run. */
static int sleep_until(uint64_t deadline, const void *caller)
{
    struct mpj_wait_info info = {.kind = MPJ_WAIT_SLEEP, .caller = caller};
    const struct mpj_thread_signals *signals = &mpj_thread_self()->signals;
    const uint32_t before = signals->handled;
    int r;

    pthread_testcancel();
    do {
        hal_irq_state s;

        if (!mpj_sched_can_wait() || hal_sys_ticks() >= deadline)
            return 0;
        s = mpj_sched_lock();
        r = mpj_sched_block_locked(&info, deadline, true);
        hal_irq_restore(s);
        mpj_thread_poll();
        if (signals->handled != before)
            return EINTR;
    } while (r == -EINTR);
    if (r == -ECANCELED)
        pthread_testcancel();
    return 0;
}

static struct timespec left_until(uint64_t deadline)
{
    const uint64_t now = hal_sys_ticks();
    const uint64_t ns = deadline > now ? hal_sys_ns(deadline - now) : 0;

    return (struct timespec){.tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S)};
}

static int check(const struct timespec *t)
{
    return t->tv_sec < 0 || t->tv_nsec < 0 || t->tv_nsec >= NS_PER_S ? EINVAL : 0;
}

static uint64_t ticks_from_now(const struct timespec *t)
{
    if (t->tv_sec > LONG_SECONDS)
        return MPJ_NEVER;
    return mpj_sched_ticks(mpj_time_ns() + (uint64_t)t->tv_sec * NS_PER_S + (uint64_t)t->tv_nsec);
}

int nanosleep(const struct timespec *want, struct timespec *left)
{
    int r = check(want);
    uint64_t deadline;

    if (r != 0) {
        errno = r;
        return -1;
    }
    deadline = ticks_from_now(want);
    r = sleep_until(deadline, PT_CALLER());
    if (left != NULL) /* may be the same as want */
        *left = left_until(deadline);
    if (r == 0)
        return 0;
    errno = r;
    return -1;
}

/* Sleeps until a processor-time clock reaches `end`; reads it no sooner than all cores together
 * could have brought it there. */
static int sleep_for_processor(clockid_t clock, uint64_t end, const void *caller)
{
    uint64_t now;

    while (pt_clock_ns(clock, &now) && now < end) {
        const uint64_t least = (end - now) / pt_clock_processors(clock) + SHORTEST_NS;
        const int r = sleep_until(mpj_sched_ticks(mpj_time_ns() + least), caller);

        if (r != 0)
            return r;
    }
    return 0;
}

static int processor_nanosleep(clockid_t clock, int flags, const struct timespec *want,
                               struct timespec *left, const void *caller)
{
    uint64_t end = (uint64_t)want->tv_sec * NS_PER_S + (uint64_t)want->tv_nsec;
    uint64_t now;
    int r;

    if (clock == CLOCK_THREAD_CPUTIME_ID || clock == pt_clock_of(mpj_thread_self()) ||
        !pt_clock_ns(clock, &now))
        return EINVAL; /* the caller's own clock does not advance while it sleeps */
    if ((flags & TIMER_ABSTIME) == 0)
        end += now;
    r = sleep_for_processor(clock, end, caller);
    if (left != NULL && (flags & TIMER_ABSTIME) == 0) {
        (void)pt_clock_ns(clock, &now);
        now = now < end ? end - now : 0;
        *left = (struct timespec){.tv_sec = (time_t)(now / NS_PER_S),
                                  .tv_nsec = (long)(now % NS_PER_S)};
    }
    return r;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *want, struct timespec *left)
{
    uint64_t deadline;
    int r = check(want);

    if (r != 0)
        return r;
    if (pt_clock_processors(clock) != 0)
        return processor_nanosleep(clock, flags, want, left, PT_CALLER());
    if (clock_getres(clock, NULL) != 0)
        return EINVAL;
    if ((flags & TIMER_ABSTIME) != 0) {
        r = pt_deadline(clock, want, &deadline);
        return r != 0 ? r : sleep_until(deadline, PT_CALLER());
    }
    deadline = ticks_from_now(want);
    r = sleep_until(deadline, PT_CALLER());
    if (left != NULL)
        *left = left_until(deadline);
    return r;
}

int usleep(useconds_t us)
{
    struct timespec t = {.tv_sec = (time_t)(us / 1000000U),
                         .tv_nsec = (long)(us % 1000000U) * 1000};

    const int r = sleep_until(ticks_from_now(&t), PT_CALLER());

    if (r == 0)
        return 0;
    errno = r;
    return -1;
}

unsigned sleep(unsigned seconds)
{
    const struct timespec t = {.tv_sec = (time_t)seconds};
    const uint64_t deadline = ticks_from_now(&t);

    return sleep_until(deadline, PT_CALLER()) == 0 ? 0 : (unsigned)left_until(deadline).tv_sec;
}
