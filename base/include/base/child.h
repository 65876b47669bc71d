/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A command that runs as a child of this process, and its end. */
#ifndef BASE_CHILD_H
#define BASE_CHILD_H

#include <stdbool.h>

#include "base/errors.h"

#define MPJ_CHILD_KEPT 3 /* the descriptor of what is kept, in the child */

struct mpj_child {
    const char *file;            /* the executable: a path */
    const char *const *argv;     /* NULL-terminated */
    const char *folder;          /* where it runs; NULL: here */
    const char *out, *err;       /* new files for stdout and stderr: a file, link or pipe of the
                                    name is removed, nothing else is; NULL: ours */
    int kept;                    /* a descriptor that the command has as MPJ_CHILD_KEPT; 0: none */
    unsigned timeout_s;          /* it is sent SIGTERM after this time; 0: no limit */
    bool (*stopping)(void *ctx); /* called ten times a second; NULL: never */
    void *ctx;
    bool group; /* SIGTERM also goes to all processes that it has started; the wait includes them */
};

/*
 * Starts the command without stdin and waits for it. When stopping() returns true or the time is
 * over, sends it SIGTERM once and continues to wait, so that it can end gracefully. The command
 * does not outlive the calling thread. With `group`, the processes that it started, including those
 * whose parents have ended, get SIGTERM with it, and SIGKILL if they are left 10 s after its end. A
 * signal to end (base/stop.h) ends it like any command. *status: the exit status as a shell has it,
 * 128 plus the signal's number if a signal ended the command. MPJ_E_TARGET: it could not be
 * started, or its status is lost because the process ignores SIGCHLD; MPJ_E_TIMEOUT, and *status is
 * set.
 */
int mpj_child_run(const struct mpj_child *c, int *status, struct mpj_err *err);

#endif
