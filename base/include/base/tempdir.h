/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A private folder for as long as a process needs it. */
#ifndef BASE_TEMPDIR_H
#define BASE_TEMPDIR_H

#include "base/errors.h"

struct mpj_undo;

struct mpj_tempdir {
    char *path; /* mpjoule.XXXXXX in TMPDIR or /tmp, at most 90 bytes: leaves space for a socket's
                   name */
    int lock;   /* held while its owner lives */
    struct mpj_undo *undo;
};

/* Creates a folder that only this user may enter, after removing those whose owner was killed:
 * ours, with the plain files in them. A signal that ends the process removes it as well
 * (mpj_stop_begin()). MPJ_E_OK; MPJ_E_IO, MPJ_E_NOMEM, and path is NULL. Any number at a time. */
int mpj_tempdir_make(struct mpj_tempdir *t, struct mpj_err *err);
/* Creates one in this folder: for files that are to be renamed into it together. */
int mpj_tempdir_make_in(struct mpj_tempdir *t, const char *folder, struct mpj_err *err);
/* Removes the folder with the plain files in it; does nothing when path is NULL. */
void mpj_tempdir_remove(struct mpj_tempdir *t);
/* Removes any folder with the plain files in it; does nothing when there is none. */
void mpj_folder_remove(const char *path);

#endif
