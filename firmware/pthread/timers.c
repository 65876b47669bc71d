/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * POSIX timers, and the three of setitimer(). One thread of the highest priority waits for all of
 * them; it sends the signal of a SIGEV_SIGNAL timer and calls the function of a SIGEV_THREAD one at
 * normal priority. An expiration that falls due while the thread is busy, or while the signal is
 * pending, is an overrun. A timer of processor time is read when all cores together could have
 * reached its expiry.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "mpj.h"
#include "pt_int.h"
#include "sigs.h"

#define NS_PER_S    1000000000ULL
#define SHORTEST_NS 20000U /* shortest time between two readings of processor time */
#define ITIMERS     3U
#define TIMER_MAX   PT_TIMER_MAX

static struct posix_timer {
    bool used;
    clockid_t clock;
    struct sigevent event;
    uint64_t at; /* next expiration, of its clock; 0: not armed */
    uint64_t interval;
    int overrun; /* of the last expiration that was delivered */
} timers[TIMER_MAX + ITIMERS] = {
    [TIMER_MAX + ITIMER_REAL] = {.used = true,
                                 .clock = CLOCK_MONOTONIC,
                                 .event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM}},
    [TIMER_MAX +
        ITIMER_VIRTUAL] = {.used = true,
                           .clock = CLOCK_PROCESS_CPUTIME_ID,
                           .event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGVTALRM}},
    [TIMER_MAX + ITIMER_PROF] = {.used = true,
                                 .clock = CLOCK_PROCESS_CPUTIME_ID,
                                 .event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGPROF}},
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards all timers */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool waited_for;
static unsigned made; /* entries from here on have never been used */

static int fail(int error)
{
    errno = error;
    return -1;
}

/* Takes the lock and holds back the thread's signal handlers, since a handler may set timers. */
static void take_lock(void)
{
    mpj_thread_hold();
    pthread_mutex_lock(&lock);
}

static void give_lock(void)
{
    pthread_mutex_unlock(&lock);
    mpj_thread_release();
}

/* Returns the timer of a handle, a number from 1; NULL with EINVAL: there is no such timer. */
static struct posix_timer *find(timer_t id)
{
    const uintptr_t n = (uintptr_t)id;

