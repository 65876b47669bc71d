/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_STDIO_EXT_H
#define MPJ_LIBC_STDIO_EXT_H

#include <features.h>
#include <stdio.h>

#define FSETLOCKING_QUERY    0
#define FSETLOCKING_INTERNAL 1
#define FSETLOCKING_BYCALLER 2

__MPJ_BEGIN

size_t __fbufsize(FILE *);
int __freading(FILE *);
int __fwriting(FILE *);
int __freadable(FILE *);
int __fwritable(FILE *);
int __flbf(FILE *);
void __fpurge(FILE *);
size_t __fpending(FILE *);
void _flushlbf(void);
int __fsetlocking(FILE *, int);

__MPJ_END

#endif
