/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <sys/types.h>

#include "stdio_lock.h"

MPJ_LOCKED(int, fgetc, (FILE * f), (f))
MPJ_LOCKED(int, getc, (FILE * f), (f))
MPJ_LOCKED(int, getchar, (void), ())
MPJ_LOCKED(int, getw, (FILE * f), (f))
MPJ_LOCKED(int, ungetc, (int c, FILE *f), (c, f))
MPJ_LOCKED(char *, gets, (char *s), (s))
MPJ_LOCKED(char *, fgets, (char *s, int n, FILE *f), (s, n, f))
MPJ_LOCKED(size_t, fread, (void *p, size_t size, size_t n, FILE *f), (p, size, n, f))
MPJ_LOCKED(ssize_t, __getline, (char **line, size_t *size, FILE *f), (line, size, f))
MPJ_LOCKED(ssize_t, __getdelim, (char **line, size_t *size, int c, FILE *f), (line, size, c, f))
