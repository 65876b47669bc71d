/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How full a file system is. */
#ifndef MPJ_SYS_STATVFS_H
#define MPJ_SYS_STATVFS_H

#include <sys/types.h>

#define ST_RDONLY 1
#define ST_NOSUID 2

struct statvfs {
    unsigned long f_bsize, f_frsize;
    fsblkcnt_t f_blocks, f_bfree, f_bavail;
    fsfilcnt_t f_files, f_ffree, f_favail;
    unsigned long f_fsid, f_flag, f_namemax;
};

#ifdef __cplusplus
extern "C" {
#endif

/* The host is not asked: always 4 GB, of which 2 are free. */
int statvfs(const char *__restrict path, struct statvfs *__restrict st);
int fstatvfs(int fd, struct statvfs *st);

#ifdef __cplusplus
}
#endif

#endif
