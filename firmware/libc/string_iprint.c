/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Formatted output to strings, whole numbers only: without a lock, as strings are not shared. */
#include <stdarg.h>
#include <stdio.h>

#include "format.h"

MPJ_FORMATTED(print, vsiprintf, (char *to, const char *format, va_list ap), (to, x.format, x.ap),
              , )
MPJ_FORMATTED(print, vsniprintf, (char *to, size_t size, const char *format, va_list ap),
              (to, size, x.format, x.ap), , )
MPJ_FORMATTED(print, vasiprintf, (char **to, const char *format, va_list ap), (to, x.format, x.ap),
              , )
MPJ_FORMATTED_VA(siprintf, vsiprintf, (char *to, const char *format, ...), (to, format, ap))
MPJ_FORMATTED_VA(sniprintf, vsniprintf, (char *to, size_t size, const char *format, ...),
                 (to, size, format, ap))
MPJ_FORMATTED_VA(asiprintf, vasiprintf, (char **to, const char *format, ...), (to, format, ap))
