/* SPDX-License-Identifier: GPL-2.0-or-later */
/* As on Linux and the BSDs: a message on stderr, begun with the program's name. */
#ifndef MPJ_ERR_H_LIBC
#define MPJ_ERR_H_LIBC

#include <stdarg.h>

/* With ": " and what errno says; the first ends the program with that status. */
_Noreturn void err(int status, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Without errno. */
_Noreturn void errx(int status, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void warnx(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

_Noreturn void verr(int status, const char *fmt, va_list ap);
void vwarn(const char *fmt, va_list ap);
_Noreturn void verrx(int status, const char *fmt, va_list ap);
void vwarnx(const char *fmt, va_list ap);

#endif
