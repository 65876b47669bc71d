/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Formatted input from strings: without a lock, as strings are not shared. */
#include <stdarg.h>
#include <stdio.h>

#include "format.h"

MPJ_FORMATTED(scan, vsscanf, (const char *text, const char *format, va_list ap),
              (text, x.format, x.ap), , )
MPJ_FORMATTED_VA(sscanf, vsscanf, (const char *text, const char *format, ...), (text, format, ap))
