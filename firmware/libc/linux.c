/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Linux calls that threaded programs occasionally make, as far as they make sense for a program
 * that is alone on its board. */
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "cancel.h"
#include "files.h"
#include "mpj.h"
#include "mpj_sched.h"

#define MAIN_STACK (8UL << 20)
#define RAM        (256UL << 20)
#define FILES_MAX  64

static int fail(int error)
{
    errno = error;
    return -1;
}

/* ---- ids ------------------------------------------------------------------------- */

uid_t getuid(void)
{
    return 0;
}

uid_t geteuid(void)
{
    return 0;
}

gid_t getgid(void)
{
    return 0;
}

gid_t getegid(void)
{
    return 0;
}

pid_t getppid(void)
{
    return 0;
}

pid_t getpgrp(void)
{
    return getpid();
}

pid_t gettid(void)
{
    return (pid_t)mpj_thread_self()->id;
}

int prctl(int option, ...)
{
    va_list ap;
    char *name;
    char cut[MPJ_THREAD_NAME] = {0};

    va_start(ap, option);
    name = va_arg(ap, char *);
    va_end(ap);
    switch (option) {
    case PR_SET_NAME:
        strncpy(cut, name, sizeof(cut) - 1U);
        return pthread_setname_np(pthread_self(), cut);
    case PR_GET_NAME:
        return pthread_getname_np(pthread_self(), name, MPJ_THREAD_NAME);
    default:
        return fail(EINVAL);
    }
}

/* ---- limits and facts ------------------------------------------------------------ */

int getrlimit(int resource, struct rlimit *limit)
{
    const rlim_t most = resource == RLIMIT_STACK    ? MAIN_STACK
                        : resource == RLIMIT_NOFILE ? FILES_MAX
                                                    : RLIM_INFINITY;

    *limit = (struct rlimit){most, most};
    return 0;
}

int setrlimit(int resource, const struct rlimit *limit)
{
    return resource == RLIMIT_STACK && limit->rlim_cur > MAIN_STACK ? fail(EPERM) : 0;
}

int getdtablesize(void)
{
    return FILES_MAX;
}

int getloadavg(double load[], int count)
{
    for (int i = 0; i < count && i < 3; i++)
        load[i] = 0.0;
    return count < 3 ? count : 3;
}

int sysinfo(struct sysinfo *info)
{
    *info = (struct sysinfo){.uptime = (long)(mpj_time_ns() / 1000000000U),
                             .totalram = RAM,
                             .freeram = RAM,
                             .procs = 1,
                             .mem_unit = 1};
    return 0;
}

int clearenv(void)
{
    environ[0] = NULL;
    return 0;
}

int backtrace(void **address, int size)
{
    (void)address;
    (void)size;
    return 0;
}

char **backtrace_symbols(void *const *address, int size)
{
    (void)address;
    (void)size;
    return calloc(1, sizeof(char *));
}

void backtrace_symbols_fd(void *const *address, int size, int fd)
{
    (void)address;
    (void)size;
    (void)fd;
}

/* ---- files ----------------------------------------------------------------------- */

int creat(const char *path, mode_t mode)
{
    return open(path, O_WRONLY | O_CREAT | O_TRUNC, mode);
}

int lstat(const char *path, struct stat *st)
{
    return stat(path, st);
}

void sync(void)
{
}

int fdatasync(int fd)
{
    return fsync(fd);
}

/* Creates a temporary file in the folder of `mpjoule run --dir`; newlib's tmpfile() uses /tmp. */
FILE *tmpfile(void)
{
    char name[] = "tmpXXXXXX";
    const int fd = mkstemp(name);
    FILE *f;

    if (fd < 0)
        return NULL;
    (void)unlink(name);
    f = fdopen(fd, "w+");
    if (f == NULL)
        (void)_close(fd);
    return f;
}

/* Moves to that position and returns the old one; mpj_io_lock keeps other threads' transfers away
 * until back(). */
static off_t go(int fd, off_t offset, const void *caller)
{
    off_t old;

    mpj_cancel_point();
    mpj_file_begin(caller);
    old = lseek(fd, 0, SEEK_CUR);
    return old < 0 || lseek(fd, offset, SEEK_SET) < 0 ? -1 : old;
}

static ssize_t back(int fd, off_t old, ssize_t result)
{
    const int why = errno;

    if (old >= 0)
        (void)lseek(fd, old, SEEK_SET);
    mpj_file_end();
    errno = why;
    return old < 0 ? -1 : result;
}

static ssize_t move_in(int fd, void *data, size_t size)
{
    return _read(fd, data, size);
}

static ssize_t move_out(int fd, void *data, size_t size)
{
    return _write(fd, data, size);
}

ssize_t pread(int fd, void *data, size_t size, off_t offset)
{
    const off_t old = go(fd, offset, __builtin_return_address(0));

    return back(fd, old, old < 0 ? -1 : _read(fd, data, size));
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t offset)
{
    const off_t old = go(fd, offset, __builtin_return_address(0));

    return back(fd, old, old < 0 ? -1 : _write(fd, data, size));
}

static ssize_t pieces(int fd, const struct iovec *piece, int count,
                      ssize_t (*move)(int, void *, size_t))
{
    ssize_t all = 0;

    if (count < 0 || count > IOV_MAX)
        return fail(EINVAL);
    if (count == 0) /* only checks that the descriptor allows it */
        return move(fd, NULL, 0);
    for (int i = 0; i < count; i++) {
        const ssize_t n = move(fd, piece[i].iov_base, piece[i].iov_len);

        if (n < 0)
            return all != 0 ? all : -1;
        all += n;
        if ((size_t)n < piece[i].iov_len)
            break;
    }
    return all;
}

ssize_t readv(int fd, const struct iovec *piece, int count)
{
    mpj_cancel_point();
    return pieces(fd, piece, count, move_in);
}

ssize_t writev(int fd, const struct iovec *piece, int count)
{
    mpj_cancel_point();
    return pieces(fd, piece, count, move_out);
}

ssize_t preadv(int fd, const struct iovec *piece, int count, off_t offset)
{
    const off_t old = go(fd, offset, __builtin_return_address(0));

    return back(fd, old, old < 0 ? -1 : pieces(fd, piece, count, move_in));
}

ssize_t pwritev(int fd, const struct iovec *piece, int count, off_t offset)
{
    const off_t old = go(fd, offset, __builtin_return_address(0));

    return back(fd, old, old < 0 ? -1 : pieces(fd, piece, count, move_out));
}
