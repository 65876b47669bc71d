/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages on stderr that begin with the program's name. */
#ifndef MPJ_LIBC_ERR_H
#define MPJ_LIBC_ERR_H

#include <features.h>

__MPJ_BEGIN

void warn(const char *, ...) __attribute__((__format__(__printf__, 1, 2)));
void vwarn(const char *, __builtin_va_list) __attribute__((__format__(__printf__, 1, 0)));
void warnx(const char *, ...) __attribute__((__format__(__printf__, 1, 2)));
void vwarnx(const char *, __builtin_va_list) __attribute__((__format__(__printf__, 1, 0)));
void err(int, const char *, ...) __attribute__((__noreturn__))
__attribute__((__format__(__printf__, 2, 3)));
void verr(int, const char *, __builtin_va_list) __attribute__((__noreturn__))
__attribute__((__format__(__printf__, 2, 0)));
void errx(int, const char *, ...) __attribute__((__noreturn__))
__attribute__((__format__(__printf__, 2, 3)));
void verrx(int, const char *, __builtin_va_list) __attribute__((__noreturn__))
__attribute__((__format__(__printf__, 2, 0)));

__MPJ_END

#endif
