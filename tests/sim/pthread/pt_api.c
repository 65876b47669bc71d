/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pthread interface by its corners: errors, limits, deadlines, cancellation, affinity,
 * priorities. Prints a line for each expectation that fails; exit status 1 then.
 * Runs on Linux, too, but for what is the target's own.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef __arm__
#include "mpj.h"
#endif

static int failures;

#ifndef SEM_VALUE_MAX
#define SEM_VALUE_MAX 0x7fffffff
#endif

#define EXPECT(what)                                                                               \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            printf("line %d: not true: %s\n", __LINE__, #what);                                    \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)

static int64_t now_us(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static struct timespec after_us(clockid_t clock, int64_t us)
{
    int64_t at = now_us(clock) + us;

    return (struct timespec){.tv_sec = (time_t)(at / 1000000),
                             .tv_nsec = (long)(at % 1000000) * 1000};
}

static void pause_us(long us)
{
    struct timespec t = {.tv_nsec = us * 1000};

    nanosleep(&t, NULL);
}

static void *pause_3_ms(void *arg)
{
    pause_us(3000);
    return arg;
}

/* Whether a wait of `us` microseconds took that long, and no more than a millisecond on top. */
static int took(int64_t begin, int64_t us)
{
    int64_t took = now_us(CLOCK_MONOTONIC) - begin;

    return took >= us && took < us + 1000;
}

static void *give_back(void *arg)
{
    return arg;
}

/* ---- threads ------------------------------------------------------------------------------ */

static pthread_t main_thread;

#ifdef __arm__
static void *join_main(void *arg)
{
    (void)arg;
    pause_us(1000); /* main joins us by then */
    return (void *)(intptr_t)pthread_join(main_thread, NULL);
}

#endif

static void *join_self(void *arg)
{
    (void)arg;
    return (void *)(intptr_t)pthread_join(pthread_self(), NULL);
}

static void threads(void)
{
    pthread_t t;
    void *value = NULL;
    char name[16];
    struct timespec limit;
    sigset_t signals;
    int64_t begin;

    main_thread = pthread_self();
    EXPECT(pthread_create(&t, NULL, give_back, &failures) == 0);
    EXPECT(pthread_join(t, &value) == 0 && value == &failures);
#ifdef __arm__
    EXPECT(pthread_join(t, NULL) == ESRCH);
    EXPECT(pthread_detach(t) == ESRCH);
    EXPECT(pthread_cancel(t) == ESRCH);
    EXPECT(pthread_create(&t, NULL, join_main, NULL) == 0);
    EXPECT(pthread_join(t, &value) == 0 && (intptr_t)value == EDEADLK);
#endif
    EXPECT(pthread_join(pthread_self(), NULL) == EDEADLK);
    EXPECT(pthread_create(&t, NULL, join_self, NULL) == 0);
    EXPECT(pthread_join(t, &value) == 0 && (intptr_t)value == EDEADLK);
    EXPECT(pthread_equal(pthread_self(), main_thread) && !pthread_equal(t, main_thread));
    EXPECT(pthread_kill(pthread_self(), 0) == 0);
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    EXPECT(pthread_sigmask(SIG_BLOCK, &signals, NULL) == 0);
    sigemptyset(&signals);
    EXPECT(pthread_sigmask(SIG_BLOCK, NULL, &signals) == 0 && sigismember(&signals, SIGUSR1));
    EXPECT(pthread_setname_np(pthread_self(), "fifteen letters") == 0);
    EXPECT(pthread_getname_np(pthread_self(), name, sizeof(name)) == 0);
    EXPECT(strcmp(name, "fifteen letters") == 0);
    EXPECT(pthread_setname_np(pthread_self(), "sixteen letters.") == ERANGE);
    EXPECT(pthread_create(&t, NULL, pause_3_ms, NULL) == 0);
    EXPECT(pthread_tryjoin_np(t, NULL) == EBUSY);
    limit = after_us(CLOCK_REALTIME, 1000);
    begin = now_us(CLOCK_MONOTONIC);
    EXPECT(pthread_timedjoin_np(t, NULL, &limit) == ETIMEDOUT && took(begin, 990));
    EXPECT(pthread_join(t, NULL) == 0);
}

/* ---- attributes ----------------------------------------------------------------------------- */

static void *stack_of(void *arg)
{
    pthread_attr_t attr;
    char here;
    void *low;
    size_t bytes;

    EXPECT(pthread_getattr_np(pthread_self(), &attr) == 0);
    EXPECT(pthread_attr_getstack(&attr, &low, &bytes) == 0);
    EXPECT(&here >= (char *)low && &here < (char *)low + bytes);
    pthread_attr_destroy(&attr);
    *(size_t *)arg = bytes;
    return &((char *)low)[0];
}

static void attributes(void)
{
    static char own[65536] __attribute__((aligned(16)));
    pthread_attr_t attr, none;
    size_t bytes = 0;
    void *at = NULL;
    int n = -1;
    pthread_t t;
    struct sched_param param = {0};

    memset(&none, 0, sizeof(none));
    EXPECT(pthread_attr_init(&attr) == 0);
    EXPECT(pthread_attr_getdetachstate(&attr, &n) == 0 && n == PTHREAD_CREATE_JOINABLE);
    EXPECT(pthread_attr_setdetachstate(&attr, 77) == EINVAL);
    EXPECT(pthread_attr_setstacksize(&attr, 100) == EINVAL);
    EXPECT(pthread_attr_setstacksize(&attr, 300000) == 0);
    EXPECT(pthread_attr_getstacksize(&attr, &bytes) == 0 && bytes == 300000);
    EXPECT(pthread_attr_setguardsize(&attr, 8192) == 0);
    EXPECT(pthread_attr_getguardsize(&attr, &bytes) == 0 && bytes == 8192);
    EXPECT(pthread_attr_setscope(&attr, PTHREAD_SCOPE_SYSTEM) == 0);
    EXPECT(pthread_attr_getscope(&attr, &n) == 0 && n == PTHREAD_SCOPE_SYSTEM);
    EXPECT(pthread_attr_getguardsize(&attr, &bytes) == 0 && bytes == 8192);
    EXPECT(pthread_attr_setschedpolicy(&attr, 99) == EINVAL);
    EXPECT(pthread_attr_getschedparam(&attr, &param) == 0 && param.sched_priority == 0);
    EXPECT(pthread_create(&t, &attr, stack_of, &bytes) == 0);
    EXPECT(pthread_join(t, NULL) == 0 && bytes >= 300000);
    EXPECT(pthread_attr_setstack(&attr, own, sizeof(own)) == 0);
    EXPECT(pthread_create(&t, &attr, stack_of, &bytes) == 0);
    EXPECT(pthread_join(t, &at) == 0 && at == own);
#ifdef __arm__
    EXPECT(pthread_create(&t, &none, give_back, NULL) == EINVAL);
    EXPECT(pthread_attr_setstack(&attr, NULL, 4096) == EINVAL);
#endif
    EXPECT(pthread_attr_destroy(&attr) == 0);
}

static volatile int held_cpu;

static void *where(void *arg)
{
    (void)arg;
    held_cpu = sched_getcpu();
    return NULL;
}

static void affinity(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    pthread_attr_t attr;
    cpu_set_t set, all;
    pthread_t t;

    EXPECT(cores >= 1 && sched_getaffinity(0, sizeof(all), &all) == 0);
    EXPECT(CPU_COUNT(&all) == cores);
    CPU_ZERO(&set);
    CPU_SET(31, &set);
    EXPECT(pthread_setaffinity_np(pthread_self(), sizeof(set), &set) == EINVAL);
    CPU_ZERO(&set);
    EXPECT(sched_setaffinity(0, sizeof(set), &set) == -1 && errno == EINVAL);
    pthread_attr_init(&attr);
    for (int c = 0; c < cores; c++) {
        CPU_ZERO(&set);
        CPU_SET(c, &set);
        EXPECT(pthread_attr_setaffinity_np(&attr, sizeof(set), &set) == 0);
        EXPECT(pthread_create(&t, &attr, where, NULL) == 0);
        EXPECT(pthread_join(t, NULL) == 0 && held_cpu == c);
        EXPECT(pthread_setaffinity_np(pthread_self(), sizeof(set), &set) == 0);
        EXPECT(sched_getcpu() == c);
        EXPECT(pthread_getaffinity_np(pthread_self(), sizeof(set), &set) == 0);
        EXPECT(CPU_COUNT(&set) == 1 && CPU_ISSET(c, &set));
    }
    EXPECT(sched_setaffinity(0, sizeof(all), &all) == 0);
    pthread_attr_destroy(&attr);
}

/* ---- mutexes -----------------------------------------------------------------------------------
 */

static void *lock_it(void *arg)
{
    return (void *)(intptr_t)pthread_mutex_lock(arg);
}

static void *try_it(void *arg)
{
    return (void *)(intptr_t)pthread_mutex_trylock(arg);
}

static void *unlock_it(void *arg)
{
    return (void *)(intptr_t)pthread_mutex_unlock(arg);
}

static intptr_t in_thread(void *(*fn)(void *), void *arg)
{
    pthread_t t;
    void *value = (void *)-1;

    EXPECT(pthread_create(&t, NULL, fn, arg) == 0);
    EXPECT(pthread_join(t, &value) == 0);
    return (intptr_t)value;
}

static void mutexes(void)
{
    static pthread_mutex_t zero; /* all bits zero */
    pthread_mutex_t initial = PTHREAD_MUTEX_INITIALIZER, m;
    pthread_mutexattr_t attr;
    struct timespec limit;
    int64_t begin;
    int type;

    EXPECT(pthread_mutex_lock(&zero) == 0 && pthread_mutex_trylock(&zero) == EBUSY);
    EXPECT(pthread_mutex_destroy(&zero) == EBUSY);
    EXPECT(pthread_mutex_unlock(&zero) == 0 && pthread_mutex_destroy(&zero) == 0);
    EXPECT(pthread_mutex_trylock(&initial) == 0);
    EXPECT(in_thread(try_it, &initial) == EBUSY);
    limit = after_us(CLOCK_REALTIME, 2000);
    begin = now_us(CLOCK_MONOTONIC);
    EXPECT(pthread_mutex_timedlock(&initial, &limit) == ETIMEDOUT && took(begin, 1990));
    limit.tv_nsec = 1000000000;
    EXPECT(pthread_mutex_timedlock(&initial, &limit) == EINVAL);
    EXPECT(pthread_mutex_unlock(&initial) == 0);
    EXPECT(pthread_mutex_timedlock(&initial, &limit) == 0 && pthread_mutex_unlock(&initial) == 0);

    EXPECT(pthread_mutexattr_init(&attr) == 0);
    EXPECT(pthread_mutexattr_settype(&attr, 99) == EINVAL);
    EXPECT(pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE) == 0);
    EXPECT(pthread_mutexattr_gettype(&attr, &type) == 0 && type == PTHREAD_MUTEX_RECURSIVE);
    EXPECT(pthread_mutex_init(&m, &attr) == 0);
    for (int i = 0; i < 5; i++)
        EXPECT(pthread_mutex_lock(&m) == 0);
    EXPECT(in_thread(try_it, &m) == EBUSY && in_thread(unlock_it, &m) == EPERM);
    for (int i = 0; i < 5; i++)
        EXPECT(pthread_mutex_unlock(&m) == 0);
    EXPECT(pthread_mutex_unlock(&m) == EPERM);
    EXPECT(pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK) == 0);
    EXPECT(pthread_mutex_destroy(&m) == 0 && pthread_mutex_init(&m, &attr) == 0);
    EXPECT(pthread_mutex_lock(&m) == 0 && pthread_mutex_lock(&m) == EDEADLK);
    EXPECT(pthread_mutex_trylock(&m) == EBUSY && in_thread(unlock_it, &m) == EPERM);
    EXPECT(pthread_mutex_unlock(&m) == 0 && pthread_mutex_unlock(&m) == EPERM);
    EXPECT(in_thread(lock_it, &m) == 0); /* and ends with it */
    EXPECT(pthread_mutex_trylock(&m) == EBUSY);
    EXPECT(pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT) == 0);
    EXPECT(pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED) == 0);
    pthread_mutexattr_destroy(&attr);
}

