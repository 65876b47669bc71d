/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How full a file system is: as the host's may be another in every run, what is said does not
 * depend on it. */
#include <limits.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>

#define BLOCK  4096U
#define BLOCKS (1UL << 20)
#define FREE   (BLOCKS / 2U)
#define MAGIC  0xef53 /* of ext4 */

static int say(int exists, struct statvfs *st)
{
    if (exists == 0)
        *st = (struct statvfs){.f_bsize = BLOCK,
                               .f_frsize = BLOCK,
                               .f_blocks = BLOCKS,
                               .f_bfree = FREE,
                               .f_bavail = FREE,
                               .f_files = BLOCKS,
                               .f_ffree = FREE,
                               .f_favail = FREE,
                               .f_namemax = NAME_MAX};
    return exists;
}

static int say_linux(int exists, struct statfs *st)
{
    if (exists == 0)
        *st = (struct statfs){.f_type = MAGIC,
                              .f_bsize = BLOCK,
                              .f_frsize = BLOCK,
                              .f_blocks = BLOCKS,
                              .f_bfree = FREE,
                              .f_bavail = FREE,
                              .f_files = BLOCKS,
                              .f_ffree = FREE,
                              .f_namelen = NAME_MAX};
    return exists;
}

int statvfs(const char *restrict path, struct statvfs *restrict st)
{
    struct stat there;

    return say(stat(path, &there), st);
}

int fstatvfs(int fd, struct statvfs *st)
{
    struct stat there;

    return say(fstat(fd, &there), st);
}

int statfs(const char *path, struct statfs *st)
{
    struct stat there;

    return say_linux(stat(path, &there), st);
}

int fstatfs(int fd, struct statfs *st)
{
    struct stat there;

    return say_linux(fstat(fd, &there), st);
}
