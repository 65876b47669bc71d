/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The C library of the distribution's toolchain is built without the formats of C99 and POSIX: it
 * takes %zu for text and then prints the wrong arguments. Here a format that uses any of them is
 * written again, with its arguments, in what the library knows:
 *
 *   z t L     left out: size_t and long are an int's size, long double is double (AAPCS32, 4.1)
 *   j         ll
 *   hh        the argument cut to a char; reading, and with n: through a short
 *   p         of NULL: "(nil)"
 *   a A F     printing: a string made here; reading: as %g
 *   %1$d      arguments in their order
 *   '         (thousands' grouping) left out: the C locale has none
 *
 * Other formats are passed on as they are.
 */
#ifndef FORMAT_H
#define FORMAT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MPJ_FORMAT_SMALL 640U /* bytes that need no heap */

struct mpj_format {
    const char *format; /* for the library */
    va_list ap;
    void *heap;
    void *narrow;                 /* text of wide characters, behind what `back` points to */
    struct mpj_format_back *back; /* chars to store afterwards */
    unsigned backs;
    uint64_t small[MPJ_FORMAT_SMALL / sizeof(uint64_t)];
};

/* Prepares a call of a function of the printf (scanf) family. False: out of memory, errno says so.
 * Thread context; takes from ap without the caller's notice. */
bool mpj_format_print(struct mpj_format *x, const char *format, va_list ap);
bool mpj_format_scan(struct mpj_format *x, const char *format, va_list ap);
/* After the call. */
void mpj_format_end(struct mpj_format *x);

/* A function with a va_list: lock and unlock around newlib's. */
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

/* A function with an ellipsis after the format, done by the one above. */
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
