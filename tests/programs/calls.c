/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls of all kinds, for the test of functions measured at entry and exit. Each part works the
 * same number of units in functions of its own, in rounds, so that its share is known.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline, noclone))
#define UNIT     4000 /* turns of the loop */

static volatile unsigned sink;
static jmp_buf back;

NOINLINE static void unit(void)
{
    for (unsigned i = 0; i < UNIT; i++)
        __asm__ volatile("" : : : "memory");
}

NOINLINE static unsigned recurse(unsigned n) /* 8 units, recursion counted once */
{
    unit();
    return n == 0 ? 0 : recurse(n - 1) + 1;
}

NOINLINE static void even(unsigned n);
NOINLINE static void odd(unsigned n) /* with even(): 8 units by tail calls */
{
    unit();
    if (n > 0)
        even(n - 1);
}

NOINLINE static void even(unsigned n)
{
    unit();
    if (n > 0)
        odd(n - 1);
}

NOINLINE static void thrower(unsigned n)
{
    unit();
    if (n == 0)
        longjmp(back, 1);
    thrower(n - 1);
    sink++;
}

NOINLINE static void catcher(void) /* 8 units, frames left by longjmp() */
{
    if (setjmp(back) == 0)
        thrower(7);
}

static void on_signal(int number) /* 8 units */
{
    (void)number;
    for (unsigned i = 0; i < 8; i++)
        unit();
}

NOINLINE static void *leaver(void *arg) /* 8 units in a thread that ends in the middle */
{
    for (unsigned i = 0; i < 8; i++)
        unit();
    if (arg == NULL)
        pthread_exit(NULL);
    return arg;
}

NOINLINE static double mixed(int a, double b, float c, long long d, double e)
{
    return a + b * 2 + c * 3 + (double)d * 4 + e * 5;
}

__attribute__((noipa)) static long long wide(long long a, long long b)
{
    return a * 3 + b;
}

NOINLINE static void brief(void)
{
    __asm__ volatile("");
}

NOINLINE static void many(unsigned n)
{
    while (n-- > 0)
        brief();
}

int main(int argc, char **argv)
{
    const unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 100;
    unsigned wrong = 0;

    signal(SIGUSR1, on_signal);
    for (unsigned i = 0; i < rounds; i++) {
        pthread_t t;

        wrong += recurse(7) != 7;
        even(7);
        catcher();
        raise(SIGUSR1);
        if (pthread_create(&t, NULL, leaver, i % 2 == 0 ? NULL : &t) == 0)
            pthread_join(t, NULL);
        wrong += mixed(1, 2, 3, 4, 5) != 1 + 4 + 9 + 16 + 25;
        wrong += wide(1LL << 40, 5) != (3LL << 40) + 5;
        many(300);
    }
    printf("calls: %s rounds=%u\n", wrong == 0 ? "ok" : "WRONG", rounds);
    return wrong != 0;
}
