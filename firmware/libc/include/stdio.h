/* SPDX-License-Identifier: GPL-2.0-or-later */
/* newlib's, and the two functions it has under other names only. */
#ifndef MPJ_STDIO_H
#define MPJ_STDIO_H

#include_next <stdio.h>

#if __POSIX_VISIBLE >= 200809 || __GNU_VISIBLE
ssize_t getdelim(char **line, size_t *size, int delimiter, FILE *f);
ssize_t getline(char **line, size_t *size, FILE *f);
#endif

#endif
