/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_SYS_STAT_H
#define MPJ_LIBC_SYS_STAT_H

#include <bits/stat.h>
#include <features.h>

#if defined(__USE_XOPEN) || defined(__USE_XOPEN2K)
typedef long time_t;
typedef unsigned long long dev_t;
typedef unsigned int gid_t;
typedef unsigned long ino_t;
typedef unsigned int mode_t;
typedef unsigned int nlink_t;
typedef long off_t;
typedef unsigned int uid_t;
#endif
#ifdef __USE_UNIX98
typedef long blkcnt_t;
typedef long blksize_t;
#endif
typedef unsigned int __mpj_mode_t;

#define S_IRUSR        0400
#define S_IWUSR        0200
#define S_IXUSR        0100
#define S_IRGRP        040
#define S_IWGRP        020
#define S_IXGRP        010
#define S_IROTH        04
#define S_IWOTH        02
#define S_IXOTH        01
#define S_IRWXU        0700
#define S_IRWXG        070
#define S_IRWXO        07
#define S_ISUID        04000
#define S_ISGID        02000

#define __MPJ_IFMT     0170000
#define S_ISDIR(mode)  (((mode)&__MPJ_IFMT) == 0040000)
#define S_ISCHR(mode)  (((mode)&__MPJ_IFMT) == 0020000)
#define S_ISBLK(mode)  (((mode)&__MPJ_IFMT) == 0060000)
#define S_ISREG(mode)  (((mode)&__MPJ_IFMT) == 0100000)
#define S_ISFIFO(mode) (((mode)&__MPJ_IFMT) == 0010000)
#define S_ISLNK(mode)  (((mode)&__MPJ_IFMT) == 0120000)
#if defined(__USE_XOPEN_EXTENDED) || defined(__USE_XOPEN2K)
#define S_ISSOCK(mode) (((mode)&__MPJ_IFMT) == 0140000)
#endif
#ifdef __USE_POSIX199309
#define S_TYPEISMQ(st)  ((st)->st_mode - (st)->st_mode)
#define S_TYPEISSEM(st) ((st)->st_mode - (st)->st_mode)
#define S_TYPEISSHM(st) ((st)->st_mode - (st)->st_mode)
#endif
#if defined(__USE_MISC) || defined(__USE_XOPEN)
#define S_IFMT  0170000
#define S_IFDIR 0040000
#define S_IFCHR 0020000
#define S_IFBLK 0060000
#define S_IFREG 0100000
#define S_IFIFO 0010000
#define S_IFLNK 0120000
#define S_ISVTX 01000
#endif
#if defined(__USE_MISC) || defined(__USE_XOPEN_EXTENDED)
#define S_IFSOCK 0140000
#endif
#ifdef __USE_MISC
#define S_IREAD     S_IRUSR
#define S_IWRITE    S_IWUSR
#define S_IEXEC     S_IXUSR
#define ACCESSPERMS 0777
#define ALLPERMS    07777
#define DEFFILEMODE 0666
#define S_BLKSIZE   512
#endif
#ifdef __USE_ATFILE
#define UTIME_NOW  ((1L << 30) - 1L)
#define UTIME_OMIT ((1L << 30) - 2L)
#endif

__MPJ_BEGIN

int stat(const char *__restrict, struct stat *__restrict);
int fstat(int, struct stat *);
int chmod(const char *, unsigned int);
unsigned int umask(unsigned int);
int mkdir(const char *, unsigned int);
int mkfifo(const char *, unsigned int);
#if defined(__USE_ATFILE)
int fstatat(int, const char *__restrict, struct stat *__restrict, int);
int fchmodat(int, const char *, unsigned int, int);
int mkdirat(int, const char *, unsigned int);
int mkfifoat(int, const char *, unsigned int);
int utimensat(int, const char *, const struct timespec[2], int);
#endif
#if defined(__USE_XOPEN_EXTENDED) || defined(__USE_XOPEN2K)
int lstat(const char *__restrict, struct stat *__restrict);
#endif
#if defined(__USE_XOPEN_EXTENDED) || defined(__USE_POSIX199309)
int fchmod(int, unsigned int);
#endif
#if defined(__USE_MISC) || defined(__USE_XOPEN_EXTENDED)
int mknod(const char *, unsigned int, unsigned long long);
#endif
#if defined(__USE_MISC) || defined(__USE_XOPEN2K8XSI)
int mknodat(int, const char *, unsigned int, unsigned long long);
#endif
#if defined(__USE_XOPEN2K8)
int futimens(int, const struct timespec[2]);
#endif

__MPJ_END

#ifdef __USE_LARGEFILE64
__MPJ_BEGIN

int stat64(const char *__restrict, struct stat64 *__restrict);
int fstat64(int, struct stat64 *);
#if defined(__USE_XOPEN_EXTENDED) || defined(__USE_XOPEN2K)
int lstat64(const char *__restrict, struct stat64 *__restrict);
#endif
#ifdef __USE_ATFILE
int fstatat64(int, const char *__restrict, struct stat64 *__restrict, int);
#endif

__MPJ_END
#endif

#endif
