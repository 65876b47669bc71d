/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Formatted output to a file descriptor: one write() per call. */
#include <stdarg.h>
#include <stdio.h>

#include "format.h"

MPJ_FORMATTED(print, vdprintf, (int fd, const char *format, va_list ap), (fd, x.format, x.ap), , )
MPJ_FORMATTED(print, vdiprintf, (int fd, const char *format, va_list ap), (fd, x.format, x.ap), , )
MPJ_FORMATTED_VA(dprintf, vdprintf, (int fd, const char *format, ...), (fd, format, ap))
MPJ_FORMATTED_VA(diprintf, vdiprintf, (int fd, const char *format, ...), (fd, format, ap))
