/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls with a folder's descriptor, of which only AT_FDCWD is known, and small relatives of others.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>

#include "cancel.h"

/* Whether a path means the same without the folder; else -1 with ENOSYS. */
static int plain(int folder, const char *path)
{
    if (folder == AT_FDCWD || path[0] == '/')
        return 0;
    errno = ENOSYS;
    return -1;
}

int openat(int folder, const char *path, int flags, ...)
{
    va_list ap;
    int mode = 0;

    va_start(ap, flags);
    if ((flags & O_CREAT) != 0)
        mode = va_arg(ap, int);
    va_end(ap);
    return plain(folder, path) == 0 ? open(path, flags, mode) : -1;
}

int mkdirat(int folder, const char *path, mode_t mode)
{
    return plain(folder, path) == 0 ? mkdir(path, mode) : -1;
}

int unlinkat(int folder, const char *path, int flags)
{
    if (plain(folder, path) != 0)
        return -1;
    return (flags & AT_REMOVEDIR) != 0 ? rmdir(path) : unlink(path);
}

int renameat(int folder, const char *from, int folder2, const char *to)
{
    return plain(folder, from) == 0 && plain(folder2, to) == 0 ? rename(from, to) : -1;
}

int fstatat(int folder, const char *restrict path, struct stat *restrict st, int flags)
{
    (void)flags;
    return plain(folder, path) == 0 ? stat(path, st) : -1;
}

int faccessat(int folder, const char *path, int mode, int flags)
{
    (void)flags;
    return plain(folder, path) == 0 ? access(path, mode) : -1;
}

int fchmodat(int folder, const char *path, mode_t mode, int flags)
{
    (void)flags;
    return plain(folder, path) == 0 ? chmod(path, mode) : -1;
}

int eaccess(const char *path, int mode)
{
    return access(path, mode);
}

int euidaccess(const char *path, int mode)
{
    return access(path, mode);
}

static bool is_time(const struct timespec *t)
{
    return t->tv_nsec == UTIME_NOW || t->tv_nsec == UTIME_OMIT ||
           (t->tv_nsec >= 0 && t->tv_nsec <= 999999999);
}

/* The host keeps the time of the last change only. */
int utimensat(int folder, const char *path, const struct timespec times[2], int flags)
{
    struct utimbuf t;
    struct stat st;

    (void)flags;
    if (plain(folder, path) != 0)
        return -1;
    if (times != NULL && (!is_time(&times[0]) || !is_time(&times[1]))) {
        errno = EINVAL;
        return -1;
    }
    if (times == NULL || times[1].tv_nsec == UTIME_NOW)
        return utime(path, NULL);
    if (times[1].tv_nsec == UTIME_OMIT)
        return stat(path, &st);
    t = (struct utimbuf){times[0].tv_sec, times[1].tv_sec};
    return utime(path, &t);
}

int lutimes(const char *path, const struct timeval times[2])
{
    return utimes(path, times);
}

/* The host does not tell of symbolic links: nothing is one. */
ssize_t readlink(const char *restrict path, char *restrict buf, size_t size)
{
    struct stat st;

    (void)buf;
    (void)size;
    if (stat(path, &st) == 0)
        errno = EINVAL;
    return -1;
}

ssize_t readlinkat(int folder, const char *restrict path, char *restrict buf, size_t size)
{
    return plain(folder, path) == 0 ? readlink(path, buf, size) : -1;
}

/* There is no other process that could hold the file. */
int flock(int fd, int operation)
{
    (void)operation;
    return fcntl(fd, F_GETFD);
}

int lockf(int fd, int command, off_t size)
{
    mpj_cancel_point();
    (void)command;
    (void)size;
    return fcntl(fd, F_GETFD);
}

long pathconf(const char *path, int name)
{
    (void)path;
    switch (name) {
    case _PC_LINK_MAX:
        return 1;
    case _PC_NAME_MAX:
        return NAME_MAX;
    case _PC_PATH_MAX:
        return PATH_MAX;
    case _PC_PIPE_BUF:
        return PIPE_BUF;
    case _PC_MAX_CANON:
    case _PC_MAX_INPUT:
        return 255;
    case _PC_NO_TRUNC:
    case _PC_CHOWN_RESTRICTED:
        return 1;
    case _PC_VDISABLE:
        return 0;
    case _PC_FILESIZEBITS:
        return 32;
    default:
        errno = EINVAL;
        return -1;
    }
}

long fpathconf(int fd, int name)
{
    return fcntl(fd, F_GETFD) < 0 ? -1 : pathconf("", name);
}

/* There is no shell and nothing to be found in a path. */
size_t confstr(int name, char *buf, size_t size)
{
    (void)name;
    if (size != 0)
        buf[0] = '\0';
    return 1;
}

char *get_current_dir_name(void)
{
    return getcwd(NULL, 0);
}

char *getwd(char *buf)
{
    return getcwd(buf, PATH_MAX);
}

char *secure_getenv(const char *name)
{
    return getenv(name);
}

int getentropy(void *data, size_t size)
{
    if (size > 256U) {
        errno = EIO;
        return -1;
    }
    return getrandom(data, size, 0) == (ssize_t)size ? 0 : -1;
}

int pselect(int count, fd_set *in, fd_set *out, fd_set *odd, const struct timespec *limit,
            const sigset_t *mask)
{
    struct timeval t = {.tv_sec = limit != NULL ? limit->tv_sec : 0,
                        .tv_usec = limit != NULL ? limit->tv_nsec / 1000 : 0};
    sigset_t old;
    int r;

    if (mask != NULL)
        (void)sigprocmask(SIG_SETMASK, mask, &old);
    r = select(count, in, out, odd, limit != NULL ? &t : NULL);
    if (mask != NULL)
        (void)sigprocmask(SIG_SETMASK, &old, NULL);
    return r;
}
