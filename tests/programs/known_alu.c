/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Straight-line arithmetic, 32 blocks of 32 instructions = 1024.
 *   add       each needs the one before; latency 1: 1024 cycles, no stall
 *   indep     four registers in turn: the same
 *   shift     add r4, r8, r4, lsl #2: the shifted operand is needed one stage early, so one
 *             cycle of stall between two; 28 of them a block, then 4 moves: 28 + 27 + 4 = 59
 *             cycles a block, 27 of them stalls
 *   regshift  add r4, r8, r4, lsl r9: 2 cycles issue, latency 2: 2048 cycles, no stall
 *   clz       latency 1: 1024 cycles
 */
#include "known.h"

KNOWN_PROBE(alu_add, KNOWN_REPEAT(1024, "add r4, r4, #1"));
KNOWN_PROBE(alu_indep,
            KNOWN_REPEAT(256,
                         "add r3, r3, #1\n\tadd r4, r4, #1\n\tadd r6, r6, #1\n\tadd r7, r7, #1"));
KNOWN_PROBE(alu_shift, KNOWN_REPEAT(32, KNOWN_REPEAT(28, "add r4, r8, r4, lsl #2")
                                            KNOWN_REPEAT(4, "mov r7, r9")));
KNOWN_PROBE(alu_regshift, KNOWN_REPEAT(1024, "add r4, r8, r4, lsl r9"));
KNOWN_PROBE(alu_clz, KNOWN_REPEAT(1024, "clz r4, r4"));

static void report(const char *name, known_probe *probe)
{
    struct known_counts c = known_warm(probe, NULL, 0, MPJ_EVENT_INSTR, MPJ_EVENT_DDEP_STALL);

    known_print(name, "cycles", c.cycles);
    known_print(name, "instr", c.event[0]);
    known_print(name, "ddep", c.event[1]);
}

int main(void)
{
    struct known_counts c;

    mpj_monitors_take();
    report("add", alu_add);
    report("indep", alu_indep);
    report("shift", alu_shift);
    report("regshift", alu_regshift);
    report("clz", alu_clz);
    /* Nothing but arithmetic: no data, no branches; all of it in the instruction cache by now. */
    c = known_warm(alu_add, NULL, 0, MPJ_EVENT_DCACHE_RD, MPJ_EVENT_DCACHE_WR);
    known_print("add", "dcache_rd", c.event[0]);
    known_print("add", "dcache_wr", c.event[1]);
    c = known_warm(alu_add, NULL, 0, MPJ_EVENT_BRANCH, MPJ_EVENT_ICACHE_MISS);
    known_print("add", "branch", c.event[0]);
    known_print("add", "icache_miss", c.event[1]);
    return 0;
}
