/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Preloaded in tests: kills the command before the n-th of its steps, MPJ_KILL_AT=n: a file is
 * opened for writing, synced, renamed, removed. What the command starts is spared.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static long last; /* 0: not this process */
static atomic_long done;

__attribute__((constructor)) static void begin(void)
{
    const char *const at = getenv("MPJ_KILL_AT");

    if (at == NULL || strcmp(program_invocation_short_name, "mpjoule") != 0)
        return;
    last = strtol(at, NULL, 10);
    unsetenv("MPJ_KILL_AT");
}

static void step(void)
{
    if (last > 0 && atomic_fetch_add(&done, 1) + 1 == last)
        kill(getpid(), SIGKILL);
}

int open(const char *path, int flags, ...)
{
    mode_t mode;
    va_list ap;

    va_start(ap, flags);
    mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(ap, mode_t) : 0;
    va_end(ap);
    if ((flags & O_ACCMODE) != O_RDONLY)
        step();
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));

int fsync(int fd)
{
    step();
    return (int)syscall(SYS_fsync, fd);
}

int fdatasync(int fd)
{
    step();
    return (int)syscall(SYS_fdatasync, fd);
}

int rename(const char *from, const char *to)
{
    step();
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int unlink(const char *path)
{
    step();
    return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

int rmdir(const char *path)
{
    step();
    return (int)syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
}