    if (n >= 1U && n <= TIMER_MAX && timers[n - 1U].used)
        return &timers[n - 1U];
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

/* Returns the earliest time at which a timer can expire, as mpj_time_ns(); *now becomes its clock's
 * time. UINT64_MAX: not armed, or its thread has ended. */
static uint64_t soonest(const struct posix_timer *t, uint64_t *now)
{
    const unsigned cores = pt_clock_processors(t->clock);

    if (!t->used || t->at == 0 || !pt_clock_ns(t->clock, now))
        return UINT64_MAX;
    if (cores == 0 || t->at <= *now)
        return t->at;
    return mpj_time_ns() + (t->at - *now) / cores + SHORTEST_NS;
}

static int begin_to_wait(const pthread_attr_t *wanted);

/* Notes that no thread waits. disarmed: NULL, or a timer that cannot be waited for. */
static void wait_ended(struct posix_timer *disarmed)
{
    take_lock();
    waited_for = false;
    if (disarmed != NULL)
        disarmed->at = 0;
    give_lock();
}

/* Creates another thread that waits, since this one ends in a function of the program. */
static void succeed(void *arg)
{
    (void)arg;
    if (begin_to_wait(NULL) != 0)
        wait_ended(NULL);
}

/* Calls the function of a timer at normal priority. */
static void call(const struct sigevent *event)
{
    struct mpj_thread *const self = mpj_thread_self();

    mpj_thread_set(self, 0, self->run.affinity, true);
    pthread_cleanup_push(succeed, NULL);
    event->sigev_notify_function(event->sigev_value);
    pthread_cleanup_pop(0);
    mpj_thread_set(self, MPJ_PRIORITY_MAX, self->run.affinity, false);
}

/* Delivers an expiration and computes the next one. lock held, released during the delivery. */
static void expire(struct posix_timer *t, uint64_t now)
{
    const struct sigevent event = t->event;
    const int number = (int)(t - timers);
    siginfo_t info = {.si_signo = event.sigev_signo,
                      .si_code = number < TIMER_MAX ? SI_TIMER : SI_KERNEL,
                      .si_timerid = number,
                      .si_value = event.sigev_value};

    if (t->interval == 0) {
        t->at = 0;
    } else {
        const uint64_t missed = (now - t->at) / t->interval;

        info.si_overrun = missed < DELAYTIMER_MAX ? (int)missed : DELAYTIMER_MAX;
        t->at += (missed + 1U) * t->interval;
    }
    pthread_mutex_unlock(&lock);
    if (event.sigev_notify == SIGEV_THREAD) {
        t->overrun = info.si_overrun;
        call(&event);
    } else if (event.sigev_notify == SIGEV_SIGNAL) {
        (void)mpj_sig_send(NULL, &info, &t->overrun);
    }
    pthread_mutex_lock(&lock);
}

/* Delivers the first expiration found and returns 0; else returns when to check again, UINT64_MAX:
 * no timer is armed. lock held, released during a delivery. */
static uint64_t look(void)
{
    uint64_t next = UINT64_MAX;
    uint64_t now = 0;

    for (unsigned i = 0; i < made + ITIMERS; i++) {
        struct posix_timer *const t = &timers[i < made ? i : TIMER_MAX + i - made];
        const uint64_t at = soonest(t, &now);

        if (at != UINT64_MAX && t->at <= now) {
            expire(t, now);
            return 0;
        }
        next = at < next ? at : next;
    }
    return next;
}

static void *wait_for_timers(void *arg)
{
    uint64_t next;

    (void)arg;
    (void)pthread_setname_np(pthread_self(), "timers");
    pthread_mutex_lock(&lock);
    while ((next = look()) != UINT64_MAX) {
        const struct timespec limit = spec_of(next);

        if (next != 0)
            (void)pthread_cond_clockwait(&changed, &lock, CLOCK_MONOTONIC, &limit);
    }
    waited_for = false;
    pthread_mutex_unlock(&lock);
    return NULL;
}

/* Creates the waiting thread, with the stack size of the first timer that calls a function: such
 * functions run in this thread. NULL: as the thread before it. */
static int begin_to_wait(const pthread_attr_t *wanted)
{
    const struct sched_param most = {.sched_priority = (int)MPJ_PRIORITY_MAX};
    const sigset_t before = mpj_thread_self()->signals.blocked;
    static size_t stack = PT_STACK_DEFAULT;
    pthread_attr_t attr;
    pthread_t thread;
    int r;

    (void)pthread_attr_init(&attr);
    if (wanted != NULL)
        (void)pthread_attr_getstacksize(wanted, &stack);
    (void)pthread_attr_setstacksize(&attr, stack);
    (void)pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    (void)pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
    (void)pthread_attr_setschedpolicy(&attr, SCHED_FIFO);
    (void)pthread_attr_setschedparam(&attr, &most);
    mpj_sig_set_blocked(~(sigset_t)0); /* it takes no signals of the program */
    r = pthread_create(&thread, &attr, wait_for_timers, NULL);
    mpj_sig_set_blocked(before);
    (void)pthread_attr_destroy(&attr);
    return r;
}

int timer_create(clockid_t clock, struct sigevent *restrict event, timer_t *restrict id)
{
    unsigned n = 0;
    uint64_t now;

    if (!pt_clock_ns(clock, &now))
        return fail(EINVAL);
    if (clock == CLOCK_THREAD_CPUTIME_ID)
        clock = pt_clock_of(mpj_thread_self());
    if (event != NULL && event->sigev_notify != SIGEV_NONE && event->sigev_notify != SIGEV_THREAD &&
        (event->sigev_notify != SIGEV_SIGNAL || !mpj_sig_valid(event->sigev_signo)))
        return fail(EINVAL);
    take_lock();
    while (n < TIMER_MAX && timers[n].used)
        n++;
    if (n < TIMER_MAX) {
        timers[n] = (struct posix_timer){.used = true, .clock = clock};
        made = n < made ? made : n + 1U;
        if (event != NULL)
            timers[n].event = *event;
        else
            timers[n].event = (struct sigevent){.sigev_notify = SIGEV_SIGNAL,
                                                .sigev_signo = SIGALRM,
                                                .sigev_value.sival_int = (int)n + 1};
        *id = (timer_t)(uintptr_t)(n + 1U);
    }
    give_lock();
    return n < TIMER_MAX ? 0 : fail(EAGAIN);
}

int timer_delete(timer_t id)
{
    struct posix_timer *t;

    take_lock();
    t = find(id);
    if (t != NULL)
        *t = (struct posix_timer){0};
    pthread_cond_broadcast(&changed);
    give_lock();
    return t != NULL ? 0 : -1;
}

static struct itimerspec present(const struct posix_timer *t)
{
    uint64_t now;
    uint64_t left = 0;