/* ---- conditions ---------------------------------------------------------------------------------
 */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond;

static void conditions(void)
{
    pthread_mutex_t recursive;
    pthread_mutexattr_t type;
    pthread_condattr_t attr;
    clockid_t clock;
    struct timespec limit;
    int64_t begin;

    memset(&cond, 0, sizeof(cond)); /* all zero works */
    pthread_mutex_lock(&mutex);
    begin = now_us(CLOCK_MONOTONIC);
    limit = after_us(CLOCK_REALTIME, 2000);
    EXPECT(pthread_cond_timedwait(&cond, &mutex, &limit) == ETIMEDOUT && took(begin, 1990));
    EXPECT(pthread_mutex_trylock(&mutex) == EBUSY);                     /* ours again */
    EXPECT(pthread_cond_timedwait(&cond, &mutex, &limit) == ETIMEDOUT); /* at once */
    limit.tv_nsec = -1;
    EXPECT(pthread_cond_timedwait(&cond, &mutex, &limit) == EINVAL);
    pthread_mutex_unlock(&mutex);
    EXPECT(pthread_condattr_init(&attr) == 0);
    EXPECT(pthread_condattr_getclock(&attr, &clock) == 0 && clock == CLOCK_REALTIME);
    EXPECT(pthread_condattr_setclock(&attr, 12345) == EINVAL);
    EXPECT(pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0);
    EXPECT(pthread_cond_init(&cond, &attr) == 0);
    pthread_condattr_destroy(&attr);
    /* Locked three times, all given up meanwhile. */
    pthread_mutexattr_init(&type);
    pthread_mutexattr_settype(&type, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&recursive, &type);
    for (int i = 0; i < 3; i++)
        pthread_mutex_lock(&recursive);
    begin = now_us(CLOCK_MONOTONIC);
    limit = after_us(CLOCK_MONOTONIC, 3000);
    EXPECT(pthread_cond_timedwait(&cond, &recursive, &limit) == ETIMEDOUT && took(begin, 2990));
    for (int i = 0; i < 3; i++)
        EXPECT(pthread_mutex_unlock(&recursive) == 0);
    EXPECT(pthread_mutex_unlock(&recursive) == EPERM);
    EXPECT(pthread_cond_signal(&cond) == 0 && pthread_cond_broadcast(&cond) == 0);
    EXPECT(pthread_cond_destroy(&cond) == 0);
}

