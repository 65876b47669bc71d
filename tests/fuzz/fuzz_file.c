/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char path[64];

static void remove_file(void)
{
    unlink(path);
}

const char *fuzz_file(const uint8_t *data, size_t size)
{
    FILE *f;

    if (path[0] == '\0') {
        snprintf(path, sizeof(path), "/tmp/mpjoule-fuzz-file-%d", (int)getpid());
        atexit(remove_file);
    }
    f = fopen(path, "wb");
    if (f == NULL || fwrite(data, 1, size, f) != size || fclose(f) != 0)
        abort();
    return path;
}
