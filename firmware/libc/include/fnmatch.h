/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_FNMATCH_H
#define MPJ_LIBC_FNMATCH_H

#include <features.h>
#define FNM_PATHNAME 1
#define FNM_NOESCAPE 2
#define FNM_PERIOD   4
#if defined(__USE_MISC) || !defined(__USE_POSIX2) || defined(__USE_XOPEN)
#define FNM_FILE_NAME   FNM_PATHNAME
#define FNM_LEADING_DIR 8
#define FNM_CASEFOLD    16
#endif
#ifdef __USE_GNU
#define FNM_EXTMATCH 32
#endif
#define FNM_NOMATCH 1
#if defined(__USE_XOPEN) && !defined(__USE_GNU)
#define FNM_NOSYS (-1)
#endif

__MPJ_BEGIN

int fnmatch(const char *, const char *, int);

__MPJ_END

#endif
