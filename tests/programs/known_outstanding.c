/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many load misses may be under way at once: the loops of known_miss.c with two, three and four
 * loads of neighbouring lines, for calibrations with another lsu_outstanding. Cycles of 1000 times;
 * lines come from the L220 (l2_*: 26 more than a hit) or from memory (mem_*: 118 more).
 * With one, each miss goes out when the line of the one before is there; up to 3 later if it takes
 * until that value can be used:
 *   two     the second goes out at 26, its use is 29 later, use and subs: 57 to 60
 *   three   the third at 52: 83 to 89
 *   many    four, no use: 4 * 26 = 104 to 4 * 29 = 116; from memory 4 * 118 = 472 to 484
 * With four:
 *   two     as with two: 32
 *   three   all go out at once; the first and the third line use the same port, which takes a
 *           line in each 8 cycles: uses at 29, 30, 31, or 8 later the third: 33 or 41. Both move
 *           the loop by 1 against the port's slots, and from 2 of 8 places on the third line has
 *           the next slot: 39 on average
 *   many    a slot is free again after 26 (29), up to 8 later for the port: 26 to 37; from memory
 *           the bus is full all the time: 4 * 64 = 256
 */
#include "known.h"

#include "hal_cache.h"
#include "hal_l2cc.h"

#define BYTES      (256U * 1024U)
#define WALK(body) "1:\n\t" body "subs r5, r5, #1\n\tbne 1b\n\t"

KNOWN_PROBE(outstanding_two, WALK("ldr r4, [r10]\n\tldr r3, [r10, #32]\n\tadd r10, r10, #64\n\t"
                                  "add r6, r6, r4\n\tadd r1, r1, r3\n\t"));
KNOWN_PROBE(outstanding_three,
            WALK("ldr r4, [r10]\n\tldr r3, [r10, #32]\n\tldr r7, [r10, #64]\n\t"
                 "add r10, r10, #96\n\tadd r6, r6, r4\n\tadd r1, r1, r3\n\tadd r2, r2, r7\n\t"));
KNOWN_PROBE(outstanding_many, WALK("ldr r3, [r10]\n\tldr r4, [r10, #32]\n\tldr r6, [r10, #64]\n\t"
                                   "ldr r7, [r10, #96]\n\tadd r10, r10, #128\n\t"));

static uint8_t memory[BYTES] __attribute__((aligned(BYTES)));

static void empty_l1(void)
{
    hal_cache_clean_invalidate();
}

static void empty_all(void)
{
    hal_cache_clean_invalidate();
    (void)hal_l2cc_clean_invalidate_all();
}

static void report(const char *where, const char *what, known_probe *probe, void (*empty)(void))
{
    known_print(
        where, what,
        known_more(probe, memory, 1000, MPJ_EVENT_DCACHE_RD, MPJ_EVENT_DCACHE_RD_MISS, empty)
            .cycles);
}

int main(void)
{
    mpj_monitors_take();
    report("l2", "two", outstanding_two, empty_l1);
    report("l2", "three", outstanding_three, empty_l1);
    report("l2", "many", outstanding_many, empty_l1);
    report("mem", "many", outstanding_many, empty_all);
    return 0;
}
