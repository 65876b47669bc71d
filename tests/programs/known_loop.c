/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loops that carry a value: an operation needs its own result of the time before. Cycles of 1000
 * times through a loop of 1, 2, 4 and 8 such operations (u), a subs and a bne. The branch is
 * predicted and folded: 0 cycles. The subs takes 1, unless it fits where the next operation waits
 * anyway: then u operations take u * L cycles, rolled or unrolled. L is the latency, plus 1 where
 * the operand is needed a stage sooner (early), less 1 for a forwarded accumulate operand or VFP
 * operand:
 *   add, clz         1, no wait to hide the subs: u + 1
 *   shift            1 + 1 early = 2
 *   shift_count      the counter as the shifted operand: u adds, subs, 1 wait: u + 2
 *   regshift         2, all of it issue: 2 u + 1
 *   regshift_by      2 + 1 early = 3
 *   regshift_count   the counter as the amount: 2 u, subs, 1 wait: 2 u + 2
 *   mul, smmul       4 + 1 early = 5;   muls: issue 5, and the subs: 5 u + 1
 *   mla              into the accumulator 4 - 1 = 3;   mla_factor: 4 + 1 early = 5
 *   umull, smull     low word 4 + 1 early = 5, high word 5 + 1 early = 6
 *   umlal            both words accumulate, the high one is the later: 5 - 1 = 4
 *   smulbb           3 + 1 early = 4;   smlabb, smlad: 3 - 1 = 2;   smlalbb: high 4 - 1 = 3
 *   ldr, ldr_offset, ldrb, ldrh, ldrd      3 + 1 early = 4 (all in the L1)
 *   ldr_slow, ldr_minus                    4 + 1 early = 5
 *   fadds, faddd, fmuls, fmacs, fsitos, ftosis 8 - 1 = 7;   fmuld, fmacd: 9 - 1 = 8
 *   fdivs, fsqrts    19 - 1 = 18;   fdivd, fsqrtd: 33 - 1 = 32
 *   fcpys, fabss, fnegd 4 - 1 = 3;   fcvt (there and back): 2 * 3 = 6
 *   sumd             fldd and faddd to a sum: 7
 *   fdivs_free, fdivd_free   nothing carried but the divider, which is busy for 15, 29
 *   fmuld_free       the multiplier is busy for 2;   fadds_free: 1, and the subs
 *   fcmp             compare 4, fmstat 2, a conditional add 1: 7 u + 1
 *   fcmp_late        fmstat first, for the compare of the time before: 2 + 1 + 4 = 7
 *   fmrs, fmrrd      to the core 2 and back 4 = 6
 *   flds             fadds, then the load of its operand: the load issues 1 later, 4 - 1: 4
 *   fldm             the same, and the operand is the last of four doubles, 3 later: 7
 *   ldm              add, then an ldm of six whose last word, 3 + 2, the next add needs: 1 + 5 = 6
 *   stm              six registers, the load/store unit is busy for 3
 *   stm_lock         a mov to the fourth register of an stm waits until that has read it, 3 cycles
 *                    after it issued: 1 + 3 = 4
 * and loops whose subs is not last:
 *   fmuld_apart      fmuld, subs, fmuld: the second keeps the multiplier busy for 1 cycle of the
 *                    next time round: 4
 *   base_forward     ldr, subs, ldr, both with writeback: a base written back is there for the next
 *                    load at once, also in the next block: 3
 */
#include "known.h"

#define SUBS "subs r5, r5, #1\n\t"

