/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A report of several files, which take their places in a folder together when all are whole. */
#ifndef FOLDER_OUT_H
#define FOLDER_OUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/errors.h"
#include "base/tempdir.h"

struct mpj_undo;

struct folder_out {
    const char *path;
    struct mpj_tempdir temp; /* in it */
    bool made;
    struct mpj_undo *undo; /* of a folder that was made */
};

/* Makes the folder if it is not there. MPJ_E_IO, MPJ_E_NOMEM: nothing is begun. */
int folder_begin(struct folder_out *f, const char *path, struct mpj_err *err);
/* One of the files. MPJ_E_IO, MPJ_E_FULL, MPJ_E_NOMEM. */
int folder_put(struct folder_out *f, const char *name, const void *data, size_t len,
               struct mpj_err *err);
/* Whether a file of the folder, at the path, is of an earlier report, by which it is not replaced.
 */
typedef bool folder_older(const char *path, const char *name);
/* The end of it. result, of all that was put, is MPJ_E_OK: the files take their places, and what is
 * older goes; else it is returned, and the folder is as it was. */
int folder_end(struct folder_out *f, int result, folder_older *older, struct mpj_err *err);

#endif
