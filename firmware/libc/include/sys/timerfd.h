/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Timers that threads wait for by a descriptor, as on Linux. */
#ifndef MPJ_SYS_TIMERFD_H
#define MPJ_SYS_TIMERFD_H

#include <bits/itimerspec.h>
#include <fcntl.h>
#include <sys/types.h>
#include <time.h>

#define TFD_CLOEXEC             O_CLOEXEC
#define TFD_NONBLOCK            O_NONBLOCK
#define TFD_TIMER_ABSTIME       1
#define TFD_TIMER_CANCEL_ON_SET 2

#ifdef __cplusplus
extern "C" {
#endif

/* Returns a descriptor whose read() returns the expirations since the last one, as a uint64_t.
 * Clocks: CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_BOOTTIME. -1 with EINVAL, ENOMEM or EMFILE. */
int timerfd_create(clockid_t clock, int flags);
int timerfd_settime(int fd, int flags, const struct itimerspec *value, struct itimerspec *old);
int timerfd_gettime(int fd, struct itimerspec *value);

#ifdef __cplusplus
}
#endif

#endif
