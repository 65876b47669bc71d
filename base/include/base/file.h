/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that are whole or not there. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/errors.h"

/* Writes the content; MPJ_E_OK, or an error that is handed on. */
typedef int mpj_file_put(const void *what, FILE *f, struct mpj_err *err);

/*
 * Makes or replaces the file with what put writes: beside it first (PATH and a random number),
 * moved into place when it is whole, so that no reader and no crash ever sees half of it. MPJ_E_IO,
 * MPJ_E_FULL, MPJ_E_NOMEM, or what put returned: the old file, if any, is still there, and nothing
 * beside it; so it is when a signal ends the process (mpj_stop_begin()).
 */
int mpj_file_replace(const char *path, mpj_file_put *put, const void *what, struct mpj_err *err);
/* The same for a file that must not exist: MPJ_E_BUSY when it does, at any moment until it is made.
 */
int mpj_file_new(const char *path, mpj_file_put *put, const void *what, struct mpj_err *err);
/*
 * An empty file for what grows until it takes its place by rename(): a descriptor, for reading and
 * writing, locked while it is open; or a negative code. What has the name and is not a file of ours
 * (a link, a pipe, another user's) is removed, never written to. MPJ_E_BUSY: another process is at
 * it; wait: until it has ended, or a signal that mpj_stop_catch() catches came.
 */
int mpj_file_grow(const char *path, bool wait, struct mpj_err *err);
/*
 * mpj_file_replace() for a path that a user names: behind a link, the file it leads to is replaced,
 * or made. A file that has other names, too, that lies in a folder that takes no new file, or that
 * is named by a link of /proc (/dev/stdout), stays the same file: the content is overwritten when
 * the other one is whole and has room, and no signal ends the process meanwhile. A device and a
 * pipe are written as put writes.
 */
int mpj_file_write(const char *path, mpj_file_put *put, const void *what, struct mpj_err *err);
/*
 * Where a new file takes the place of the one at the path: behind its links, malloc()ed into *out;
 * what: of which kind, for the line. Makes and changes nothing. MPJ_E_USAGE: there is something
 * else than a regular file (a device, a pipe, a folder, a link to nothing); MPJ_E_IO: the folder
 * takes no file.
 */
int mpj_file_place(char **out, const char *path, const char *what, struct mpj_err *err);
/* For reading, of what has to be read more than once or from any place: a descriptor, or -1 and
 * errno. A pipe, whose other end is not waited for, and a device are ESPIPE; reading a folder says
 * that it is one. */
int mpj_file_open(const char *path);
/* 1: the regular file has these bytes there, at most 64, or is shorter and has no others; an empty
 * one does, and none at all. 0: it has others, or is not regular. -1 and errno: it cannot be read.
 */
int mpj_file_begins(const char *path, size_t offset, const void *bytes, size_t len);
/* Whether two paths are of one file, or will be when it is made, or a folder is; of what is there
 * regular files only. */
bool mpj_file_same(const char *a, const char *b);

#endif
