/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A command that runs as a child of this process, and its end. */
#ifndef BASE_CHILD_H
#define BASE_CHILD_H

#include <stdbool.h>

#include "base/errors.h"

struct mpj_child {
    const char *file;            /* the executable: a path */
    const char *const *argv;     /* NULL-terminated */
    const char *folder;          /* where it runs; NULL: here */
    const char *out, *err;       /* new files for stdout and stderr: a file, link or pipe of the
                                    name is removed, nothing else is; NULL: ours */
    unsigned timeout_s;          /* then it is told to end; 0: no limit */
    bool (*stopping)(void *ctx); /* looked at ten times a second; NULL: never */
    void *ctx;
    bool group; /* it is told to end with all that it has started, which the wait is for, too */
};

/*
 * Starts the command, without stdin, and waits for it. When stopping() says so or the time is over,
 * it gets SIGTERM once, and the wait goes on: it ends in its own way. It does not outlive the
 * calling thread. With `group` those it started, also by others that have ended, get SIGTERM with
 * it and, those that are left 10 s after its end, SIGKILL. A signal to end (base/stop.h) ends it as
 * it ends any command. *status: as a shell has it, 128 plus the signal's number for one that a
 * signal ended. MPJ_E_TARGET: it could not be started; MPJ_E_TIMEOUT, and *status is set.
 */
int mpj_child_run(const struct mpj_child *c, int *status, struct mpj_err *err);

#endif
