/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Attributes calls to inlined functions. In the call tree, the callees of an inlined function are
 * below the function that contains it. Its calls are found by their positions in the code.
 */
#ifndef BLAME_CALLS_H
#define BLAME_CALLS_H

#include <stdint.h>

#include "base/errors.h"
#include "report/symbols.h"

struct blame_calls;

/* One caller's share of the calls from a function to another one. */
struct blame_share {
    struct mpj_inlined by; /* the inlined function; name NULL: the function itself */
    uint64_t calls;
};

/* Opens the calls. If elf is NULL or cannot be read, no calls are known. NULL: out of memory. */
struct blame_calls *blame_calls_open(const char *store, const char *elf);
void blame_calls_free(struct blame_calls *c);
/* Returns the innermost inlined function that an instruction belongs to; name NULL: it is not
 * inlined. Valid as long as c. */
struct mpj_inlined blame_calls_inlined(const struct blame_calls *c, uint32_t address);
/*
 * Computes shares of the calls from the function at an address to that at another one. *n: number;
 * 0: the code does not determine them (a call through a register, no instructions in the store).
 * Valid until the next call. MPJ_E_STORE, MPJ_E_NOMEM.
 */
int blame_calls_shares(struct blame_calls *c, uint32_t from, uint32_t to,
                       const struct blame_share **out, unsigned *n, struct mpj_err *err);

#endif
