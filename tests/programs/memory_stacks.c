/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks of known depth and a heap of known size (tests/sim/memory.py); argument: which part. */
#define _GNU_SOURCE
#include <alloca.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KB 1024U

static char own_stack[128 * KB] __attribute__((aligned(8)));
static char alternate[64 * KB] __attribute__((aligned(8)));

/* Writes each word of so many bytes of stack. */
static __attribute__((noinline)) void dig(size_t bytes)
{
    volatile uint32_t *const p = alloca(bytes);

    for (size_t i = 0; i < bytes / sizeof(*p); i++)
        p[i] = (uint32_t)i;
}

/* The same of the lower quarter only. */
static __attribute__((noinline)) void jump(size_t bytes)
{
    volatile uint32_t *const p = alloca(bytes);

    for (size_t i = 0; i < bytes / sizeof(*p) / 4U; i++)
        p[i] = (uint32_t)i;
}

static void *digs(void *arg)
{
    dig((size_t)arg);
    return NULL;
}

static void *jumps(void *arg)
{
    jump((size_t)arg);
    return NULL;
}

static void run(const pthread_attr_t *attr, void *(*fn)(void *arg), size_t bytes)
{
    pthread_t t;

    if (pthread_create(&t, attr, fn, (void *)bytes) != 0 || pthread_join(t, NULL) != 0)
        exit(3);
}

/* One after the other, on the same stack. */
static void again(void)
{
    for (unsigned i = 0; i < 4; i++) {
        run(NULL, digs, 200 * KB);
        run(NULL, digs, 8);
        run(NULL, digs, 5 * KB);
    }
    run(NULL, jumps, 300 * KB); /* the last: nothing else is on it */
}

/* All at once, one alive when the program ends. */
static void together(void)
{
    static const size_t kb[] = {1, 3, 10, 50, 700};
    pthread_t t[5];

    for (unsigned i = 0; i < 5; i++) {
        if (pthread_create(&t[i], NULL, digs, (void *)(kb[i] * KB)) != 0)
            exit(3);
    }
    for (unsigned i = 0; i < 5; i++)
        (void)pthread_join(t[i], NULL);
    dig(1000 * KB); /* main */
}

static void on_inner(int sig)
{
    (void)sig;
    dig(20 * KB);
}

static void on_outer(int sig)
{
    volatile uint32_t *const p = alloca(10 * KB);

    for (size_t i = 0; i < 10 * KB / sizeof(*p); i++)
        p[i] = (uint32_t)sig;
    (void)raise(SIGUSR2); /* nested, on the same stack */
}

static void *handles(void *arg)
{
    const stack_t other = {.ss_sp = alternate, .ss_size = sizeof(alternate)};

    if (arg != NULL && sigaltstack(&other, NULL) != 0)
        exit(3);
    (void)raise(SIGUSR1);
    return NULL;
}

static void signals(void)
{
    struct sigaction outer = {.sa_handler = on_outer, .sa_flags = SA_ONSTACK};
    struct sigaction inner = {.sa_handler = on_inner, .sa_flags = SA_ONSTACK};

    (void)sigaction(SIGUSR1, &outer, NULL);
    (void)sigaction(SIGUSR2, &inner, NULL);
    run(NULL, handles, 1); /* on a stack of their own */
    run(NULL, handles, 0); /* on the thread's: 30 KB */
}

static void given(void)
{
    pthread_attr_t attr;

    (void)pthread_attr_init(&attr);
    (void)pthread_attr_setstack(&attr, own_stack, sizeof(own_stack));
    run(&attr, digs, 40 * KB);
    memset(own_stack, 1, sizeof(own_stack)); /* the program's memory again */
    run(NULL, digs, 2 * KB);
}

static void heap(void)
{
    void *volatile large = malloc(3072 * KB);
    void *volatile small;

    if (large == NULL)
        exit(3);
    free(large);
    small = malloc(1024 * KB);
    if (small == NULL)
        exit(3);
}

static int deeper(volatile int *p, int n)
{
    volatile int room[256];

    room[0] = n;
    return n < 0 ? *p : deeper(room, n + 1) + room[0];
}

static void *falls(void *arg)
{
    return (void *)(intptr_t)deeper((int *)&arg, 0);
}

static void overflow(void)
{
    heap();
    run(NULL, falls, 0);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*part)(void);
    } parts[] = {{"again", again}, {"together", together}, {"signals", signals},
                 {"given", given}, {"heap", heap},         {"overflow", overflow}};

    for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (argc == 2 && strcmp(argv[1], parts[i].name) == 0) {
            parts[i].part();
            return 0;
        }
    }
    return 2;
}
