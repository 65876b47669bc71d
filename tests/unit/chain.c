/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A call chain for test_symbols.c, compiled for the target and never run. */
int leaf(volatile int *p, int v);
int middle(volatile int *p, int n);
int top(int n);

__attribute__((noinline)) int leaf(volatile int *p, int v)
{
    *p = v; /* line 9 */
    return v + 1;
}

__attribute__((noinline)) int middle(volatile int *p, int n)
{
    volatile int room[5] = {n};
    const int v = leaf(p, n); /* line 16 */
    return v + room[n];
}

__attribute__((noinline)) int top(int n)
{
    return middle((volatile int *)4, n) + 1; /* line 22 */
}

/* As the library's functions are linked: with a second, public name, and, where the program has one
 * of that name, without. */
int __private_shared(int n);
int shared(int n) __attribute__((weak, alias("__private_shared")));
int __private_lone(int n);
extern int __private_table[2];

int __private_table[2] = {1, 2};

__attribute__((noinline)) int __private_shared(int n)
{
    return n * 3;
}

__attribute__((noinline)) int __private_lone(int n)
{
    return n * 5 + __private_table[n & 1];
}
