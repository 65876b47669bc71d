/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stress of threads themselves: 64 at once, in several waves, so that stacks
 * and ids are used again; values through join and pthread_exit; detached
 * threads both ways; a tree of threads made by threads; joins out of order and
 * by others; large stack frames; join of oneself. With -e 1 main ends by
 * pthread_exit and another thread ends the program.
 */
#include "wl_stress.h"
#include <semaphore.h>

#define FRAME (200 * 1024)

static long threads = 64, waves = 3, seed = 1, early, stack_kb = 1024;
static sem_t gone;
static long detached_runs;

static void leave(void *value)
{
    pthread_exit(value);
}

/* Fills a large frame and reads it back while others do the same. */
static bool use_stack(uint32_t *state)
{
    volatile unsigned char frame[FRAME];
    unsigned char first = (unsigned char)wl_rand(state);
    for (size_t i = 0; i < FRAME; i += 512)
        frame[i] = (unsigned char)(first + i / 512);
    wl_jitter(state);
    for (size_t i = 0; i < FRAME; i += 512)
        if (frame[i] != (unsigned char)(first + i / 512))
            return false;
    return true;
}

static pthread_t self_of[WL_MAXTHREADS];

static void *worker(void *arg)
{
    long id = (long)(intptr_t)arg;
    uint32_t state = wl_seed(seed, arg);
    self_of[id] = pthread_self();
    WL_EXPECT(pthread_equal(pthread_self(), self_of[id]));
    WL_EXPECT(use_stack(&state));
    if (id % 3 == 0)
        leave((void *)(intptr_t)(id * id + 1));
    return (void *)(intptr_t)(id * id + 1);
}

static void *detached(void *arg)
{
    uint32_t state = wl_seed(seed, arg);
    wl_jitter(&state);
    if ((long)(intptr_t)arg % 2)
        WL_EXPECT(pthread_detach(pthread_self()) == 0);
    __atomic_fetch_add(&detached_runs, 1, __ATOMIC_RELAXED);
    sem_post(&gone);
    return NULL;
}

/* Counts the nodes of a tree, each node a thread. */
static void *tree(void *arg)
{
    long depth = (long)(intptr_t)arg, sum = 1;
    pthread_t child[2];
    for (int i = 0; i < 2 && depth > 0; i++)
        WL_MUST(pthread_create(&child[i], NULL, tree, (void *)(intptr_t)(depth - 1)));
    for (int i = 0; i < 2 && depth > 0; i++) {
        void *value = NULL;
        WL_MUST(pthread_join(child[i], &value));
        sum += (long)(intptr_t)value;
    }
    return (void *)(intptr_t)sum;
}

static void wave(long w)
{
    pthread_t tid[WL_MAXTHREADS];
    for (long i = 0; i < threads; i++)
        WL_MUST(pthread_create(&tid[i], NULL, worker, (void *)(intptr_t)i));
    for (long k = 0; k < threads; k++) {
        long i = w % 2 ? threads - 1 - k : k;
        void *value = NULL;
        WL_EXPECT(pthread_join(tid[i], &value) == 0);
        WL_EXPECT((long)(intptr_t)value == i * i + 1);
        WL_EXPECT(pthread_equal(tid[i], self_of[i]));
    }
}

static void make_detached(void)
{
    pthread_attr_t attr;
    int state = -1;
    WL_MUST(pthread_attr_init(&attr));
    WL_MUST(pthread_attr_getdetachstate(&attr, &state));
    WL_EXPECT(state == PTHREAD_CREATE_JOINABLE);
    WL_MUST(pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED));
    for (long i = 0; i < threads; i++) {
        pthread_t tid;
        WL_MUST(pthread_create(&tid, i % 2 ? NULL : &attr, detached, (void *)(intptr_t)i));
    }
    for (long i = 0; i < threads; i++)
        WL_EXPECT(sem_wait(&gone) == 0);
    WL_MUST(pthread_attr_destroy(&attr));
    WL_EXPECT(detached_runs == threads);
    detached_runs = 0;
}

static char token;

static void *with_stack(void *arg)
{
    volatile unsigned char frame[700 * 1024];
    for (size_t i = 0; i < sizeof frame; i += 1024)
        frame[i] = 1;
    return frame[1024] == 1 ? arg : NULL;
}

static void stack_sizes(void)
{
    pthread_attr_t attr;
    pthread_t tid;
    size_t size = 0;
    void *value = NULL;
    WL_MUST(pthread_attr_init(&attr));
    WL_MUST(pthread_attr_setstacksize(&attr, (size_t)stack_kb * 1024));
    WL_MUST(pthread_attr_getstacksize(&attr, &size));
    WL_EXPECT(size == (size_t)stack_kb * 1024);
    for (int i = 0; i < 2; i++) { /* the default is enough too */
        WL_MUST(pthread_create(&tid, i ? NULL : &attr, with_stack, &token));
        WL_MUST(pthread_join(tid, &value));
        WL_EXPECT(value == &token);
    }
    WL_MUST(pthread_attr_destroy(&attr));
}

static void *last_word(void *arg)
{
    wl_sleep_ns(2000000); /* main is gone by now */
    exit(wl_result("st_thread", wl_failures == 0, "threads=%ld waves=%ld seed=%ld early=1", threads,
                   waves, seed));
    return arg;
}

int main(int argc, char **argv)
{
    const struct wl_opt opts[] = {
        {'t', &threads, 1, WL_MAXTHREADS, "threads"},
        {'n', &waves, 1, 10000, "waves of threads"},
        {'s', &seed, 0, 1 << 30, "seed"},
        {'z', &stack_kb, 1024, 65536, "kilobytes of the stack that is asked for"},
        {'e', &early, 0, 1, "1: main ends first"},
        {0},
    };
    wl_options(argc, argv, opts);
    WL_MUST(sem_init(&gone, 0, 0));
#ifndef __SANITIZE_ADDRESS__ /* GCC 14's ends a program that joins its first thread */
    WL_EXPECT(pthread_join(pthread_self(), NULL) == EDEADLK);
#endif
    for (long w = 0; w < waves; w++) {
        wave(w);
        make_detached();
    }
    void *nodes = tree((void *)(intptr_t)4);
    WL_EXPECT((long)(intptr_t)nodes == 31);
    stack_sizes();
    if (early) {
        pthread_t tid;
        WL_MUST(pthread_create(&tid, NULL, last_word, NULL));
        WL_MUST(pthread_detach(tid));
        pthread_exit(NULL);
    }
    WL_EXPECT(sem_destroy(&gone) == 0);
    return wl_result("st_thread", wl_failures == 0, "threads=%ld waves=%ld seed=%ld early=0",
                     threads, waves, seed);
}
