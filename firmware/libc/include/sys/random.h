/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_SYS_RANDOM_H
#define MPJ_SYS_RANDOM_H

#include <stddef.h>
#include <sys/types.h>

#define GRND_NONBLOCK 1
#define GRND_RANDOM   2

/* The same bytes in every run, so that runs can be compared: nothing for secrets. */
ssize_t getrandom(void *data, size_t size, unsigned flags);

#endif
