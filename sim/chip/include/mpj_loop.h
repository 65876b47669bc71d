/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Foresees the next rounds of a loop of ARM instructions, if nothing outside of the core changes: a
 * loop that waits for a line may count its rounds, in a register or in memory, and give up after
 * some. The rounds are executed in numbers that change by the same amount in each round.
 */
#ifndef MPJ_LOOP_H
#define MPJ_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#define MPJ_LOOP_INSNS  48U /* longest round */
#define MPJ_LOOP_CELLS  4U  /* most words that a round stores */
#define MPJ_LOOP_LINES  6U  /* most lines that a round accesses */
#define MPJ_LOOP_ALWAYS UINT64_MAX

struct mpj_loop {
    uint16_t changed;  /* registers that a round changes, a bit each */
    uint32_t each[15]; /* added to a register in each round, modulo 2^32 */
    unsigned cells;    /* words of memory that a round stores: */
    struct {
        uint32_t address;
        uint32_t each;
    } cell[MPJ_LOOP_CELLS];
    unsigned loads, stores; /* of a round */
    unsigned lines;         /* that it accesses, each address >> MPJ_LINE_SHIFT: */
    uint32_t line[MPJ_LOOP_LINES];
    uint64_t rounds; /* that certainly take the same path; MPJ_LOOP_ALWAYS */
};

/* The memory that the core sees. Functions return false for what the loop may not do. */
struct mpj_loop_memory {
    bool (*code)(void *peer, uint32_t address, uint32_t *insn);
    /* Loads 1, 2 or 4 bytes, aligned, that the core has in its cache. */
    bool (*load)(void *peer, uint32_t address, unsigned bytes, uint32_t *value);
    /* Returns true if a word may be stored there with no effect outside of the core. */
    bool (*store)(void *peer, uint32_t address);
    void *peer;
};

/*
 * Determines the loop that begins with the instruction at pc, in the ARM state, with these values
 * of r0 to r14. Returns false if there is none, if a round is longer than MPJ_LOOP_INSNS, or if it
 * does anything but compute, compare, branch, load and store words, and pass a barrier. Flags that
 * were set before pc may not be used.
 */
bool mpj_loop_find(struct mpj_loop *out, uint32_t pc, const uint32_t regs[15],
                   const struct mpj_loop_memory *memory);

#endif
