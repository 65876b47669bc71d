/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>

#include "format.h"
#include "newlib_io.h"
#include "rlock.h"

/* Clears the stream's error and returns it: newlib's functions report failure on a stream that once
 * had an error, though they print. */
static short take_error(FILE *f)
{
    const short error = f->_flags & __SERR;

    f->_flags = (short)(f->_flags & ~__SERR);
    return error;
}

static void give_error(FILE *f, short error)
{
    f->_flags = (short)(f->_flags | error);
}

#define TAKE(f)                                                                                    \
    MPJ_STDIO_TAKE;                                                                                \
    const short error = take_error(f)

#define GIVE(f)                                                                                    \
    give_error(f, error);                                                                          \
    MPJ_STDIO_GIVE

MPJ_FORMATTED(print, vprintf, (const char *format, va_list ap), (x.format, x.ap), TAKE(stdout),
              GIVE(stdout))
MPJ_FORMATTED(print, vfprintf, (FILE * f, const char *format, va_list ap), (f, x.format, x.ap),
              TAKE(f), GIVE(f))
MPJ_FORMATTED_VA(printf, vprintf, (const char *format, ...), (format, ap))
MPJ_FORMATTED_VA(fprintf, vfprintf, (FILE * f, const char *format, ...), (f, format, ap))
