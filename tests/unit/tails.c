/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls and jumps for test_entries.c, compiled for the target and never run. */
#define APART __attribute__((noipa))

int (*volatile pointer)(int);

int last(int n);
int jumps(int n);
int by_register(int n);
int chain(int n);
int calls(int n);
int dispatch(int n);

APART int last(int n)
{
    return n * 3;
}

APART int jumps(int n) /* b last */
{
    return last(n + 1);
}

APART int by_register(int n) /* bx */
{
    return pointer(n);
}

APART int chain(int n) /* b by_register */
{
    return by_register(n + 2);
}

APART int calls(int n) /* bl jumps, bl chain */
{
    return jumps(n) + chain(n) + 1;
}

APART int dispatch(int n) /* blx */
{
    return pointer(n) + calls(n);
}
