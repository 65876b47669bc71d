/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sys/sendfile.h>

#include <errno.h>
#include <unistd.h>

#include "cancel.h"
#include "files.h"
#include "objects.h"

#define SHARE 8192U

/* Copies one share; returns the bytes written, or -1. */
static ssize_t share(int out, int in, size_t size, ssize_t *got, off_t *offset)
{
    char data[SHARE];
    const size_t n = size < sizeof(data) ? size : sizeof(data);

    *got = offset != NULL ? pread(in, data, n, *offset) : read(in, data, n);
    return *got > 0 ? write(out, data, (size_t)*got) : *got;
}

ssize_t sendfile(int out, int in, off_t *offset, size_t size)
{
    size_t done = 0;
    ssize_t got;
    ssize_t n;

    if (mpj_object_of(mpj_file_host(in)) != NULL) { /* data that cannot be written would be lost */
        errno = EINVAL;
        return -1;
    }
    do {
        n = share(out, in, size - done, &got, offset);
        if (n > 0)
            done += (size_t)n;
        if (n > 0 && offset != NULL)
            *offset += n;
        if (offset == NULL && got > 0 && n < got) /* unread what was not written */
            (void)lseek(in, n > 0 ? n - got : -got, SEEK_CUR);
    } while (n > 0 && n == got && done < size);
    return n < 0 && done == 0 ? -1 : (ssize_t)done;
}