/* ---- rwlocks, barriers, semaphores, spin locks --------------------------------------------------
 */

static void *try_read(void *arg)
{
    return (void *)(intptr_t)pthread_rwlock_tryrdlock(arg);
}

static void *write_late(void *arg)
{
    struct timespec limit = after_us(CLOCK_REALTIME, 4000);

    return (void *)(intptr_t)pthread_rwlock_timedwrlock(arg, &limit);
}

static void *read_behind(void *arg)
{
    int r;

    pause_us(2000); /* a writer waits by now */
    r = pthread_rwlock_rdlock(arg);
    pthread_rwlock_unlock(arg);
    return (void *)(intptr_t)r;
}

static void rwlocks(void)
{
    pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
    pthread_t writer, reader;
    struct timespec limit;
    void *value;

    EXPECT(pthread_rwlock_rdlock(&l) == 0 && pthread_rwlock_rdlock(&l) == 0);
    EXPECT(in_thread(try_read, &l) == 0);
    EXPECT(pthread_rwlock_trywrlock(&l) == EBUSY);
    EXPECT(pthread_rwlock_unlock(&l) == 0 && pthread_rwlock_unlock(&l) == 0);
    /* One reader is left: the thread that ended with it. A writer gives up; a reader that waited
     * behind it gets in; who holds it may read again all the time. */
    EXPECT(pthread_rwlock_rdlock(&l) == 0);
    EXPECT(pthread_create(&writer, NULL, write_late, &l) == 0);
    EXPECT(pthread_create(&reader, NULL, read_behind, &l) == 0);
    pause_us(1000);
    EXPECT(pthread_rwlock_rdlock(&l) == 0 && pthread_rwlock_unlock(&l) == 0);
    EXPECT(pthread_join(writer, &value) == 0 && (intptr_t)value == ETIMEDOUT);
    EXPECT(pthread_join(reader, &value) == 0 && value == NULL);
    EXPECT(pthread_rwlock_unlock(&l) == 0 && pthread_rwlock_unlock(&l) == 0);
    EXPECT(pthread_rwlock_wrlock(&l) == 0 && pthread_rwlock_tryrdlock(&l) == EBUSY);
    EXPECT(pthread_rwlock_wrlock(&l) == EDEADLK);
    limit = after_us(CLOCK_REALTIME, 1000);
    EXPECT(in_thread(try_read, &l) == EBUSY);
    EXPECT(pthread_rwlock_unlock(&l) == 0);
    EXPECT(pthread_rwlock_timedrdlock(&l, &limit) == 0 && pthread_rwlock_unlock(&l) == 0);
    EXPECT(pthread_rwlock_destroy(&l) == 0);
}

