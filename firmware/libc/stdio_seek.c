/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <sys/types.h>

#include "stdio_lock.h"

MPJ_LOCKED(int, fseek, (FILE * f, long offset, int whence), (f, offset, whence))
MPJ_LOCKED(int, fseeko, (FILE * f, off_t offset, int whence), (f, offset, whence))
MPJ_LOCKED(long, ftell, (FILE * f), (f))
MPJ_LOCKED(off_t, ftello, (FILE * f), (f))
MPJ_LOCKED(int, fgetpos, (FILE * f, fpos_t *at), (f, at))
MPJ_LOCKED(int, fsetpos, (FILE * f, const fpos_t *at), (f, at))
MPJ_LOCKED_VOID(rewind, (FILE * f), (f))
