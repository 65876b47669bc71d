/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Priority ceilings and robust mutexes, and small things of signals, semaphores and timers. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int bad;

#define CHECK(is)                                                                                  \
    do {                                                                                           \
        if (!(is)) {                                                                               \
            printf("line %d: %s\n", __LINE__, #is);                                                \
            bad++;                                                                                 \
        }                                                                                          \
    } while (0)

static pthread_mutex_t low, high, robust;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int told;

static int priority(void)
{
    struct sched_param p;
    int policy;

    (void)pthread_getschedparam(pthread_self(), &policy, &p);
    return p.sched_priority;
}

static void make(pthread_mutex_t *m, int ceiling, int type)
{
    pthread_mutexattr_t a;
    int n = 0;

    CHECK(pthread_mutexattr_init(&a) == 0);
    CHECK(pthread_mutexattr_setprotocol(&a, 77) == EINVAL);
    CHECK(pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_PROTECT) == 0);
    CHECK(pthread_mutexattr_getprotocol(&a, &n) == 0 && n == PTHREAD_PRIO_PROTECT);
    CHECK(pthread_mutexattr_setprioceiling(&a, 0) == EINVAL);
    CHECK(pthread_mutexattr_setprioceiling(&a, 1000) == EINVAL);
    CHECK(pthread_mutexattr_setprioceiling(&a, ceiling) == 0);
    CHECK(pthread_mutexattr_getprioceiling(&a, &n) == 0 && n == ceiling);
    CHECK(pthread_mutexattr_settype(&a, type) == 0);
    CHECK(pthread_mutex_init(m, &a) == 0);
    CHECK(pthread_mutex_getprioceiling(m, &n) == 0 && n == ceiling);
    CHECK(pthread_mutexattr_destroy(&a) == 0);
}

/* Alone on its core: what it sees of another thread says which is more urgent. */
static volatile int ran;

static void *rival(void *arg)
{
    ran = 1;
    return arg;
}

static pthread_t start(int at)
{
    struct sched_param p = {.sched_priority = at};
    pthread_attr_t a;
    cpu_set_t set;
    pthread_t t;

    (void)pthread_attr_init(&a);
    (void)pthread_attr_setinheritsched(&a, PTHREAD_EXPLICIT_SCHED);
    (void)pthread_attr_setschedpolicy(&a, SCHED_FIFO);
    (void)pthread_attr_setschedparam(&a, &p);
    CPU_ZERO(&set);
    CPU_SET(0, &set);
    (void)pthread_attr_setaffinity_np(&a, sizeof(set), &set);
    ran = 0;
    CHECK(pthread_create(&t, &a, rival, NULL) == 0);
    return t;
}

static void *signals(void *arg)
{
    (void)pthread_mutex_lock(arg);
    told = 1;
    (void)pthread_cond_signal(&cond);
    (void)pthread_mutex_unlock(arg);
    return NULL;
}

static void ceilings(void)
{
    struct sched_param p = {.sched_priority = 5};
    cpu_set_t set;
    pthread_t t;
    int n;

    CPU_ZERO(&set);
    CPU_SET(0, &set);
    CHECK(pthread_setaffinity_np(pthread_self(), sizeof(set), &set) == 0);
    CHECK(pthread_setschedparam(pthread_self(), SCHED_FIFO, &p) == 0);
    make(&low, 10, PTHREAD_MUTEX_NORMAL);
    make(&high, 20, PTHREAD_MUTEX_RECURSIVE);
    CHECK(pthread_mutex_lock(&low) == 0);
    CHECK(priority() == 5);
    t = start(8); /* less urgent than the ceiling */
    CHECK(!ran);
    CHECK(pthread_mutex_lock(&high) == 0 && pthread_mutex_lock(&high) == 0);
    CHECK(pthread_mutex_unlock(&high) == 0);
    CHECK(!ran);
    CHECK(pthread_mutex_unlock(&low) == 0);
    CHECK(!ran); /* the other ceiling holds */
    CHECK(pthread_mutex_unlock(&high) == 0);
    CHECK(ran);
    (void)pthread_join(t, NULL);
    CHECK(pthread_mutex_lock(&low) == 0);
    t = start(11);
    CHECK(ran); /* more urgent than it */
    (void)pthread_join(t, NULL);
    CHECK(pthread_mutex_destroy(&low) == EBUSY);
    CHECK(pthread_mutex_trylock(&low) == EBUSY);
    CHECK(pthread_mutex_unlock(&low) == 0);
    CHECK(pthread_mutex_unlock(&low) == EPERM);
    CHECK(pthread_mutex_setprioceiling(&low, 4, &n) == 0 && n == 10);
    CHECK(pthread_mutex_lock(&low) == EINVAL); /* its own is above it */
    CHECK(pthread_mutex_setprioceiling(&low, 12, &n) == 0 && n == 4);
    CHECK(pthread_mutex_lock(&low) == 0);
    CHECK(pthread_create(&t, NULL, signals, &low) == 0);
    while (!told)
        CHECK(pthread_cond_wait(&cond, &low) == 0);
    CHECK(pthread_mutex_unlock(&low) == 0);
    (void)pthread_join(t, NULL);
    CHECK(priority() == 5);
    CHECK(pthread_mutex_destroy(&low) == 0 && pthread_mutex_destroy(&high) == 0);
    p.sched_priority = 0;
    CHECK(pthread_setschedparam(pthread_self(), SCHED_OTHER, &p) == 0);
    CPU_ZERO(&set);
    for (n = 0; n < 4; n++)
        CPU_SET(n, &set);
    (void)pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
}

