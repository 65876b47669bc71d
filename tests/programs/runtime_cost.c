/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the runtime costs, in cycles of the modelled core: lines `name cycles`.
 *   runtime_cost [ROUNDS=400]
 * Each figure is the mean of ROUNDS, warm. Needs four cores for some, and leaves those out when
 * there are fewer.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>

#include "app.h"
#include "mpj.h"

#define CYCLES_PER_US 210U

static long rounds;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t ping, pong;
static volatile long turn;
static uint64_t spent;

static void result(const char *name, uint64_t cycles, uint64_t per)
{
    printf("%-28s %7lu\n", name, (unsigned long)(cycles / per));
}

/* Cycles on one clock for all cores, to 9 cycles. */
static uint64_t now(void)
{
    return mpj_time_ns() * CYCLES_PER_US / 1000U;
}

static pthread_t on_core(unsigned core, void *(*fn)(void *arg), void *arg)
{
    pthread_attr_t attr;
    cpu_set_t set;
    pthread_t t = 0;

    CPU_ZERO(&set);
    CPU_SET(core, &set);
    pthread_attr_init(&attr);
    if (pthread_attr_setaffinity_np(&attr, sizeof(set), &set) != 0 ||
        pthread_create(&t, &attr, fn, arg) != 0) {
        printf("runtime_cost: no thread on core %u\n", core);
        exit(1);
    }
    return t;
}

static void *nothing(void *arg)
{
    return arg;
}

/* ---- alone ---------------------------------------------------------------------------- */

static int seen; /* so that calls without effect are made */

#define ALONE(name, what)                                                                          \
    do {                                                                                           \
        uint64_t begin = 0;                                                                        \
        for (long i = -8; i < rounds; i++) {                                                       \
            if (i == 0)                                                                            \
                begin = mpj_cycles();                                                              \
            what;                                                                                  \
        }                                                                                          \
        result(name, mpj_cycles() - begin, (uint64_t)rounds);                                      \
    } while (0)

static void once_only(void)
{
}

static void alone(void)
{
    pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
    pthread_spinlock_t spin;
    pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_key_t key;
    sem_t sem;

    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_key_create(&key, NULL);
    sem_init(&sem, 0, 1);
    ALONE("empty_loop", __asm__ volatile(""));
    ALONE("mutex", (pthread_mutex_lock(&mutex), pthread_mutex_unlock(&mutex)));
    ALONE("mutex_recursive", (pthread_mutex_lock(&recursive), pthread_mutex_unlock(&recursive)));
    ALONE("spin", (pthread_spin_lock(&spin), pthread_spin_unlock(&spin)));
    ALONE("rwlock_read", (pthread_rwlock_rdlock(&rwlock), pthread_rwlock_unlock(&rwlock)));
    ALONE("rwlock_write", (pthread_rwlock_wrlock(&rwlock), pthread_rwlock_unlock(&rwlock)));
    ALONE("semaphore", (sem_wait(&sem), sem_post(&sem)));
    ALONE("cond_signal_no_waiter", pthread_cond_signal(&cond));
    ALONE("once", pthread_once(&once, once_only));
    ALONE("getspecific", seen += pthread_getspecific(key) != NULL);
    ALONE("self", seen += (int)pthread_self());
    ALONE("clock", seen += (int)mpj_time_ns());
    ALONE("yield_nobody", sched_yield());
}

/* ---- two on one core -------------------------------------------------------------------- */

static void *yielder(void *arg)
{
    pthread_barrier_wait(&barrier);
    for (long i = 0; i < rounds; i++)
        sched_yield();
    return arg;
}

static void *yield_timer(void *arg)
{
    uint64_t begin;

    pthread_barrier_wait(&barrier);
    begin = mpj_cycles();
    for (long i = 0; i < rounds; i++)
        sched_yield();
    spent = mpj_cycles() - begin;
    return arg;
}

