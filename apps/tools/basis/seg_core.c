/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Segments of the core alone: ALU, multiplier, VFP, and what stays in the L1 data cache. */
#include "basis.h"

BASIS_SEGMENT(nop, 16, 60, "nop")

BASIS_SEGMENT(alu_add, 16, 8,
              "add r0, r0, #3\n\tadd r1, r1, #5\n\tadd r2, r2, r9\n\tadd r3, r3, #7\n\t"
              "sub r4, r4, #9\n\tadd r5, r5, r9\n\tadd r6, r6, #1\n\tsub r7, r7, #2")

BASIS_SEGMENT(alu_dep, 16, 30, "add r0, r1, r0, lsl #1")

BASIS_SEGMENT(alu_logic, 16, 8,
              "eor r0, r0, r9\n\teor r1, r9, r1, ror #7\n\tmvn r2, r2\n\torr r3, r9, r0\n\t"
              "eor r4, r4, r9, lsr #3\n\tbic r5, r9, r1\n\tmvn r6, r6\n\teor r7, r9, r7, ror #13")

BASIS_SEGMENT(alu_zero, 16, 8,
              "mov r0, #0\n\tand r1, r0, #0\n\torr r2, r0, r0\n\tmov r3, #0\n\t"
              "and r4, r0, #0\n\torr r5, r0, r0\n\tmov r6, #0\n\tand r7, r0, #0")

BASIS_SEGMENT(alu_cond, 16, 8,
              "tst r9, #1\n\taddne r0, r0, #1\n\taddeq r1, r1, #1\n\tmovne r2, r9\n\t"
              "moveq r3, r9\n\tadds r4, r4, r9\n\tsubcs r5, r5, #1\n\tsubcc r6, r6, #1")

BASIS_SEGMENT(shift, 16, 6,
              "mov r0, r9, lsl #3\n\tmov r1, r9, lsr #5\n\tmov r2, r9, ror #9\n\t"
              "mov r3, r9, asr #2\n\tmov r4, r9, lsl r5\n\tmov r6, r9, ror r5\n\t"
              "add r7, r7, r9, lsl #4")

BASIS_SEGMENT(media, 16, 7,
              "uadd8 r0, r0, r9\n\tusub8 r1, r1, r9\n\tsadd16 r2, r2, r9\n\trev r3, r9\n\t"
              "clz r4, r9\n\tusat r5, #8, r9\n\tuxtab r6, r6, r9\n\tsel r7, r9, r1")

BASIS_SEGMENT(mul, 16, 8, "mul r0, r9, r1\n\tmul r2, r9, r3\n\tmul r4, r9, r5\n\tmul r6, r9, r7")

BASIS_SEGMENT(mla_dep, 16, 18, "mla r0, r9, r0, r1")

BASIS_SEGMENT(mull, 16, 6, "umull r0, r1, r9, r4\n\tsmull r2, r3, r9, r5\n\tumlal r6, r7, r9, r4")

BASIS_SEGMENT(mul16, 16, 10,
              "smulbb r0, r9, r4\n\tsmlabt r1, r9, r5, r1\n\tsmuad r2, r9, r4\n\t"
              "smlad r3, r9, r5, r3\n\tsmulwb r6, r9, r7")

/* ---- VFP: operands are ordinary numbers, set beforehand -------------------------------------- */

#define VFP_VALUES                                                                                 \
    "mov r11, #0x3f000000\n\torr r11, r11, #0x00c00000\n\torr r11, r11, #0x1000\n\t"               \
    "fmsr s0, r11\n\tfmsr s1, r11\n\tfmsr s2, r11\n\tfmsr s3, r11\n\t"                             \
    "fmsr s4, r11\n\tfmsr s5, r11\n\tfmsr s6, r11\n\tfmsr s7, r11\n\t"                             \
    "fmsr s8, r11\n\tfmsr s9, r11\n\tfmsr s10, r11\n\tfmsr s11, r11\n\t"                           \
    "fmsr s12, r11\n\tfmsr s13, r11\n\tfmsr s14, r11\n\tfmsr s15, r11"

