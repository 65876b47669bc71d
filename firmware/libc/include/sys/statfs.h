/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Usage of a file system, as on Linux. */
#ifndef MPJ_SYS_STATFS_H
#define MPJ_SYS_STATFS_H

#include <features.h>

struct statfs {
    int f_type, f_bsize;
    unsigned long f_blocks, f_bfree, f_bavail, f_files, f_ffree;
    struct {
        int __val[2];
    } f_fsid;
    int f_namelen, f_frsize, f_flags, f_spare[4];
};

#ifdef __USE_LARGEFILE64
struct statfs64 {
    int f_type, f_bsize;
    __extension__ unsigned long long f_blocks, f_bfree, f_bavail, f_files, f_ffree;
    struct {
        int __val[2];
    } f_fsid;
    int f_namelen, f_frsize, f_flags, f_spare[4];
};
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Return the values that statvfs() does. */
int statfs(const char *path, struct statfs *st);
int fstatfs(int fd, struct statfs *st);

#ifdef __USE_LARGEFILE64
/* Widens the result that statfs() returned in n. */
static __inline__ int __mpj_statfs64(int __r, const struct statfs *__n, struct statfs64 *__st)
{
    if (__r == 0)
        *__st = (struct statfs64){__n->f_type,    __n->f_bsize,
                                  __n->f_blocks,  __n->f_bfree,
                                  __n->f_bavail,  __n->f_files,
                                  __n->f_ffree,   {{__n->f_fsid.__val[0], __n->f_fsid.__val[1]}},
                                  __n->f_namelen, __n->f_frsize,
                                  __n->f_flags,   {0}};
    return __r;
}
static __inline__ int statfs64(const char *__path, struct statfs64 *__st)
{
    struct statfs __n;
    return __mpj_statfs64(statfs(__path, &__n), &__n, __st);
}
static __inline__ int fstatfs64(int __fd, struct statfs64 *__st)
{
    struct statfs __n;
    return __mpj_statfs64(fstatfs(__fd, &__n), &__n, __st);
}
#endif

#ifdef __cplusplus
}
#endif

#endif
