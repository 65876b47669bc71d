/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_LIBGEN_H
#define MPJ_LIBC_LIBGEN_H

#include <features.h>
__MPJ_BEGIN

char *dirname(char *);
#if defined MPJ_LIBC_STRING_H && defined __USE_GNU
/* Replaces the function of that name that <string.h> has declared. */
char *__xpg_basename(char *) __asm__("basename");
#define basename __xpg_basename
#else
char *basename(char *);
/* <string.h> declares another function of that name. */
#define basename basename
#endif

__MPJ_END

#endif