static void others(void)
{
    pthread_barrier_t b;
    pthread_spinlock_t spin;
    struct timespec limit;
    int64_t begin;
    sem_t s;
    int v;

    EXPECT(pthread_barrier_init(&b, NULL, 0) == EINVAL);
    EXPECT(pthread_barrier_init(&b, NULL, 1) == 0);
    for (int i = 0; i < 3; i++)
        EXPECT(pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD);
    EXPECT(pthread_barrier_destroy(&b) == 0);
    EXPECT(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE) == 0);
    EXPECT(pthread_spin_lock(&spin) == 0 && pthread_spin_trylock(&spin) == EBUSY);
    EXPECT(pthread_spin_unlock(&spin) == 0 && pthread_spin_destroy(&spin) == 0);
    EXPECT(sem_init(&s, 0, 2) == 0 && sem_wait(&s) == 0 && sem_trywait(&s) == 0);
    EXPECT(sem_trywait(&s) == -1 && errno == EAGAIN);
    limit = after_us(CLOCK_REALTIME, 2000);
    begin = now_us(CLOCK_MONOTONIC);
    EXPECT(sem_timedwait(&s, &limit) == -1 && errno == ETIMEDOUT && took(begin, 1990));
    EXPECT(sem_post(&s) == 0 && sem_getvalue(&s, &v) == 0 && v == 1);
    limit.tv_nsec = -1;
    EXPECT(sem_timedwait(&s, &limit) == 0); /* no wait, no look at the limit */
    EXPECT(sem_timedwait(&s, &limit) == -1 && errno == EINVAL);
    EXPECT(sem_destroy(&s) == 0);
    EXPECT(sem_init(&s, 0, SEM_VALUE_MAX) == 0 && sem_post(&s) == -1 && errno == EOVERFLOW);
}

