/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's handler for images of the target (binfmt_misc), which lets them be executed by their
 * paths. */
#ifndef PROJECT_BINFMT_H
#define PROJECT_BINFMT_H

#include <stdbool.h>

#include "base/errors.h"

struct run_binfmt {
    bool registered;
    char *interpreter; /* of the registered handler; NULL: unknown. free() */
};

/* Reports the handler on this machine. MPJ_E_OK, also where binfmt_misc is not available: nothing
 * is registered then; MPJ_E_NOMEM. */
int run_binfmt_status(struct run_binfmt *b, struct mpj_err *err);
/* Registers this installation's mpjoule-exec, in place of another handler of the same name; mounts
 * the file system if it is not mounted. MPJ_E_TARGET: this is not allowed here; the message has
 * what to do instead. */
int run_binfmt_register(struct mpj_err *err);
/* Removes the handler; succeeds if none is registered. MPJ_E_TARGET. */
int run_binfmt_remove(struct mpj_err *err);

#endif
