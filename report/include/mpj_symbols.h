/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses of a program to functions and lines, and the call chain of a fault. */
#ifndef MPJ_SYMBOLS_H
#define MPJ_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/errors.h"
#include "mpj_records.h"

struct mpj_symbols;

struct mpj_place {
    uint32_t address;
    const char *function; /* NULL: unknown; valid as long as the symbols */
    uint32_t offset;      /* from the function's start */
    uint32_t size;        /* of the function, bytes; 0: unknown */
    bool thumb;           /* its code */
    const char *file;     /* NULL: unknown */
    int line;
};

int mpj_symbols_open(struct mpj_symbols **out, const char *elf, struct mpj_err *err);
void mpj_symbols_free(struct mpj_symbols *s);
void mpj_symbols_lookup(struct mpj_symbols *s, uint32_t address, struct mpj_place *out);
/* The same of the address where a function begins: of several lines that begin with its first
 * instruction (the function's own and that of a call which is all it does) the first. */
void mpj_symbols_entry(struct mpj_symbols *s, uint32_t address, struct mpj_place *out);

/* The word of code or constants at an address; false: the program has none there. */
bool mpj_symbols_word(struct mpj_symbols *s, uint32_t address, uint32_t *out);

/* What a branch (ARM code) at an address goes to; 0: there is none, or it goes through a register.
 * call: one that returns, or one that does not. */
uint32_t mpj_symbols_branch(struct mpj_symbols *s, uint32_t address, bool call);

/* Value of the symbol of that name; false: the program has none. */
bool mpj_symbols_find(struct mpj_symbols *s, const char *name, uint32_t *out);

/* Name of the function that begins at an address, whatever its size; NULL: none known. Valid as
 * long as the symbols. */
const char *mpj_symbols_start(struct mpj_symbols *s, uint32_t address);

/* A function that the compiler has put into another one. */
struct mpj_inlined {
    const char *name; /* valid as long as the symbols */
    const char *file; /* of its definition; NULL: unknown */
    int line;
};

/* The functions that an instruction belongs to by inlining, outermost first, without the one that
 * holds it all. Number written, at most cap. */
unsigned mpj_symbols_inlined(struct mpj_symbols *s, uint32_t address, struct mpj_inlined *out,
                             unsigned cap);
/* Name of the variable that an address lies in, and how far behind its start; NULL: none known.
 * Valid as long as the symbols. */
const char *mpj_symbols_variable(struct mpj_symbols *s, uint32_t address, uint32_t *offset);

/*
 * Call chain of a fault, innermost first, from the registers and stack words it carries and
 * the program's call frame information. Ends where that or the recorded stack does. Returns
 * the number of places written (at most cap, at least 1 when cap is); a caller's address is
 * that of its call instruction.
 */
unsigned mpj_symbols_unwind(struct mpj_symbols *s, const struct mpj_fault *f, struct mpj_place *out,
                            unsigned cap);

#endif
