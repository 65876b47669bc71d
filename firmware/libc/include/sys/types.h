/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types of 32-bit Linux, as in the GNU C library without _TIME_BITS. */
#ifndef MPJ_LIBC_SYS_TYPES_H
#define MPJ_LIBC_SYS_TYPES_H

#include <bits/size_t.h>
#include <features.h>

typedef unsigned long long dev_t;
typedef unsigned long ino_t;
typedef unsigned int mode_t;
typedef unsigned int nlink_t;
typedef unsigned int uid_t;
typedef unsigned int gid_t;
typedef long off_t;
typedef int pid_t;
typedef __PTRDIFF_TYPE__ ssize_t;
typedef int clockid_t;
typedef void *timer_t;
typedef long time_t;
typedef long blkcnt_t;
typedef unsigned long fsblkcnt_t;
typedef unsigned long fsfilcnt_t;

typedef __INT8_TYPE__ int8_t;
typedef __INT16_TYPE__ int16_t;
typedef __INT32_TYPE__ int32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT8_TYPE__ u_int8_t;
typedef __UINT16_TYPE__ u_int16_t;
typedef __UINT32_TYPE__ u_int32_t;
typedef __UINT64_TYPE__ u_int64_t;
typedef int register_t;

#if defined(__USE_XOPEN) || defined(__USE_XOPEN2K8)
typedef unsigned int id_t;
typedef long clock_t;
#endif
#if defined(__USE_MISC) || defined(__USE_XOPEN)
typedef int key_t;
typedef long suseconds_t;
#endif
#ifdef __USE_XOPEN
typedef unsigned int useconds_t;
#endif
#if defined(__USE_UNIX98) || defined(__USE_XOPEN2K8)
typedef long blksize_t;
#endif
#ifdef __USE_LARGEFILE64
typedef long long off64_t;
typedef unsigned long long ino64_t;
typedef long long blkcnt64_t;
typedef unsigned long long fsblkcnt64_t;
typedef unsigned long long fsfilcnt64_t;
#endif
#ifdef __USE_MISC
#include <endian.h>
#include <sys/select.h>

typedef unsigned char u_char;
typedef unsigned short u_short;
typedef unsigned int u_int;
typedef unsigned long u_long;
typedef long long quad_t;
typedef unsigned long long u_quad_t;
typedef struct {
    int __val[2];
} fsid_t;
typedef long long loff_t;
typedef int daddr_t;
typedef char *caddr_t;
typedef unsigned long ulong;
typedef unsigned short ushort;
typedef unsigned int uint;
#endif
#if defined(__USE_POSIX199506) || defined(__USE_UNIX98)
#include <bits/pthreadtypes.h>
#endif

#endif
