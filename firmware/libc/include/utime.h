/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_UTIME_H
#define MPJ_UTIME_H

#include <sys/types.h>
#include <sys/utime.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The time of the last change, in whole seconds; that of the last access is the host's. */
int utime(const char *path, const struct utimbuf *times);

#ifdef __cplusplus
}
#endif
#endif
