/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * POSIX timers. One thread waits for all of them; it calls the function of a SIGEV_THREAD timer
 * and sends the signal of a SIGEV_SIGNAL one. An expiration whose turn passes while it is busy, or
 * while the signal is pending, is an overrun.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

#include "mpj.h"
#include "pt_int.h"

#define NS_PER_S 1000000000ULL
#define STACK    65536U

static struct posix_timer {
    bool used;
    clockid_t clock;
    struct sigevent event;
    uint64_t at; /* mpj_time_ns(); 0: not armed */
    uint64_t interval;
    int overrun; /* of the last expiration that was told */
} timers[TIMER_MAX];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all here */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool waited_for;

static int fail(int error)
{
    errno = error;
    return -1;
}

/* Handles are numbers from 1; NULL and EINVAL: there is no such timer. */
static struct posix_timer *find(timer_t id)
{
    if (id >= 1U && id <= TIMER_MAX && timers[id - 1U].used)
        return &timers[id - 1U];
    errno = EINVAL;
    return NULL;
}

static struct timespec spec_of(uint64_t ns)
{
    return (struct timespec){.tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S)};
}

static uint64_t ns_of(const struct timespec *t)
{
    return (uint64_t)t->tv_sec * NS_PER_S + (uint64_t)t->tv_nsec;
}

static bool valid(const struct timespec *t)
{
    return t->tv_sec >= 0 && t->tv_nsec >= 0 && t->tv_nsec < (long)NS_PER_S;
}

/* The armed timer that is first; NULL: none. lock held. */
static struct posix_timer *next(void)
{
    struct posix_timer *first = NULL;

    for (unsigned i = 0; i < TIMER_MAX; i++) {
        struct posix_timer *const t = &timers[i];

        if (t->used && t->at != 0 && (first == NULL || t->at < first->at))
            first = t;
    }
    return first;
}

/* lock held, and let go meanwhile. */
static void expire(struct posix_timer *t)
{
    const struct sigevent event = t->event;
    const uint64_t now = mpj_time_ns();

    t->overrun = 0;
    if (t->interval == 0) {
        t->at = 0;
    } else {
        const uint64_t missed = (now - t->at) / t->interval;

        t->overrun = missed < DELAYTIMER_MAX ? (int)missed : DELAYTIMER_MAX;
        t->at += (missed + 1U) * t->interval;
    }
    pthread_mutex_unlock(&lock);
    if (event.sigev_notify == SIGEV_THREAD)
        event.sigev_notify_function(event.sigev_value);
    else if (event.sigev_notify == SIGEV_SIGNAL)
        (void)kill(getpid(), event.sigev_signo);
    pthread_mutex_lock(&lock);
}

static void *wait_for_timers(void *arg)
{
    const struct posix_timer *first;

    (void)arg;
    (void)pthread_setname_np(pthread_self(), "timers");
    pthread_mutex_lock(&lock);
    while ((first = next()) != NULL) {
        const struct timespec limit = spec_of(first->at);

        if (mpj_time_ns() < first->at)
            (void)pthread_cond_clockwait(&changed, &lock, CLOCK_MONOTONIC, &limit);
        else
            expire((struct posix_timer *)first);
    }
    waited_for = false;
    pthread_mutex_unlock(&lock);
    return NULL;
}

/* Of the first timer that wants a function called: that runs in this thread. */
static int begin_to_wait(const pthread_attr_t *wanted)
{
    size_t stack = STACK;
    pthread_attr_t attr;
    pthread_t thread;
    sigset_t all;
    sigset_t old;
    int r;

    (void)pthread_attr_init(&attr);
    if (wanted == NULL || pthread_attr_getstacksize(wanted, &stack) != 0)
        stack = PT_STACK_DEFAULT;
    (void)pthread_attr_setstacksize(&attr, stack);
    (void)pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &old); /* signals for the program pass it by */
    r = pthread_create(&thread, &attr, wait_for_timers, NULL);
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    (void)pthread_attr_destroy(&attr);
    return r;
}

int timer_create(clockid_t clock, struct sigevent *restrict event, timer_t *restrict id)
{
    unsigned n = 0;

    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC && clock != CLOCK_BOOTTIME)
        return fail(clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID ? ENOTSUP
                                                                                          : EINVAL);
    if (event != NULL && event->sigev_notify != SIGEV_NONE && event->sigev_notify != SIGEV_THREAD &&
        (event->sigev_notify != SIGEV_SIGNAL || event->sigev_signo < 1 ||
         event->sigev_signo >= NSIG))
        return fail(EINVAL);
    pthread_mutex_lock(&lock);
    while (n < TIMER_MAX && timers[n].used)
        n++;
    if (n < TIMER_MAX) {
        timers[n] = (struct posix_timer){.used = true, .clock = clock};
        if (event != NULL)
            timers[n].event = *event;
        else
            timers[n].event = (struct sigevent){.sigev_notify = SIGEV_SIGNAL,
                                                .sigev_signo = SIGALRM,
                                                .sigev_value.sival_int = (int)n};
        *id = n + 1U;
    }
    pthread_mutex_unlock(&lock);
    return n < TIMER_MAX ? 0 : fail(EAGAIN);
}

int timer_delete(timer_t id)
{
    struct posix_timer *t;

    pthread_mutex_lock(&lock);
    t = find(id);
    if (t != NULL)
        *t = (struct posix_timer){0};
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return t != NULL ? 0 : -1;
}

static struct itimerspec present(const struct posix_timer *t)
{
    const uint64_t now = mpj_time_ns();
    uint64_t left = 0;

    if (t->at != 0)
        left = t->at > now ? t->at - now : 1U;
    return (struct itimerspec){.it_interval = spec_of(t->interval), .it_value = spec_of(left)};
}

int timer_gettime(timer_t id, struct itimerspec *value)
{
    const struct posix_timer *t;

    pthread_mutex_lock(&lock);
    t = find(id);
    if (t != NULL)
        *value = present(t);
    pthread_mutex_unlock(&lock);
    return t != NULL ? 0 : -1;
}

int timer_settime(timer_t id, int flags, const struct itimerspec *restrict value,
                  struct itimerspec *restrict old)
{
    struct posix_timer *t;
    bool begin = false;
    uint64_t ns;

    if (!valid(&value->it_value) || !valid(&value->it_interval))
        return fail(EINVAL);
    pthread_mutex_lock(&lock);
    t = find(id);
    if (t != NULL) {
        if (old != NULL)
            *old = present(t);
        ns = ns_of(&value->it_value);
        t->interval = ns_of(&value->it_interval);
        t->overrun = 0;
        t->at = ns == 0 || (flags & TIMER_ABSTIME) != 0 ? ns : ns + mpj_time_ns();
        begin = t->at != 0 && !waited_for;
        waited_for |= begin;
        pthread_cond_broadcast(&changed);
    }
    pthread_mutex_unlock(&lock);
    if (t == NULL)
        return -1;
    if (begin &&
        begin_to_wait(t->event.sigev_notify == SIGEV_THREAD ? t->event.sigev_notify_attributes
                                                            : NULL) != 0) {
        pthread_mutex_lock(&lock);
        t->at = 0;
        waited_for = false;
        pthread_mutex_unlock(&lock);
        return fail(EAGAIN);
    }
    return 0;
}

int timer_getoverrun(timer_t id)
{
    const struct posix_timer *t;
    int overrun = -1;

    pthread_mutex_lock(&lock);
    t = find(id);
    if (t != NULL)
        overrun = t->overrun;
    pthread_mutex_unlock(&lock);
    return overrun;
}
