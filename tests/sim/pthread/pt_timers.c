/* SPDX-License-Identifier: GPL-2.0-or-later */
/* POSIX timers and sets of signals. Prints the same lines on Linux and on the target. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t ticks;
static sem_t called, once;
static volatile int value;

static void on_tick(int sig)
{
    (void)sig;
    ticks++;
}

static void on_call(union sigval v)
{
    (void)v;
    sem_post(&called);
}

static void on_once(union sigval v)
{
    value += v.sival_int;
    sem_post(&once);
}

static void on_exit_call(union sigval v)
{
    on_call(v);
    if (v.sival_int == 1)
        pthread_exit(NULL);
    pthread_cancel(pthread_self());
    pthread_testcancel();
}

static void by_signal(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    struct itimerspec set = {.it_value.tv_nsec = 2000000, .it_interval.tv_nsec = 3000000};
    struct itimerspec left;
    struct sigaction act = {.sa_handler = on_tick, .sa_flags = SA_RESTART};
    timer_t timer;

    sigaction(SIGUSR1, &act, NULL);
    printf("create %d\n", timer_create(CLOCK_MONOTONIC, &event, &timer));
    printf("set %d\n", timer_settime(timer, 0, &set, NULL));
    while (ticks < 3)
        usleep(500);
    printf("get %d", timer_gettime(timer, &left));
    printf(" %ld %d\n", left.it_interval.tv_nsec,
           left.it_value.tv_nsec > 0 && left.it_value.tv_nsec <= 3000000);
    memset(&set, 0, sizeof(set));
    printf("stop %d", timer_settime(timer, 0, &set, &left));
    printf(" %ld\n", left.it_interval.tv_nsec);
    timer_gettime(timer, &left);
    printf("stopped %ld %ld\n", (long)left.it_value.tv_sec, left.it_value.tv_nsec);
    printf("overrun %d\n", timer_getoverrun(timer) >= 0);
    printf("delete %d\n", timer_delete(timer));
}

static void by_thread(void)
{
    struct sigevent event = {
        .sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_call, .sigev_value.sival_int = 5};
    struct itimerspec set = {.it_interval.tv_nsec = 2000000};
    struct timespec now;
    timer_t timer, second;

    sem_init(&called, 0, 0);
    sem_init(&once, 0, 0);
    printf("create %d", timer_create(CLOCK_REALTIME, &event, &timer));
    event.sigev_value.sival_int = 100;
    event.sigev_notify_function = on_once;
    printf(" %d\n", timer_create(CLOCK_MONOTONIC, &event, &second));
    clock_gettime(CLOCK_REALTIME, &now);
    set.it_value = now; /* past: at once */
    printf("absolute %d\n", timer_settime(timer, TIMER_ABSTIME, &set, NULL));
    for (int i = 0; i < 3; i++)
        sem_wait(&called);
    timer_delete(timer);
    memset(&set, 0, sizeof(set));
    set.it_value.tv_nsec = 1000000;
    timer_settime(second, 0, &set, NULL);
    sem_wait(&once);
    usleep(5000);
    printf("once %d\n", value);
    timer_delete(second);
}

/* Functions that end their thread do not end their timers, nor others. */
static void ended(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_exit_call};
    struct itimerspec set = {.it_value.tv_nsec = 1000000, .it_interval.tv_nsec = 2000000};
    struct timespec limit;
    timer_t timer[2];
    int missed = 0;

    for (int i = 0; i < 2; i++) {
        event.sigev_value.sival_int = i;
        timer_create(CLOCK_MONOTONIC, &event, &timer[i]);
        timer_settime(timer[i], 0, &set, NULL);
    }
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 5;
    for (int i = 0; i < 8; i++)
        missed += sem_timedwait(&called, &limit) != 0;
    timer_delete(timer[0]);
    timer_delete(timer[1]);
    ticks = 0;
    set.it_interval.tv_nsec = 0;
    timer_create(CLOCK_MONOTONIC, NULL, &timer[0]);
    signal(SIGALRM, on_tick);
    timer_settime(timer[0], 0, &set, NULL);
    for (int i = 0; i < 1000 && ticks == 0; i++)
        usleep(1000);
    timer_delete(timer[0]);
    printf("after threads that ended: %d missed, %d signal\n", missed, (int)ticks);
}

static void wrong(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = 1000};
    struct itimerspec set = {.it_value.tv_nsec = 1000000000};
    timer_t timer;

    printf("signal %d", timer_create(CLOCK_MONOTONIC, &event, &timer));
    printf(" %d\n", errno == EINVAL);
    event.sigev_notify = SIGEV_NONE;
    printf("clock %d", timer_create(77, &event, &timer));
    printf(" %d\n", errno == EINVAL);
    printf("none %d\n", timer_create(CLOCK_MONOTONIC, &event, &timer));
    printf("time %d", timer_settime(timer, 0, &set, NULL));
    printf(" %d\n", errno == EINVAL);
    set.it_value = (struct timespec){.tv_sec = 100};
    timer_settime(timer, 0, &set, NULL);
    timer_gettime(timer, &set);
    printf("left %d\n", set.it_value.tv_sec >= 99);
    timer_delete(timer);
}

static void sets(void)
{
    char memory[16384];
    stack_t stack = {.ss_sp = memory, .ss_size = sizeof(memory)}, old;
    sigset_t set, other;

    sigemptyset(&set);
    printf("add %d", sigaddset(&set, SIGUSR2));
    printf(" %d", sigaddset(&set, 1000));
    printf(" %d %d\n", errno == EINVAL, sigaddset(&set, 0));
    printf("member %d %d %d\n", sigismember(&set, SIGUSR2), sigismember(&set, SIGUSR1),
           sigismember(&set, -1));
    printf("empty %d", sigisemptyset(&set));
    sigdelset(&set, SIGUSR2);
    printf(" %d\n", sigisemptyset(&set));
    sigfillset(&set);
    printf("full %d %d\n", sigismember(&set, SIGHUP), sigismember(&set, SIGUSR1));
    ticks = 0;
    sighold(SIGUSR1);
    raise(SIGUSR1);
    printf("held %d\n", (int)ticks);
    sigpending(&other);
    printf("pending %d\n", sigismember(&other, SIGUSR1));
    sigrelse(SIGUSR1);
    printf("let in %d\n", (int)ticks);
    printf("stack %d", sigaltstack(&stack, &old));
    printf(" %d", old.ss_flags == SS_DISABLE);
    printf(" %d", sigaltstack(NULL, &old));
    printf(" %d\n", old.ss_sp == memory);
    sigignore(SIGUSR1);
    raise(SIGUSR1);
    printf("ignored %d\n", (int)ticks);
}

int main(void)
{
    by_signal();
    by_thread();
    ended();
    wrong();
    sets();
    return 0;
}
