/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits for descriptors with another signal mask: a handler that the mask allows ends the wait,
 * whether it runs before or during it. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/select.h>

#include "objects.h"

static bool valid(const struct timespec *limit)
{
    if (limit == NULL || (limit->tv_sec >= 0 && limit->tv_nsec >= 0 && limit->tv_nsec <= 999999999))
        return true;
    errno = EINVAL;
    return false;
}

static uint64_t deadline_of(const struct timespec *limit)
{
    if (limit == NULL)
        return MPJ_NEVER;
    return limit->tv_sec == 0 && limit->tv_nsec == 0
               ? 0
               : mpj_ticks_from_now((uint64_t)limit->tv_sec, (uint64_t)limit->tv_nsec);
}

/* Restores the mask and keeps errno. */
static void unmask(const sigset_t *mask, const sigset_t *old)
{
    const int why = errno;

    if (mask != NULL)
        (void)pthread_sigmask(SIG_SETMASK, old, NULL);
    errno = why;
}

int ppoll(struct pollfd *file, nfds_t count, const struct timespec *limit, const sigset_t *mask)
{
    const uint32_t before = mpj_thread_self()->signals.handled;
    sigset_t old;
    int r;

    if (!valid(limit))
        return -1;
    if (mask != NULL)
        (void)pthread_sigmask(SIG_SETMASK, mask, &old);
    r = mpj_poll(file, count, deadline_of(limit), before, __builtin_return_address(0));
    unmask(mask, &old);
    return r;
}

int pselect(int count, fd_set *in, fd_set *out, fd_set *odd, const struct timespec *limit,
            const sigset_t *mask)
{
    const uint32_t before = mpj_thread_self()->signals.handled;
    sigset_t old;
    int r;

    if (!valid(limit))
        return -1;
    if (mask != NULL)
        (void)pthread_sigmask(SIG_SETMASK, mask, &old);
    r = mpj_select(count, in, out, odd, deadline_of(limit), before, __builtin_return_address(0));
    unmask(mask, &old);
    return r;
}
