/* SPDX-License-Identifier: GPL-2.0-or-later */
/* newlib's, and lstat(). */
#ifndef MPJ_SYS_STAT_H
#define MPJ_SYS_STAT_H

#include_next <sys/stat.h>

#include <mpj_large.h>

#ifndef UTIME_NOW
#define UTIME_NOW  ((1L << 30) - 1L)
#define UTIME_OMIT ((1L << 30) - 2L)
#endif

/* stat(): `mpjoule run --dir` does not tell of symbolic links. */
int lstat(const char *path, struct stat *st);
/* ENOSYS */
int mknod(const char *path, mode_t mode, dev_t device);

#ifdef MPJ_LARGE
#define stat64    stat /* struct and function */
#define fstat64   fstat
#define lstat64   lstat
#define fstatat64 fstatat
#endif

#endif
