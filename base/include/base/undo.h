/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a process has begun and would leave behind if a signal ended it: files that are not whole
 * yet, folders of its own. mpj_stop_begin() has them removed then.
 */
#ifndef BASE_UNDO_H
#define BASE_UNDO_H

#include <signal.h>

struct mpj_undo;

/* Between the two no signal that ends the process is taken, by any thread, and no other thread
 * notes or drops anything: making a file and noting it are one step, and so are giving it its place
 * and dropping it. Only for what ends soon by itself. *before: the thread's mask until then. */
void mpj_undo_lock(sigset_t *before);
void mpj_undo_unlock(const sigset_t *before);

/* Notes a path, which is copied: a file, or a folder, which is removed if it is empty. folder: a
 * descriptor of it, whose plain files go first; -1: none do. NULL: no memory, it is not noted.
 * Locked. */
struct mpj_undo *mpj_undo_add(const char *path, int folder);
/* It has its place, or is gone. NULL: nothing happens. Locked. */
void mpj_undo_drop(struct mpj_undo *u);

/* Removes the plain files in the folder fd, which is left open. Async-signal-safe. */
void mpj_undo_empty(int fd);

/* In a signal handler that will end the process: removes all that this process has noted; from then
 * on no other thread can note anything. Nothing happens in a child that was forked. */
void mpj_undo_all(void);
/* The signals that mpj_undo_all() is for: those that mpj_undo_lock() holds back. */
void mpj_undo_signals(sigset_t *set);

#endif
