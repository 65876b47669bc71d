/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signals that interrupt threads: while they compute, while they wait, while they have no core, in
 * another handler. Prints the same lines on Linux and on the target. usage: pt_signals [-s SEED]
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "../await.h"

static volatile sig_atomic_t got, inner, depth, deepest, order[8];
static volatile int ready, stop, where;
static sem_t sem, done;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_t other;
static sigjmp_buf away;

static void install(int sig, void (*fn)(int), int flags)
{
    struct sigaction act = {.sa_handler = fn, .sa_flags = flags};

    sigemptyset(&act.sa_mask);
    sigaction(sig, &act, NULL);
}

static void mark(int sig)
{
    (void)sig;
    where = pthread_equal(pthread_self(), other) != 0;
    errno = 77;
    got++;
}

/* ---- a thread that computes ---------------------------------------------------------------- */

static void *spin(void *arg)
{
    double sum = 0.0;
    uint64_t hash = 5381;
    uint32_t rounds = 0;
    double expected = 0.0;
    uint64_t same = 5381;

    (void)arg;
    errno = 11;
    ready = 1;
    while (got < 5 || rounds < 20000U) {
        hash = hash * 33U + rounds;
        sum += (double)(rounds % 17U) * 0.25;
        rounds++;
    }
    for (uint32_t i = 0; i < rounds; i++) {
        same = same * 33U + i;
        expected += (double)(i % 17U) * 0.25;
    }
    return (void *)(intptr_t)(hash == same && sum == expected && errno == 11);
}

/* A handler that uses the registers, floating point above all. */
static void busy_mark(int sig)
{
    volatile double x = 1.5;

    for (int i = 1; i < 20; i++)
        x = x * 1.25 + (double)i / 3.0;
    (void)x;
    mark(sig);
}

static void computing(void)
{
    void *intact;

    got = ready = where = 0;
    install(SIGUSR1, busy_mark, 0);
    pthread_create(&other, NULL, spin, NULL);
    while (!ready)
        sched_yield();
    for (int i = 0; i < 5; i++) {
        const int before = got;

        pthread_kill(other, SIGUSR1);
        while (got == before) /* prompt, though it makes no call */
            ;
    }
    pthread_join(other, &intact);
    printf("computing: %d handled, in it %d, intact %d\n", (int)got, where, (int)(intptr_t)intact);
}

/* ---- masks, nesting ------------------------------------------------------------------------ */

static void nest(int sig)
{
    (void)sig;
    depth++;
    if (depth > deepest)
        deepest = depth;
    if (depth < 3 && got++ < 4)
        raise(SIGUSR1);
    depth--;
}

static void second(int sig)
{
    (void)sig;
    inner++;
}

static void first(int sig)
{
    (void)sig;
    raise(SIGUSR2);
    order[0] = inner;
    got++;
}

static void masks(void)
{
    struct sigaction act = {.sa_handler = first};
    sigset_t set;

    got = depth = deepest = 0;
    install(SIGUSR1, nest, 0);
    raise(SIGUSR1);
    printf("deferred: deepest %d", (int)deepest);
    got = deepest = 0;
    install(SIGUSR1, nest, SA_NODEFER);
    raise(SIGUSR1);
    printf(", with SA_NODEFER %d\n", (int)deepest);

    inner = got = 0;
    install(SIGUSR2, second, 0);
    sigemptyset(&act.sa_mask);
    sigaddset(&act.sa_mask, SIGUSR2);
    sigaction(SIGUSR1, &act, NULL);
    raise(SIGUSR1);
    printf("masked: %d within, %d after", (int)order[0], (int)inner);
    sigemptyset(&act.sa_mask);
    sigaction(SIGUSR1, &act, NULL);
    raise(SIGUSR1);
    printf("; not masked: %d within\n", (int)order[0]);
    pthread_sigmask(SIG_SETMASK, NULL, &set);
    printf("mask after: %d %d\n", sigismember(&set, SIGUSR1), sigismember(&set, SIGUSR2));
    install(SIGUSR1, second, (int)SA_RESETHAND);
    raise(SIGUSR1);
    sigaction(SIGUSR1, NULL, &act);
    printf("reset: %d\n", act.sa_handler == SIG_DFL);
}

/* ---- out of a handler ---------------------------------------------------------------------- */

static void leave(int sig)
{
    got++;
    siglongjmp(away, sig);
}

static void *leaves(void *arg)
{
    volatile int times = 0;
    sigset_t set;

    (void)arg;
    if (sigsetjmp(away, 1) != 0)
        times++;
    pthread_sigmask(SIG_SETMASK, NULL, &set);
    if (sigismember(&set, SIGUSR1))
        return NULL;
    if (times < 4) {
        ready = times + 1;
        for (;;)
            ;
    }
    return (void *)(intptr_t)times;
}

