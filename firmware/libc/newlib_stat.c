/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sys/stat.h>

#include "newlib_io.h"

/* newlib's mktemp() and its databases check by _stat() if a file exists. */
int _stat(const char *name, struct newlib_stat *at);

int _stat(const char *name, struct newlib_stat *at)
{
    struct stat st;

    if (stat(name, &st) != 0)
        return -1;
    *at = (struct newlib_stat){.mode = st.st_mode, .size = st.st_size, .blksize = st.st_blksize};
    return 0;
}
