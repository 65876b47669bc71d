/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A folder to begin a project in: a small program, its build, its gate, pipelines. */
#ifndef RUN_INIT_H
#define RUN_INIT_H

#include <stdbool.h>

#include "base/errors.h"

enum run_init_file {
    RUN_INIT_MADE,
    RUN_INIT_SAME, /* it is there with this content */
    RUN_INIT_KEPT, /* another one has the name: left as it is */
    RUN_INIT_LEFT, /* not made, as one that it belongs to is kept */
};

struct run_init {
    /* Told of each file, in the order of their making; path: from the folder. Lasts for the call.
     */
    void (*row)(void *ctx, const char *path, enum run_init_file what);
    void *ctx;
    bool gate; /* set: program and gate are those of the skeleton, a baseline can be made */
};

/*
 * Copies the skeleton and the pipelines of this installation into the folder, which is made if it
 * is not there. No file that is there is changed; when one of the program's or the gate's is
 * another one, none of theirs is made. Doing it again resumes where it was interrupted.
 *
 * MPJ_E_TARGET: this installation is without them; MPJ_E_IO, MPJ_E_FULL: a file or folder cannot
 * be made, those before it are; MPJ_E_NOMEM.
 */
int run_init(struct run_init *init, const char *folder, struct mpj_err *err);

#endif
