/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Attributes stalls to the instructions that cause them. An instruction that needs a result stalls
 * until it is there: the profile counts the cycles where they are spent, which may be another
 * function's code than that of the division they are spent for, when one is inlined into the other.
 */
#ifndef BLAME_LATENCY_H
#define BLAME_LATENCY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An executed instruction of a function, in order of address. */
struct blame_insn {
    uint32_t address, word;      /* ARM code */
    uint32_t part;               /* which function it belongs to by inlining */
    int line;                    /* 0: unknown */
    uint64_t executions, cycles; /* the latter with stalls */
    uint64_t stalls;             /* cycles in which it waited for operands */
    /* of blame_latency_decode() */
    uint64_t uses, sets; /* registers, a bit for each */
    int latency;         /* cycles until its results are there, roughly */
};

/* Determines what the instructions of a function read and write. False: it is not known. */
bool blame_latency_decode(struct blame_insn *insn, size_t n);

/* Returns the index of the instruction whose result the one at index i waits for most likely: of
 * all that set its operands the one that takes longest, less what is executed in between. The
 * same index: not known. */
size_t blame_latency_of(const struct blame_insn *insn, size_t n, size_t i);

#endif
