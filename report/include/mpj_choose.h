/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which functions of a program are measured at entry and exit, in uftrace's words. What calls what
 * is read from the code: its branches, and the constants that are addresses of functions
 * (callbacks, bodies of threads). Code that a program makes up as it runs is not known.
 */
#ifndef MPJ_CHOOSE_H
#define MPJ_CHOOSE_H

#include <stddef.h>
#include <stdint.h>

#include "base/errors.h"

/* Names are those of functions that were compiled with `mpjoule cc --functions`, or patterns
 * (fnmatch); what GCC puts behind a name (.constprop.0) need not be said. */
struct mpj_func_filter {
    const char *const *only; /* these and what they call; none: all */
    unsigned onlys;
    const char *const *without; /* not these, and not what only they call */
    unsigned withouts;
    unsigned depth; /* levels of calls, from those of `only`, or from main(); 0: all */
};

/* A bit for each function of the program's table of entries, by place; `bytes` of them.
 * MPJ_E_USAGE: a name or all of it matches nothing; MPJ_E_ELF: the program has no such table, or
 * more functions than bits. */
int mpj_func_choose(const char *elf, const struct mpj_func_filter *f, uint8_t *bits, size_t bytes,
                    struct mpj_err *err);

#endif
