/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Attributes calls to inlined functions. In the call tree, the callees of an inlined function are
 * below the function that contains it. Its calls are found by their positions in the code.
 */
#ifndef GATE_CALLS_H
#define GATE_CALLS_H

#include <stdint.h>

#include "base/errors.h"
#include "report/symbols.h"

struct gate_calls;

/* One caller's share of the calls from a function to another one. */
struct gate_share {
    struct mpj_inlined by; /* the inlined function; name NULL: the function itself */
    uint64_t calls;
};

/* Opens the calls. If elf is NULL or cannot be read, no calls are known. NULL: out of memory. */
struct gate_calls *gate_calls_open(const char *store, const char *elf);
void gate_calls_free(struct gate_calls *c);
/* Returns the innermost inlined function that an instruction belongs to; name NULL: it is not
 * inlined. Valid as long as c. */
struct mpj_inlined gate_calls_inlined(const struct gate_calls *c, uint32_t address);
/*
 * Computes shares of the calls from the function at an address to that at another one. *n: number;
 * 0: the code does not determine them (a call through a register, no instructions in the store).
 * Valid until the next call. MPJ_E_STORE, MPJ_E_NOMEM.
 */
int gate_calls_shares(struct gate_calls *c, uint32_t from, uint32_t to,
                      const struct gate_share **out, unsigned *n, struct mpj_err *err);

#endif