/* ---- once and keys
 * --------------------------------------------------------------------------------- */

static int onces;
static pthread_key_t key;
static int destroyed;

static void only_once(void)
{
    onces++;
}

static void destroy(void *value)
{
    destroyed++;
    if (destroyed < 3)
        pthread_setspecific(key, value); /* comes again in the next round */
}

static void *set_key(void *arg)
{
    EXPECT(pthread_getspecific(key) == NULL);
    EXPECT(pthread_setspecific(key, arg) == 0 && pthread_getspecific(key) == arg);
    return NULL;
}

static void once_and_keys(void)
{
    pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_key_t more[200];
    int made = 0;

    for (int i = 0; i < 3; i++)
        EXPECT(pthread_once(&once, only_once) == 0 && onces == 1);
    EXPECT(pthread_key_create(&key, destroy) == 0);
    EXPECT(pthread_setspecific(key, &once) == 0);
    in_thread(set_key, &made);
    EXPECT(destroyed == 3 && pthread_getspecific(key) == &once);
    EXPECT(pthread_key_delete(key) == 0 && destroyed == 3);
    EXPECT(pthread_setspecific(key, &once) == EINVAL);
    EXPECT(pthread_key_create(&key, NULL) == 0 && pthread_getspecific(key) == NULL);
    while (made < 200 && pthread_key_create(&more[made], NULL) == 0)
        made++;
    EXPECT(made >= 100);
    while (made > 0)
        EXPECT(pthread_key_delete(more[--made]) == 0);
    EXPECT(pthread_key_delete(key) == 0 && pthread_key_delete(key) == EINVAL);
}

