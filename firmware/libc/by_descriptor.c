/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Operations on a file or folder by its descriptor, and owners of files. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "files.h"

#define KEEP ((uid_t)-1) /* leaves this owner unchanged */

static int fail(int error)
{
    errno = error;
    return -1;
}

/* Returns the host's number of a file; -1 with errno if the descriptor is not one of the host's. */
static int file_of(int fd)
{
    const int host = mpj_file_host(fd);

    return host >= 0 && (host <= STDERR_FILENO || mpj_is_device(host)) ? fail(EINVAL) : host;
}

bool mpj_file_where(int fd, char path[MPJ_IO_PATH_MAX + 2])
{
    const int host = mpj_file_host(fd);
    struct stat st;
    size_t n;

    if (host < 0 || fstat(fd, &st) != 0)
        return false;
    if (!S_ISDIR(st.st_mode)) {
        errno = ENOTDIR;
        return false;
    }
    path[0] = '/';
    if (mpj_file_data(&(struct mpj_io_req){.op = MPJ_IO_WHERE, .fd = host}, path + 1,
                      MPJ_IO_PATH_MAX, &n) < 0)
        return false;
    path[1U + n] = '\0';
    return true;
}

int fchdir(int fd)
{
    char path[MPJ_IO_PATH_MAX + 2];

    if (!mpj_file_where(fd, path))
        return -1;
    mpj_file_set_folder(path + 1);
    return 0;
}

int fchmod(int fd, mode_t mode)
{
    const struct mpj_io_req q = {
        .op = MPJ_IO_MODE, .fd = file_of(fd), .mode = (uint32_t)mode & 0777U};

    return q.fd < 0 ? -1 : (int)mpj_file_ask(&q, NULL);
}

static bool is_time(const struct timespec *t)
{
    return t->tv_nsec == UTIME_NOW || t->tv_nsec == UTIME_OMIT ||
           (t->tv_nsec >= 0 && t->tv_nsec <= 999999999);
}

/* Sets the time of the last change; the host keeps no other. */
int futimens(int fd, const struct timespec times[2])
{
    struct mpj_io_req q = {.op = MPJ_IO_TOUCH, .fd = file_of(fd)};
    struct timespec now;

    if (q.fd < 0)
        return -1;
    if (times != NULL && (!is_time(&times[0]) || !is_time(&times[1])))
        return fail(EINVAL);
    if (times != NULL && times[1].tv_nsec == UTIME_OMIT)
        return 0;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    q.offset = times == NULL || times[1].tv_nsec == UTIME_NOW ? now.tv_sec : times[1].tv_sec;
    return (int)mpj_file_ask(&q, NULL);
}

int futimes(int fd, const struct timeval times[2])
{
    const struct timespec t[2] = {{.tv_nsec = UTIME_OMIT},
                                  {.tv_sec = times != NULL ? times[1].tv_sec : 0}};

    return futimens(fd, times != NULL ? t : NULL);
}

/* ---- owners: all files belong to the one user ------------------------------------- */

static int owned(int exists, uid_t owner, gid_t group)
{
    if (exists != 0)
        return -1;
    return (owner == getuid() || owner == KEEP) && (group == getgid() || group == (gid_t)-1)
               ? 0
               : fail(EPERM);
}

int chown(const char *path, uid_t owner, gid_t group)
{
    struct stat st;

    return owned(stat(path, &st), owner, group);
}

int lchown(const char *path, uid_t owner, gid_t group)
{
    return chown(path, owner, group);
}

int fchown(int fd, uid_t owner, gid_t group)
{
    struct stat st;

    return owned(fstat(fd, &st), owner, group);
}

int fchownat(int folder, const char *path, uid_t owner, gid_t group, int flags)
{
    struct stat st;

    return owned(fstatat(folder, path, &st, flags), owner, group);
}