static void out_of_handlers(void)
{
    void *times;

    got = ready = 0;
    install(SIGUSR1, leave, 0);
    pthread_create(&other, NULL, leaves, NULL);
    for (int i = 1; i <= 4; i++) {
        while (ready != i)
            sched_yield();
        pthread_kill(other, SIGUSR1);
    }
    pthread_join(other, &times);
    printf("left %d times of %d\n", (int)(intptr_t)times, (int)got);
}

/* ---- the stack ------------------------------------------------------------------------------ */

static char memory[65536];

static void look_at_stack(int sig)
{
    stack_t now;
    char here;

    (void)sig;
    sigaltstack(NULL, &now);
    got = (uintptr_t)&here - (uintptr_t)memory < sizeof(memory);
    inner = now.ss_flags == SS_ONSTACK;
}

static void stacks(void)
{
    stack_t stack = {.ss_sp = memory, .ss_size = sizeof(memory)};
    stack_t old;

    printf("set %d\n", sigaltstack(&stack, NULL));
    install(SIGUSR1, look_at_stack, SA_ONSTACK);
    raise(SIGUSR1);
    printf("on it %d %d", (int)got, (int)inner);
    install(SIGUSR1, look_at_stack, 0);
    raise(SIGUSR1);
    printf(", not on it %d %d\n", (int)got, (int)inner);
    stack.ss_flags = SS_DISABLE;
    printf("off %d", sigaltstack(&stack, &old));
    printf(" %d\n", old.ss_flags == 0 && old.ss_sp == memory);
    install(SIGUSR1, look_at_stack, SA_ONSTACK);
    raise(SIGUSR1);
    printf("without %d\n", (int)got);
}

/* ---- threads that wait ---------------------------------------------------------------------- */

static void *waits_for_sem(void *arg)
{
    const int r = sem_wait(&sem);

    (void)arg;
    return (void *)(intptr_t)(r == 0 ? 0 : errno);
}

static void *waits_for_sem_timed(void *arg)
{
    struct timespec limit;
    int r;

    (void)arg;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 10;
    r = sem_timedwait(&sem, &limit);
    return (void *)(intptr_t)(r == 0 ? 0 : errno);
}

