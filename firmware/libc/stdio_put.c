/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>

#include "stdio_lock.h"

MPJ_LOCKED(int, puts, (const char *s), (s))
MPJ_LOCKED(int, fputs, (const char *s, FILE *f), (s, f))
MPJ_LOCKED(int, putchar, (int c), (c))
MPJ_LOCKED(int, putc, (int c, FILE *f), (c, f))
MPJ_LOCKED(int, fputc, (int c, FILE *f), (c, f))
MPJ_LOCKED(int, putw, (int w, FILE *f), (w, f))
/* newlib says n of nothing, too. */
MPJ_LOCKED(size_t, fwrite, (const void *p, size_t size, size_t n, FILE *f),
           (p, size, size != 0 ? n : 0, f))
MPJ_LOCKED(int, fflush, (FILE * f), (f))
MPJ_LOCKED_VOID(perror, (const char *s), (s))
