/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stat() of the large file interface. */
#include <sys/stat.h>

static int widen(int result, const struct stat *from, struct stat64 *to)
{
    if (result == 0)
        *to = (struct stat64){.st_dev = from->st_dev,
                              .__st_ino = from->st_ino,
                              .st_mode = from->st_mode,
                              .st_nlink = from->st_nlink,
                              .st_uid = from->st_uid,
                              .st_gid = from->st_gid,
                              .st_rdev = from->st_rdev,
                              .st_size = from->st_size,
                              .st_blksize = from->st_blksize,
                              .st_blocks = from->st_blocks,
                              .st_atim = from->st_atim,
                              .st_mtim = from->st_mtim,
                              .st_ctim = from->st_ctim,
                              .st_ino = from->st_ino};
    return result;
}

int stat64(const char *restrict path, struct stat64 *restrict to)
{
    struct stat st;

    return widen(stat(path, &st), &st, to);
}

int lstat64(const char *restrict path, struct stat64 *restrict to)
{
    return stat64(path, to);
}

int fstat64(int fd, struct stat64 *to)
{
    struct stat st;

    return widen(fstat(fd, &st), &st, to);
}

int fstatat64(int folder, const char *restrict path, struct stat64 *restrict to, int flags)
{
    struct stat st;

    return widen(fstatat(folder, path, &st, flags), &st, to);
}