/* Ends with the mutex locked. */
static void *keeps(void *arg)
{
    CHECK(pthread_mutex_lock(arg) == 0);
    return NULL;
}

static void *asks(void *arg)
{
    *(int *)arg = priority();
    return NULL;
}

static void *run_at(int at, void *(*fn)(void *), void *arg)
{
    struct sched_param p = {.sched_priority = at};
    pthread_attr_t a;
    pthread_t t;
    void *r = NULL;

    (void)pthread_attr_init(&a);
    (void)pthread_attr_setinheritsched(&a, PTHREAD_EXPLICIT_SCHED);
    (void)pthread_attr_setschedpolicy(&a, SCHED_FIFO);
    (void)pthread_attr_setschedparam(&a, &p);
    CHECK(pthread_create(&t, &a, fn, arg) == 0 && pthread_join(t, &r) == 0);
    return r;
}

/* A thread that ends leaves no ceiling to the next in its place. */
static void left_locked(void)
{
    pthread_mutex_t left;
    int at = 0;

    make(&left, 30, PTHREAD_MUTEX_NORMAL);
    (void)run_at(8, keeps, &left);
    (void)run_at(6, asks, &at);
    CHECK(at == 6);
    CHECK(pthread_mutex_trylock(&left) == EBUSY);
}

static long pairs_ns(pthread_mutex_t *m)
{
    enum { PAIRS = 100 };
    struct timespec from, to;

    (void)clock_gettime(CLOCK_MONOTONIC, &from);
    for (int i = 0; i < PAIRS; i++) {
        CHECK(pthread_mutex_lock(m) == 0);
        CHECK(pthread_mutex_unlock(m) == 0);
    }
    (void)clock_gettime(CLOCK_MONOTONIC, &to);
    return ((to.tv_sec - from.tv_sec) * 1000000000L + to.tv_nsec - from.tv_nsec) / PAIRS;
}

/* Locking takes as long as it does, however many mutexes there are. */
static void quick(void)
{
    enum { MANY = 1000 };
    static pthread_mutex_t many[MANY];
    pthread_mutexattr_t a;
    long with, without, normal;
    pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;

    (void)pthread_mutexattr_init(&a);
    (void)pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
    for (int i = 0; i < MANY; i++)
        CHECK(pthread_mutex_init(&many[i], &a) == 0);
    normal = pairs_ns(&plain);
    without = pairs_ns(&many[MANY - 1]);
    make(&low, 25, PTHREAD_MUTEX_NORMAL);
    with = pairs_ns(&low);
    if (without >= 20 * normal || with >= 60 * normal) {
        printf("ns a pair: normal %ld, robust %ld, ceiling %ld\n", normal, without, with);
        bad++;
    }
    for (int i = 0; i < MANY; i++)
        CHECK(pthread_mutex_destroy(&many[i]) == 0);
    CHECK(pthread_mutex_destroy(&low) == 0);
}

static volatile int holds;

static void *ends(void *arg)
{
    (void)pthread_mutex_lock(&robust);
    holds = 1;
    if (arg != NULL)
        usleep(5000);
    return NULL;
}