static void *waits_for_mutex(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void *waits_for_cond(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&mutex);
    while (!stop)
        pthread_cond_wait(&cond, &mutex);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void *waits_for_others(void *arg)
{
    (void)arg;
    pthread_barrier_wait(&barrier);
    return NULL;
}

static void *ends_late(void *arg)
{
    while (!stop)
        usleep(100);
    return arg;
}

static void *waits_for_end(void *arg)
{
    pthread_t t;
    void *value;

    pthread_create(&t, NULL, ends_late, arg);
    pthread_join(t, &value);
    return (void *)(intptr_t)(value == arg);
}

static void *sleeps(void *arg)
{
    struct timespec t = {.tv_sec = 100};
    const int r = nanosleep(&t, &t);

    (void)arg;
    return (void *)(intptr_t)(r == -1 && errno == EINTR && t.tv_sec >= 90 ? 1 : 0);
}

static void *sleeps_long(void *arg)
{
    const unsigned left = sleep(100);

    (void)arg;
    return (void *)(intptr_t)(left >= 90 && left <= 99); /* a second begun is not left */
}

static void *waits_for_signal(void *arg)
{
    sigset_t set;

    (void)arg;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    return (void *)(intptr_t)(sigwaitinfo(&set, NULL) == -1 && errno == EINTR);
}

static void *pauses(void *arg)
{
    (void)arg;
    return (void *)(intptr_t)(pause() == -1 && errno == EINTR);
}

static void *(*volatile waiter)(void *arg);
static volatile pid_t waiter_id;

static void *begin(void *arg)
{
    waiter_id = gettid();
    return waiter(arg);
}

/* Its handler runs while it waits: twice, then `let` ends the wait if that did not. */
static void waiting(const char *name, void *(*fn)(void *arg), int flags, int times,
                    void (*let)(void))
{
    void *value;

    got = where = stop = 0;
    install(SIGUSR1, mark, flags);
    waiter = fn;
    waiter_id = 0;
    pthread_create(&other, NULL, begin, NULL);
    for (int i = 0; i < times; i++) {
        const int before = got;

        await_wait(&waiter_id); /* a signal that came before would interrupt nothing */
        pthread_kill(other, SIGUSR1);
        while (got == before)
            usleep(100);
    }
    if (let != NULL)
        let();
    pthread_join(other, &value);
    printf("%s: %d handled, in it %d, returned %d\n", name, (int)got, where,
           (int)(intptr_t)value == EINTR ? -1 : (int)(intptr_t)value);
}

static void post(void)
{
    sem_post(&sem);
}

static void unlock(void)
{
    pthread_mutex_unlock(&mutex);
}

static void signal_cond(void)
{
    pthread_mutex_lock(&mutex);
    stop = 1;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
}

static void join_in(void)
{
    pthread_barrier_wait(&barrier);
}

static void say_stop(void)
{
    stop = 1;
}

static void waits(void)
{
    sem_init(&sem, 0, 0);
    pthread_barrier_init(&barrier, NULL, 2);
    waiting("sem_wait", waits_for_sem, 0, 1, NULL);
    waiting("sem_wait, SA_RESTART", waits_for_sem, SA_RESTART, 3, post);
    waiting("sem_timedwait, SA_RESTART", waits_for_sem_timed, SA_RESTART, 1, NULL);
    pthread_mutex_lock(&mutex);
    waiting("mutex", waits_for_mutex, 0, 3, unlock);
    waiting("condition", waits_for_cond, 0, 3, signal_cond);
    waiting("barrier", waits_for_others, 0, 3, join_in);
    waiting("join", waits_for_end, 0, 3, say_stop);
    waiting("nanosleep", sleeps, SA_RESTART, 1, NULL);
    waiting("sleep", sleeps_long, SA_RESTART, 1, NULL);
    waiting("sigwaitinfo", waits_for_signal, SA_RESTART, 1, NULL);
    waiting("pause", pauses, SA_RESTART, 1, NULL);
}

/* ---- threads without a core, and the whole program ------------------------------------------- */

#define CROWD 12

static volatile sig_atomic_t seen[CROWD];
static __thread int number;

static void mark_own(int sig)
{
    (void)sig;
    seen[number]++;
}

static void *one_of_many(void *arg)
{
    number = (int)(intptr_t)arg;
    sem_post(&done);
    while (seen[number] < 3)
        ;
    return NULL;
}

static void crowd(void)
{
    pthread_t t[CROWD];
    int sum = 0;

    sem_init(&done, 0, 0);
    install(SIGUSR1, mark_own, SA_RESTART);
    for (int i = 0; i < CROWD; i++)
        pthread_create(&t[i], NULL, one_of_many, (void *)(intptr_t)i);
    for (int i = 0; i < CROWD; i++)
        sem_wait(&done);
    for (int k = 1; k <= 3; k++) {
        for (int i = 0; i < CROWD; i++) {
            pthread_kill(t[i], SIGUSR1);
            while (seen[i] < k)
                sched_yield();
        }
    }
    for (int i = 0; i < CROWD; i++) {
        pthread_join(t[i], NULL);
        sum += seen[i];
    }
    printf("crowd: %d\n", sum);
}

/* pthread_create() of glibc blocks all signals of its caller until it returns. */
static void *kills(void *arg)
{
    (void)arg;
    while (!ready)
        sched_yield();
    kill(getpid(), SIGUSR1);
    return NULL;
}

/* A timer's handler interrupts main, which computes; one for the program goes to main, or past it.
 */
static void program(void)
{
    const struct itimerval soon = {.it_value.tv_usec = 5000};
    sigset_t set;

    other = pthread_self();
    got = where = 0;
    install(SIGALRM, mark, 0);
    setitimer(ITIMER_REAL, &soon, NULL);
    while (got == 0)
        ;
    printf("timer in main: %d\n", where);
    got = where = 0;
    alarm(2); /* long enough for all that the target's interrupts do now and then */
    while (got == 0)
        ;
    printf("alarm in main: %d\n", where);
    install(SIGUSR1, mark, 0);
    got = where = ready = 0;
    pthread_t t;
    pthread_create(&t, NULL, kills, NULL);
    ready = 1;
    pthread_join(t, NULL);
    while (got == 0)
        ;
    printf("killed by another, in main: %d\n", where);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&other, NULL, pauses, NULL); /* blocks it, too */
    kill(getpid(), SIGUSR1);
    got = 0;
    sigpending(&set);
    printf("pending %d", sigismember(&set, SIGUSR1));
    sigemptyset(&set);
    sigsuspend(&set);
    printf(", let in %d", (int)got);
    pthread_sigmask(SIG_SETMASK, NULL, &set);
    printf(", blocked again %d\n", sigismember(&set, SIGUSR1));
    pthread_cancel(other);
    pthread_join(other, NULL);
    sigemptyset(&set);
    pthread_sigmask(SIG_SETMASK, &set, NULL);
}

int main(void)
{
    computing();
    masks();
    out_of_handlers();
    stacks();
    waits();
    crowd();
    program();
    printf("pt_signals: ok\n");
    return 0;
}
