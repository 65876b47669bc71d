/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Callers of functions, by the branches in the program's code. */
#ifndef ENTRIES_CODE_H
#define ENTRIES_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/symbols.h"

/* Functions that a function calls and jumps to. */
struct entry_code_func {
    uint32_t start;
    uint32_t *to; /* calls, then jumps */
    uint32_t calls, count;
    bool leaves; /* it may end with a jump through a register, to any function */
};

/* Zeroed before the first use, but symbols: NULL, nothing is known. */
struct entry_code {
    struct mpj_symbols *symbols;
    struct entry_code_func *func;
    size_t funcs;
    uint32_t *list; /* of a search */
    size_t room;
};

/* Returns the first instruction of the function that contains an address; 0: unknown. */
uint32_t entry_code_start(struct entry_code *c, uint32_t address);

/*
 * Returns the function that entered another one, by the return address it got: that which contains
 * the call before it; if that call is of a third function, the last one of the chain of jumps from
 * there. A jump through a register may be to any function: without a chain of others the nearest
 * function with one. A measured function that jumped gives the address after its first instruction
 * as the return address. 0: unknown.
 */
uint32_t entry_code_caller(struct entry_code *c, uint32_t entry, uint32_t back);

/* True if the function at `from` reaches the one at `to` by calls and jumps through functions for
 * which `passes` is true only. */
bool entry_code_reaches(struct entry_code *c, uint32_t from, uint32_t to,
                        bool (*passes)(void *ctx, uint32_t func), void *ctx);

/* True if the function at `from` may end in the one at `to`: reaches it by jumps alone, or one that
 * jumps through a register. */
bool entry_code_jumps(struct entry_code *c, uint32_t from, uint32_t to,
                      bool (*passes)(void *ctx, uint32_t func), void *ctx);

void entry_code_free(struct entry_code *c);

#endif
