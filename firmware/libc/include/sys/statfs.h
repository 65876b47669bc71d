/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How full a file system is, as Linux has it. */
#ifndef MPJ_SYS_STATFS_H
#define MPJ_SYS_STATFS_H

#include <sys/types.h>

struct statfs {
    int f_type, f_bsize;
    unsigned long f_blocks, f_bfree, f_bavail, f_files, f_ffree;
    struct {
        int __val[2];
    } f_fsid;
    int f_namelen, f_frsize, f_flags, f_spare[4];
};

#ifdef __cplusplus
extern "C" {
#endif

/* As statvfs(). */
int statfs(const char *path, struct statfs *st);
int fstatfs(int fd, struct statfs *st);

#ifdef __cplusplus
}
#endif

#endif
