/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that take the program's stdout and stderr instead of ours: `mpjoule run --stdout`. */
#ifndef PRINTED_H
#define PRINTED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/errors.h"
#include "files.h"

/* Sets the file of stream 1 or 2, kept by reference. */
void printed_set(int stream, const char *path);
/* Returns it; NULL: that stream goes to ours. */
const char *printed_path(int stream);
/* Adds the files, and those that a failed attempt would leave. MPJ_E_NOMEM. */
int printed_files(struct cli_files *files, struct mpj_err *err);

/*
 * Writes what the program has printed to a stream that has a file. Returns 0, or the error's
 * number. The file grows as NAME.new, and stays what it was; a device, a pipe and a file in a
 * folder that accepts no other are written as they are.
 */
int printed_write(int stream, const void *data, size_t len);
/* Empties the files, for another attempt. */
void printed_again(void);
/* Ends the files. keep: renames them into place, also those of streams without output; otherwise
 * to NAME.failed, and prints a note if something is there. The next run's are others. */
int printed_end(bool keep, struct mpj_err *err);

#endif
