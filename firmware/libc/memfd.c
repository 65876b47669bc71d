/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files without a name, in the folder of `mpjoule run --dir`, like those of tmpfile(). */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_MOST 249U /* longest name, which is not kept; as on Linux */

int memfd_create(const char *name, unsigned flags)
{
    char path[] = "/memfdXXXXXX";
    int fd;

    if ((flags & ~MFD_CLOEXEC) != 0 || strlen(name) > NAME_MOST) {
        errno = EINVAL;
        return -1;
    }
    fd = mkostemp(path, (flags & MFD_CLOEXEC) != 0 ? O_CLOEXEC : 0);
    if (fd >= 0)
        (void)unlink(path);
    return fd;
}
