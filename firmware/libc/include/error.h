/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints a message on stderr; errnum: adds its text, unless 0; status: ends the program, unless
 * 0. */
#ifndef MPJ_LIBC_ERROR_H
#define MPJ_LIBC_ERROR_H

#include <features.h>
__MPJ_BEGIN

void error(int, int, const char *, ...) __attribute__((__format__(__printf__, 3, 4)));

__MPJ_END

#endif
