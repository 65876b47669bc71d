/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Attributes calls and stalls to inlined functions. In the call tree, the callees of an inlined
 * function are below the function that contains it. Its calls are found by their positions in the
 * code, and so are executions of it, and stalls for what it computes.
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

/* Cycles that code of one function stalls for results of another one, of which one is inlined into
 * the other, or both into a third. name NULL: the function that contains them. */
struct blame_delay {
    uint32_t function;               /* its address */
    struct mpj_inlined from, by, to; /* by: what `from` is inlined into */
    double share;                    /* of the cycles of `from` in it */
};

/* Executions of an inlined function at a place. by: name NULL, the function that contains it. */
struct blame_inlining {
    uint32_t function;
    struct mpj_inlined by, what;
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

/* Lists the stalls for others within the function at an address. *n may be 0. Valid as long as c.
 * MPJ_E_STORE, MPJ_E_NOMEM. */
int blame_calls_delays(struct blame_calls *c, uint32_t function, const struct blame_delay **out,
                       size_t *n, struct mpj_err *err);
/* Lists all that is inlined, by the function that contains it, in order of address. */
int blame_calls_inlinings(struct blame_calls *c, const struct blame_inlining **out, size_t *n,
                          struct mpj_err *err);

#endif
