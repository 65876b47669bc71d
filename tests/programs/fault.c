/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Faults on purpose, a few calls deep.
 *   fault [null|nothing|read|undef|jump|call|stack|svc|abort] [CORE=0] [LINES=0]
 * LINES: that many lines are written by core 0 meanwhile, when it is another core that faults.
 */
#include <string.h>

#include "app.h"
#include "mpj.h"

static const char *what;
static unsigned where;
static long lines;

static __attribute__((noinline)) int deeper(volatile int *p, int depth)
{
    volatile char space[512];

    space[0] = (char)depth;
    if (depth == 1000000000)
        return *p;
    return deeper(p, depth + 1) + space[0] + *p;
}

static __attribute__((noinline)) void level3(void)
{
    volatile int zero = 0;

    if (strcmp(what, "null") == 0) {
        *(volatile int *)zero = 1;
    } else if (strcmp(what, "nothing") == 0) {
        zero = *(volatile int *)(zero + 20);
    } else if (strcmp(what, "read") == 0) {
        zero = *(volatile int *)0xd0000000;
    } else if (strcmp(what, "undef") == 0) {
        __asm__ volatile(".word 0xe7f000f0");
    } else if (strcmp(what, "jump") == 0) {
        ((void (*)(void))0xd0000000)();
    } else if (strcmp(what, "call") == 0) {
        ((void (*)(void))zero)();
    } else if (strcmp(what, "stack") == 0) {
        (void)deeper(&zero, 0);
    } else if (strcmp(what, "svc") == 0) {
        __asm__ volatile("svc #1");
    } else if (strcmp(what, "abort") == 0) {
        abort();
    }
    zero = 0;
}

static __attribute__((noinline)) void level2(void)
{
    level3();
    __asm__ volatile(""); /* no tail call: the frame stays */
}

static void level1(void *arg)
{
    (void)arg;
    if (mpj_core_id() == where) {
        if (lines > 0)
            mpj_spin_us(500);
        level2();
    } else if (mpj_core_id() == 0) {
        for (long i = 0; i < lines; i++)
            printf("line %ld\n", i);
    }
}

int main(int argc, char **argv)
{
    what = argc > 1 ? argv[1] : "null";
    where = (unsigned)app_arg(argc, argv, 2, 0, 3, 0);
    lines = app_arg(argc, argv, 3, 0, 1000000, 0);
    printf("fault: %s on core %u\n", what, where);
    mpj_on_all_cores(level1, NULL);
    printf("fault: still here\n");
    return 3;
}
