/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_SYS_RANDOM_H
#define MPJ_LIBC_SYS_RANDOM_H

#include <features.h>
#include <sys/types.h>

#define GRND_NONBLOCK 1
#define GRND_RANDOM   2
#define GRND_INSECURE 4

/* getrandom() returns the same bytes in every run, so that runs can be compared: do not use it for
 * secrets. */
__MPJ_BEGIN

ssize_t getrandom(void *, size_t, unsigned int);
int getentropy(void *, size_t);

__MPJ_END

#endif
