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
    const char *file;     /* NULL: unknown */
    int line;
};

int mpj_symbols_open(struct mpj_symbols **out, const char *elf, struct mpj_err *err);
void mpj_symbols_free(struct mpj_symbols *s);
void mpj_symbols_lookup(struct mpj_symbols *s, uint32_t address, struct mpj_place *out);
/* The same of the address where a function begins: of several lines that begin with its first
 * instruction (the function's own and that of a call which is all it does) the first. */
void mpj_symbols_entry(struct mpj_symbols *s, uint32_t address, struct mpj_place *out);

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
