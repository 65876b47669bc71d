/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * POSIX's calls on descriptors, as the program calls them: its read() is __wrap_read()
 * (private_names.py). They are cancellation points; the streams, which call _read() and the like
 * with their lock held, are not.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <unistd.h>

#include "cancel.h"
#include "files.h"
#include "objects.h"

ssize_t __wrap_read(int fd, void *data, size_t size);
ssize_t __wrap_write(int fd, const void *data, size_t size);
int __wrap_open(const char *path, int flags, ...);
int __wrap_close(int fd);

ssize_t __wrap_read(int fd, void *data, size_t size)
{
    mpj_cancel_point();
    if (mpj_object_of(mpj_file_host(fd)) != NULL)
        return mpj_object_move(fd, MPJ_IN, data, size, 0, true, __builtin_return_address(0));
    return _read(fd, data, size);
}

ssize_t __wrap_write(int fd, const void *data, size_t size)
{
    mpj_cancel_point();
    if (mpj_object_of(mpj_file_host(fd)) != NULL)
        return mpj_object_move(fd, MPJ_OUT, (void *)(uintptr_t)data, size, 0, true,
                               __builtin_return_address(0));
    return _write(fd, data, size);
}

int __wrap_open(const char *path, int flags, ...)
{
    va_list ap;
    int mode;

    va_start(ap, flags);
    mode = va_arg(ap, int); /* ignored unless the file is created */
    va_end(ap);
    mpj_cancel_point();
    return mpj_file_open(path, flags, mode);
}

int __wrap_close(int fd)
{
    mpj_cancel_point();
    return _close(fd);
}
