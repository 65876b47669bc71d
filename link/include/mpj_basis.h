/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Basis segments: the pieces random programs are made of, for fitting energy models. The program
 * apps/tools/basis runs them, the generator in models/ mixes them; both take them from here.
 *
 * Cycles are of one repetition on one core with nothing else running, as `basis.elf time`
 * measures them: the generator's means of giving segments a share of the time.
 */
#ifndef MPJ_BASIS_H
#define MPJ_BASIS_H

enum mpj_basis_class {
    MPJ_BASIS_ALU,
    MPJ_BASIS_MUL,
    MPJ_BASIS_VFP,
    MPJ_BASIS_L1,
    MPJ_BASIS_L2,
    MPJ_BASIS_MEMORY,
    MPJ_BASIS_STORE,
    MPJ_BASIS_BRANCH,
    MPJ_BASIS_CODE,
    MPJ_BASIS_TLB,
    MPJ_BASIS_SHARE,
    MPJ_BASIS_SYNC,
    MPJ_BASIS_KERNEL,
    MPJ_BASIS_WAIT,
    MPJ_BASIS_INTEGER, /* the last: programs of it are chosen apart from those of the others */
    MPJ_BASIS_CLASSES,
};

/* X(name, class, cycles, crowd, meaning)
 * crowd: 1 when a repetition takes longer the more cores do the like at the same time. */
