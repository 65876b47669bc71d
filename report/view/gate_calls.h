/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whose calls they are. A function that the compiler has put into another one calls from there: in
 * the call tree what it calls stands below the function that holds it. Its calls are found where
 * they stand in the code.
 */
#ifndef GATE_CALLS_H
#define GATE_CALLS_H

#include <stdint.h>

#include "base/errors.h"

struct gate_calls;

/* One caller's share of the calls from a function to another one. */
struct gate_share {
    const char *name; /* of the function that was put into it; NULL: itself */
    uint64_t calls;
};

/* elf NULL or not to be read: nothing is known of calls. NULL: out of memory. */
struct gate_calls *gate_calls_open(const char *store, const char *elf);
void gate_calls_free(struct gate_calls *c);
/* The innermost function that an instruction was put into another one with; NULL: none. Valid as
 * long as c. */
const char *gate_calls_inlined(const struct gate_calls *c, uint32_t address);
/*
 * Shares of the calls from the function at an address to that at another one. *n: how many; 0: the
 * code does not tell (a call through a register, no instructions in the store). Valid until the
 * next call. MPJ_E_STORE, MPJ_E_NOMEM.
 */
int gate_calls_shares(struct gate_calls *c, uint32_t from, uint32_t to,
                      const struct gate_share **out, unsigned *n, struct mpj_err *err);

#endif