static void robusts(void)
{
    pthread_mutexattr_t a;
    pthread_t t;
    int n = 0;

    CHECK(pthread_mutexattr_init(&a) == 0);
    CHECK(pthread_mutexattr_getrobust(&a, &n) == 0 && n == PTHREAD_MUTEX_STALLED);
    CHECK(pthread_mutexattr_setrobust(&a, 7) == EINVAL);
    CHECK(pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST) == 0);
    CHECK(pthread_mutex_init(&robust, &a) == 0);
    CHECK(pthread_mutex_consistent(&robust) == EINVAL);
    CHECK(pthread_mutex_lock(&robust) == 0 && pthread_mutex_unlock(&robust) == 0);
    (void)pthread_create(&t, NULL, ends, NULL);
    (void)pthread_join(t, NULL);
    CHECK(pthread_mutex_lock(&robust) == EOWNERDEAD);
    CHECK(pthread_mutex_consistent(&robust) == 0);
    CHECK(pthread_mutex_unlock(&robust) == 0);
    CHECK(pthread_mutex_lock(&robust) == 0 && pthread_mutex_unlock(&robust) == 0);
    holds = 0;
    (void)pthread_create(&t, NULL, ends, &n);
    while (!holds)
        usleep(100);
    CHECK(pthread_mutex_lock(&robust) == EOWNERDEAD); /* while it waits */
    (void)pthread_join(t, NULL);
    CHECK(pthread_mutex_unlock(&robust) == 0);
    CHECK(pthread_mutex_lock(&robust) == ENOTRECOVERABLE);
    CHECK(pthread_mutex_trylock(&robust) == ENOTRECOVERABLE);
    CHECK(pthread_mutex_destroy(&robust) == 0);
}

/* A mutex that nobody has initialised or locked is not robust and has no ceiling, whatever is in
 * memory: on the target, 512 KB after the table of records. */
#ifdef __MPJOULE__
__attribute__((section(".noinit.full")))
#endif
static char full[2U << 20];

static void plain(void)
{
    static pthread_mutex_t never = PTHREAD_MUTEX_INITIALIZER;
    int n = 7;

    memset(full, 0xa5, sizeof(full));
    CHECK(pthread_mutex_consistent(&never) == EINVAL);
    CHECK(pthread_mutex_getprioceiling(&never, &n) == EINVAL && n == 7);
    CHECK(pthread_mutex_setprioceiling(&never, 5, &n) == EINVAL && n == 7);
    CHECK(pthread_mutex_lock(&never) == 0 && pthread_mutex_consistent(&never) == EINVAL);
    CHECK(pthread_mutex_unlock(&never) == 0 && pthread_mutex_destroy(&never) == 0);
}

static void others(void)
{
    char name[400];
    char memory[SIGSTKSZ];
    stack_t stack = {.ss_sp = memory, .ss_size = sizeof(memory), .ss_flags = SS_DISABLE + 1};
    timer_t timer[100];
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    struct sigevent event = {.sigev_notify = SIGEV_NONE};

    CHECK(sigaltstack(&stack, NULL) == -1 && errno == EINVAL);
    memset(name, 'n', sizeof(name) - 1U);
    name[0] = '/';
    name[sizeof(name) - 1U] = '\0';
    CHECK(sem_unlink(name) == -1);
    CHECK(sem_open(name, 0) == SEM_FAILED);
#ifdef __MPJOULE__ /* as POSIX has it; glibc says that there is none */
    CHECK(errno == ENAMETOOLONG);
#endif
    for (int i = 0; i < 100; i++)
        CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer[i]) == 0);
    for (int i = 0; i < 100; i++)
        CHECK(timer_delete(timer[i]) == 0);
    CHECK(pthread_rwlock_rdlock(&lock) == 0);
    CHECK(pthread_rwlock_unlock(&lock) == 0 && pthread_rwlock_destroy(&lock) == 0);
    CHECK(POLL_IN == 1 && POLL_HUP == 6);
}

int main(void)
{
#ifdef __MPJOULE__ /* on Linux only for those with the right to real time */
    ceilings();
    left_locked();
    quick();
#endif
    robusts();
    plain();
    others();
    printf(bad == 0 ? "pt_special: ok\n" : "pt_special: not ok\n");
    return bad != 0;
}