/* ---- cancellation
 * ------------------------------------------------------------------------------------- */

static sem_t never;
static int cleaned;
static volatile int spinning, stop;

static void clean(void *arg)
{
    cleaned += (int)(intptr_t)arg;
}

static void unlock_mutex(void *arg)
{
    cleaned += 100;
    pthread_mutex_unlock(arg);
}

static void *wait_in(void *arg)
{
    pthread_cleanup_push(clean, (void *)1);
    pthread_cleanup_push(clean, (void *)10);
    switch ((int)(intptr_t)arg) {
    case 0:
        sem_wait(&never);
        break;
    case 1:
        sleep(100);
        break;
    case 2:
        pthread_mutex_lock(&mutex);
        pthread_cleanup_push(unlock_mutex, &mutex);
        pthread_cond_wait(&cond, &mutex);
        pthread_cleanup_pop(1);
        break;
    case 3:
        for (;;)
            pthread_testcancel();
    case 4:
        pthread_join(main_thread, NULL);
        break;
    default:
        pthread_exit((void *)5);
    }
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    return NULL;
}

static void *immune(void *arg)
{
    int old;

    (void)arg;
    EXPECT(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old) == 0);
    EXPECT(old == PTHREAD_CANCEL_ENABLE);
    spinning = 1;
    while (!stop)
        sched_yield();
    pthread_testcancel();
    pause_us(100);
    EXPECT(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old) == 0);
    stop = 2;
    pause_us(100);
    return NULL;
}

static void cancellation(void)
{
    pthread_t t;
    void *value;

    sem_init(&never, 0, 0);
    pthread_cond_init(&cond, NULL);
    for (intptr_t i = 0; i < 6; i++) {
        cleaned = 0;
        EXPECT(pthread_create(&t, NULL, wait_in, (void *)i) == 0);
        pause_us(500);
        if (i < 5)
            EXPECT(pthread_cancel(t) == 0);
        value = NULL;
        EXPECT(pthread_join(t, &value) == 0);
        EXPECT(value == (i < 5 ? PTHREAD_CANCELED : (void *)5));
        EXPECT(cleaned == (i == 2 ? 111 : 11));
    }
    EXPECT(pthread_mutex_trylock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0);
    EXPECT(pthread_create(&t, NULL, immune, NULL) == 0);
    while (!spinning)
        sched_yield();
    EXPECT(pthread_cancel(t) == 0);
    stop = 1;
    EXPECT(pthread_join(t, &value) == 0 && value == PTHREAD_CANCELED && stop == 2);
    EXPECT(pthread_setcanceltype(99, NULL) == EINVAL);
}

/* ---- priorities: on one core the more urgent goes first
 * ------------------------------------------------ */

#ifdef __arm__
static volatile int order[4], arrived;

static void *note(void *arg)
{
    order[arrived++] = (int)(intptr_t)arg;
    return NULL;
}

