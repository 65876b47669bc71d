/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses of a program to functions and lines, and the call chain of a fault. */
#ifndef REPORT_SYMBOLS_H
#define REPORT_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/errors.h"
#include "mpj_records.h"

struct mpj_symbols;

struct mpj_place {
    uint32_t address;
    const char *function; /* its name in the source; NULL: unknown; valid as long as the symbols */
    const char *copy;     /* suffix of a copy by the compiler, ".constprop.0"; NULL: none */
    uint32_t offset;      /* from the function's start */
    uint32_t size;        /* of the function, bytes; 0: unknown */
    bool thumb;           /* its code */
    const char *file;     /* NULL: unknown */
    int line;
};

int mpj_symbols_open(struct mpj_symbols **out, const char *elf, struct mpj_err *err);
void mpj_symbols_free(struct mpj_symbols *s);
void mpj_symbols_lookup(struct mpj_symbols *s, uint32_t address, struct mpj_place *out);
/* Returns the place of the address where a function begins: of several lines that begin with its
 * first instruction (the function's own and that of a call which is its whole body) the first. */
void mpj_symbols_entry(struct mpj_symbols *s, uint32_t address, struct mpj_place *out);

/* Returns the same with the place of the function's declaration, where the debugging information
 * has it. */
void mpj_symbols_function(struct mpj_symbols *s, uint32_t address, struct mpj_place *out);

/* Reads the word of code or constants at an address; false: the program has no word there. */
bool mpj_symbols_word(struct mpj_symbols *s, uint32_t address, uint32_t *out);

/* Sets is_constant[i] for the halfwords from `start` on, `size` bytes, that are constants between
 * code, by the mapping symbols of the ABI. False: out of memory. */
bool mpj_symbols_constants(struct mpj_symbols *s, uint32_t start, uint32_t size, bool *is_constant);

/* Returns the target of a branch (ARM code) at an address; 0: not a branch, or one through a
 * register. call: one that returns, or one that does not. */
uint32_t mpj_symbols_branch(struct mpj_symbols *s, uint32_t address, bool call);

/* Returns the value of the symbol of that name; false: the program has no such symbol. */
bool mpj_symbols_find(struct mpj_symbols *s, const char *name, uint32_t *out);

/* Returns the name of the function that begins at an address, whatever its size; NULL: unknown.
 * Valid as long as the symbols. */
const char *mpj_symbols_start(struct mpj_symbols *s, uint32_t address);

/* A function that the compiler has inlined into another one. */
struct mpj_inlined {
    const char *name; /* valid as long as the symbols */
    const char *file; /* of its definition; NULL: unknown */
    int line;
    uint32_t entry; /* its first instruction at this place; 0: unknown */
    int from_line;  /* of the call that was replaced; 0: unknown */
};

/* Lists the functions that an instruction belongs to by inlining, outermost first, without the
 * function that contains them all. Returns the number written, at most cap. */
unsigned mpj_symbols_inlined(struct mpj_symbols *s, uint32_t address, struct mpj_inlined *out,
                             unsigned cap);
/* Returns the name of the variable that contains an address, and the offset of the address from its
 * start; NULL: unknown. Valid as long as the symbols. */
const char *mpj_symbols_variable(struct mpj_symbols *s, uint32_t address, uint32_t *offset);

/* Words of a fault's stack beyond those of its record (FAULT_STACK), upwards, and the ranges of the
 * stack for which they include every word that a call chain can need. */
struct mpj_stack {
    struct mpj_stack_at {
        uint32_t address, value;
    } * word; /* count of them, allocated: the owner frees it */
    size_t count, room;
    struct {
        uint32_t from, to;
    } part[2];
    unsigned parts;
};

enum mpj_chain_end {
    MPJ_CHAIN_WHOLE = 0,     /* reaches the outermost frame */
    MPJ_CHAIN_NO_FRAMES = 1, /* the last function has no call frame information */
    MPJ_CHAIN_STACK = 2,     /* its frame is in stack that was not recorded */
};

#define MPJ_CHAIN_FIRST  24U /* innermost and outermost frames kept of a longer chain */
#define MPJ_CHAIN_LAST   8U
#define MPJ_CHAIN_PLACES (MPJ_CHAIN_FIRST + MPJ_CHAIN_LAST)

struct mpj_chain {
    unsigned n;                               /* at least 1 */
    struct mpj_place place[MPJ_CHAIN_PLACES]; /* a caller's address is that of its call */
    uint32_t depth[MPJ_CHAIN_PLACES];         /* 0: the faulting frame; a jump: frames omitted */
    enum mpj_chain_end end;
    uint32_t gap_depth; /* frames before this one are in stack that was not recorded; they are not
                           counted. 0: no such frame */
    uint32_t gap_bytes; /* size of that stack, approximate */
};

/*
 * Unwinds the call chain of a fault, innermost first, from the registers and stack words it
 * carries, the rest of its stack (NULL: not recorded) and the program's call frame information.
 */
void mpj_symbols_unwind(struct mpj_symbols *s, const struct mpj_fault *f,
                        const struct mpj_stack *stack, struct mpj_chain *out);

#endif
