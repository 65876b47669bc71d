/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SWP and SWPB: what they load and store, whichever registers they use, and that the monitor
 * counts each of them as a load and a store. Deprecated in ARMv6, and programs for ARMv5 use them
 * for their locks.
 */
#include "known.h"

static volatile uint32_t cell;
static uint32_t line[8] __attribute__((aligned(32)));

KNOWN_PROBE(swaps, KNOWN_REPEAT(20, "swp r3, r4, [r0]"));
KNOWN_PROBE(byte_swaps, KNOWN_REPEAT(20, "swpb r3, r4, [r0]"));

/* All three registers different: an address in r2 is not data. */
static uint32_t swap(volatile uint32_t *at, uint32_t value)
{
    uint32_t old;

    __asm__ volatile("swp %0, %1, [%2]" : "=&r"(old) : "r"(value), "r"(at) : "memory");
    return old;
}

/* One register for both data. */
static uint32_t swap_same(volatile uint32_t *at, uint32_t value)
{
    __asm__ volatile("swp %0, %0, [%1]" : "+r"(value) : "r"(at) : "memory");
    return value;
}

static uint32_t swap_byte(volatile uint32_t *at, unsigned byte, uint32_t value)
{
    uint32_t old;

    __asm__ volatile("swpb %0, %1, [%2]"
                     : "=&r"(old)
                     : "r"(value), "r"((uintptr_t)at + byte)
                     : "memory");
    return old;
}

/* Where the condition fails nothing is loaded or stored. */
static uint32_t swap_if_zero(volatile uint32_t *at, uint32_t value, uint32_t n)
{
    uint32_t old = 77;

    __asm__ volatile("cmp %3, #0\n\tswpeq %0, %1, [%2]"
                     : "+&r"(old)
                     : "r"(value), "r"(at), "r"(n)
                     : "memory", "cc");
    return old;
}

static void values(void)
{
    cell = 5;
    known_print("swap", "old", swap(&cell, 8));
    known_print("swap", "new", cell);
    known_print("same", "old", swap_same(&cell, 9));
    known_print("same", "new", cell);
    known_print("skipped", "old", swap_if_zero(&cell, 10, 1));
    known_print("skipped", "new", cell);
    known_print("taken", "old", swap_if_zero(&cell, 11, 0));
    known_print("taken", "new", cell);
    cell = 0x01020304U;
    known_print("byte", "old", swap_byte(&cell, 2, 0xa1b2c3d4U));
    known_print("byte", "new", cell);
}

static void counts(const char *name, known_probe *probe)
{
    struct known_counts c = known_warm(probe, line, 0, MPJ_EVENT_DCACHE_RD, MPJ_EVENT_DCACHE_WR);

    known_print(name, "loads", c.event[0]);
    known_print(name, "stores", c.event[1]);
}

int main(void)
{
    values();
    counts("swaps", swaps);
    counts("byte_swaps", byte_swaps);
    return 0;
}
