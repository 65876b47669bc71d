/* SPDX-License-Identifier: GPL-2.0-or-later */
/* As in the GNU C library. */
#ifndef MPJ_ERROR_H_LIBC
#define MPJ_ERROR_H_LIBC

/* Message on stderr; errnum: its text follows, unless 0; status: ends the program, unless 0. */
void error(int status, int errnum, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#endif
