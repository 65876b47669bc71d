/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>
#include <sys/types.h>

#include "files.h"
#include "stdio_lock.h"

int __real_fseek(FILE *f, long offset, int whence);
FILE *__real_fopen(const char *name, const char *mode);
FILE *__wrap_fopen(const char *name, const char *mode);
FILE *__real_fdopen(int fd, const char *mode);
FILE *__wrap_fdopen(int fd, const char *mode);

/* Opens a file; newlib's fopen() starts reading at the end of a file that it appends to. */
FILE *__wrap_fopen(const char *name, const char *mode)
{
    FILE *f;

    mpj_rlock_take(&mpj_stdio_lock, __builtin_return_address(0));
    f = __real_fopen(name, mode);
    if (f != NULL && mode[0] == 'a' && strchr(mode, '+') != NULL)
        (void)__real_fseek(f, 0, SEEK_SET);
    mpj_rlock_give(&mpj_stdio_lock);
    return f;
}

/* Opens a stream; newlib's fdopen() accepts any number as a descriptor. */
FILE *__wrap_fdopen(int fd, const char *mode)
{
    FILE *f;

    if (mpj_file_host(fd) < 0)
        return NULL;
    mpj_rlock_take(&mpj_stdio_lock, __builtin_return_address(0));
    f = __real_fdopen(fd, mode);
    mpj_rlock_give(&mpj_stdio_lock);
    return f;
}

MPJ_LOCKED(FILE *, freopen, (const char *name, const char *mode, FILE *f), (name, mode, f))
MPJ_LOCKED(int, fclose, (FILE * f), (f))
