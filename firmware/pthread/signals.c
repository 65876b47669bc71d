/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sending signals and waiting for them. Nothing interrupts a thread: a handler runs in the thread
 * that sends the signal, or that lets one in which it had blocked; a timer's runs in the thread
 * that waits for the timer.
 */
#include <errno.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include "mpj.h"
#include "pt_int.h"
#include "sigs.h"

#define BIT(sig)    (1UL << (sig))
#define UNBLOCKABLE (BIT(SIGKILL) | BIT(SIGSTOP))
#define NS_PER_S    1000000000U
#define TIMER_STACK 65536U

static pthread_mutex_t lock; /* of everything here */
static pthread_cond_t changed;
static sigset_t pending;  /* for whichever thread lets it in */
static unsigned long ran; /* handlers */

static struct {
    uint64_t at; /* mpj_time_ns(); 0: not set */
    uint64_t interval;
    bool waited_for; /* by a thread */
} timer;

static int fail(int error)
{
    errno = error;
    return -1;
}

/* In the calling thread; lock not held. */
static void act(int sig)
{
    const bool handled = mpj_sig_fate(sig) == MPJ_SIG_HANDLED;

    mpj_sig_act(sig);
    if (!handled)
        return;
    pthread_mutex_lock(&lock);
    ran++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

/* What waits for the calling thread and is not blocked. */
static void let_in(void)
{
    struct mpj_thread *self = mpj_thread_self();

    for (;;) {
        sigset_t ready;
        int sig;

        pthread_mutex_lock(&lock);
        ready = (pending | self->signals_pending) & ~self->signals_blocked;
        sig = ready != 0 ? __builtin_ctzl(ready) : 0;
        pending &= ~(BIT(sig) & ready);
        self->signals_pending &= ~(BIT(sig) & ready);
        pthread_mutex_unlock(&lock);
        if (ready == 0)
            return;
        act(sig);
    }
}

static bool waits(const struct mpj_thread *self)
{
    return ((pending | self->signals_pending) & ~self->signals_blocked) != 0;
}

int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    struct mpj_thread *self = mpj_thread_self();

    if (old != NULL)
        *old = self->signals_blocked;
    if (set == NULL)
        return 0;
    switch (how) {
    case SIG_BLOCK:
        self->signals_blocked |= *set & ~UNBLOCKABLE;
        return 0;
    case SIG_UNBLOCK:
        self->signals_blocked &= ~*set;
        break;
    case SIG_SETMASK:
        self->signals_blocked = *set & ~UNBLOCKABLE;
        break;
    default:
        return EINVAL;
    }
    if (waits(self))
        let_in();
    return 0;
}

int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
    int r = pthread_sigmask(how, set, old);

    return r == 0 ? 0 : fail(r);
}

int sigpending(sigset_t *set)
{
    const struct mpj_thread *self = mpj_thread_self();

    *set = (pending | self->signals_pending) & self->signals_blocked;
    return 0;
}

/* ---- sending ------------------------------------------------------------------------------ */

static bool blocked_by_all(int sig)
{
    hal_irq_state s = mpj_sched_lock();
    bool all = true;

    for (unsigned i = 0; i < MPJ_THREADS_MAX && all; i++) {
        const struct mpj_thread *t = mpj_thread_by_slot(i);

        all = t == NULL || t->state == MPJ_THREAD_DEAD || (t->signals_blocked & BIT(sig)) != 0;
    }
    mpj_sched_unlock(s);
    return all;
}

