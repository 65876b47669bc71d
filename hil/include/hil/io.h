/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Host I/O service: executes the program's open, read, write and so on inside one folder and
 * nowhere else.
 *
 * A path that is absolute or leaves the folder by `..` or a symbolic link fails with EACCES; links
 * that stay inside are followed. Only regular files and folders can be opened: a named pipe or a
 * device never holds up a run. Descriptor 0 reads the given file (or nothing at all), which may be
 * a pipe or a terminal.
 */
#ifndef HIL_IO_H
#define HIL_IO_H

#include <stdbool.h>

#include "base/errors.h"
#include "mpj_io_records.h"

#define MPJ_IO_FILES_MAX 64U /* open at a time */

struct mpj_io;

/*
 * Creates a service. dir: the folder; NULL: none, every path is ENOENT. input: the file
 * that descriptor 0 reads; NULL: it is empty. Never blocks, not even for the writer of a pipe.
 * MPJ_E_IO when one of them cannot be opened (err names it), MPJ_E_NOMEM. *out is NULL then;
 * otherwise the caller frees it.
 */
int mpj_io_new(struct mpj_io **out, const char *dir, const char *input, struct mpj_err *err);
/* Sets the results of isatty() for the program's stdout and stderr; neither is a terminal by
 * default. */
void mpj_io_terminal(struct mpj_io *io, bool out, bool err);
/* Closes everything the program left open. NULL is allowed. */
void mpj_io_free(struct mpj_io *io);

/* False for a read of descriptor 0 that would block: nothing is written or typed yet. */
bool mpj_io_ready(const struct mpj_io *io, const struct mpj_io_req *q);
/* Returns the descriptor to poll for it (POLLIN); -1: none. */
int mpj_io_input(const struct mpj_io *io);
/* Computes a sum over what the program has read from descriptor 0: 64 digits, and their number of
 * bytes. */
void mpj_io_taken(const struct mpj_io *io, char sha256[65], uint64_t *bytes);

/* Executes the request q, waiting if it is not ready; the outcome, failure or not, is in *reply,
 * whose data is valid until the next call. */
void mpj_io_serve(struct mpj_io *io, const struct mpj_io_req *q, struct mpj_io_reply *reply);

#endif
