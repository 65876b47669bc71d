/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls that are known beforehand, for tests/sim/functions.py: shares of 10, 20, 30 and 40 of a
 * caller, recursion, tail calls both ways, fifty longjmp, a handler of a signal, a call that is
 * preempted, calls by pointer, functions inlined into one another.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

#define NOINLINE __attribute__((noinline, noclone))

static jmp_buf back;
static volatile unsigned sink;

/* Two instructions a turn, in Thumb code three. */
static inline __attribute__((always_inline)) void spin(unsigned turns)
{
    do {
        __asm__ volatile("" : "+r"(turns));
    } while (--turns != 0);
}

NOINLINE void ten(void)
{
    spin(1000);
}

NOINLINE void twenty(void)
{
    spin(2000);
}

NOINLINE void thirty(void)
{
    spin(3000);
}

NOINLINE void forty(void)
{
    spin(4000);
}

NOINLINE void shares(void)
{
    for (int i = 0; i < 100; i++) {
        ten();
        twenty();
        thirty();
        forty();
    }
}

static inline __attribute__((always_inline)) void once(void)
{
    spin(1000);
}

static inline __attribute__((always_inline)) void thrice(void)
{
    spin(3000);
    once();
}

NOINLINE void inlined(void)
{
    for (int i = 0; i < 50; i++) {
        once();
        thrice();
    }
}

NOINLINE unsigned fib(unsigned n)
{
    unsigned a;
    unsigned b;

    if (n < 2)
        return n;
    a = fib(n - 1);
    b = fib(n - 2);
    __asm__ volatile("" : "+r"(b)); /* no call becomes a loop */
    return a + b;
}

NOINLINE void odd(unsigned n);

/* The calls are the last thing they do: branches. */
NOINLINE void even(unsigned n)
{
    spin(100);
    if (n > 0)
        odd(n - 1);
}

NOINLINE void odd(unsigned n)
{
    spin(300);
    if (n > 0)
        even(n - 1);
}

NOINLINE void jumper(unsigned n)
{
    spin(50);
    if (n == 0)
        longjmp(back, 1);
    jumper(n - 1);
    sink++;
}

NOINLINE void jumps(void)
{
    for (volatile int i = 0; i < 50; i++)
        if (setjmp(back) == 0)
            jumper(3);
}

static void handler(int sig)
{
    (void)sig;
    spin(500);
}

NOINLINE void signals(void)
{
    signal(SIGUSR1, handler);
    for (int i = 0; i < 20; i++)
        raise(SIGUSR1);
}

NOINLINE void pointed(void (*const *fn)(void))
{
    for (int i = 0; i < 30; i++)
        fn[i % 3]();
}

/* Longer than a time slice: preempted in the middle. */
NOINLINE void leaf(unsigned ms)
{
    spin(ms * 100000);
}

NOINLINE void busy(void)
{
    leaf(60);
}

static void *thread(void *arg)
{
    (void)arg;
    busy();
    return NULL;
}

int main(void)
{
    static void (*const fn[])(void) = {ten, twenty, ten};
    pthread_t t[6];

    shares();
    inlined();
    sink = fib(12);
    even(40);
    jumps();
    signals();
    pointed(fn);
    for (int i = 0; i < 6; i++)
        pthread_create(&t[i], NULL, thread, NULL);
    for (int i = 0; i < 6; i++)
        pthread_join(t[i], NULL);
    printf("%u\n", sink);
    return 0;
}
