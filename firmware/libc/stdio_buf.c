/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>

#include "stdio_lock.h"

MPJ_LOCKED(int, setvbuf, (FILE * f, char *buf, int mode, size_t size), (f, buf, mode, size))
MPJ_LOCKED_VOID(setbuf, (FILE * f, char *buf), (f, buf))
MPJ_LOCKED_VOID(setbuffer, (FILE * f, char *buf, int size), (f, buf, size))
MPJ_LOCKED(int, setlinebuf, (FILE * f), (f))
