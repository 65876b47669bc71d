#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Rounds of loops that wait for a line are skipped: nothing may differ from a run that executes all of them.

usage: spins.py

Three threads wait for a flag that the fourth sets again and again, in loops of one, two and three loads, with a
counter after the load and before it, with LDREX, with a call, and in loops that count in a register or in memory and
stop at a limit. With --functions every round of a loop with several loads or a counter is executed. Works in the
current directory.
"""
import os
import sys

sys.path.insert(0, f"{os.path.dirname(__file__)}/../harness")
from harness import cc, check, finish, run_json, write  # noqa: E402

PROGRAM = r"""
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
static volatile struct { uint32_t flag, pad[7], ack[3]; } x __attribute__((aligned(32)));
static int kind;
static uint32_t rounds;
#define WAIT(loop) __asm__ volatile(loop : "+r"(n) : "r"(&x.flag), "r"(v) : "r3", "cc", "memory")
static __attribute__((noinline)) uint32_t flag(void) { return x.flag; }
static volatile uint32_t second __attribute__((aligned(32)));
/* Counts in a register; after some rounds it does something else. */
static void count_down(uint32_t v)
{
    while (x.flag != v) {
        uint32_t left = 37;
        __asm__ volatile("1: ldr r3, [%1]\n cmp r3, %2\n beq 2f\n subs %0, %0, #1\n bne 1b\n 2:"
                         : "+r"(left) : "r"(&x.flag), "r"(v) : "r3", "cc", "memory");
        for (volatile int k = 0; k < 3; k++) ;
    }
}
#define UNTIL_NEXT "ldr r3, [%1]\n ldr ip, [%1, #4]\n cmp r3, ip\n beq 2f\n sub r3, r3, #1\n str r3, [%1]\n b 1b\n 2:"
#define COUNT(loop) __asm__ volatile("1: ldr r3, [%0]\n cmp r3, %2\n beq 2f\n" loop UNTIL_NEXT \
    : : "r"(&x.flag), "r"(&poll), "r"(v), "r"(&second) : "r3", "ip", "cc", "memory")
/* Counts in memory up to a limit that is in memory, too, as libgomp does. */
static void count_memory(uint32_t v)
{
    struct { uint32_t left, next; } poll = {1000, 936};
    for (; x.flag != v; poll.next = poll.left - 64)
        COUNT("");
}
/* The same with a second line, which the waiters themselves change now and then. */
static void count_two(uint32_t v)
{
    struct { uint32_t left, next; } poll = {1000, 990};
    for (; x.flag != v; poll.next = poll.left - 50 - v, second = poll.left)
        COUNT("ldr r3, [%3]\n cmp r3, #0x80000000\n beq 2f\n");
}
static void *waiter(void *number)
{
    uint32_t n = 0;
    for (uint32_t v = 1; v <= rounds; v++) {
        switch (kind) {
        case 1: WAIT("1: ldr r3, [%1]\n cmp r3, %2\n bne 1b"); break;
        case 2: WAIT("1: ldr r3, [%1]\n cmp r3, %2\n beq 2f\n ldr r3, [%1]\n cmp r3, %2\n bne 1b\n 2:"); break;
        case 3: WAIT("1: ldr r3, [%1]\n cmp r3, %2\n beq 2f\n ldr r3, [%1]\n nop\n cmp r3, %2\n beq 2f\n"
                     "ldr r3, [%1]\n nop\n nop\n cmp r3, %2\n bne 1b\n 2:"); break;
        case 4: WAIT("1: ldr r3, [%1]\n add %0, %0, #1\n cmp r3, %2\n bne 1b"); break;
        case 5: WAIT("1: ldrex r3, [%1]\n cmp r3, %2\n bne 1b"); break;
        case 6: while (flag() != v && flag() != v) ; break;
        case 7: count_down(v); break;
        case 8: count_memory(v); break;
        case 9: count_two(v); break;
        default: WAIT("1: add %0, %0, #1\n ldr r3, [%1]\n add %0, %0, #2\n cmp r3, %2\n bne 1b");
        }
        x.ack[(uintptr_t)number] = v;
    }
    return (void *)(uintptr_t)n;
}
int main(int argc, char **argv)
{
    pthread_t t[3];
    void *polls[3];
    kind = atoi(argv[1]);
    rounds = (uint32_t)atoi(argv[2]);
    for (uintptr_t i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, waiter, (void *)i);
    for (uint32_t v = 1; v <= rounds; v++) {
        for (volatile uint32_t k = 0; k < 100 + v % 7 * 150; k++) ;
        x.flag = v;
        for (int i = 0; i < 3; i++)
            while (x.ack[i] != v) ;
    }
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], &polls[i]);
    /* What they have counted changes the time. */
    for (volatile uint32_t k = 0; k < ((uintptr_t)polls[0] + (uintptr_t)polls[1] * 3 + (uintptr_t)polls[2] * 7) % 1000; k++) ;
    return argc != 3;
}
"""


def counted(report):
    return report["time_s"], report["truth"]["cycles"], [(c["events"], c["energy_uj"]) for c in report["truth"]["cores"]]


def main():
    write("spins.c", PROGRAM)
    cc("spins.c", "spins.elf", "-O2")
    for kind in range(1, 11):
        for quantum in ("50", "500"):
            options = ["--quantum", quantum]
            skipped = counted(run_json(".", "spins.elf", str(kind), "60", options=options))
            executed = counted(run_json(".", "spins.elf", str(kind), "60", options=[*options, "--functions"]))
            check(skipped == executed, f"loop {kind}, quantum {quantum}: {skipped} but {executed}")
    return finish("spins: skipped rounds count as executed ones")


if __name__ == "__main__":
    sys.exit(main())
