/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hard links. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "files.h"

int _link(const char *from, const char *to); /* called by newlib's link() */

int _link(const char *from, const char *to)
{
    char path[MPJ_IO_PATH_MAX + 2];
    const struct mpj_io_req q = {.op = MPJ_IO_LINK, .data = mpj_file_path(to, path)};

    return (int)mpj_file_ask(&q, from);
}

static bool absolute(int folder, const char *path, char out[MPJ_IO_PATH_MAX + 2])
{
    out[0] = '\0';
    return folder == AT_FDCWD || path[0] == '/' || mpj_file_where(folder, out);
}

int linkat(int folder, const char *path, int folder2, const char *to, int flags)
{
    char place[2][2U * MPJ_IO_PATH_MAX + 2U];

    (void)flags;
    if (!absolute(folder, path, place[0]) || !absolute(folder2, to, place[1]))
        return -1;
    for (unsigned i = 0; i < 2U; i++) {
        const char *const rest = i == 0 ? path : to;

        if (strlen(place[i]) + 1U + strlen(rest) > MPJ_IO_PATH_MAX) {
            errno = ENAMETOOLONG;
            return -1;
        }
        if (place[i][0] != '\0')
            strcat(place[i], "/");
        strcat(place[i], rest);
    }
    return _link(place[0], place[1]);
}
