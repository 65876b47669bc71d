/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz_file.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)st;
    (void)kind;
    (void)ftw;
    remove(path);
    return 0;
}

static void remove_folder(void)
{
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

const char *fuzz_folder(void)
{
    if (folder[0] == '\0') {
        /* in memory: a disk's file system writes each file out that replaces another */
        snprintf(folder, sizeof(folder), "%s/mpjoule-fuzz-%d",
                 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", (int)getpid());
        if (mkdir(folder, 0700) != 0)
            abort();
        atexit(remove_folder);
    }
    return folder;
}

static void fill(const char *path, const uint8_t *data, size_t size)
{
    FILE *const f = fopen(path, "wb");

    if (f == NULL || fwrite(data, 1, size, f) != size || fclose(f) != 0)
        abort();
}

const char *fuzz_file_as(const char *name, const uint8_t *data, size_t size)
{
    static char path[128];

    snprintf(path, sizeof(path), "%s/%s", fuzz_folder(), name);
    fill(path, data, size);
    return path;
}

const char *fuzz_file(const uint8_t *data, size_t size)
{
    static char path[128];

    snprintf(path, sizeof(path), "%s/input", fuzz_folder());
    fill(path, data, size);
    return path;
}
