/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Faults of Thumb code: where they were. */
#include <stdio.h>

__attribute__((noinline)) static void refuse(void)
{
    __asm__ volatile("nop");
    /* the next instruction is undefined */
    __asm__ volatile(".inst.n 0xde42");
}

__attribute__((noinline)) static int load(const int *p)
{
    return *p;
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1)
        return load((const int *)0x20000000);
    refuse();
    return printf("still here\n");
}
