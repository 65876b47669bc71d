/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of the target's library. */
#ifndef BASE_NAMES_H
#define BASE_NAMES_H

#include <string.h>

/*
 * Returns the public name of a symbol: a part of it, or all. The library calls its own functions by
 * private names (firmware/private_names.py), which are the same function unless the program has one
 * of the public name.
 */
static inline const char *mpj_public_name(const char *symbol)
{
    static const char prefix[] = "__private_";

    return strncmp(symbol, prefix, sizeof(prefix) - 1U) == 0 ? symbol + sizeof(prefix) - 1U
                                                             : symbol;
}

#endif
