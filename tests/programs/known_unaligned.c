/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unaligned accesses: one cycle more in the load/store unit and until the value is there; across
 * the end of a cache line two accesses. Cycles of 1000 times through a loop, all in the L1; subs
 * and the folded bne take 1. Each at an aligned address (aligned_*), within a line (within_*) and,
 * where it says so, across two lines (across_*):
 *   use         load, then the use: at 3, unaligned 4; use and subs: 5, 6. Across: two accesses
 *               cannot take less; at most one more for the second: 6 to 7. _rd: accesses, two each
 *               across, else one
 *   use_half    the same with ldrh, at an odd address
 *   use_byte    ldrb is never unaligned: 5 at any address
 *   chase       ldr r4, [r4], eight times: 4 + 1 early is 5, aligned 4
 *   apart       a load, three instructions, the use: 3 are hidden, unaligned too: 1 + 3 + 2 = 6
 *   loads       four loads that nobody waits for: the unit takes one in each cycle, 5 with the
 *               subs; unaligned one in 2 cycles, the subs fits: 8. Across: 8 to 12
 *   stores      the same with str: 5, 8, 8 to 12; _wr: 4 accesses, across 8
 *   stores_half the same with strh
 *   loose       one unaligned store and six instructions: the unit is busy on its own: 1 + 6 + 1
 *   ldm         four registers at a multiple of 4 that is none of 8 are no unaligned access: as at
 * a multiple of 8: add, ldm, the fourth word at 3 + 1, so 1 + 4 miss        (across_miss) a load
 * across two lines that are not in the L1: two misses
 */
#include "known.h"

#include "hal_cache.h"

#define LOOP(body) "1:\n\t" body "subs r5, r5, #1\n\tbne 1b\n\t"
#define MOVS(n)    KNOWN_REPEAT(n, "mov r7, r9")
#define FOUR(op)                                                                                   \
    op " r3, [r10]\n\t" op " r4, [r10, #64]\n\t" op " r6, [r10, #128]\n\t" op " r8, [r10, #192]"   \
       "\n\t"
#define USE "add r6, r6, r4\n\t"

KNOWN_PROBE(unaligned_use, LOOP("ldr r4, [r10]\n\t" USE));
KNOWN_PROBE(unaligned_use_half, LOOP("ldrh r4, [r10]\n\t" USE));
KNOWN_PROBE(unaligned_use_byte, LOOP("ldrb r4, [r10]\n\t" USE));
KNOWN_PROBE(unaligned_chase, "mov r4, r10\n\t" LOOP(KNOWN_REPEAT(8, "ldr r4, [r4]")));
KNOWN_PROBE(unaligned_apart, LOOP("ldr r4, [r10]\n\t" MOVS(3) USE));
KNOWN_PROBE(unaligned_loads, LOOP(FOUR("ldr")));
KNOWN_PROBE(unaligned_stores, LOOP(FOUR("str")));
KNOWN_PROBE(unaligned_stores_half, LOOP(FOUR("strh")));
KNOWN_PROBE(unaligned_loose, LOOP("str r9, [r10]\n\t" MOVS(6)));
KNOWN_PROBE(unaligned_ldm, LOOP("add r1, r1, r7\n\tldm r10, {r3, r4, r6, r7}\n\t"));
KNOWN_PROBE(unaligned_walk, LOOP("ldr r4, [r10], #64\n\t" MOVS(8)));

static uint8_t memory[128 * 1024] __attribute__((aligned(128 * 1024)));

static struct known_counts measure(known_probe *probe, unsigned offset)
{
    return known_more(probe, memory + offset, 1000, MPJ_EVENT_DCACHE_RD, MPJ_EVENT_DCACHE_WR, NULL);
}

static void report(const char *where, const char *what, known_probe *probe, unsigned offset)
{
    known_print(where, what, measure(probe, offset).cycles);
}

/* A word at any offset that holds its own address. */
static unsigned list(unsigned offset)
{
    uint32_t self = (uint32_t)(uintptr_t)memory + offset;

    for (unsigned i = 0; i < sizeof(self); i++)
        memory[offset + i] = (uint8_t)(self >> 8 * i);
    return offset;
}

static void empty_l1(void)
{
    hal_cache_clean_invalidate();
}

static void all(const char *where, unsigned offset)
{
    report(where, "use", unaligned_use, offset);
    known_print(where, "use_rd", measure(unaligned_use, offset).event[0]);
    report(where, "use_half", unaligned_use_half, offset);
    report(where, "use_byte", unaligned_use_byte, offset);
    report(where, "chase", unaligned_chase, list(offset));
    report(where, "apart", unaligned_apart, offset);
    report(where, "loads", unaligned_loads, offset);
    report(where, "stores", unaligned_stores, offset);
    report(where, "stores_half", unaligned_stores_half, offset);
    known_print(where, "stores_wr", measure(unaligned_stores, offset).event[1]);
    report(where, "loose", unaligned_loose, offset);
}

int main(void)
{
    mpj_monitors_take();
    all("aligned", 8);
    all("within", 9);
    all("across", 31);
    report("aligned", "ldm", unaligned_ldm, 8);
    report("within", "ldm", unaligned_ldm, 12);
    report("aligned", "use_half2", unaligned_use_half, 10);
    known_print("within", "miss",
                known_more(unaligned_walk, memory + 9, 1000, MPJ_EVENT_DCACHE_RD_MISS,
                           MPJ_EVENT_DCACHE_RD, empty_l1)
                    .event[0]);
    known_print("across", "miss",
                known_more(unaligned_walk, memory + 31, 1000, MPJ_EVENT_DCACHE_RD_MISS,
                           MPJ_EVENT_DCACHE_RD, empty_l1)
                    .event[0]);
    return 0;
}
