/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events: number, name, unit and meaning of everything the hardware monitors of the ARM11 MPCore
 * tile can count. The enumerations of the firmware and of the chip model, the names in records,
 * stores and reports and the help texts are generated from these tables.
 *
 * Freestanding. Sources: ARM DDI 0360 (CP15 performance monitor, SCU), DDI 0329 (L220).
 */
#ifndef TILE_EVENTS_H
#define TILE_EVENTS_H

/* X(IDENT, number, name, unit, meaning)
 * CP15 performance monitor of each core (EvtCount fields of PMNC). */
#define TILE_PMU_COUNTS(X)                                                                         \
    X(ICACHE_MISS, 0x00, "icache_miss", "events", "instruction cache misses")                      \
    X(IFETCH_STALL, 0x01, "ifetch_stall", "cycles", "stalled: no instruction to issue")            \
    X(DDEP_STALL, 0x02, "ddep_stall", "cycles", "stalled: data dependency")                        \
    X(IUTLB_MISS, 0x03, "iutlb_miss", "events", "instruction micro-TLB misses")                    \
    X(DUTLB_MISS, 0x04, "dutlb_miss", "events", "data micro-TLB misses")                           \
    X(BRANCH, 0x05, "branch", "events", "branches executed")                                       \
    X(BRANCH_NOTPRED, 0x06, "branch_notpred", "events", "branches not predicted")                  \
    X(BRANCH_MISPRED, 0x07, "branch_mispred", "events", "branches mispredicted")                   \
    X(INSTR, 0x08, "instr", "events", "instructions executed")                                     \
    X(FOLDED, 0x09, "folded", "events", "folded instructions executed")                            \
    X(DCACHE_RD, 0x0a, "dcache_rd", "events", "data cache reads")                                  \
    X(DCACHE_RD_MISS, 0x0b, "dcache_rd_miss", "events", "data cache read misses")                  \
    X(DCACHE_WR, 0x0c, "dcache_wr", "events", "data cache writes")                                 \
    X(DCACHE_WR_MISS, 0x0d, "dcache_wr_miss", "events", "data cache write misses")                 \
    X(DCACHE_EVICT, 0x0e, "dcache_evict", "events", "data cache lines evicted")                    \
    X(PC_CHANGE, 0x0f, "pc_change", "events", "PC changed by software, not by a predicted branch") \
    X(TLB_MISS, 0x10, "tlb_miss", "events", "main TLB misses")                                     \
    X(EXT_REQ, 0x11, "ext_req", "events", "requests to external memory")                           \
    X(LSU_STALL, 0x12, "lsu_stall", "cycles", "stalled: load/store request queue full")            \
    X(SB_DRAIN, 0x13, "sb_drain", "events", "store buffer drains")                                 \
    X(SB_MERGE, 0x14, "sb_merge", "events", "stores merged in the store buffer")
/* Clock event: not a count of the chip model, which derives it from time. */
#define TILE_PMU_CLOCK(X)  X(CYCLES, 0xff, "cycles", "cycles", "core clock cycles")
#define TILE_PMU_EVENTS(X) TILE_PMU_COUNTS(X) TILE_PMU_CLOCK(X)

/* SCU monitor (selectors of MN0..MN7), whole chip. */
#define TILE_SCU_COUNTS(X)                                                                         \
    X(SCU_MISS_CPU0, 0x01, "scu_miss_cpu0", "events", "linefills of core 0 no other core had")     \
    X(SCU_MISS_CPU1, 0x02, "scu_miss_cpu1", "events", "linefills of core 1 no other core had")     \
    X(SCU_MISS_CPU2, 0x03, "scu_miss_cpu2", "events", "linefills of core 2 no other core had")     \
    X(SCU_MISS_CPU3, 0x04, "scu_miss_cpu3", "events", "linefills of core 3 no other core had")     \
    X(SCU_C2C_CPU0, 0x05, "scu_c2c_cpu0", "events", "linefills of core 0 from another core")       \
    X(SCU_C2C_CPU1, 0x06, "scu_c2c_cpu1", "events", "linefills of core 1 from another core")       \
    X(SCU_C2C_CPU2, 0x07, "scu_c2c_cpu2", "events", "linefills of core 2 from another core")       \
    X(SCU_C2C_CPU3, 0x08, "scu_c2c_cpu3", "events", "linefills of core 3 from another core")       \
    X(SCU_TAGWRONG_CPU0, 0x09, "scu_tagwrong_cpu0", "events",                                      \
      "core 0 did not hold a line it should")                                                      \
    X(SCU_TAGWRONG_CPU1, 0x0a, "scu_tagwrong_cpu1", "events",                                      \
      "core 1 did not hold a line it should")                                                      \
    X(SCU_TAGWRONG_CPU2, 0x0b, "scu_tagwrong_cpu2", "events",                                      \
      "core 2 did not hold a line it should")                                                      \
    X(SCU_TAGWRONG_CPU3, 0x0c, "scu_tagwrong_cpu3", "events",                                      \
      "core 3 did not hold a line it should")                                                      \
    X(SCU_MIGRATION, 0x0d, "scu_migration", "events", "lines migrated from core to core")          \
    X(SCU_M0_RD_BUSY, 0x0e, "scu_m0_rd_busy", "cycles", "master port 0 read busy")                 \
    X(SCU_M1_RD_BUSY, 0x0f, "scu_m1_rd_busy", "cycles", "master port 1 read busy")                 \
    X(SCU_M0_WR_BUSY, 0x10, "scu_m0_wr_busy", "cycles", "master port 0 write busy")                \
    X(SCU_M1_WR_BUSY, 0x11, "scu_m1_wr_busy", "cycles", "master port 1 write busy")                \
    X(SCU_EXT_RD, 0x12, "scu_ext_rd", "events", "reads sent to external memory")                   \
    X(SCU_EXT_WR, 0x13, "scu_ext_wr", "events", "writes sent to external memory")
/* Clock event: not a count of the chip model, which derives it from time. */
#define TILE_SCU_CLOCK(X)  X(SCU_CYCLES, 0x1f, "scu_cycles", "cycles", "SCU clock cycles")
#define TILE_SCU_EVENTS(X) TILE_SCU_COUNTS(X) TILE_SCU_CLOCK(X)

/* L220 event counters, whole chip. */
#define TILE_L2_EVENTS(X)                                                                          \
    X(L2_CASTOUT, 1, "l2_castout", "events", "lines evicted from L2")                              \
    X(L2_DRHIT, 2, "l2_drhit", "events", "data read hits in L2")                                   \
    X(L2_DRREQ, 3, "l2_drreq", "events", "data reads looked up in L2")                             \
    X(L2_DWHIT, 4, "l2_dwhit", "events", "data write hits in L2")                                  \
    X(L2_DWREQ, 5, "l2_dwreq", "events", "data writes looked up in L2")                            \
    X(L2_DWTREQ, 6, "l2_dwtreq", "events", "write-through data writes looked up in L2")            \
    X(L2_IRHIT, 7, "l2_irhit", "events", "instruction read hits in L2")                            \
    X(L2_IRREQ, 8, "l2_irreq", "events", "instruction reads looked up in L2")                      \
    X(L2_WALLOC, 9, "l2_walloc", "events", "lines allocated in L2 by a write")

/* Counters of each monitor. */
#define TILE_PMU_COUNTERS 2U /* of each core, without the cycle counter */
#define TILE_SCU_COUNTERS 8U
#define TILE_L2_COUNTERS  2U

#endif
