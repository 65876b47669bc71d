/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls relative to a folder's descriptor, and small relatives of other calls. */
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
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>

#include "cancel.h"
#include "files.h"

/* Resolves `path` relative to a folder's descriptor; NULL with errno. */
static const char *from(int folder, const char *path, char out[2U * MPJ_IO_PATH_MAX])
{
    size_t n;

    if (folder == AT_FDCWD || path[0] == '/')
        return path;
    if (path[0] == '\0') {
        errno = ENOENT;
        return NULL;
    }
    if (!mpj_file_where(folder, out))
        return NULL;
    n = strlen(out);
    if (n + 1U + strlen(path) > MPJ_IO_PATH_MAX) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    out[n] = '/';
    strcpy(out + n + 1U, path);
    return out;
}

/* Evaluates `call` with the resolved path as `name`; -1 on failure. */
#define AT(folder, path, call)                                                                     \
    char place[2U * MPJ_IO_PATH_MAX];                                                              \
    const char *const name = from(folder, path, place);                                            \
                                                                                                   \
    return name != NULL ? (call) : -1

int openat(int folder, const char *path, int flags, ...)
{
    char place[2U * MPJ_IO_PATH_MAX];
    const char *const name = from(folder, path, place);
    va_list ap;
    int mode = 0;

    va_start(ap, flags);
    if ((flags & O_CREAT) != 0)
        mode = va_arg(ap, int);
    va_end(ap);
    return name != NULL ? open(name, flags, mode) : -1;
}

int mkdirat(int folder, const char *path, mode_t mode)
{
    AT(folder, path, mkdir(name, mode));
}

int unlinkat(int folder, const char *path, int flags)
{
    AT(folder, path, (flags & AT_REMOVEDIR) != 0 ? rmdir(name) : unlink(name));
}

int renameat(int folder, const char *path, int folder2, const char *to)
{
    char place2[2U * MPJ_IO_PATH_MAX];
    const char *const name2 = from(folder2, to, place2);

    AT(folder, path, name2 != NULL ? rename(name, name2) : -1);
}

int fstatat(int folder, const char *restrict path, struct stat *restrict st, int flags)
{
    if ((flags & AT_EMPTY_PATH) != 0 && path[0] == '\0')
        return folder == AT_FDCWD ? stat(".", st) : fstat(folder, st);
    AT(folder, path, stat(name, st));
}

int faccessat(int folder, const char *path, int mode, int flags)
{
    (void)flags;
    AT(folder, path, access(name, mode));
}

int fchmodat(int folder, const char *path, mode_t mode, int flags)
{
    (void)flags;
    AT(folder, path, chmod(name, mode));
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

/* Sets the time of the last change; the host keeps no other. */
int utimensat(int folder, const char *path, const struct timespec times[2], int flags)
{
    char place[2U * MPJ_IO_PATH_MAX];
    struct utimbuf t;
    struct stat st;

    (void)flags;
    path = from(folder, path, place);
    if (path == NULL)
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

/* Fails with EINVAL: the host does not report symbolic links, so that no file is one. */
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
    AT(folder, path, readlink(name, buf, size));
}

/* Succeeds for every open descriptor: there is no other process that could hold the file. */
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

/* Returns an empty string: there is no shell and no search path. */
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
