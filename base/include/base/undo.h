/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files and folders that a process would leave incomplete if a signal ended it. mpj_stop_begin()
 * has them removed then.
 */
#ifndef BASE_UNDO_H
#define BASE_UNDO_H

#include <signal.h>

struct mpj_undo;

/* Begins and ends a section in which no thread takes a signal that ends the process, and no other
 * thread adds or drops anything: creating a file and adding it are one step, and so are renaming it
 * into place and dropping it. Only for short operations. *before: the thread's mask until then. */
void mpj_undo_lock(sigset_t *before);
void mpj_undo_unlock(const sigset_t *before);

/* Adds a path, which is copied: a file, or a folder, which is removed if it is empty. folder: a
 * descriptor of the folder whose plain files are removed first; -1: none. Returns NULL without
 * memory: the path is not added. The lock is held. */
struct mpj_undo *mpj_undo_add(const char *path, int folder);
/* Drops a path that has been renamed into place, or is gone. NULL: does nothing. The lock is
 * held. */
void mpj_undo_drop(struct mpj_undo *u);

/* Removes the plain files in the folder fd, which is left open. Async-signal-safe. */
void mpj_undo_empty(int fd);

/* Removes all that this process has added; called in a signal handler that will end the process. No
 * other thread can add anything afterwards. Does nothing in a forked child. */
void mpj_undo_all(void);
/* Returns the signals that mpj_undo_all() is for in *set: those that mpj_undo_lock() blocks. */
void mpj_undo_signals(sigset_t *set);

#endif
