/* SPDX-License-Identifier: GPL-2.0-or-later */
/* newlib's, and what GNU/Linux has beside it. */
#ifndef MPJ_UNISTD_H
#define MPJ_UNISTD_H

#include_next <unistd.h>

#include <mpj_large.h>

/* Beside the options that the specs define for newlib's headers. Not there, since there is one
 * process: job control, saved user ids, the shell. */
#define _POSIX_VERSION               200809L
#define _POSIX2_VERSION              200809L
#define _XOPEN_VERSION               700
#define _POSIX_FSYNC                 200809L
#define _POSIX_MAPPED_FILES          200809L
#define _POSIX_NO_TRUNC              1
#define _POSIX_REGEXP                1
#define _POSIX_THREAD_SAFE_FUNCTIONS 200809L

/* ENOSYS */
int getlogin_r(char *name, size_t size);

#if __GNU_VISIBLE || __MISC_VISIBLE
/* The calling thread's number in the profile; main's is 1, that of the process. */
pid_t gettid(void);
/* SYS_gettid and SYS_getcpu of <sys/syscall.h>; others fail with ENOSYS. */
long syscall(long number, ...);
int nice(int by);
int getdtablesize(void);
#endif

#if __GNU_VISIBLE
/* All are root's; EPERM where another is asked for. */
int getresuid(uid_t *real, uid_t *effective, uid_t *saved);
int getresgid(gid_t *real, gid_t *effective, gid_t *saved);
int setresuid(uid_t real, uid_t effective, uid_t saved);
int setresgid(gid_t real, gid_t effective, gid_t saved);
#endif

#ifdef MPJ_LARGE
static __inline__ off64_t lseek64(int fd, off64_t place, int whence)
{
    return mpj_large_fits(place) ? lseek(fd, (off_t)place, whence) : -1;
}

static __inline__ int ftruncate64(int fd, off64_t size)
{
    return mpj_large_fits(size) ? ftruncate(fd, (off_t)size) : -1;
}

static __inline__ int truncate64(const char *path, off64_t size)
{
    return mpj_large_fits(size) ? truncate(path, (off_t)size) : -1;
}

static __inline__ ssize_t pread64(int fd, void *data, size_t n, off64_t place)
{
    return mpj_large_fits(place) ? pread(fd, data, n, (off_t)place) : -1;
}

static __inline__ ssize_t pwrite64(int fd, const void *data, size_t n, off64_t place)
{
    return mpj_large_fits(place) ? pwrite(fd, data, n, (off_t)place) : -1;
}
#endif

#endif