static void priorities(void)
{
    static const int priority[4] = {1, 5, 3, 5};
    struct sched_param param = {.sched_priority = 20};
    pthread_attr_t attr;
    pthread_t t[4];
    cpu_set_t set, all;
    int policy;

    sched_getaffinity(0, sizeof(all), &all);
    CPU_ZERO(&set);
    CPU_SET(0, &set);
    EXPECT(sched_setaffinity(0, sizeof(set), &set) == 0);
    EXPECT(sched_get_priority_max(SCHED_FIFO) >= 20 && sched_get_priority_min(SCHED_FIFO) == 1);
    EXPECT(pthread_setschedparam(pthread_self(), SCHED_OTHER, &param) == EINVAL);
    EXPECT(pthread_setschedparam(pthread_self(), SCHED_FIFO, &param) == 0);
    pthread_attr_init(&attr);
    pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedpolicy(&attr, SCHED_FIFO);
    pthread_attr_setaffinity_np(&attr, sizeof(set), &set);
    for (int i = 0; i < 4; i++) {
        param.sched_priority = priority[i];
        EXPECT(pthread_attr_setschedparam(&attr, &param) == 0);
        EXPECT(pthread_create(&t[i], &attr, note, (void *)(intptr_t)i) == 0);
    }
    EXPECT(arrived == 0);
    /* Below all of them: they run before the call returns. */
    param.sched_priority = 0;
    EXPECT(pthread_setschedparam(pthread_self(), SCHED_OTHER, &param) == 0);
    EXPECT(arrived == 4);
    EXPECT(order[0] == 1 && order[1] == 3 && order[2] == 2 && order[3] == 0);
    EXPECT(pthread_getschedparam(t[1], &policy, &param) == 0);
    EXPECT(policy == SCHED_FIFO && param.sched_priority == 5);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    param.sched_priority = 0;
    EXPECT(pthread_attr_setschedparam(&attr, &param) == 0);
    EXPECT(pthread_create(&t[0], &attr, note, NULL) == EINVAL); /* FIFO wants 1 or more */
    EXPECT(sched_setaffinity(0, sizeof(all), &all) == 0);
}

static atomic_int visited;

/* Counts the cores it runs on. */
static void visit(void *arg)
{
    (void)arg;
    visited++;
}

/* Threads until there is no room: an error, and everything comes back. */
static void exhaustion(void)
{
    static pthread_t t[3000];
    const int cores = (int)mpj_core_count();
    pthread_attr_t attr;
    int n[2];

    pthread_attr_init(&attr);
    for (int round = 0; round < 2; round++) {
        int r = 0;

        n[round] = 0;
        while (n[round] < 3000 && (r = pthread_create(&t[n[round]], &attr, give_back, NULL)) == 0)
            n[round]++;
        EXPECT(r == EAGAIN && n[round] >= 190);
        visited = 0;
        EXPECT(mpj_on_all_cores(visit, NULL) == (cores > 1 ? EAGAIN : 0) && visited == 1);
        for (int i = 0; i < n[round]; i++)
            EXPECT(pthread_join(t[i], NULL) == 0);
    }
    EXPECT(n[0] == n[1]);
    visited = 0;
    EXPECT(mpj_on_all_cores(visit, NULL) == 0 && visited == cores);
    EXPECT(pthread_attr_setstacksize(&attr, PTHREAD_STACK_MIN) == 0);
    n[0] = 0;
    while (n[0] < 3000 && pthread_create(&t[n[0]], &attr, give_back, NULL) == 0)
        n[0]++;
    EXPECT(n[0] >= 1000);
    for (int i = 0; i < n[0]; i++)
        EXPECT(pthread_join(t[i], NULL) == 0);
}
#endif

int main(void)
{
    threads();
    attributes();
    affinity();
    mutexes();
    conditions();
    rwlocks();
    others();
    once_and_keys();
    cancellation();
#ifdef __arm__
    priorities();
    exhaustion();
#endif
    printf("pt_api: %s\n", failures == 0 ? "ok" : "WRONG");
    return failures != 0;
}
