/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Handlers that interrupt poll() and epoll_wait(): one waits, one jumps out of the call. The wait
 * in the handler, or after the jump, is not ended by a change of what was polled, and no descriptor
 * stays in use. Prints the same lines on Linux and on the target. usage: poll_jump [-s SEED]
 */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "../await.h"

#define WAIT_MS 20

static int end[2], set;
static sem_t asleep, unit;
static sigjmp_buf away;
static volatile int early;
static volatile pid_t waiter;

/* Waits for the time and for a unit that nobody posts; notes waits that ended early. */
static void wait_long(void)
{
    const struct timespec pause = {.tv_nsec = WAIT_MS * 1000000};
    struct timespec begin, now, limit;

    clock_gettime(CLOCK_MONOTONIC, &begin);
    sem_post(&asleep);
    early += nanosleep(&pause, NULL) != 0;
    clock_gettime(CLOCK_MONOTONIC, &now);
    early += (now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 < WAIT_MS;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_nsec += WAIT_MS * 1000000;
    limit.tv_sec += limit.tv_nsec / 1000000000;
    limit.tv_nsec %= 1000000000;
    sem_post(&asleep);
    early += sem_timedwait(&unit, &limit) == 0 || errno != ETIMEDOUT;
}

static void waits(int sig)
{
    (void)sig;
    wait_long();
}

static void jumps(int sig)
{
    siglongjmp(away, sig);
}

static int polls(void)
{
    struct pollfd file = {.fd = end[0], .events = POLLIN};

    return poll(&file, 1, -1);
}

static int polls_set(void)
{
    struct epoll_event event;

    return epoll_wait(set, &event, 1, -1);
}

static void *interrupted(void *call)
{
    int (*const wait)(void) = (int (*)(void))call;

    if (sigsetjmp(away, 1) == 0) {
        waiter = gettid();
        printf(" %d", wait() < 0 && errno == EINTR);
    } else {
        wait_long();
    }
    printf(" again %d", wait()); /* what main has written is still there */
    return NULL;
}

static void change(void)
{
    sem_wait(&asleep);
    usleep(WAIT_MS * 1000 / 4);
    (void)!write(end[1], "x", 1);
}

static void round_of(const char *name, void (*handler)(int), int (*wait)(void))
{
    struct epoll_event event = {.events = EPOLLIN};
    struct sigaction act = {.sa_handler = handler};
    pthread_t t;

    sigaction(SIGUSR1, &act, NULL);
    (void)!pipe(end);
    set = epoll_create1(0);
    epoll_ctl(set, EPOLL_CTL_ADD, end[0], &event);
    early = 0;
    waiter = 0;
    printf("%s", name);
    pthread_create(&t, NULL, interrupted, (void *)wait);
    await_wait(&waiter);
    pthread_kill(t, SIGUSR1);
    change();
    change();
    event.events = EPOLLIN | EPOLLPRI;
    epoll_ctl(set, EPOLL_CTL_MOD, end[0], &event);
    pthread_join(t, NULL);
    printf(", early %d\n", early);
    close(end[0]);
    close(end[1]);
    close(set);
}

static void all(void)
{
    round_of("poll, handler waits", waits, polls);
    round_of("poll, handler jumps", jumps, polls);
    round_of("epoll, handler waits", waits, polls_set);
    round_of("epoll, handler jumps", jumps, polls_set);
}

int main(void)
{
    size_t before;

    sem_init(&asleep, 0, 0);
    sem_init(&unit, 0, 0);
    all(); /* allocates what the library keeps */
    before = (size_t)mallinfo().uordblks;
    all();
    printf("in use: %d\n", (size_t)mallinfo().uordblks > before);
    printf("poll_jump: ok\n");
    return 0;
}
