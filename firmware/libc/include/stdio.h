/* SPDX-License-Identifier: GPL-2.0-or-later */
/* newlib's, and the two functions it has under other names only. */
#ifndef MPJ_STDIO_H
#define MPJ_STDIO_H

#include_next <stdio.h>

#include <mpj_large.h>

#if __POSIX_VISIBLE >= 200809 || __GNU_VISIBLE
ssize_t getdelim(char **line, size_t *size, int delimiter, FILE *f);
ssize_t getline(char **line, size_t *size, FILE *f);
#endif

#ifdef MPJ_LARGE
#define fopen64   fopen
#define freopen64 freopen
#define tmpfile64 tmpfile

static __inline__ int fseeko64(FILE *f, off64_t place, int whence)
{
    return mpj_large_fits(place) ? fseeko(f, (off_t)place, whence) : -1;
}

static __inline__ off64_t ftello64(FILE *f)
{
    return ftello(f);
}
#endif

#endif
