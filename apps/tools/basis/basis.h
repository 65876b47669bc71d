/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside the basis program: the parameters of a segment, and the segments. */
#ifndef BASIS_H
#define BASIS_H

#include <stdint.h>

#include "mpj_basis.h"

#define BASIS_LINE    32U
#define BASIS_SECTION 0x100000U
#define BASIS_PRIVATE 4U  /* sections of memory of each core's own */
#define BASIS_CODE    24U /* sections code_itlb calls into */
#include "basis_size.h"

/* One core's part of the program; all threads on it use the same. */
struct basis {
    unsigned core;
    uint32_t random;
    char *mem;  /* BASIS_PRIVATE sections, section-aligned */
    char *far;  /* BASIS_FAR sections, the same for all cores */
    char *code; /* BASIS_CODE sections with a function each; NULL when no thread needs them */
    uint32_t sink;
    double fsink;
};

/* Runs `reps` repetitions of a segment. */
typedef void basis_fn(struct basis *b, uint32_t reps);

#define BASIS_DECLARE(name, class, cycles, crowd, meaning) basis_fn seg_##name;
MPJ_BASIS_SEGMENTS(BASIS_DECLARE)
#undef BASIS_DECLARE

/* Fills tables that the kernels read. On every core that runs any, before the program. */
void basis_kernels_init(struct basis *b);
/* Fills the data of the integer segments, likewise. */
void basis_integers_init(struct basis *b);
/* Writes the functions of code_itlb. On core 0, before the others start. */
void basis_code_init(char *code);

/* A loop of `turns` times the assembler text, `rept` copies of it each. Registers r0..r7 and flags
 * are the text's; r8 points to memory of 32 KB, r9 is 0x01234567 at first. */
#define BASIS_LOOP(b, turns, rept, text)                                                           \
    do {                                                                                           \
        register uint32_t turns_ __asm__("r10") = (turns);                                         \
        register char *mem_ __asm__("r8") = (b)->mem;                                              \
        register uint32_t pattern_ __asm__("r9") = 0x01234567U;                                    \
        __asm__ volatile("mov r0, #1\n\tmov r1, #2\n\tmov r2, #3\n\tmov r3, #5\n\t"                \
                         "mov r4, #7\n\tmov r5, #11\n\tmov r6, #13\n\tmov r7, #17\n\t"             \
                         ".balign 32\n\t"                                                          \
                         "1:\n\t.rept " #rept "\n\t" text "\n\t.endr\n\t"                          \
                         "subs %[n], %[n], #1\n\tbne 1b"                                           \
                         : [n] "+r"(turns_), "+r"(mem_), "+r"(pattern_)                            \
                         :                                                                         \
                         : "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r12", "lr", "s0",      \
                           "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11",     \
                           "s12", "s13", "s14", "s15", "cc", "memory");                            \
    } while (0)

/* A whole segment of that kind. */
#define BASIS_SEGMENT(name, turns, rept, text)                                                     \
    void seg_##name(struct basis *b, uint32_t reps)                                                \
    {                                                                                              \
        BASIS_LOOP(b, reps *(turns), rept, text);                                                  \
    }

#endif
