/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of a command, collected before anything runs: no output is an input, or another output. */
#ifndef FILES_H
#define FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/errors.h"
#include "run/reads.h"

/* What a command does with a file. */
enum cli_use {
    CLI_READ = 0,
    CLI_MADE = 1,    /* a file or folder; whether it can be made is found by who makes it */
    CLI_WRITTEN = 3, /* in the end: whether it can be is looked at, which changes nothing */
    CLI_GROWS = 4,   /* beside one of the two: it is NAME.new until it is whole */
    CLI_OWN = 8,     /* beside CLI_MADE: of a name that the user does not give, where nothing is
                        followed or written to: what it replaces may be any other file of those */
};

struct cli_file;

/* Zero-initialise. */
struct cli_files {
    struct cli_file *file;
    size_t n;
    bool no_memory; /* told by cli_files_check() */
};

/* Adds a file, whose name is copied; NULL and "" are none, and so is an input that is not there (a
 * name), or "-" as one. "-" as an output is stdout. use: of enum cli_use. */
void cli_file(struct cli_files *f, const char *path, unsigned use);
/* Adds an input, and looks at once whether it is one of the outputs: MPJ_E_USAGE, MPJ_E_NOMEM. For
 * those that are found only while the command is at work. */
int cli_files_take(void *files, const char *path, struct mpj_err *err);
/* cli_files_take() for what the room run/ knows of. */
struct run_reads cli_files_reads(struct cli_files *f);
/*
 * Looks whether what is written can be, and whether that would destroy what is read, or another of
 * the outputs, whatever the paths are called; whether two outputs go to stdout. MPJ_E_USAGE,
 * MPJ_E_IO, MPJ_E_NOMEM. More may be added afterwards, and all be looked at again.
 */
int cli_files_check(const struct cli_files *f, struct mpj_err *err);
void cli_files_free(struct cli_files *f);

#endif
