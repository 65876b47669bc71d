/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Load misses: a load that misses costs its slot; who needs the value waits for it. Cycles of 1000
 * times through a loop, each time with lines that are not in the L1: in the L220 (l2_*), or nowhere
 * (mem_*). From tests/programs/known_miss.conf: a miss takes scu_cycles 4 + l2_hit_cycles 22 = 26
 * more than a hit, from memory 92 more = 118. A value loaded at t can be used at t + 3 + 26 =
 * t + 29, t + 121 from memory. subs and the folded bne take 1.
 *   hit_N       in the L1, N instructions between load and use: load and use are 1 + N apart, at
 *               least 3, then use and subs: 5, 5, 5, 6 for 0 to 3; hit_block: a branch between them
 *   N           N instructions between load and use: at least 29 (121) from load to use: 31 (123)
 *               up to N = 28 (120), then 1 + N + 2
 *   block       a folded branch between load and use: 31, 123
 *   call        a call and a return between them: 31, 123
 *   callee      used in the function, which then returns in 4: load to use 29, use, bx 4, subs:
 *               35, 127
 *   wrong       a mispredicted branch between them, 1 + 5: the miss goes on meanwhile: 31, 123
 *   carried     used the next time round, before the next load: 29 and the use's own: 30, 122
 *   divide      fdivd carried (32), load, use: fdivd, 29 from load to use, use, subs: 32; 124. The
 *               divider goes on while the core waits
 *   vfp         fldd and faddd: 4 - 1 forwarded = 3, as for the core: 31, 123
 *   ldm         the fourth register of an ldm, of one line: a cycle later at most: 31 to 32
 *   unused      nobody needs the value: load, 40 instructions (140 for memory), subs: 42, 142. A
 *               folded branch comes first, so that no block knows that
 *   two         two loads of neighbouring lines, which go through different ports of the L220, then
 *               both uses: the second load is 1 later and so is its use: 30 + use and subs: 32.
 *               From memory the second line waits for the first on the bus: the transfers take 64
 *               each and begin on a multiple of 16, so 64 or 48 more than alone: 124 + 64 = 188,
 *               and 172 if the loads lie on both sides of such a multiple: the loop moves by 12 of
 *               16 each time, so at most every fourth time: 184 on average
 *   two_port    the same through one port, which takes a line in each 8 cycles: 32 or 40, as the
 *               loop meets the slots, and the two runs that are compared (64 and 1064 times) may
 *               meet them differently; 8 more or less for the slot in which the first begins
 *   three       two misses are under way at most (lsu_outstanding): the third goes out when the
 *               first line is there: 26 + 29 and use and subs: 57; 3 more if it takes until the
 *               first value can be used. From memory 118 + 121 + 2 = 241, and 16 more where the
 *               third line finds the bus busy with the second, which where the loop meets the slots
 *               of the bus decides: 10 more of 16 on average, 248 to 252
 *   many        four loads, no use: two lines in 26 (29): 52 to 58 for four. From memory the bus is
 *               full, 64 a line: 256
 *   chase       each load needs the one before: 3 + 26 and 1 early = 30, from memory 122; rolled
 *               (x1), and 100 times eight of them (x8)
 */
#include "known.h"

#include "hal_cache.h"
#include "hal_l2cc.h"

#define LINE       32U
#define BYTES      (512U * 1024U) /* a power of two, so that it lies in one section: no TLB misses */
#define MOVS(n)    KNOWN_REPEAT(n, "mov r7, r9")
#define USE        "add r6, r6, r4\n\t"
#define LOAD       "ldr r4, [r10], #32\n\t"
#define WALK(body) "1:\n\t" body "subs r5, r5, #1\n\tbne 1b\n\t"

KNOWN_PROBE(hit_0, WALK("ldr r4, [r10]\n\t" USE));
KNOWN_PROBE(hit_1, WALK("ldr r4, [r10]\n\t" MOVS(1) USE));
KNOWN_PROBE(hit_2, WALK("ldr r4, [r10]\n\t" MOVS(2) USE));
KNOWN_PROBE(hit_3, WALK("ldr r4, [r10]\n\t" MOVS(3) USE));
KNOWN_PROBE(hit_block, WALK("ldr r4, [r10]\n\tb 2f\n2:\n\t" USE));

