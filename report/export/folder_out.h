/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A report of several files, which are moved into a folder together when all are complete. */
#ifndef FOLDER_OUT_H
#define FOLDER_OUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/errors.h"
#include "base/tempdir.h"

struct mpj_undo;

struct folder_out {
    const char *path;
    struct mpj_tempdir temp; /* inside the folder */
    bool made;
    struct mpj_undo *undo; /* of a folder that was created */
};

/* Creates the folder if it does not exist. MPJ_E_IO, MPJ_E_NOMEM: nothing has changed. */
int folder_begin(struct folder_out *f, const char *path, struct mpj_err *err);
/* Writes one of the files. MPJ_E_IO, MPJ_E_FULL, MPJ_E_NOMEM. */
int folder_put(struct folder_out *f, const char *name, const void *data, size_t len,
               struct mpj_err *err);
/* True if a file of the folder, at the path, is from an earlier report and would not be
 * overwritten. */
typedef bool folder_older(const char *path, const char *name);
/* Ends the report. If result, of all folder_put() calls, is MPJ_E_OK, the files are moved into
 * place, and older ones are removed; otherwise it is returned, and the folder is unchanged. */
int folder_end(struct folder_out *f, int result, folder_older *older, struct mpj_err *err);

#endif