    if (t->at != 0 && pt_clock_ns(t->clock, &now))
        left = t->at > now ? t->at - now : 1U;
    return (struct itimerspec){.it_interval = spec_of(t->interval), .it_value = spec_of(left)};
}

int timer_gettime(timer_t id, struct itimerspec *value)
{
    const struct posix_timer *t;

    take_lock();
    t = find(id);
    if (t != NULL)
        *value = present(t);
    give_lock();
    return t != NULL ? 0 : -1;
}

/* Arms or disarms a timer. lock held. Returns true if the waiting thread must be created. */
static bool set(struct posix_timer *t, bool absolute, const struct itimerspec *value)
{
    const uint64_t ns = ns_of(&value->it_value);
    bool begin;
    uint64_t now = 0;

    (void)pt_clock_ns(t->clock, &now);
    t->interval = ns_of(&value->it_interval);
    t->overrun = 0;
    t->at = ns == 0 || absolute ? ns : ns + now;
    begin = t->at != 0 && !waited_for;
    waited_for |= begin;
    pthread_cond_broadcast(&changed);
    return begin;
}

/* Creates the waiting thread; disarms the timer if that fails. */
static int begin_for(struct posix_timer *t)
{
    const int r = begin_to_wait(
        t->event.sigev_notify == SIGEV_THREAD ? t->event.sigev_notify_attributes : NULL);

    if (r == 0)
        return 0;
    wait_ended(t);
    return EAGAIN;
}

int timer_settime(timer_t id, int flags, const struct itimerspec *restrict value,
                  struct itimerspec *restrict old)
{
    struct posix_timer *t;
    bool begin = false;

    if (!valid(&value->it_value) || !valid(&value->it_interval))
        return fail(EINVAL);
    take_lock();
    t = find(id);
    if (t != NULL) {
        if (old != NULL)
            *old = present(t);
        begin = set(t, (flags & TIMER_ABSTIME) != 0, value);
    }
    give_lock();
    if (t == NULL)
        return -1;
    return begin && begin_for(t) != 0 ? fail(EAGAIN) : 0;
}

int timer_getoverrun(timer_t id)
{
    const struct posix_timer *t;
    int overrun = -1;

    take_lock();
    t = find(id);
    if (t != NULL)
        overrun = t->overrun;
    give_lock();
    return overrun;
}

int pt_itimer(int which, const struct itimerspec *value, struct itimerspec *old)
{
    struct posix_timer *const t = &timers[TIMER_MAX + which];
    bool begin;

    take_lock();
    if (old != NULL)
        *old = present(t);
    begin = value != NULL && set(t, false, value);
    give_lock();
    return begin ? begin_for(t) : 0;
}
