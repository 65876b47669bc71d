/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/calibration.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sha2.h>

#include "base/file.h"

#define INCLUDES_MAX 8U /* depth of calibrations that include others */

struct files {
    int (*take)(void *ctx, const char *path, struct mpj_err *err);
    void *ctx;
};

static bool is_folder(int fd)
{
    struct stat st;

    return fd >= 0 && fstat(fd, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Takes the file, then those that it includes, in their order. */
static int each_file(const struct files *all, const char *path, unsigned depth, struct mpj_err *err)
{
    char *line = NULL;
    size_t size = 0;
    const int fd = mpj_file_open(path); /* the emulator reads it as well */
    FILE *f;
    int result;

    if ((fd < 0 && errno == ESPIPE) || is_folder(fd)) {
        if (fd >= 0)
            close(fd);
        return mpj_err_set(err, MPJ_E_USAGE, "cannot read the calibration %s: not a regular file",
                           path);
    }
    f = fd >= 0 ? fdopen(fd, "r") : NULL;
    if (f == NULL) {
        mpj_err_errno(err, "cannot read the calibration %s", path);
        if (fd >= 0)
            close(fd);
        return err->code;
    }
    result = all->take(all->ctx, path, err);
    while (result == MPJ_E_OK && depth < INCLUDES_MAX && getline(&line, &size, f) > 0) {
        const char *const slash = strrchr(path, '/');
        char name[512];
        char *other;
        if (sscanf(line, " include %511[^# \t\r\n]", name) != 1)
            continue;
        if (asprintf(&other, "%.*s%s",
                     name[0] != '/' && slash != NULL ? (int)(slash - path) + 1 : 0, path,
                     name) < 0) {
            result = mpj_err_nomem(err);
        } else {
            result = each_file(all, other, depth + 1, err);
            free(other);
        }
    }
    free(line);
    fclose(f);
    return result;
}

int run_calibration_files(const char *path,
                          int (*take)(void *ctx, const char *path, struct mpj_err *err), void *ctx,
                          struct mpj_err *err)
{
    const struct files all = {take, ctx};

    return each_file(&all, path, 0, err);
}

/* Adds the file's sum to that of all. */
static int add_sum(void *ctx, const char *path, struct mpj_err *err)
{
    char sum[SHA256_DIGEST_STRING_LENGTH];

    if (SHA256File(path, sum) == NULL)
        return mpj_err_errno(err, "cannot read the calibration %s", path);
    SHA256Update(ctx, (const uint8_t *)sum, strlen(sum));
    return MPJ_E_OK;
}

int run_calibration_sha256(const char *path, char out[65], struct mpj_err *err)
{
    SHA2_CTX all;

    SHA256Init(&all);
    if (run_calibration_files(path, add_sum, &all, err) != MPJ_E_OK)
        return err->code;
    SHA256End(&all, out);
    return MPJ_E_OK;
}
