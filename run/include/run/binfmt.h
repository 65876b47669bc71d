/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's handler for images of the target (binfmt_misc): they run by their paths. */
#ifndef RUN_BINFMT_H
#define RUN_BINFMT_H

#include <stdbool.h>

#include "base/errors.h"

struct run_binfmt {
    bool registered;
    char *interpreter; /* of the registered handler; NULL: unknown. free() */
};

/* How it is on this machine. MPJ_E_OK, also where binfmt_misc is not available: nothing is
 * registered then; MPJ_E_NOMEM. */
int run_binfmt_status(struct run_binfmt *b, struct mpj_err *err);
/* Registers this installation's mpjoule-exec, in place of another handler of the same name; mounts
 * the file system if it is not mounted. MPJ_E_TARGET: it is not allowed here, with what to do
 * instead. */
int run_binfmt_register(struct mpj_err *err);
/* Removes the handler; none is fine. MPJ_E_TARGET. */
int run_binfmt_remove(struct mpj_err *err);

#endif
