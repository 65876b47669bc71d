/* SPDX-License-Identifier: GPL-2.0-or-later */
/* struct stat as the GNU C library has it for 32-bit ARM; struct stat64 of the large file
 * interface. */
#ifndef MPJ_LIBC_BITS_STAT_H
#define MPJ_LIBC_BITS_STAT_H

#include <features.h>
#if defined(__USE_XOPEN2K8)
#include <bits/timespec.h>
#define __MPJ_STAT_TIMES                                                                           \
    struct timespec st_atim;                                                                       \
    struct timespec st_mtim;                                                                       \
    struct timespec st_ctim;
#define st_atime st_atim.tv_sec
#define st_mtime st_mtim.tv_sec
#define st_ctime st_ctim.tv_sec
#else
#define __MPJ_STAT_TIMES                                                                           \
    long st_atime;                                                                                 \
    unsigned long st_atimensec;                                                                    \
    long st_mtime;                                                                                 \
    unsigned long st_mtimensec;                                                                    \
    long st_ctime;                                                                                 \
    unsigned long st_ctimensec;
#endif

struct stat {
    __extension__ unsigned long long st_dev;
    unsigned short __pad1;
    unsigned long st_ino;
    unsigned int st_mode;
    unsigned int st_nlink;
    unsigned int st_uid;
    unsigned int st_gid;
    __extension__ unsigned long long st_rdev;
    unsigned short __pad2;
    long st_size;
    long st_blksize;
    long st_blocks;
    __MPJ_STAT_TIMES
    unsigned long __reserved[2];
};

#ifdef __USE_LARGEFILE64
struct stat64 {
    __extension__ unsigned long long st_dev;
    unsigned int __pad1;
    unsigned long __st_ino;
    unsigned int st_mode;
    unsigned int st_nlink;
    unsigned int st_uid;
    unsigned int st_gid;
    __extension__ unsigned long long st_rdev;
    unsigned int __pad2;
    __extension__ long long st_size;
    long st_blksize;
    __extension__ long long st_blocks;
    __MPJ_STAT_TIMES
    __extension__ unsigned long long st_ino;
};
#endif
#undef __MPJ_STAT_TIMES

#endif
