/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Amount of output: the same options, progress and colours in all subcommands. */
#ifndef VERBOSITY_H
#define VERBOSITY_H

#include <argp.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/errors.h"

/*
 * Calls argp_parse() for a subcommand with --quiet and --verbose in addition to its own options.
 * name: what argp calls it, "mpjoule run", writable. A usage error ends the command with
 * CLI_FAILURE.
 */
void cli_arguments(const struct argp *own, int argc, char **argv, char *name, void *input);
/* Removes these options from the arguments of a subcommand that takes only words; returns how many
 * are left, argv[*] is NULL-terminated. */
int cli_words(int argc, char **argv);

/* True with --quiet: no progress, no summary. */
bool cli_quiet(void);
/* Behaves as with --quiet from now on. */
void cli_set_quiet(void);
/* Suppresses, from now on, the path of a failed run in errors: its files are removed. */
void cli_suppress_kept(void);
/* Appends the path of a failed run's files to the error. */
void cli_append_kept(struct mpj_err *err, const char *path);
/* True if progress is shown: stderr is a terminal, without --quiet. */
bool cli_shows_progress(void);
/* True if colours may be used: a terminal, no NO_COLOR in the environment (https://no-color.org),
 * and no TERM=dumb. */
bool cli_colours(FILE *f);
/* Prints a line on stderr, "mpjoule: TEXT", with --verbose. */
void cli_verbose(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Begins an operation that prints nothing until cli_busy_end(), and may take long: after two
 * seconds a live line shows its name and its duration. Not nested. The text is used until the end.
 */
void cli_busy_begin(const char *what);
void cli_busy_end(void);

#endif
