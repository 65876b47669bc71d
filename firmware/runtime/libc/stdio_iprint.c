/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stdio.h>

#include "stdio_lock.h"

MPJ_LOCKED(int, viprintf, (const char *format, va_list ap), (format, ap))
MPJ_LOCKED(int, vfiprintf, (FILE * f, const char *format, va_list ap), (f, format, ap))
MPJ_LOCKED_VA(iprintf, viprintf, (const char *format, ...), (format, ap), format)
MPJ_LOCKED_VA(fiprintf, vfiprintf, (FILE * f, const char *format, ...), (f, format, ap), format)
