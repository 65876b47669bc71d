/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counters that threads wait for by a descriptor, as on Linux. */
#ifndef MPJ_SYS_EVENTFD_H
#define MPJ_SYS_EVENTFD_H

#include <fcntl.h>
#include <stdint.h>

#define EFD_SEMAPHORE 1
#define EFD_CLOEXEC   O_CLOEXEC
#define EFD_NONBLOCK  O_NONBLOCK

typedef uint64_t eventfd_t;

#ifdef __cplusplus
extern "C" {
#endif

/* Returns a descriptor, or -1 with EINVAL, ENOMEM or EMFILE. */
int eventfd(unsigned int value, int flags);
/* Read and write the whole counter. Return 0, or -1 with errno. */
int eventfd_read(int fd, eventfd_t *value);
int eventfd_write(int fd, eventfd_t value);

#ifdef __cplusplus
}
#endif

#endif
