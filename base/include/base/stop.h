/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests to end that arrive as signals: Ctrl-C, kill, a closed terminal. One flag per process. */
#ifndef BASE_STOP_H
#define BASE_STOP_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* Installs handlers at the start of a program: a signal that ends it (SIGINT, SIGTERM, SIGHUP,
 * SIGPIPE, SIGXCPU, if not ignored) first removes incomplete files (base/undo.h). A file-size limit
 * (SIGXFSZ) becomes a failed write: EFBIG. Programs executed later have all of these signals as
 * they were before. SIGCHLD gets its default action, for them too: where it is ignored, as the
 * process that started us may have left it, the kernel keeps no child's exit status. */
void mpj_stop_begin(void);

/* Makes SIGINT, SIGTERM and SIGHUP increment a count from now on instead of ending the process;
 * SIGHUP only unless it is ignored: nohup is honoured. */
void mpj_stop_catch(void);

/* Returns the number of these signals so far. */
unsigned mpj_stop_count(void);
/* True if a process has sent one of them: our children have not had it. One of the terminal has
 * come to them as well; a second one would cut their end short. */
bool mpj_stop_sent(void);

/* Blocks the signals above in the calling thread, for the duration of a fork. *before: the mask it
 * had. */
void mpj_stop_block(sigset_t *before);
/* Restores these signals in a child, before exec: they end it, and those that arrived since the
 * fork do so now; SIGPIPE has its action from before mpj_pipe_ignore(). before: of mpj_stop_block()
 * in the parent. Async-signal-safe. */
void mpj_stop_inherit(const sigset_t *before);

/* Writes all data to a descriptor whose reader may be slow; returns 0, or an errno. EINTR: a signal
 * to end has arrived, and the reader does not take the data at once. */
int mpj_stop_write(int fd, const void *data, size_t len);

/* Ignores SIGPIPE during a recording, so that the log is closed in any case: a write fails with
 * EPIPE instead. mpj_pipe_restore() restores the action before the first ignore. One thread. */
void mpj_pipe_ignore(void);
void mpj_pipe_restore(void);

#endif
