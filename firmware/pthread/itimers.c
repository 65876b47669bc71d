/* SPDX-License-Identifier: GPL-2.0-or-later */
/* setitimer(), alarm(). */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "pt_int.h"

#define US_PER_S 1000000U

static int fail(int error)
{
    errno = error;
    return -1;
}

static struct timespec spec_of(const struct timeval *t)
{
    return (struct timespec){.tv_sec = t->tv_sec, .tv_nsec = (long)t->tv_usec * 1000};
}

/* Converts to microseconds, rounded up, so that a remaining time never becomes 0. */
static struct timeval timeval_of(const struct timespec *t)
{
    const long us = (t->tv_nsec + 999) / 1000;

    return (struct timeval){.tv_sec = t->tv_sec + us / (long)US_PER_S,
                            .tv_usec = us % (long)US_PER_S};
}

static bool known(int which)
{
    return which == ITIMER_REAL || which == ITIMER_VIRTUAL || which == ITIMER_PROF;
}

static bool valid(const struct timeval *t)
{
    return t->tv_sec >= 0 && t->tv_usec >= 0 && t->tv_usec < (suseconds_t)US_PER_S;
}

static struct itimerval value_of(const struct itimerspec *s)
{
    return (struct itimerval){.it_interval = timeval_of(&s->it_interval),
                              .it_value = timeval_of(&s->it_value)};
}

int getitimer(int which, struct itimerval *value)
{
    struct itimerspec now;

    if (!known(which))
        return fail(EINVAL);
    (void)pt_itimer(which, NULL, &now);
    *value = value_of(&now);
    return 0;
}

int setitimer(int which, const struct itimerval *restrict value, struct itimerval *restrict old)
{
    struct itimerspec set;
    struct itimerspec before;
    int r;

    if (!known(which) || !valid(&value->it_value) || !valid(&value->it_interval))
        return fail(EINVAL);
    set = (struct itimerspec){.it_interval = spec_of(&value->it_interval),
                              .it_value = spec_of(&value->it_value)};
    r = pt_itimer(which, &set, &before);
    if (r != 0)
        return fail(r);
    if (old != NULL)
        *old = value_of(&before);
    return 0;
}

static uint64_t set_us(uint64_t us, uint64_t interval_us)
{
    struct itimerval old;
    const struct itimerval new = {.it_value.tv_sec = (time_t)(us / US_PER_S),
                                  .it_value.tv_usec = (suseconds_t)(us % US_PER_S),
                                  .it_interval.tv_sec = (time_t)(interval_us / US_PER_S),
                                  .it_interval.tv_usec = (suseconds_t)(interval_us % US_PER_S)};

    if (setitimer(ITIMER_REAL, &new, &old) != 0)
        return 0;
    return (uint64_t)old.it_value.tv_sec * US_PER_S + (uint64_t)old.it_value.tv_usec;
}

unsigned alarm(unsigned seconds)
{
    return (unsigned)((set_us((uint64_t)seconds * US_PER_S, 0) + US_PER_S - 1U) / US_PER_S);
}

useconds_t ualarm(useconds_t us, useconds_t interval)
{
    return (useconds_t)set_us(us, interval);
}
