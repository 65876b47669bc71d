/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that are whole or not there. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/errors.h"

/* Writes the content; returns MPJ_E_OK, or an error that is passed to the caller. */
typedef int mpj_file_put(const void *what, FILE *f, struct mpj_err *err);

/*
 * Creates or replaces the file with what put writes: writes a temporary file in the same folder
 * (PATH and a random number) and renames it when it is complete, so that no reader and no crash
 * ever sees half of it. MPJ_E_IO, MPJ_E_FULL, MPJ_E_NOMEM, or what put returned: the old file, if
 * any, is unchanged and the temporary file removed; likewise when a signal ends the process
 * (mpj_stop_begin()).
 */
int mpj_file_replace(const char *path, mpj_file_put *put, const void *what, struct mpj_err *err);
/* Creates a file that must not exist in the same way: MPJ_E_BUSY when it does, at any moment until
 * it is created. */
int mpj_file_new(const char *path, mpj_file_put *put, const void *what, struct mpj_err *err);
/*
 * Opens an empty file for output that grows until it is renamed into place. Returns a descriptor
 * for reading and writing, locked while it is open, or a negative code. Removes what has the name
 * and is not a file of ours (a link, a pipe, another user's), never writes to it. MPJ_E_BUSY:
 * another process is writing it; with wait, waits until that has ended, or a signal that
 * mpj_stop_catch() catches arrives.
 */
int mpj_file_grow(const char *path, bool wait, struct mpj_err *err);
/*
 * Locks a file that is only a lock, and creates it if it is missing. Returns a descriptor, which
 * holds the lock while it is open, or a negative code; its holder may unlink the file.
 * The lock is shared with the other users of the folder: a file of theirs is locked as it is, and
 * never removed. Removes a link, pipe or device of ours. MPJ_E_BUSY: another process holds the
 * lock, or the file is one of another user that cannot be locked; with wait, waits for the lock
 * until a signal that mpj_stop_catch() catches arrives. MPJ_E_IO, and errno: there is no file and
 * none can be created.
 */
int mpj_file_lock(const char *path, bool wait, struct mpj_err *err);
/*
 * Writes a file as mpj_file_replace() does, for a path that a user names: follows links and
 * replaces or creates the file at their end. Overwrites the content of a file that has other names
 * as well, that is in a folder that accepts no new file, or that is named by a link of /proc
 * (/dev/stdout), once the new content is complete and fits; no signal ends the process during that.
 * A device and a pipe are written as put writes.
 */
int mpj_file_write(const char *path, mpj_file_put *put, const void *what, struct mpj_err *err);
/*
 * Finds the path that a new file replaces: path with its links resolved, malloc()ed into *out;
 * what: its kind, for the message. Creates and changes nothing. MPJ_E_USAGE: there is something
 * other than a regular file (a device, a pipe, a folder, a link to nothing); MPJ_E_IO: the folder
 * takes no file.
 */
int mpj_file_place(char **out, const char *path, const char *what, struct mpj_err *err);
/* Opens a file for reading that has to be read more than once or at any offset. Returns a
 * descriptor, or -1 and errno. A pipe, whose other end is not waited for, and a device are ESPIPE;
 * reading a folder reports that it is one. */
int mpj_file_open(const char *path);
/* Reads all of a file that a user names, which may be a pipe. what: its kind, for the message.
 * Returns *len bytes, malloc()ed; NULL: MPJ_E_IO, MPJ_E_NOMEM; MPJ_E_USAGE: more than most bytes
 * (whole MB), such as of a device that has no end. */
char *mpj_file_bytes(const char *path, const char *what, size_t most, size_t *len,
                     struct mpj_err *err);
/* Reads a text in this way, at most MPJ_FILE_TEXT_MAX bytes. Returns a stream that has them; NULL
 * as above. */
#define MPJ_FILE_TEXT_MAX (16U << 20)
FILE *mpj_file_text(const char *path, struct mpj_err *err);
/* Compares at most 64 bytes at an offset. Returns 1 if the regular file has these bytes there, or
 * is shorter and has no others, or is missing; 0 if it has others, or is not regular; -1 and errno
 * if it cannot be read. */
int mpj_file_begins(const char *path, size_t offset, const void *bytes, size_t len);
/* True if two paths name one file, or will when it is created, or name a folder that will be; if
 * something exists, regular files only. */
bool mpj_file_same(const char *a, const char *b);
/* True if a file is in a folder, or below it, or will be; with all links resolved. */
bool mpj_file_within(const char *path, const char *folder);

#endif
