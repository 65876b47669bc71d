/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Faults whose call chains are known: fault_chain WHAT.
 *   print      in printf(), whose frames are large
 *   large      below a frame of 200 KB
 *   deep       main's stack overflows, by one function
 *   mutual     the same, by two with another frame each
 *   thread     in a thread, below 3000 frames of two functions
 *   overflow   a thread's stack overflows
 *   irregular  main's stack overflows, and no two frames are the same
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define OWN __attribute__((noinline, noclone))

static volatile int sink;

OWN static void print_it(const char *bad)
{
    printf("%s %d\n", bad, sink);
    sink++;
}

OWN static void large_leaf(volatile int *p)
{
    *p = 1;
    sink++;
}

OWN static void large(volatile int *p)
{
    volatile char space[200 * 1024];

    space[0] = space[sizeof(space) - 1] = 1;
    large_leaf(p);
    sink += space[0];
}

OWN static int deep(int n)
{
    volatile int local[8];

    local[n & 7] = n;
    return deep(n + 1) + local[n & 7];
}

static int odd(int n);

OWN static int even(int n)
{
    volatile int local[5] = {n, n + 1, n + 2, n + 3, n + 4};

    if (n == 3000)
        *(volatile int *)8 = 1;
    return odd(n + 1) + local[n % 5];
}

OWN static int odd(int n)
{
    volatile char local[40];

    memset((char *)local, n, sizeof(local));
    return even(n + 1) + local[n % 40];
}

OWN static int forever(int n)
{
    return odd(n | 4097) + sink;
}

OWN static int irregular(unsigned n)
{
    volatile char *const space = __builtin_alloca(8 + n % 97 * 8);
    int (*volatile f)(unsigned) = irregular;

    space[0] = (char)n;
    return f(n * 1664525U + 1013904223U) + space[0];
}

static void *work(void *arg)
{
    if (strcmp(arg, "thread") == 0)
        sink = odd(1);
    else
        sink = deep(1);
    sink++;
    return NULL;
}

int main(int argc, char **argv)
{
    const char *const what = argc > 1 ? argv[1] : "print";
    pthread_t t;

    if (strcmp(what, "print") == 0)
        print_it((const char *)0xd0000000);
    else if (strcmp(what, "large") == 0)
        large(NULL);
    else if (strcmp(what, "deep") == 0)
        sink = deep(0);
    else if (strcmp(what, "mutual") == 0)
        sink = forever(1);
    else if (strcmp(what, "irregular") == 0)
        sink = irregular(1);
    else if (pthread_create(&t, NULL, work, (void *)what) == 0)
        pthread_join(t, NULL);
    sink++;
    return 0;
}
