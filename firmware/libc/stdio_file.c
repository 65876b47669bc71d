/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <sys/types.h>

#include "stdio_lock.h"

MPJ_LOCKED(FILE *, fopen, (const char *name, const char *mode), (name, mode))
MPJ_LOCKED(FILE *, fdopen, (int fd, const char *mode), (fd, mode))
MPJ_LOCKED(FILE *, freopen, (const char *name, const char *mode, FILE *f), (name, mode, f))
MPJ_LOCKED(int, fclose, (FILE * f), (f))
