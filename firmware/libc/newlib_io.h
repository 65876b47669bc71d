/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internals of newlib's <stdio.h>: streams are newlib's, and programs do not see their members. */
#ifndef MPJ_NEWLIB_IO_H
#define MPJ_NEWLIB_IO_H

#include <stdio.h>
#include <sys/reent.h>

/* Bits of _flags. */
#define __SLBF 0x0001 /* line-buffered */
#define __SNBF 0x0002 /* unbuffered */
#define __SERR 0x0040 /* an error has occurred */
#define __SMBF 0x0080 /* the buffer is from malloc() */
#define __SNPT 0x0800 /* seeks always ask the file */

/* newlib's struct stat, as it was compiled. */
struct newlib_stat {
    short dev, ino;
    unsigned mode;
    short of_no_use[4];
    long size;
    long long times[6];
    long blksize, blocks, spare[2];
};

ssize_t __getdelim(char **line, size_t *size, int delimiter, FILE *f);
ssize_t __getline(char **line, size_t *size, FILE *f);

#endif
