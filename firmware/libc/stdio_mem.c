/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Streams that are not files: they are in the same list. */
#include <stdio.h>

#include "stdio_lock.h"

MPJ_LOCKED(FILE *, fmemopen, (void *buf, size_t size, const char *mode), (buf, size, mode))
MPJ_LOCKED(FILE *, open_memstream, (char **buf, size_t *size), (buf, size))