KNOWN_PROBE(miss_0, WALK(LOAD USE));
KNOWN_PROBE(miss_4, WALK(LOAD MOVS(4) USE));
KNOWN_PROBE(miss_10, WALK(LOAD MOVS(10) USE));
KNOWN_PROBE(miss_20, WALK(LOAD MOVS(20) USE));
KNOWN_PROBE(miss_28, WALK(LOAD MOVS(28) USE));
KNOWN_PROBE(miss_29, WALK(LOAD MOVS(29) USE));
KNOWN_PROBE(miss_60, WALK(LOAD MOVS(60) USE));
KNOWN_PROBE(miss_120, WALK(LOAD MOVS(120) USE));
KNOWN_PROBE(miss_121, WALK(LOAD MOVS(121) USE));
KNOWN_PROBE(miss_block, WALK(LOAD "b 2f\n2:\n\t" USE));
KNOWN_PROBE(miss_call, WALK(LOAD "bl 8f\n\t" USE) "b 9f\n8:\n\tbx lr\n9:\n\t");
KNOWN_PROBE(miss_callee, WALK(LOAD "bl 8f\n\t") "b 9f\n8:\n\t" USE "bx lr\n9:\n\t");
KNOWN_PROBE(miss_wrong, WALK(LOAD "tst r5, #1\n\tbeq 2f\n\tmov r7, r9\n2:\n\t" USE));
KNOWN_PROBE(miss_carried, WALK(USE LOAD));
KNOWN_PROBE(miss_divide, WALK("fdivd d0, d1, d0\n\t" LOAD USE));
KNOWN_PROBE(miss_vfp, WALK("fldd d1, [r10]\n\tadd r10, r10, #32\n\tfaddd d0, d0, d1\n\t"));
KNOWN_PROBE(miss_ldm, WALK("ldm r10, {r3, r4, r6, r7}\n\tadd r10, r10, #32\n\tadd r1, r1, r7\n\t"));
KNOWN_PROBE(miss_unused_40, WALK(LOAD "b 2f\n2:\n\t" MOVS(40)));
KNOWN_PROBE(miss_unused_140, WALK(LOAD "b 2f\n2:\n\t" MOVS(140)));
KNOWN_PROBE(miss_two, WALK("ldr r4, [r10]\n\tldr r3, [r10, #32]\n\tadd r10, r10, #64\n\t" USE
                           "add r1, r1, r3\n\t"));
KNOWN_PROBE(miss_two_port, WALK("ldr r4, [r10]\n\tldr r3, [r10, #64]\n\tadd r10, r10, #128\n\t" USE
                                "add r1, r1, r3\n\t"));
KNOWN_PROBE(miss_three, WALK("ldr r4, [r10]\n\tldr r3, [r10, #32]\n\tldr r7, [r10, #64]\n\t"
                             "add r10, r10, #96\n\t" USE "add r1, r1, r3\n\tadd r2, r2, r7\n\t"));
KNOWN_PROBE(miss_many, WALK("ldr r3, [r10]\n\tldr r4, [r10, #32]\n\tldr r6, [r10, #64]\n\t"
                            "ldr r7, [r10, #96]\n\tadd r10, r10, #128\n\t"));
KNOWN_PROBE(miss_chase_x1, WALK("ldr r10, [r10]\n\t"));
KNOWN_PROBE(miss_chase_x8, WALK(KNOWN_REPEAT(8, "ldr r10, [r10]")));

static uint32_t memory[BYTES / sizeof(uint32_t)] __attribute__((aligned(BYTES)));

/* What the first run has brought into the L220 stays there. */
static void empty_l1(void)
{
    hal_cache_clean_invalidate();
}

static void empty_all(void)
{
    hal_cache_clean_invalidate();
    (void)hal_l2cc_clean_invalidate_all();
}

static void hit(const char *what, known_probe *probe)
{
    known_print("hit", what,
                known_more(probe, memory, 1000, MPJ_EVENT_DCACHE_RD, MPJ_EVENT_DCACHE_RD_MISS, NULL)
                    .cycles);
}

static struct known_counts measure(known_probe *probe, uint32_t n, void (*empty)(void))
{
    return known_more(probe, memory, n, MPJ_EVENT_DCACHE_RD, MPJ_EVENT_DCACHE_RD_MISS, empty);
}

static void report(const char *what, known_probe *probe, uint32_t n)
{
    known_print("l2", what, measure(probe, n, empty_l1).cycles);
    known_print("mem", what, measure(probe, n, empty_all).cycles);
}

int main(void)
{
    mpj_monitors_take();
    /* a list of all lines, each names the next */
    for (unsigned i = 0; i + LINE < BYTES; i += LINE)
        memory[i / sizeof(uint32_t)] = (uint32_t)(uintptr_t)memory + i + LINE;
    hit("0", hit_0);
    hit("1", hit_1);
    hit("2", hit_2);
    hit("3", hit_3);
    hit("block", hit_block);
    report("0", miss_0, 1000);
    report("4", miss_4, 1000);
    report("10", miss_10, 1000);
    report("20", miss_20, 1000);
    report("28", miss_28, 1000);
    report("29", miss_29, 1000);
    report("60", miss_60, 1000);
    report("120", miss_120, 1000);
    report("121", miss_121, 1000);
    report("block", miss_block, 1000);
    report("call", miss_call, 1000);
    report("callee", miss_callee, 1000);
    report("wrong", miss_wrong, 1000);
    report("carried", miss_carried, 1000);
    report("divide", miss_divide, 1000);
    report("vfp", miss_vfp, 1000);
    report("ldm", miss_ldm, 1000);
    known_print("l2", "unused", measure(miss_unused_40, 1000, empty_l1).cycles);
    known_print("mem", "unused", measure(miss_unused_140, 1000, empty_all).cycles);
    report("two", miss_two, 1000);
    known_print("l2", "two_port", measure(miss_two_port, 1000, empty_l1).cycles);
    report("three", miss_three, 1000);
    report("many", miss_many, 1000);
    report("chase_x1", miss_chase_x1, 1000);
    report("chase_x8", miss_chase_x8, 100);
    known_print("l2", "0_miss", measure(miss_0, 1000, empty_l1).event[1]);
    known_print("l2", "three_miss", measure(miss_three, 1000, empty_l1).event[1]);
    return 0;
}