static void send_to_program(int sig)
{
    if (!blocked_by_all(sig)) {
        act(sig);
        return;
    }
    pthread_mutex_lock(&lock);
    pending |= BIT(sig);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

int kill(pid_t pid, int sig)
{
    if (pid != 0 && pid != getpid())
        return fail(ESRCH);
    if (sig == 0)
        return 0;
    if (!mpj_sig_valid(sig))
        return fail(EINVAL);
    send_to_program(sig);
    return 0;
}

/* One for the calling thread, or for another that blocks it; ENOSYS for another one's handler. */
static int send_to_thread(struct mpj_thread *t, int sig)
{
    const bool mine = t == mpj_thread_self();

    if ((t->signals_blocked & BIT(sig)) != 0) {
        pthread_mutex_lock(&lock);
        t->signals_pending |= BIT(sig);
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
        return 0;
    }
    if (!mine && mpj_sig_fate(sig) == MPJ_SIG_HANDLED)
        return ENOSYS;
    act(sig);
    return 0;
}

int raise(int sig)
{
    return mpj_sig_valid(sig) ? send_to_thread(mpj_thread_self(), sig) : fail(EINVAL);
}

/* Signal 0 asks whether the thread is there. */
int pthread_kill(pthread_t handle, int sig)
{
    hal_irq_state s = mpj_sched_lock();
    struct mpj_thread *t = pt_find_locked(handle);

    mpj_sched_unlock(s);
    if (t == NULL)
        return ESRCH;
    if (sig == 0)
        return 0;
    return mpj_sig_valid(sig) ? send_to_thread(t, sig) : EINVAL;
}

/* ---- waiting -------------------------------------------------------------------------------- */

static void unlock(void *arg)
{
    (void)arg;
    pthread_mutex_unlock(&lock);
}

/* A signal of the set; 0: the time is over. limit: NULL or an absolute time. */
static int wait_for(const sigset_t *set, const struct timespec *limit)
{
    struct mpj_thread *self = mpj_thread_self();
    sigset_t ready;
    int sig = 0;
    int r = 0;

    pthread_mutex_lock(&lock);
    pthread_cleanup_push(unlock, NULL);
    while ((ready = (pending | self->signals_pending) & *set) == 0 && r == 0) {
        r = limit == NULL ? pthread_cond_wait(&changed, &lock)
                          : pthread_cond_clockwait(&changed, &lock, CLOCK_MONOTONIC, limit);
    }
    if (ready != 0) {
        sig = __builtin_ctzl(ready);
        if ((self->signals_pending & BIT(sig)) != 0)
            self->signals_pending &= ~BIT(sig);
        else
            pending &= ~BIT(sig);
    }
    pthread_cleanup_pop(1);
    return sig;
}

int sigwait(const sigset_t *set, int *sig)
{
    *sig = wait_for(set, NULL);
    return 0;
}

int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *time)
{
    struct timespec limit;
    int sig;

    if (time != NULL) {
        (void)clock_gettime(CLOCK_MONOTONIC, &limit);
        limit.tv_sec += time->tv_sec;
        limit.tv_nsec += time->tv_nsec;
        if (limit.tv_nsec >= (long)NS_PER_S) {
            limit.tv_nsec -= (long)NS_PER_S;
            limit.tv_sec++;
        }
    }
    sig = wait_for(set, time != NULL ? &limit : NULL);
    if (sig == 0)
        return fail(EAGAIN);
    if (info != NULL)
        *info = (siginfo_t){.si_signo = sig, .si_code = SI_USER};
    return sig;
}

int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
    return sigtimedwait(set, info, NULL);
}

/* Until a handler has run, in whatever thread. */
int sigsuspend(const sigset_t *mask)
{
    struct mpj_thread *self = mpj_thread_self();
    sigset_t old = self->signals_blocked;
    unsigned long before;

    pthread_mutex_lock(&lock);
    before = ran;
    self->signals_blocked = *mask;
    pthread_cleanup_push(unlock, NULL);
    while (ran == before && !waits(self))
        pthread_cond_wait(&changed, &lock);
    pthread_cleanup_pop(1);
    let_in();
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    return fail(EINTR);
}

int pause(void)
{
    return sigsuspend(&mpj_thread_self()->signals_blocked);
}

/* ---- the timer --------------------------------------------------------------------------------
 */