/* Main waits on another core, or, when there is only one, in join. */
static void switches(void)
{
    pthread_t a, b;

    pthread_barrier_init(&barrier, NULL, 2);
    a = on_core(0, yielder, NULL);
    b = on_core(0, yield_timer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    result("context_switch", spent, 2U * (uint64_t)rounds);
}

/* ---- one wakes another --------------------------------------------------------------------- */

static void *answer_sem(void *arg)
{
    for (long i = 0; i < rounds; i++) {
        sem_wait(&ping);
        sem_post(&pong);
    }
    return arg;
}

static void *ask_sem(void *arg)
{
    uint64_t begin = now();

    for (long i = 0; i < rounds; i++) {
        sem_post(&ping);
        sem_wait(&pong);
    }
    spent = now() - begin;
    return arg;
}

static void *take_turns(void *arg)
{
    long me = (long)(intptr_t)arg;
    uint64_t begin = now();

    pthread_mutex_lock(&mutex);
    for (long i = 0; i < rounds; i++) {
        while (turn != me)
            pthread_cond_wait(&cond, &mutex);
        turn = 1 - me;
        pthread_cond_signal(&cond);
    }
    pthread_mutex_unlock(&mutex);
    spent = now() - begin;
    return NULL;
}

static void pair(const char *name, void *(*a)(void *arg), void *(*b)(void *arg), unsigned core)
{
    pthread_t s = on_core(0, a, (void *)0), t = on_core(core, b, (void *)1);

    pthread_join(s, NULL);
    pthread_join(t, NULL);
    result(name, spent, 2U * (uint64_t)rounds);
}

/* ---- all cores ------------------------------------------------------------------------------- */

static void *meet(void *arg)
{
    uint64_t begin;

    pthread_barrier_wait(&barrier);
    begin = now();
    for (long i = 0; i < rounds; i++)
        pthread_barrier_wait(&barrier);
    if (arg != NULL)
        spent = now() - begin;
    return NULL;
}

static void barriers(const char *name, unsigned threads, unsigned cores)
{
    pthread_t t[64];

    pthread_barrier_init(&barrier, NULL, threads);
    for (unsigned i = 0; i < threads; i++)
        t[i] = on_core(i % cores, meet, i == 0 ? &barrier : NULL);
    for (unsigned i = 0; i < threads; i++)
        pthread_join(t[i], NULL);
    result(name, spent, (uint64_t)rounds);
}

static volatile uint32_t shared;

static void *contend(void *arg)
{
    uint64_t begin;

    pthread_barrier_wait(&barrier);
    begin = now();
    for (long i = 0; i < rounds; i++) {
        pthread_mutex_lock(&mutex);
        shared++;
        pthread_mutex_unlock(&mutex);
        for (volatile int k = 0; k < 20; k++)
            ;
    }
    if (arg != NULL)
        spent = now() - begin;
    return NULL;
}

static void contention(unsigned cores)
{
    pthread_t t[4];

    pthread_barrier_init(&barrier, NULL, cores);
    for (unsigned i = 0; i < cores; i++)
        t[i] = on_core(i, contend, i == 0 ? &barrier : NULL);
    for (unsigned i = 0; i < cores; i++)
        pthread_join(t[i], NULL);
    result("mutex_4_cores_contend", spent, (uint64_t)rounds);
}

static void create_join(const char *name, unsigned core)
{
    uint64_t begin = 0;

    for (long i = -4; i < rounds; i++) {
        if (i == 0)
            begin = now();
        pthread_join(on_core(core, nothing, NULL), NULL);
    }
    result(name, now() - begin, (uint64_t)rounds);
}

static void call(void *arg)
{
    (void)arg;
}

static void calls(void)
{
    uint64_t begin = 0;

    for (long i = -4; i < rounds; i++) {
        if (i == 0)
            begin = now();
        mpj_on_all_cores(call, NULL);
    }
    result("on_all_cores", now() - begin, (uint64_t)rounds);
}

/* ---- time slices --------------------------------------------------------------------------------
 */

static void *work(void *arg)
{
    uint32_t x = 1;

    for (long i = 0; i < 2000000; i++)
        __asm__ volatile("mla %0, %0, %0, %0" : "+r"(x));
    return arg;
}

static void slices(void)
{
    uint64_t begin = now(), one;
    pthread_t a = on_core(0, work, NULL), b;

    pthread_join(a, NULL);
    one = now() - begin;
    begin = now();
    a = on_core(0, work, NULL);
    b = on_core(0, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%-28s %7lu\n", "slices_per_million",
           (unsigned long)((now() - begin - 2U * one) * 1000000U / (2U * one)));
}

int main(int argc, char **argv)
{
    unsigned cores = mpj_core_count();
    cpu_set_t last;

    rounds = app_arg(argc, argv, 1, 2, 1000000, 400);
    sem_init(&ping, 0, 0);
    sem_init(&pong, 0, 0);
    alone();
    /* Main looks on from the last core. */
    CPU_ZERO(&last);
    CPU_SET(cores - 1U, &last);
    pthread_setaffinity_np(pthread_self(), sizeof(last), &last);
    switches();
    pair("semaphore_same_core", ask_sem, answer_sem, 0);
    turn = 0;
    pair("condition_same_core", take_turns, take_turns, 0);
    create_join("create_join_same_core", cores - 1U);
    slices();
    if (cores < 4)
        return 0;
    pair("semaphore_other_core", ask_sem, answer_sem, 1);
    turn = 0;
    pair("condition_other_core", take_turns, take_turns, 1);
    create_join("create_join_other_core", 0);
    barriers("barrier_4_on_4_cores", 4, 4);
    barriers("barrier_16_on_4_cores", 16, 4);
    contention(4);
    calls();
    return seen == -1;
}
