/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Guards of process groups: a group ends when this process is gone, however it ended. A
 * parent-death signal reaches only the group's first process. */
#ifndef BASE_GUARD_H
#define BASE_GUARD_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Starts the guard of a process group: a process that, when the calling thread or its process has
 * ended, sends SIGTERM to the group and, grace_s seconds later, SIGKILL. It has a session of its
 * own, and no file open: locks and ports are free at once. As soon as it is there it writes a byte
 * to go, a pipe that the group's first process waits at (mpj_guard_wait()), as nothing must run
 * without a guard. Returns the guard's process, or -1 and errno.
 */
pid_t mpj_guard_start(pid_t group, const int go[2], double grace_s);

/* Waits in the group's first process, before exec, for its guard. False: there will be none, and
 * the process must end. Async-signal-safe. */
bool mpj_guard_wait(const int go[2]);

/* Ends the guard; the group lives on. guard: -1: none. */
void mpj_guard_end(pid_t guard);

#endif
