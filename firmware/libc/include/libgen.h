/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_LIBGEN_H
#define MPJ_LIBC_LIBGEN_H

#include <features.h>
__MPJ_BEGIN

char *dirname(char *);
#if defined MPJ_LIBC_STRING_H && defined __USE_GNU
/* <string.h> has declared another one of that name, in whose place this one is. */
char *__xpg_basename(char *) __asm__("basename");
#define basename __xpg_basename
#else
char *basename(char *);
/* <string.h> has another one of that name. */
#define basename basename
#endif

__MPJ_END

#endif
