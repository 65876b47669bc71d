/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Creates a folder to begin a project in: a small program, its build, its gate, pipelines. */
#ifndef PROJECT_INIT_H
#define PROJECT_INIT_H

#include <stdbool.h>

#include "base/errors.h"

enum run_init_file {
    RUN_INIT_MADE,
    RUN_INIT_SAME, /* it is there with this content */
    RUN_INIT_KEPT, /* another one has the name: left as it is */
    RUN_INIT_LEFT, /* not created, as one that it belongs to is kept */
};

struct run_init {
    /* Called for each file, in the order of their creation; path: from the folder. Lasts for the
     * call. */
    void (*row)(void *ctx, const char *path, enum run_init_file what);
    void *ctx;
    bool gate; /* set: program and gate are those of the skeleton, a baseline can be made */
};

/*
 * Copies the skeleton and the pipelines of this installation into the folder, which is created if
 * it does not exist. Existing files are not changed; when one of the program's or the gate's is
 * another one, none of theirs is created. A second call resumes where the first was interrupted.
 *
 * MPJ_E_TARGET: this installation has none of them; MPJ_E_IO, MPJ_E_FULL: a file or folder cannot
 * be created, those before it are; MPJ_E_NOMEM.
 */
int run_init(struct run_init *init, const char *folder, struct mpj_err *err);

#endif
