/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of the target's library. */
#ifndef BASE_NAMES_H
#define BASE_NAMES_H

#include <stdbool.h>
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

/*
 * Returns the part of a symbol that the compiler has added to the name of a function in the source,
 * to name a copy (".constprop.0", ".isra.1") or a piece (".part.0", ".cold") of it; "" without one.
 */
static inline const char *mpj_copy_suffix(const char *symbol)
{
    static const char *const added[] = {".constprop.", ".isra.",     ".part.",
                                        ".cold",       ".lto_priv.", ".localalias"};
    const char *suffix = symbol + strlen(symbol);

    for (size_t i = 0; i < sizeof(added) / sizeof(added[0]); i++) {
        const char *const at = strstr(symbol, added[i]);
        if (at != NULL && at != symbol && at < suffix)
            suffix = at;
    }
    return suffix;
}

/* True if the suffix of a copy names a piece of the function: a jump to it is not a call. */
static inline bool mpj_is_piece(const char *suffix)
{
    return strstr(suffix, ".part.") != NULL || strstr(suffix, ".cold") != NULL;
}

#endif