#define LOOP(name, setup, op)                                                                      \
    KNOWN_PROBE(name##_x1, setup "1:\n\t" op "\n\t" SUBS "bne 1b");                                \
    KNOWN_PROBE(name##_x2, setup "1:\n\t" KNOWN_REPEAT(2, op) SUBS "bne 1b");                      \
    KNOWN_PROBE(name##_x4, setup "1:\n\t" KNOWN_REPEAT(4, op) SUBS "bne 1b");                      \
    KNOWN_PROBE(name##_x8, setup "1:\n\t" KNOWN_REPEAT(8, op) SUBS "bne 1b")

/* r3 = 3, r4 = 1, r7 = 0, r8 = 5, r9 = 1. The first words of the memory: its own address, then 0.
 */
#define CHASE  "mov r4, r10\n\t"
#define DUAL   "mov r6, r10\n\t"
#define ZEROES "add r1, r10, #4\n\tmov r4, #0\n\t"
#define BEYOND "add r10, r10, #64\n\t"

/* name, what comes before the loop, operation */
#define LOOPS(X)                                                                                   \
    X(add, "", "add r4, r4, #1")                                                                   \
    X(clz, "", "clz r4, r4")                                                                       \
    X(shift, "", "add r4, r8, r4, lsl #2")                                                         \
    X(shift_count, "", "add r4, r8, r5, lsl #2")                                                   \
    X(regshift, "", "add r4, r8, r4, lsl r9")                                                      \
    X(regshift_by, "", "add r4, r8, r9, lsl r4")                                                   \
    X(regshift_count, "", "add r4, r8, r9, lsl r5")                                                \
    X(mul, "", "mul r4, r4, r8")                                                                   \
    X(muls, "", "muls r4, r4, r8")                                                                 \
    X(smmul, "", "smmul r4, r4, r8")                                                               \
    X(mla, "", "mla r4, r3, r8, r4")                                                               \
    X(mla_factor, "", "mla r4, r4, r8, r3")                                                        \
    X(umull_low, "", "umull r4, r6, r4, r8")                                                       \
    X(umull_high, "", "umull r6, r4, r4, r8")                                                      \
    X(smull_low, "", "smull r4, r6, r4, r8")                                                       \
    X(smull_high, "", "smull r6, r4, r4, r8")                                                      \
    X(umlal, "", "umlal r4, r6, r3, r8")                                                           \
    X(smulbb, "", "smulbb r4, r4, r8")                                                             \
    X(smlabb, "", "smlabb r4, r3, r8, r4")                                                         \
    X(smlad, "", "smlad r4, r3, r8, r4")                                                           \
    X(smlalbb, "", "smlalbb r4, r6, r3, r8")                                                       \
    X(ldr, CHASE, "ldr r4, [r4]")                                                                  \
    X(ldr_offset, ZEROES, "ldr r4, [r1, r4]")                                                      \
    X(ldr_slow, CHASE, "ldr r4, [r4, r7, lsl #3]")                                                 \
    X(ldr_minus, CHASE, "ldr r4, [r4, -r7]")                                                       \
    X(ldrb, ZEROES, "ldrb r4, [r1, r4]")                                                           \
    X(ldrh, ZEROES, "ldrh r4, [r1, r4]")                                                           \
    X(ldrd, DUAL, "ldrd r6, r7, [r6]")                                                             \
    X(fadds, "", "fadds s0, s0, s2")                                                               \
    X(faddd, "", "faddd d0, d0, d1")                                                               \
    X(fmuls, "", "fmuls s0, s0, s2")                                                               \
    X(fmuld, "", "fmuld d0, d0, d1")                                                               \
    X(fmacs, "", "fmacs s0, s2, s3")                                                               \
    X(fmacd, "", "fmacd d0, d1, d2")                                                               \
    X(fsitos, "", "fsitos s0, s0")                                                                 \
    X(ftosis, "", "ftosizs s0, s0")                                                                \
    X(fdivs, "", "fdivs s0, s2, s0")                                                               \
    X(fdivd, "", "fdivd d0, d1, d0")                                                               \
    X(fsqrts, "", "fsqrts s0, s0")                                                                 \
    X(fsqrtd, "", "fsqrtd d0, d0")                                                                 \
    X(fcpys, "", "fcpys s0, s0")                                                                   \
    X(fabss, "", "fabss s0, s0")                                                                   \
    X(fnegd, "", "fnegd d0, d0")                                                                   \
    X(fcvt, "", "fcvtds d0, s0\n\tfcvtsd s0, d0")                                                  \
    X(sumd, "", "fldd d1, [r10]\n\tfaddd d0, d0, d1")                                              \
    X(fdivs_free, "", "fdivs s0, s2, s3")                                                          \
    X(fdivd_free, "", "fdivd d0, d1, d2")                                                          \
    X(fmuld_free, "", "fmuld d0, d1, d2")                                                          \
    X(fadds_free, "", "fadds s0, s2, s3")                                                          \
    X(fcmp, "", "fcmps s0, s2\n\tfmstat\n\taddne r4, r4, #1")                                      \
    X(fcmp_late, "", "fmstat\n\taddne r4, r4, #1\n\tfcmps s0, s2")                                 \
    X(fmrs, "", "fmrs r4, s0\n\tfmsr s0, r4")                                                      \
    X(fmrrd, "", "fmrrd r6, r7, d0\n\tfmdrr d0, r6, r7")                                           \
    X(flds, "", "fadds s4, s0, s2\n\tflds s0, [r10]")                                              \
    X(fldm, "", "faddd d4, d3, d5\n\tfldmiad r10, {d0-d3}")                                        \
    X(ldm, "", "add r1, r1, r9\n\tldm r10, {r3, r4, r6, r7, r8, r9}")                              \
    X(stm, BEYOND, "stm r10, {r3, r4, r6, r7, r8, r9}")                                            \
    X(stm_lock, BEYOND, "mov r7, r9\n\tstm r10, {r3, r4, r6, r7}")

#define PROBES(name, setup, op) LOOP(loop_##name, setup, op);
LOOPS(PROBES)

KNOWN_PROBE(loop_fmuld_apart, "1:\n\tfmuld d3, d1, d2\n\t" SUBS "fmuld d4, d1, d2\n\tbne 1b");
KNOWN_PROBE(loop_base_forward, "1:\n\tldr r3, [r10], #0\n\t" SUBS "ldr r4, [r10], #0\n\tbne 1b");

static uint32_t memory[32] __attribute__((aligned(128)));

static void report(const char *name, const char *times, known_probe *probe)
{
    known_print(
        name, times,
        known_more(probe, memory, 1000, MPJ_EVENT_INSTR, MPJ_EVENT_DDEP_STALL, NULL).cycles);
}

#define REPORT(name, setup, op)                                                                    \
    report(#name, "x1", loop_##name##_x1);                                                         \
    report(#name, "x2", loop_##name##_x2);                                                         \
    report(#name, "x4", loop_##name##_x4);                                                         \
    report(#name, "x8", loop_##name##_x8);

int main(void)
{
    memory[0] = (uint32_t)(uintptr_t)memory;
    mpj_monitors_take();
    LOOPS(REPORT)
    report("fmuld_apart", "x1", loop_fmuld_apart);
    report("base_forward", "x1", loop_base_forward);
    return 0;
}
