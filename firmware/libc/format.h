/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The C library of the distribution's toolchain is built without the formats of C99 and POSIX: it
 * takes %zu for text and then prints the wrong arguments. A format that uses any of them is
 * rewritten here, with its arguments, to formats that the library supports:
 *
 *   z t L     left out: size_t and long have int's size, long double is double (AAPCS32, 4.1)
 *   j         ll
 *   hh        the argument cut to a char; scanning, and with n: through a short
 *   p         of NULL: "(nil)"
 *   a A F     printing: a string made here; scanning: as %g
 *   %1$d      arguments in their order
 *   '         (thousands' grouping) left out: the C locale has none
 *
 * Other formats are passed on unchanged.
 */
#ifndef FORMAT_H
#define FORMAT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MPJ_FORMAT_SMALL 640U /* bytes that need no heap memory */

struct mpj_format {
    const char *format; /* to be passed to the library */
    va_list ap;
    void *heap;
    void *narrow; /* text of wide characters, after the entries that `back` points to */
    struct mpj_format_back *back; /* chars to store after the call */
    unsigned backs;
    uint64_t small[MPJ_FORMAT_SMALL / sizeof(uint64_t)];
};

/* Prepares the call of a function of the printf (scanf) family. Returns false with errno if out of
 * memory. Thread context; reads arguments through a copy of ap. */
bool mpj_format_print(struct mpj_format *x, const char *format, va_list ap);
bool mpj_format_scan(struct mpj_format *x, const char *format, va_list ap);
/* Frees memory after the call, and stores the results of %hhn. */
void mpj_format_end(struct mpj_format *x);

/* Defines a function with a va_list: lock and unlock enclose newlib's function. */
#define MPJ_FORMATTED(kind, vf, params, args, lock, unlock)                                        \
    int __real_##vf params;                                                                        \
    int __wrap_##vf params;                                                                        \
    int __wrap_##vf params                                                                         \
    {                                                                                              \
        struct mpj_format x;                                                                       \
        int result = -1;                                                                           \
                                                                                                   \
        lock;                                                                                      \
        if (mpj_format_##kind(&x, format, ap))                                                     \
            result = __real_##vf args;                                                             \
        mpj_format_end(&x);                                                                        \
        unlock;                                                                                    \
        return result;                                                                             \
    }

/* Defines a function with an ellipsis after the format by calling the one above. */
#define MPJ_FORMATTED_VA(f, vf, params, args)                                                      \
    int __wrap_##f params;                                                                         \
    int __wrap_##f params                                                                          \
    {                                                                                              \
        va_list ap;                                                                                \
        int result;                                                                                \
                                                                                                   \
        va_start(ap, format);                                                                      \
        result = __wrap_##vf args;                                                                 \
        va_end(ap);                                                                                \
        return result;                                                                             \
    }

#define MPJ_STDIO_TAKE mpj_rlock_take(&mpj_stdio_lock, __builtin_return_address(0))
#define MPJ_STDIO_GIVE mpj_rlock_give(&mpj_stdio_lock)

#endif