#define VFP_SEGMENT(name, turns, rept, text)                                                       \
    void seg_##name(struct basis *b, uint32_t reps)                                                \
    {                                                                                              \
        __asm__ volatile(VFP_VALUES                                                                \
                         :                                                                         \
                         :                                                                         \
                         : "r11", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9",      \
                           "s10", "s11", "s12", "s13", "s14", "s15");                              \
        BASIS_LOOP(b, reps *(turns), rept, text);                                                  \
    }

VFP_SEGMENT(vfp_add, 16, 15,
            "fadds s8, s0, s1\n\tfsubs s9, s2, s3\n\tfadds s10, s4, s5\n\tfsubs s11, s6, s7")

VFP_SEGMENT(vfp_mul, 16, 7,
            "fmuld d4, d0, d1\n\tfmuld d5, d2, d3\n\tfmuld d6, d0, d2\n\tfmuld d7, d1, d3")

/* d4 stays where it is: + d0 * d1, - d0 * d1. */
VFP_SEGMENT(vfp_mac, 16, 3, "fmacd d4, d0, d1\n\tfnmacd d4, d0, d1")

VFP_SEGMENT(vfp_div, 8, 2, "fdivs s8, s0, s1\n\tfdivd d5, d1, d2\n\tfsqrts s12, s3")

VFP_SEGMENT(vfp_conv, 16, 7,
            "fsitos s8, s0\n\tftosizs s9, s1\n\tfmsr s10, r9\n\tfmrs r0, s2\n\tfcvtds d6, s4\n\t"
            "fabss s11, s5\n\tfnegs s15, s6")

VFP_SEGMENT(vfp_mem, 16, 6,
            "fldd d0, [r8]\n\tfstd d1, [r8, #64]\n\tfldmiad r8, {d2-d5}\n\tfstd d6, [r8, #128]\n\t"
            "flds s14, [r8, #24]\n\tfsts s2, [r8, #192]")

/* ---- L1 ------------------------------------------------------------------------------------- */

BASIS_SEGMENT(ld_l1, 16, 6,
              "ldr r0, [r8]\n\tldr r1, [r8, #4]\n\tldr r2, [r8, #40]\n\tldr r3, [r8, #84]\n\t"
              "ldr r4, [r8, #128]\n\tldr r5, [r8, #260]\n\tldr r6, [r8, #1028]\n\t"
              "ldr r7, [r8, #2052]\n\tadd r9, r9, #4\n\teor r8, r8, #256")

BASIS_SEGMENT(ldm_l1, 16, 6,
              "ldmia r8, {r0-r7}\n\tadd r12, r8, #512\n\tldmia r12, {r0-r3}\n\teor r8, r8, #1024")

/* Stores at r8 the word's own address. */
void seg_ld_use(struct basis *b, uint32_t reps)
{
    *(char **)b->mem = b->mem;
    BASIS_LOOP(b, reps * 16U, 15, "ldr r8, [r8]");
    *(char **)b->mem = 0;
}

BASIS_SEGMENT(
    ld_byte, 16, 7,
    "ldrb r0, [r8, #1]\n\tldrh r1, [r8, #2]\n\tldrsb r2, [r8, #3]\n\tldrsh r3, [r8, #6]\n\t"
    "ldrb r4, [r8, #77]\n\tstrb r9, [r8, #130]\n\tadd r5, r0, r1\n\tstrh r9, [r8, #250]")

BASIS_SEGMENT(
    ld_unaligned, 16, 7,
    "ldr r0, [r8, #1]\n\tldr r1, [r8, #34]\n\tstr r9, [r8, #67]\n\tldrh r2, [r8, #131]\n\t"
    "ldr r3, [r8, #30]")

BASIS_SEGMENT(st_l1, 16, 7,
              "str r0, [r8]\n\tstr r9, [r8, #4]\n\tstr r2, [r8, #72]\n\tstr r9, [r8, #140]\n\t"
              "str r4, [r8, #520]\n\tstr r9, [r8, #1032]\n\teor r8, r8, #256")

BASIS_SEGMENT(copy_l1, 16, 4,
              "ldmia r8, {r0-r7}\n\tadd r12, r8, #2048\n\tstmia r12, {r0-r7}\n\t"
              "ldr r0, [r8, #1024]\n\tstr r0, [r8, #3072]\n\teor r8, r8, #512")

void seg_stack_l1(struct basis *b, uint32_t reps)
{
    BASIS_LOOP(b, reps * 16U, 5,
               "stmdb sp!, {r0-r7, r9, lr}\n\tadd r0, r0, #1\n\tldmia sp!, {r0-r7, r9, lr}");
}

/* ---- stores that stay in L1 ------------------------------------------------------------------ */

BASIS_SEGMENT(st_merge, 16, 6,
              "strb r0, [r8]\n\tstrb r1, [r8, #1]\n\tstrb r2, [r8, #2]\n\tstrb r3, [r8, #3]\n\t"
              "strh r4, [r8, #4]\n\tstrh r5, [r8, #6]\n\tstr r6, [r8, #8]\n\teor r8, r8, #32")

BASIS_SEGMENT(st_scatter, 16, 6,
              "str r0, [r8]\n\tstr r1, [r8, #288]\n\tstr r2, [r8, #576]\n\tstr r3, [r8, #864]\n\t"
              "str r4, [r8, #1152]\n\tstr r5, [r8, #1440]\n\tstr r6, [r8, #1728]\n\t"
              "str r7, [r8, #2016]\n\teor r8, r8, #32")

/* lr is zero for the barriers' operand. */
BASIS_SEGMENT(st_drain, 4, 4,
              "mov lr, #0\n\tstr r0, [r8]\n\tstr r1, [r8, #64]\n\tmcr p15, 0, lr, c7, c10, 4\n\t"
              "str r2, [r8, #128]\n\tmcr p15, 0, lr, c7, c10, 5")

/* ---- branches -------------------------------------------------------------------------------- */

BASIS_SEGMENT(br_loop, 16, 3,
              "mov r0, #5\n\t2:\n\tadd r1, r1, r9\n\tsubs r0, r0, #1\n\tbne 2b\n\t"
              "add r2, r2, #1")

BASIS_SEGMENT(br_pattern, 16, 6,
              "eor r0, r0, #1\n\ttst r0, #1\n\tbeq 2f\n\tadd r1, r1, #1\n\t2:\n\tadd r2, r2, #1\n\t"
              "tst r0, #1\n\tbne 3f\n\tadd r3, r3, #1\n\t3:\n\tadd r4, r4, #1")

/* r9: linear congruential numbers, stirred by the loop counter; their upper bits are random. */
BASIS_SEGMENT(br_random, 16, 2,
              "mov r12, #0x19000\n\torr r12, r12, #0x66\n\torr r12, r12, #0x600\n\t"
              "mla r9, r12, r9, r10\n\tadd r9, r9, r9, ror #13\n\t"
              "tst r9, #0x80000000\n\tbeq 2f\n\tadd r1, r1, #1\n\t2:\n\t"
              "tst r9, #0x20000000\n\tbeq 3f\n\tadd r2, r2, #1\n\t3:\n\t"
              "tst r9, #0x08000000\n\tbne 4f\n\tadd r3, r3, #1\n\t4:\n\tadd r4, r4, #1")

BASIS_SEGMENT(br_many, 2, 300, "add r0, r0, #1\n\tb 2f\n\t2:\n\tadd r1, r1, #1")

__attribute__((naked, noinline, used)) static void leaf(void)
{
    __asm__ volatile("add r0, r0, #1\n\tbx lr");
}

void seg_call_leaf(struct basis *b, uint32_t reps)
{
    BASIS_LOOP(b, reps * 16U, 5, "bl leaf\n\tadd r1, r1, #1\n\tadd r2, r2, #1\n\tbl leaf");
}

/* Recurses r0 times. */
__attribute__((naked, noinline, used)) static void deep(void)
{
    __asm__ volatile("stmdb sp!, {r4, lr}\n\tsubs r0, r0, #1\n\tblne deep\n\tldmia sp!, {r4, pc}");
}

void seg_call_deep(struct basis *b, uint32_t reps)
{
    BASIS_LOOP(b, reps * 4U, 1, "mov r0, #9\n\tbl deep\n\tmov r0, #7\n\tbl deep");
}

void seg_br_indirect(struct basis *b, uint32_t reps)
{
    BASIS_LOOP(b, reps * 16U, 3,
               "add r0, r0, #1\n\tand r1, r0, #3\n\tadd r12, pc, r1, lsl #3\n\tbx r12\n\t"
               "add r2, r2, #1\n\tb 2f\n\tadd r3, r3, #1\n\tb 2f\n\tadd r4, r4, #1\n\tb 2f\n\t"
               "add r5, r5, #1\n\tnop\n\t2:");
}
