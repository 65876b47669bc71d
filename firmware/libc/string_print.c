/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Formatted output to strings: without a lock, as strings are not shared. */
#include <stdarg.h>
#include <stdio.h>

#include "format.h"

MPJ_FORMATTED(print, vsprintf, (char *to, const char *format, va_list ap), (to, x.format, x.ap), , )
MPJ_FORMATTED(print, vsnprintf, (char *to, size_t size, const char *format, va_list ap),
              (to, size, x.format, x.ap), , )
MPJ_FORMATTED(print, vasprintf, (char **to, const char *format, va_list ap), (to, x.format, x.ap),
              , )
MPJ_FORMATTED_VA(sprintf, vsprintf, (char *to, const char *format, ...), (to, format, ap))
MPJ_FORMATTED_VA(snprintf, vsnprintf, (char *to, size_t size, const char *format, ...),
                 (to, size, format, ap))
MPJ_FORMATTED_VA(asprintf, vasprintf, (char **to, const char *format, ...), (to, format, ap))
