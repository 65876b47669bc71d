/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Data dependencies, 32 blocks of 32 instructions.
 *   loaduse   ldr, then add that uses it: latency 3, so 2 cycles of stall; 16 pairs a block,
 *             4 cycles each: 2048 cycles, 1024 of them stalls
 *   chase     ldr r0, [r0]: 3, and the base one stage early: one every 4 cycles, 3 of them
 *             stalls; 28 a block and 4 moves: 28 + 27 * 3 + 4 = 113 cycles, 81 stalls
 *   address   add, then ldr through it: base early, 1 stall; 16 pairs a block, 3 cycles each
 *   mul       mul r4, r4, r8: issue 2, latency 4, operand early: one every 5 cycles, 3 of them
 *             stalls; 28 a block and 4 moves: 28 * 2 + 27 * 3 + 4 = 141 cycles, 81 stalls
 *   mla       into the accumulator: latency one less and not early: one every 3 cycles, 1 stall;
 *             28 * 2 + 27 + 4 = 87 cycles, 27 stalls
 *   spread    ldr, two moves, then the use: the latency is hidden, no stall; 8 groups a block
 */
#include "known.h"

static uint32_t *self[8] __attribute__((aligned(32)));

KNOWN_PROBE(dep_loaduse, KNOWN_REPEAT(512, "ldr r4, [r10]\n\tadd r6, r4, r8"));
KNOWN_PROBE(dep_chase,
            KNOWN_REPEAT(32, KNOWN_REPEAT(28, "ldr r0, [r0]") KNOWN_REPEAT(4, "mov r7, r9")));
KNOWN_PROBE(dep_address, KNOWN_REPEAT(512, "add r4, r10, #0\n\tldr r6, [r4]"));
KNOWN_PROBE(dep_mul,
            KNOWN_REPEAT(32, KNOWN_REPEAT(28, "mul r4, r4, r8") KNOWN_REPEAT(4, "mov r7, r9")));
KNOWN_PROBE(dep_mla,
            KNOWN_REPEAT(32, KNOWN_REPEAT(28, "mla r4, r3, r8, r4") KNOWN_REPEAT(4, "mov r7, r9")));
KNOWN_PROBE(dep_spread,
            KNOWN_REPEAT(256, "ldr r4, [r10]\n\tmov r3, r9\n\tmov r7, r9\n\tadd r6, r4, r8"));

static void report(const char *name, known_probe *probe)
{
    struct known_counts c = known_warm(probe, self, 0, MPJ_EVENT_INSTR, MPJ_EVENT_DDEP_STALL);

    known_print(name, "cycles", c.cycles);
    known_print(name, "instr", c.event[0]);
    known_print(name, "ddep", c.event[1]);
    c = known_warm(probe, self, 0, MPJ_EVENT_DCACHE_RD, MPJ_EVENT_DCACHE_RD_MISS);
    known_print(name, "dcache_rd", c.event[0]);
    known_print(name, "dcache_rd_miss", c.event[1]);
}

int main(void)
{
    self[0] = (uint32_t *)self;
    mpj_monitors_take();
    report("loaduse", dep_loaduse);
    report("chase", dep_chase);
    report("address", dep_address);
    report("mul", dep_mul);
    report("mla", dep_mla);
    report("spread", dep_spread);
    return 0;
}