static void *wait_for_timer(void *arg)
{
    (void)arg;
    (void)pthread_setname_np(pthread_self(), "timer");
    pthread_mutex_lock(&lock);
    while (timer.at != 0) {
        const uint64_t now = mpj_time_ns();

        if (now < timer.at) {
            const struct timespec limit = {.tv_sec = (time_t)(timer.at / NS_PER_S),
                                           .tv_nsec = (long)(timer.at % NS_PER_S)};

            (void)pthread_cond_clockwait(&changed, &lock, CLOCK_MONOTONIC, &limit);
            continue;
        }
        timer.at = timer.interval != 0 ? timer.at + timer.interval : 0;
        pthread_mutex_unlock(&lock);
        send_to_program(SIGALRM);
        pthread_mutex_lock(&lock);
    }
    timer.waited_for = false;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static int begin_to_wait(void)
{
    const sigset_t all = ~0UL;
    pthread_attr_t attr;
    pthread_t thread;
    sigset_t old;
    int r;

    (void)pthread_attr_init(&attr);
    (void)pthread_attr_setstacksize(&attr, TIMER_STACK);
    (void)pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    (void)pthread_sigmask(SIG_SETMASK, &all, &old); /* signals for the program pass it by */
    r = pthread_create(&thread, &attr, wait_for_timer, NULL);
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    (void)pthread_attr_destroy(&attr);
    return r;
}

static uint64_t ns_of(const struct timeval *t)
{
    return (uint64_t)t->tv_sec * NS_PER_S + (uint64_t)t->tv_usec * 1000U;
}

static struct timeval timeval_of(uint64_t ns)
{
    return (struct timeval){.tv_sec = (time_t)(ns / NS_PER_S),
                            .tv_usec = (suseconds_t)(ns % NS_PER_S / 1000U)};
}

static struct itimerval present(void)
{
    const uint64_t now = mpj_time_ns();

    if (timer.at == 0)
        return (struct itimerval){0};
    return (struct itimerval){.it_interval = timeval_of(timer.interval),
                              .it_value = timeval_of(timer.at > now ? timer.at - now : 1000U)};
}

int getitimer(int which, struct itimerval *value)
{
    if (which != ITIMER_REAL)
        return fail(EINVAL);
    pthread_mutex_lock(&lock);
    *value = present();
    pthread_mutex_unlock(&lock);
    return 0;
}

int setitimer(int which, const struct itimerval *restrict value, struct itimerval *restrict old)
{
    bool begin;

    if (which != ITIMER_REAL || value->it_value.tv_usec < 0 || value->it_value.tv_usec > 999999 ||
        value->it_interval.tv_usec < 0 || value->it_interval.tv_usec > 999999)
        return fail(EINVAL);
    pthread_mutex_lock(&lock);
    if (old != NULL)
        *old = present();
    timer.at = ns_of(&value->it_value);
    timer.interval = ns_of(&value->it_interval);
    if (timer.at != 0)
        timer.at += mpj_time_ns();
    begin = timer.at != 0 && !timer.waited_for;
    timer.waited_for |= begin;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    if (begin && begin_to_wait() != 0) {
        pthread_mutex_lock(&lock);
        timer.at = 0;
        timer.waited_for = false;
        pthread_mutex_unlock(&lock);
        return fail(EAGAIN);
    }
    return 0;
}

static uint64_t set_us(uint64_t us, uint64_t interval_us)
{
    struct itimerval old;
    const struct itimerval new = {.it_value = timeval_of(us * 1000U),
                                  .it_interval = timeval_of(interval_us * 1000U)};

    return setitimer(ITIMER_REAL, &new, &old) == 0 ? ns_of(&old.it_value) / 1000U : 0;
}

unsigned alarm(unsigned seconds)
{
    return (unsigned)((set_us((uint64_t)seconds * 1000000U, 0) + 999999U) / 1000000U);
}

useconds_t ualarm(useconds_t us, useconds_t interval)
{
    return (useconds_t)set_us(us, interval);
}
