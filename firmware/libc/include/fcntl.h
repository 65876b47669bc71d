/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_FCNTL_H
#define MPJ_LIBC_FCNTL_H

#include <features.h>
#ifdef __USE_XOPEN2K8
#include <bits/timespec.h>
#endif
#if defined(__USE_XOPEN) || defined(__USE_XOPEN2K8)
#include <bits/stat.h>
#endif
typedef unsigned int mode_t;
typedef long off_t;
typedef int pid_t;
#ifdef __USE_LARGEFILE64
__extension__ typedef long long off64_t;
#endif
#ifdef __USE_GNU
#include <bits/iovec.h>
#include <bits/size_t.h>
#endif

#define O_RDONLY   00
#define O_WRONLY   01
#define O_RDWR     02
#define O_ACCMODE  0003
#define O_CREAT    0100
#define O_EXCL     0200
#define O_NOCTTY   0400
#define O_TRUNC    01000
#define O_APPEND   02000
#define O_NONBLOCK 04000
#define O_ASYNC    020000
#define O_SYNC     04010000
#if defined(__USE_POSIX199309)
#define O_DSYNC 010000
#endif
#if defined(__USE_XOPEN2K8)
#define O_DIRECTORY 040000
#define O_NOFOLLOW  0100000
#define O_CLOEXEC   02000000
#endif
#if defined(__USE_GNU)
#define O_DIRECT  0200000
#define O_NOATIME 01000000
#define O_PATH    010000000
#endif
#define O_NDELAY O_NONBLOCK
#define O_FSYNC  O_SYNC
#ifdef __USE_POSIX199309
#define O_RSYNC O_SYNC
#endif
#ifdef __USE_LARGEFILE64
#define O_LARGEFILE 0400000
#endif
#ifdef __USE_GNU
#define O_TMPFILE (020000000 | O_DIRECTORY)
#endif

#define F_RDLCK    0
#define F_DUPFD    0
#define F_GETFD    1
#define F_WRLCK    1
#define F_SETFD    2
#define F_UNLCK    2
#define F_GETFL    3
#define F_EXLCK    4
#define F_SETFL    4
#define F_GETLK    5
#define F_SETLK    6
#define F_SETLKW   7
#define F_SHLCK    8
#define F_GETLK64  12
#define F_SETLK64  13
#define F_SETLKW64 14
#if defined(__USE_MISC)
#define F_ULOCK 0
#define F_OK    0
#define F_LOCK  1
#define F_TLOCK 2
#define F_TEST  3
#endif
#if defined(__USE_XOPEN2K8)
#define F_DUPFD_CLOEXEC 1030
#endif
#if defined(__USE_UNIX98) || defined(__USE_XOPEN2K8)
#define F_SETOWN 8
#define F_GETOWN 9
#endif
#define FD_CLOEXEC 1
#ifdef __USE_MISC
#define FAPPEND   O_APPEND
#define FFSYNC    O_FSYNC
#define FASYNC    O_ASYNC
#define FNONBLOCK O_NONBLOCK
#define FNDELAY   O_NDELAY
#define LOCK_SH   1
#define LOCK_EX   2
#define LOCK_NB   4
#define LOCK_UN   8
#define R_OK      4
#define W_OK      2
#define X_OK      1
#endif
#if defined(__USE_ATFILE)
#define AT_FDCWD            (-100)
#define AT_SYMLINK_NOFOLLOW 0x100
#define AT_REMOVEDIR        0x200
#define AT_EACCESS          0x200
#define AT_SYMLINK_FOLLOW   0x400
#endif
#if defined(__USE_GNU)
#define AT_NO_AUTOMOUNT 0x800
#define AT_EMPTY_PATH   0x1000
#define AT_RECURSIVE    0x8000
#endif
#if defined(__USE_XOPEN2K)
#define POSIX_FADV_NORMAL     0
#define POSIX_FADV_RANDOM     1
#define POSIX_FADV_SEQUENTIAL 2
#define POSIX_FADV_WILLNEED   3
#define POSIX_FADV_DONTNEED   4
#define POSIX_FADV_NOREUSE    5
#endif
#if defined(__USE_XOPEN) || defined(__USE_XOPEN2K8)
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#define S_IRUSR  0400
#define S_IWUSR  0200
#define S_IXUSR  0100
#define S_IRGRP  040
#define S_IWGRP  020
#define S_IXGRP  010
#define S_IROTH  04
#define S_IWOTH  02
#define S_IXOTH  01
#define S_IFDIR  0040000
#define S_IFCHR  0020000
#define S_IFBLK  0060000
#define S_IFREG  0100000
#define S_IFIFO  0010000
#define S_IFLNK  0120000
#if defined(__USE_MISC) || defined(__USE_XOPEN)
#define S_ISVTX 01000
#endif
#if defined(__USE_UNIX98) || defined(__USE_XOPEN2K8)
#define S_IFSOCK 0140000
#endif
#define S_ISUID    04000
#define S_ISGID    02000
#define S_IRWXU    0700
#define S_IRWXG    070
#define S_IRWXO    07
#define S_IFMT     0170000
#define UTIME_NOW  ((1L << 30) - 1L)
#define UTIME_OMIT ((1L << 30) - 2L)
#endif

struct flock {
    short l_type;
    short l_whence;
    off_t l_start;
    off_t l_len;
    pid_t l_pid;
};
#ifdef __USE_LARGEFILE64
struct flock64 {
    short l_type;
    short l_whence;
    off64_t l_start;
    off64_t l_len;
    pid_t l_pid;
};
#endif

__MPJ_BEGIN

int fcntl(int, int, ...);
int open(const char *, int, ...);
int creat(const char *, mode_t);
#if defined(__USE_ATFILE)
int openat(int, const char *, int, ...);
#endif
#if defined(__USE_MISC)
int lockf(int, int, off_t);
#endif
#if defined(__USE_XOPEN2K)
int posix_fadvise(int, off_t, off_t, int);
int posix_fallocate(int, off_t, off_t);
#endif

__MPJ_END

#ifdef __USE_LARGEFILE64
#define open64   open
#define openat64 openat
#define creat64  creat
#ifdef __USE_GNU
#define fcntl64 fcntl
#endif
#if defined(__USE_XOPEN2K)
#include <bits/large.h>

static __inline__ int posix_fadvise64(int __fd, long long __from, long long __n, int __advice)
{
    if (!__mpj_large_fits(__from) || !__mpj_large_fits(__n))
        return 75; /* EOVERFLOW */
    return posix_fadvise(__fd, (long)__from, (long)__n, __advice);
}

static __inline__ int posix_fallocate64(int __fd, long long __from, long long __n)
{
    if (!__mpj_large_fits(__from) || !__mpj_large_fits(__n))
        return 27; /* EFBIG */
    return posix_fallocate(__fd, (long)__from, (long)__n);
}
#endif
#endif

#endif