#define MPJ_BASIS_SEGMENTS(X)                                                                      \
    X(nop, ALU, 976, 0, "no operation")                                                            \
    X(alu_add, ALU, 1049, 0, "independent additions")                                              \
    X(alu_dep, ALU, 960, 0, "a chain of additions with a shifted operand: one stall each")         \
    X(alu_logic, ALU, 1040, 0, "logic on random bit patterns: many bits change")                   \
    X(alu_zero, ALU, 1040, 0, "logic on zeros: few bits change")                                   \
    X(alu_cond, ALU, 1040, 0, "conditional instructions, half of them not executed")               \
    X(shift, ALU, 880, 0, "shifts by immediate and by register")                                   \
    X(media, ALU, 912, 0, "bytes in parallel, saturation, byte order, leading zeros")              \
    X(mul, MUL, 1040, 0, "independent 32-bit multiplications")                                     \
    X(mla_dep, MUL, 1410, 0, "a chain of multiply-accumulates")                                    \
    X(mull, MUL, 880, 0, "64-bit products")                                                        \
    X(mul16, MUL, 816, 0, "16-bit and dual 16-bit multiplications")                                \
    X(vfp_add, VFP, 976, 0, "independent single-precision additions")                              \
    X(vfp_mul, VFP, 880, 0, "independent double-precision multiplications")                        \
    X(vfp_mac, VFP, 672, 0, "a chain of double-precision multiply-accumulates")                    \
    X(vfp_div, VFP, 840, 0, "divisions and square roots")                                          \
    X(vfp_conv, VFP, 800, 0, "conversions and transfers to and from core registers")               \
    X(vfp_mem, VFP, 880, 0, "double-precision loads and stores in L1")                             \
    X(ld_l1, L1, 1056, 0, "loads of consecutive words in L1")                                      \
    X(ldm_l1, L1, 752, 0, "load multiple in L1")                                                   \
    X(ld_use, L1, 928, 0, "each load's address from the one before, in L1")                        \
    X(ld_byte, L1, 912, 0, "loads of bytes and half-words in L1")                                  \
    X(ld_unaligned, L1, 576, 0, "unaligned loads and stores in L1")                                \
    X(st_l1, L1, 896, 0, "stores of consecutive words in L1")                                      \
    X(copy_l1, L1, 1024, 0, "copying within L1")                                                   \
    X(stack_l1, L1, 960, 0, "push and pop of many registers")                                      \
    X(ld_l2, L2, 993, 1, "a load from every line of 256 KB: L2")                                   \
    X(ldm_l2, L2, 1281, 1, "load multiple through 256 KB: L2")                                     \
    X(rnd_l2, L2, 1045, 1, "dependent loads at random in 128 KB: L2")                              \
    X(st_l2, L2, 289, 1, "a store to every line of 128 KB: L2 and evictions")                      \
    X(rmw_l2, L2, 1098, 1, "read and write at random in 128 KB: L2 and evictions")                 \
    X(ld_mem, MEMORY, 3942, 1, "a load from every line of 4 MB: memory")                           \
    X(ldm_mem, MEMORY, 4225, 1, "load multiple through 4 MB: memory")                              \
    X(rnd_mem, MEMORY, 1720, 1, "dependent loads at random in 4 MB: memory")                       \
    X(stride_mem, MEMORY, 3866, 1, "loads 4160 bytes apart in 4 MB: memory, few sets")             \
    X(copy_mem, MEMORY, 2662, 1, "copying 1 MB: memory, both directions")                          \
    X(uncached, MEMORY, 1632, 1, "reads of a device register")                                     \
    X(st_mem, STORE, 2923, 1, "a store to every line of 4 MB: evictions beyond L2")                \
    X(set_mem, STORE, 3584, 1, "store multiple through 4 MB")                                      \
    X(st_merge, STORE, 848, 0, "bytes stored one after another: merged in the store buffer")       \
    X(st_scatter, STORE, 960, 0, "words stored far apart in L1: nothing to merge")                 \
    X(st_drain, STORE, 164, 0, "stores each followed by a barrier: drains")                        \
    X(br_loop, BRANCH, 880, 0, "short counted loops: predicted branches")                          \
    X(br_pattern, BRANCH, 688, 0, "branches taken every other time")                               \
    X(br_random, BRANCH, 806, 0, "branches taken at random: mispredicted")                         \
    X(br_many, BRANCH, 3610, 0, "more branches than the predictor remembers")                      \
    X(call_leaf, BRANCH, 1136, 0, "calls and returns")                                             \
    X(call_deep, BRANCH, 708, 0, "calls nested deeper than the return stack")                      \
    X(br_indirect, BRANCH, 556, 0, "jumps through a table")                                        \
    X(code_64k, CODE, 1786, 1, "code in turn out of 64 KB: instruction cache misses")              \
    X(code_line, CODE, 36957, 1, "one branch per line of 48 KB of code")                           \
    X(code_itlb, CODE, 1096, 0, "calls to 24 sections: instruction micro-TLB misses")              \
    X(tlb_micro, TLB, 630, 0, "loads from 24 sections: data micro-TLB misses")                     \
    X(tlb_main, TLB, 4269, 1, "loads from 112 sections: main TLB misses")                          \
    X(sh_read, SHARE, 1584, 1, "all cores read the same 64 KB")                                    \
    X(sh_pingpong, SHARE, 160, 1, "all cores count in words of the same line")                     \
    X(sh_migrate, SHARE, 256, 1, "all cores change the same 8 KB in turn")                         \
    X(sh_produce, SHARE, 384, 1, "one core writes what another reads")                             \
    X(sy_lock, SYNC, 640, 1, "a lock fought over")                                                 \
    X(sy_atomic, SYNC, 240, 1, "atomic additions to a shared word")                                \
    X(sy_own, SYNC, 608, 0, "atomic additions to a word of one's own")                             \
    X(k_crc, KERNEL, 2441, 0, "table-driven checksum of a buffer")                                 \
    X(k_hash, KERNEL, 1017, 1, "look-ups in a 64 KB hash table")                                   \
    X(k_fir, KERNEL, 2281, 0, "integer filter")                                                    \
    X(k_dot, KERNEL, 349, 0, "double-precision scalar product in L1")                              \
    X(k_stencil, KERNEL, 3565, 1, "single-precision five-point stencil, 64 KB")                    \
    X(k_sift, KERNEL, 583, 0, "compare and exchange in a heap of 16 KB")                           \
    X(k_string, KERNEL, 1421, 0, "counting words of a text, byte by byte")                         \
    X(k_transpose, KERNEL, 2193, 1, "transposing a matrix of 128 KB")                              \
    X(spin, WAIT, 10541, 0, "a branch to itself for 50 us")                                        \
    X(sleep, WAIT, 10581, 0, "50 us in WFI")                                                       \
    X(i_search, INTEGER, 976, 0, "binary search in a table that changes")                          \
    X(i_sort, INTEGER, 2307, 0, "sorting a few numbers")                                           \
    X(i_tree, INTEGER, 1563, 0, "look-ups and changes in a tree of records")                       \
    X(i_print, INTEGER, 327, 0, "writing numbers in decimal")                                      \
    X(i_gcd, INTEGER, 530, 0, "greatest common divisors: divisions")                               \
    X(i_long, INTEGER, 1371, 0, "products added to long numbers")                                  \
    X(i_steps, INTEGER, 1549, 0, "halving and tripling: unpredictable branches")                   \
    X(i_bits, INTEGER, 576, 0, "counting bits of words")                                           \
    X(i_cipher, INTEGER, 662, 0, "rounds of a cipher")                                             \
    X(i_stream, INTEGER, 1078, 0, "codes of variable length out of a stream")                      \
    X(i_sieve, INTEGER, 1051, 0, "marking and counting bytes")                                     \
    X(i_queens, INTEGER, 707, 0, "recursion with masks")                                           \
    X(i_object, INTEGER, 1282, 0, "methods of records, and copies of them")                        \
    X(i_interpret, INTEGER, 1140, 0, "an interpreter of byte codes")                               \
    X(i_words, INTEGER, 839, 0, "joining and comparing short words")

enum mpj_basis_segment {
#define MPJ_BASIS_ENUM(name, class, cycles, crowd, meaning) MPJ_BASIS_SEG_##name,
    MPJ_BASIS_SEGMENTS(MPJ_BASIS_ENUM)
#undef MPJ_BASIS_ENUM
        MPJ_BASIS_SEGMENT_COUNT,
};

/* Limits of a program's description (basis.c says how it looks). */
#define MPJ_BASIS_THREADS_MAX 8U  /* all together */
#define MPJ_BASIS_STEPS_MAX   12U /* segments of one thread */
#define MPJ_BASIS_ROUNDS_MAX  1000U
#define MPJ_BASIS_REPS_MAX    10000000U

#endif
