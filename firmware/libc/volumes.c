/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Usage of a file system: as that of the host may differ in every run, the results are constant. */
#include <limits.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>

#define BLOCK  4096U
#define BLOCKS (1UL << 20)
#define FREE   (BLOCKS / 2U)
#define MAGIC  0xef53 /* ext4's magic number */

static int say(int exists, struct statfs *st)
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

/* Fills in POSIX's structure in the same way. */
static int say_posix(int exists, const struct statfs *from, struct statvfs *st)
{
    if (exists == 0)
        *st = (struct statvfs){.f_bsize = from->f_bsize,
                               .f_frsize = from->f_frsize,
                               .f_blocks = from->f_blocks,
                               .f_bfree = from->f_bfree,
                               .f_bavail = from->f_bavail,
                               .f_files = from->f_files,
                               .f_ffree = from->f_ffree,
                               .f_favail = from->f_ffree,
                               .f_namemax = from->f_namelen};
    return exists;
}

int statfs(const char *path, struct statfs *st)
{
    struct stat there;

    return say(stat(path, &there), st);
}

int fstatfs(int fd, struct statfs *st)
{
    struct stat there;

    return say(fstat(fd, &there), st);
}

int statvfs(const char *restrict path, struct statvfs *restrict st)
{
    struct statfs there;

    return say_posix(statfs(path, &there), &there, st);
}

int fstatvfs(int fd, struct statvfs *st)
{
    struct statfs there;

    return say_posix(fstatfs(fd, &there), &there, st);
}
