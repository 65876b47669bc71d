/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Deadlines and sleeping. */
#include <errno.h>
#include <unistd.h>

#include "hal_sys.h"
#include "mpj.h"
#include "pt_int.h"

#define NS_PER_S 1000000000

int pt_deadline(clockid_t clock, const struct timespec *abstime, uint64_t *ticks)
{
    struct timespec now;
    int64_t ns;

    if (abstime->tv_nsec < 0 || abstime->tv_nsec >= NS_PER_S || clock_gettime(clock, &now) != 0)
        return EINVAL;
    /* A limit far beyond any run keeps the product in its range. */
    if (abstime->tv_sec - now.tv_sec > 4000000000LL) {
        *ticks = MPJ_NEVER;
        return 0;
    }
    ns = (int64_t)(abstime->tv_sec - now.tv_sec) * NS_PER_S + (abstime->tv_nsec - now.tv_nsec);
    *ticks = mpj_sched_ticks(mpj_time_ns() + (uint64_t)(ns > 0 ? ns : 0));
    return 0;
}

static int sleep_until(uint64_t deadline, const void *caller)
{
    struct mpj_wait_info info = {.kind = MPJ_WAIT_SLEEP, .caller = caller};
    hal_irq_state s;
    int r;

    pthread_testcancel();
    if (!mpj_sched_can_wait() || hal_sys_ticks() >= deadline)
        return 0;
    s = mpj_sched_lock();
    r = mpj_sched_block_locked(&info, deadline, true);
    hal_irq_restore(s);
    if (r == -ECANCELED)
        pthread_testcancel();
    return 0;
}

static int check(const struct timespec *t)
{
    return t->tv_sec < 0 || t->tv_nsec < 0 || t->tv_nsec >= NS_PER_S ? EINVAL : 0;
}

static uint64_t ticks_from_now(const struct timespec *t)
{
    if (t->tv_sec > 4000000000LL)
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
    if (left != NULL) /* may be the same as want */
        *left = (struct timespec){0};
    return sleep_until(deadline, PT_CALLER());
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *want, struct timespec *left)
{
    uint64_t deadline;
    int r = check(want);

    if (r != 0)
        return r;
    if (clock_getres(clock, NULL) != 0 || clock == CLOCK_THREAD_CPUTIME_ID)
        return EINVAL;
    if ((flags & TIMER_ABSTIME) != 0) {
        r = pt_deadline(clock, want, &deadline);
        return r != 0 ? r : sleep_until(deadline, PT_CALLER());
    }
    deadline = ticks_from_now(want);
    if (left != NULL)
        *left = (struct timespec){0};
    return sleep_until(deadline, PT_CALLER());
}

int usleep(useconds_t us)
{
    struct timespec t = {.tv_sec = (time_t)(us / 1000000U),
                         .tv_nsec = (long)(us % 1000000U) * 1000};

    return sleep_until(ticks_from_now(&t), PT_CALLER());
}

unsigned sleep(unsigned seconds)
{
    struct timespec t = {.tv_sec = (time_t)seconds};

    (void)sleep_until(ticks_from_now(&t), PT_CALLER());
    return 0;
}
