/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stdio.h>

#include "format.h"
#include "rlock.h"

MPJ_FORMATTED(print, vprintf, (const char *format, va_list ap), (x.format, x.ap), MPJ_STDIO_TAKE,
              MPJ_STDIO_GIVE)
MPJ_FORMATTED(print, vfprintf, (FILE * f, const char *format, va_list ap), (f, x.format, x.ap),
              MPJ_STDIO_TAKE, MPJ_STDIO_GIVE)
MPJ_FORMATTED_VA(printf, vprintf, (const char *format, ...), (format, ap))
MPJ_FORMATTED_VA(fprintf, vfprintf, (FILE * f, const char *format, ...), (f, format, ap))
