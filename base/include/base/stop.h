/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests to end that arrive as signals: Ctrl-C, kill, a closed terminal. One flag per process. */
#ifndef BASE_STOP_H
#define BASE_STOP_H

#include <signal.h>
#include <stddef.h>

/* At the start of a program: a signal that ends it (SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXCPU, if
 * it is not ignored) first removes what is not whole yet (base/undo.h). A file-size limit (SIGXFSZ)
 * becomes a failed write: EFBIG. What is executed later has all of them as they were before. */
void mpj_stop_begin(void);

/* From now on SIGINT, SIGTERM and SIGHUP are counted instead of ending the process; SIGHUP only
 * unless it is ignored: nohup is honoured. */
void mpj_stop_catch(void);

/* Number of these signals so far. */
unsigned mpj_stop_count(void);

/* Blocks the signals above in the calling thread, for the moment of a fork. *before: the mask it
 * had.
 */
void mpj_stop_block(sigset_t *before);
/* In a child, before exec: these signals end it, those that arrived since the fork do now. before:
 * of mpj_stop_block() in the parent. Async-signal-safe. */
void mpj_stop_inherit(const sigset_t *before);

/* Writes all of it to a descriptor whose reader may take its time: 0, or an errno. EINTR: a signal
 * to end has arrived, and it is not taken at once. */
int mpj_stop_write(int fd, const void *data, size_t len);

/* SIGPIPE is ignored while something is recorded, so that the log is closed in any case: a write
 * fails with EPIPE instead. After restore it is as it was before ignore. */
void mpj_pipe_ignore(void);
void mpj_pipe_restore(void);

#endif
