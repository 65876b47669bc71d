/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_LIBGEN_H
#define MPJ_LIBC_LIBGEN_H

#include <features.h>
__MPJ_BEGIN

char *dirname(char *);
char *basename(char *);
/* <string.h> has another one of that name. */
#define basename basename

__MPJ_END

#endif
