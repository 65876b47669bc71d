/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Timers and sleeps on processor time: never early, not while the thread sleeps, in time while it
 * computes. Prints the same lines on Linux and on the target. usage: pt_cputimers [-s SEED]
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000L
#ifdef __MPJOULE__
#define LATE (30 * MS) /* at most */
#else
#define LATE (10000 * MS) /* a busy machine's ticks may come late */
#endif

/* By signal: that of the timer before may come late, in another thread. */
static volatile sig_atomic_t fired[32];
static volatile int over;

static int64_t now(clockid_t clock)
{
    struct timespec t;

    if (clock_gettime(clock, &t) != 0)
        return -1;
    return (int64_t)t.tv_sec * 1000 * MS + t.tv_nsec;
}

static void on_fire(int sig)
{
    fired[sig]++;
}

static void say(const char *what, int64_t took, int64_t wanted)
{
    printf("%s: early %d, late %d\n", what, took<wanted, took> wanted + LATE);
}

static struct itimerspec after(long ns, long interval)
{
    return (struct itimerspec){.it_value.tv_nsec = ns, .it_interval.tv_nsec = interval};
}

static void of_this_thread(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    struct itimerspec set = after(20 * MS, 0);
    struct itimerspec left;
    timer_t timer;
    int64_t begin;

    printf("create %d\n", timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer));
    begin = now(CLOCK_THREAD_CPUTIME_ID);
    timer_settime(timer, 0, &set, NULL);
    usleep(60000);
    printf("asleep: fired %d\n", (int)fired[SIGUSR1]);
    timer_gettime(timer, &left);
    printf("left %d\n", left.it_value.tv_nsec > 10 * MS && left.it_value.tv_nsec <= 20 * MS);
    while (!fired[SIGUSR1])
        ;
    say("awake", now(CLOCK_THREAD_CPUTIME_ID) - begin, 20 * MS);
    timer_delete(timer);
}

static void *compute(void *arg)
{
    while (!over)
        ;
    return arg;
}

static void of_the_program(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    struct itimerspec set = after(30 * MS, 10 * MS);
    const struct itimerval every = {.it_value.tv_usec = 10000, .it_interval.tv_usec = 10000};
    const struct itimerval off = {0};
    struct itimerval present;
    pthread_t t[3];
    timer_t timer;
    int64_t begin;

    fired[SIGUSR1] = over = 0;
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, compute, NULL);
    timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer);
    begin = now(CLOCK_PROCESS_CPUTIME_ID);
    timer_settime(timer, 0, &set, NULL);
    while (fired[SIGUSR1] < 3)
        ;
    printf("program: early %d\n", now(CLOCK_PROCESS_CPUTIME_ID) - begin < 50 * MS);
    timer_delete(timer);
    signal(SIGVTALRM, on_fire);
    signal(SIGPROF, on_fire);
    for (int which = ITIMER_VIRTUAL; which <= ITIMER_PROF; which++) {
        const int sig = which == ITIMER_VIRTUAL ? SIGVTALRM : SIGPROF;

        begin = now(CLOCK_PROCESS_CPUTIME_ID);
        printf("set %d\n", setitimer(which, &every, NULL));
        while (fired[sig] < 3)
            ;
        printf("early %d\n", now(CLOCK_PROCESS_CPUTIME_ID) - begin < 28 * MS);
        getitimer(which, &present);
        printf("every %ld\n", (long)present.it_interval.tv_usec);
        setitimer(which, &off, NULL);
    }
    over = 1;
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
}

static void sleeps(void)
{
    const struct timespec t = {.tv_nsec = 20 * MS};
    struct timespec until;
    clockid_t clock;
    pthread_t other;
    int64_t begin;
    int r;

    over = 0;
    pthread_create(&other, NULL, compute, NULL);
    printf("clock %d\n", pthread_getcpuclockid(other, &clock));
    begin = now(clock);
    r = clock_nanosleep(clock, 0, &t, NULL);
    printf("other's %d\n", r);
    say("by then", now(clock) - begin, 20 * MS);
    begin = now(CLOCK_PROCESS_CPUTIME_ID) + 20 * MS;
    until = (struct timespec){.tv_sec = begin / (1000 * MS), .tv_nsec = begin % (1000 * MS)};
    r = clock_nanosleep(CLOCK_PROCESS_CPUTIME_ID, TIMER_ABSTIME, &until, NULL);
    printf("program's %d, early %d\n", r, now(CLOCK_PROCESS_CPUTIME_ID) < begin);
    printf("own %d\n", clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &t, NULL) == EINVAL);
    over = 1;
    pthread_join(other, NULL);
}

int main(void)
{
    signal(SIGUSR1, on_fire);
    of_this_thread();
    of_the_program();
    sleeps();
    printf("pt_cputimers: ok\n");
    return 0;
}
