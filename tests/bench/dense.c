/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls of an empty function: how many, and turns of a loop between two of them. */
#include <stdio.h>
#include <stdlib.h>
#define NOINLINE __attribute__((noinline, noclone))
NOINLINE static void brief(void)
{
    __asm__ volatile("");
}
int main(int argc, char **argv)
{
    unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 1000000;
    unsigned gap = argc > 2 ? (unsigned)atoi(argv[2]) : 20;
    for (unsigned i = 0; i < n; i++) {
        brief();
        for (unsigned k = 0; k < gap; k++)
            __asm__ volatile("");
    }
    printf("done\n");
    return 0;
}
