/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Usage of a file system. */
#ifndef MPJ_SYS_STATVFS_H
#define MPJ_SYS_STATVFS_H

#include <features.h>

typedef unsigned long fsblkcnt_t;
typedef unsigned long fsfilcnt_t;

#define ST_RDONLY 1
#define ST_NOSUID 2

struct statvfs {
    unsigned long f_bsize, f_frsize;
    fsblkcnt_t f_blocks, f_bfree, f_bavail;
    fsfilcnt_t f_files, f_ffree, f_favail;
    unsigned long f_fsid, f_flag, f_namemax;
};

#ifdef __USE_LARGEFILE64
struct statvfs64 {
    unsigned long f_bsize, f_frsize;
    __extension__ unsigned long long f_blocks, f_bfree, f_bavail, f_files, f_ffree, f_favail;
    unsigned long f_fsid, f_flag, f_namemax;
};
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Return constant values, without asking the host: 4 GB, of which 2 GB are free. */
int statvfs(const char *__restrict path, struct statvfs *__restrict st);
int fstatvfs(int fd, struct statvfs *st);

#ifdef __USE_LARGEFILE64
/* Widens the result that statvfs() returned in n. */
static __inline__ int __mpj_statvfs64(int __r, const struct statvfs *__n, struct statvfs64 *__st)
{
    if (__r == 0)
        *__st = (struct statvfs64){__n->f_bsize,  __n->f_frsize, __n->f_blocks, __n->f_bfree,
                                   __n->f_bavail, __n->f_files,  __n->f_ffree,  __n->f_favail,
                                   __n->f_fsid,   __n->f_flag,   __n->f_namemax};
    return __r;
}
static __inline__ int statvfs64(const char *__restrict __path, struct statvfs64 *__restrict __st)
{
    struct statvfs __n;
    return __mpj_statvfs64(statvfs(__path, &__n), &__n, __st);
}
static __inline__ int fstatvfs64(int __fd, struct statvfs64 *__st)
{
    struct statvfs __n;
    return __mpj_statvfs64(fstatvfs(__fd, &__n), &__n, __st);
}
#endif

#ifdef __cplusplus
}
#endif

#endif
