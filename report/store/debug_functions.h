/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of a program as its debugging information (DWARF) describes them: names and places in
 * the source, and what was inlined into them. Read once, so that a look-up takes log n. */
#ifndef DEBUG_FUNCTIONS_H
#define DEBUG_FUNCTIONS_H

#include <elfutils/libdw.h>

#include "report/symbols.h"

struct debug_functions;

/* A function's code, or one of its pieces. Texts are valid as long as the debugging information. */
struct debug_function {
    Dwarf_Addr low, high; /* up to, not including */
    const char *name;     /* in the source; NULL: unknown */
    Dwarf_Off die;
};

/* Reads all functions; NULL: out of memory. Addresses are those of the debugging information. */
struct debug_functions *debug_functions_read(Dwarf *dwarf);
void debug_functions_free(struct debug_functions *d);
/* Returns the function that contains an address; NULL: unknown. */
const struct debug_function *debug_functions_at(const struct debug_functions *d,
                                                Dwarf_Addr address);
/* Returns the file of a function's declaration, and sets its line; NULL: unknown. Reads the lines
 * of the function's unit. */
const char *debug_functions_file(const struct debug_functions *d, const struct debug_function *f,
                                 int *line);
/* Lists inlined functions as mpj_symbols_inlined(). */
unsigned debug_functions_inlined(struct debug_functions *d, Dwarf_Addr address,
                                 struct mpj_inlined *out, unsigned cap);

#endif
