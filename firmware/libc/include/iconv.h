/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_ICONV_H
#define MPJ_LIBC_ICONV_H

#include <bits/size_t.h>
#include <features.h>

typedef void *iconv_t;

/* All of these fail with ENOSYS. */
__MPJ_BEGIN

int iconv_close(iconv_t);
iconv_t iconv_open(const char *, const char *);
size_t iconv(iconv_t, char **__restrict, size_t *__restrict, char **__restrict, size_t *__restrict);

__MPJ_END

#endif
