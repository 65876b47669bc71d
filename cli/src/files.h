/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of a command, collected before anything runs: no output is an input, or another output. */
#ifndef FILES_H
#define FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/errors.h"
#include "run/inputs.h"

/* Uses of a file by a command. */
enum cli_use {
    CLI_READ = 0,
    CLI_MADE = 1, /* a file or folder; the code that creates it checks whether it can be created */
    CLI_WRITTEN = 3, /* at the end; checked now, which changes nothing */
    CLI_GROWS = 4,   /* with one of the two: NAME.new until it is complete */
    CLI_OWN = 8, /* with CLI_MADE: a name that the user does not give, where no link is followed or
                    written to: what it replaces may be any other such file */
    CLI_FOLDER = 16, /* with CLI_MADE: a folder of the command's own files: no output of CLI_WRITTEN
                        may be in it */
};

struct cli_file;

/* Zero-initialise. */
struct cli_files {
    struct cli_file *file;
    size_t n;
    bool no_memory; /* reported by cli_files_check() */
};

/* Adds a file, whose name is copied; ignores NULL and "", and an input that is not there (a name),
 * or "-" as one. "-" as an output is stdout. use: of enum cli_use. */
void cli_file(struct cli_files *f, const char *path, unsigned use);
/* Adds an input, and checks at once that it is not one of the outputs: MPJ_E_USAGE, MPJ_E_NOMEM.
 * For those that are found only while the command is running. */
int cli_files_take(void *files, const char *path, struct mpj_err *err);
/* Returns cli_files_take() for the inputs that run/ finds. */
struct run_inputs cli_files_inputs(struct cli_files *f);
/*
 * Checks that the outputs can be written, and that none of them would overwrite an input or another
 * output, whatever the paths are called; that not two outputs go to stdout. MPJ_E_USAGE, MPJ_E_IO,
 * MPJ_E_NOMEM. More files may be added afterwards, and all be checked again.
 */
int cli_files_check(const struct cli_files *f, struct mpj_err *err);
void cli_files_free(struct cli_files *f);

#endif
