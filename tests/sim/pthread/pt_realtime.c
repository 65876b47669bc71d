/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Real-time signals: queued in order with their values, the lowest first; waited for, handled, sent
 * by timers. Prints the same lines on Linux and on the target. usage: pt_realtime [-s SEED]
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#if !defined(_POSIX_REALTIME_SIGNALS) || !defined(SIGRTMIN)
#error programs choose by these
#endif

static sigset_t set;
static volatile sig_atomic_t count, at;
static char order[256];

static void queue(int sig, int value)
{
    if (sigqueue(getpid(), sig, (union sigval){.sival_int = value}) != 0)
        printf("sigqueue: %s\n", strerror(errno));
}

static const char *cause(int code)
{
    return code == SI_QUEUE ? "queue" : code == SI_TIMER ? "timer" : "sent";
}

static void take(void)
{
    const struct timespec none = {0};
    siginfo_t info;
    int sig;

    while ((sig = sigtimedwait(&set, &info, &none)) > 0) {
        if (sig == SIGUSR1 || sig == SIGRTMAX)
            printf(" %s", sig == SIGUSR1 ? "usr1" : "max");
        else
            printf(" +%d", sig - SIGRTMIN);
        printf("/%s", cause(info.si_code));
        if (info.si_code == SI_QUEUE)
            printf("/%d", info.si_value.sival_int);
        if (info.si_code != SI_TIMER && (info.si_pid != getpid() || info.si_uid != getuid()))
            printf("?");
    }
    printf("; then %s\n", errno == EAGAIN ? "none" : strerror(errno));
}

static void waited_for(void)
{
    queue(SIGRTMIN + 2, 20);
    queue(SIGRTMIN + 1, 10);
    queue(SIGRTMIN + 2, 21);
    queue(SIGRTMAX, 90);
    queue(SIGRTMIN + 1, 11);
    kill(getpid(), SIGRTMIN + 1);
    pthread_kill(pthread_self(), SIGRTMIN);
    printf("queued:");
    take();
    queue(SIGUSR1, 1);
    queue(SIGUSR1, 2);
    printf("not queued twice:");
    take();
}

static void *wait_for_one(void *arg)
{
    siginfo_t info;

    (void)arg;
    if (sigwaitinfo(&set, &info) != SIGRTMIN + 4 || info.si_value.sival_int != 44)
        printf("wrong\n");
    return NULL;
}

static void by_threads(void)
{
    pthread_t t;

    pthread_create(&t, NULL, wait_for_one, NULL);
    usleep(20000);
    queue(SIGRTMIN + 4, 44);
    pthread_join(t, NULL);
    pthread_create(&t, NULL, wait_for_one, NULL);
    pthread_sigqueue(t, SIGRTMIN + 4, (union sigval){.sival_int = 44});
    pthread_join(t, NULL);
    printf("threads: taken\n");
}

static void on_info(int sig, siginfo_t *info, void *context)
{
    (void)context;
    order[at++] = (char)('a' + sig - SIGRTMIN);
    order[at++] = (char)('0' + info->si_value.sival_int);
    count++;
}

static void handled(void)
{
    struct sigaction act = {.sa_sigaction = on_info, .sa_flags = SA_SIGINFO};
    sigset_t old;

    sigfillset(&act.sa_mask);
    for (int sig = SIGRTMIN; sig <= SIGRTMIN + 5; sig++)
        sigaction(sig, &act, NULL);
    at = 0;
    for (int i = 0; i < 4; i++) {
        queue(SIGRTMIN + 5 - i, i);
        queue(SIGRTMIN + 3, 4 + i);
    }
    pthread_sigmask(SIG_UNBLOCK, &set, &old);
    order[at] = '\0';
    printf("handled, lowest first: %s\n", order);
    at = 0;
    queue(SIGRTMIN + 1, 7);
    order[at] = '\0';
    printf("at once: %s\n", order);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    count = at = 0;
    for (int i = 0; i < 100; i++)
        queue(SIGRTMIN, i % 10);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    for (int i = 0; i < 100; i++) {
        if (order[2 * i] != 'a' || order[2 * i + 1] != '0' + i % 10)
            printf("%d: %.2s\n", i, &order[2 * i]);
    }
    printf("in order: %d\n", (int)count);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static void ignored(void)
{
    queue(SIGRTMIN + 1, 1);
    signal(SIGRTMIN + 1, SIG_IGN);
    printf("ignored:");
    take();
    signal(SIGRTMIN + 1, SIG_DFL);
}

static void timers(void)
{
    struct sigevent event = {
        .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 2, .sigev_value.sival_int = 1234};
    struct itimerspec every = {.it_value.tv_nsec = 2000000, .it_interval.tv_nsec = 2000000};
    const struct timespec none = {0};
    siginfo_t info;
    timer_t timer, second;

    timer_create(CLOCK_MONOTONIC, &event, &timer);
    event.sigev_value.sival_ptr = &every;
    event.sigev_signo = SIGRTMIN + 3;
    timer_create(CLOCK_MONOTONIC, &event, &second);
    timer_settime(timer, 0, &every, NULL);
    for (int i = 0; i < 3; i++) {
        const int sig = sigwaitinfo(&set, &info);

        printf("timer: +%d/%s/%d\n", sig - SIGRTMIN, cause(info.si_code), info.si_value.sival_int);
    }
    usleep(30000); /* pending meanwhile: once */
    sigwaitinfo(&set, &info);
    printf("overrun %d\n", info.si_overrun >= 10 && info.si_overrun == timer_getoverrun(timer));
    timer_delete(timer);
    while (sigtimedwait(&set, &info, &none) > 0)
        ;
    memset(&every, 0, sizeof(every));
    every.it_value.tv_nsec = 1000000;
    timer_settime(second, 0, &every, NULL);
    sigwaitinfo(&set, &info);
    printf("once: +%d %d", info.si_signo - SIGRTMIN, info.si_value.sival_ptr == &every);
    take();
    timer_delete(second);
}

static void limits(void)
{
    sigset_t all;

    sigfillset(&all);
    printf("limits %d %d %d %d\n", SIGRTMAX - SIGRTMIN + 1 >= _POSIX_RTSIG_MAX,
           sysconf(_SC_RTSIG_MAX) >= SIGRTMAX - SIGRTMIN + 1, sysconf(_SC_REALTIME_SIGNALS) > 0,
           sysconf(_SC_SIGQUEUE_MAX) == -1 || sysconf(_SC_SIGQUEUE_MAX) >= _POSIX_SIGQUEUE_MAX);
    printf("sets %d %d", sigismember(&all, SIGRTMAX), sigdelset(&all, SIGRTMIN));
    printf(" %d %d\n", sigismember(&all, SIGRTMIN), sigismember(&all, SIGRTMIN + 1));
    printf("beyond %d", sigaddset(&all, SIGRTMAX + 1));
    printf(" %d", sigqueue(getpid(), SIGRTMAX + 1, (union sigval){0}));
    printf(" %d", errno == EINVAL);
    printf(" %d %d\n", sigqueue(getpid(), 0, (union sigval){0}), kill(getpid(), 0));
}

int main(void)
{
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    for (int sig = SIGRTMIN; sig <= SIGRTMAX; sig++)
        sigaddset(&set, sig);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    waited_for();
    by_threads();
    handled();
    ignored();
    timers();
    limits();
    printf("pt_realtime: ok\n");
    return 0;
}
