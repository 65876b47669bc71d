/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What newlib's <stdio.h> has for its own use: streams are newlib's, programs do not see into them.
 */
#ifndef MPJ_NEWLIB_IO_H
#define MPJ_NEWLIB_IO_H

#include <stdio.h>
#include <sys/reent.h>

/* Bits of _flags. */
#define __SLBF 0x0001 /* written line by line */
#define __SNBF 0x0002 /* without a buffer */
#define __SERR 0x0040 /* an error was met */
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
