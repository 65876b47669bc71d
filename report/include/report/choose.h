/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Selects the functions of a program that are measured at entry and exit, in uftrace's terms. The
 * call graph is read from the code: its branches, and the constants that are addresses of functions
 * (callbacks, bodies of threads). Code that a program generates at run time is not covered.
 */
#ifndef REPORT_CHOOSE_H
#define REPORT_CHOOSE_H

#include <stddef.h>
#include <stdint.h>

#include "base/errors.h"

/* Names are those of functions that were compiled with `mpjoule cc --functions`, or patterns
 * (fnmatch); suffixes that GCC appends to a name (.constprop.0) may be omitted. */
struct mpj_func_filter {
    const char *const *only; /* these and their callees; empty: all */
    unsigned onlys;
    const char *const *without; /* neither these nor functions that only they call */
    unsigned withouts;
    unsigned depth; /* levels of calls, from those of `only`, or from main(); 0: all */
};

/* Sets a bit for each chosen function of the program's table of entries, by index; `bytes` of them.
 * MPJ_E_USAGE: a name, or the whole filter, matches nothing; MPJ_E_ELF: the program has no such
 * table, or more functions than bits. */
int mpj_func_choose(const char *elf, const struct mpj_func_filter *f, uint8_t *bits, size_t bytes,
                    struct mpj_err *err);

#endif
