/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much the command says: the same options, progress and colours in all subcommands. */
#ifndef VOICE_H
#define VOICE_H

#include <argp.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/errors.h"

/*
 * argp_parse() of a subcommand with --quiet and --verbose beside its own options. name: what argp
 * calls it, "mpjoule run", writable. A usage error ends the command with CLI_FAILURE.
 */
void cli_arguments(const struct argp *own, int argc, char **argv, char *name, void *input);
/* Takes these options out of the arguments of a subcommand that knows only words; how many are
 * left, argv[*] is NULL-terminated. */
int cli_words(int argc, char **argv);

/* --quiet: no progress, no summary. */
bool cli_quiet(void);
/* From now on as with --quiet. */
void cli_say_less(void);
/* From now on no line says where a failed run is kept: its files go with the command. */
void cli_keeps_nothing(void);
/* Adds to the line where a failed run is kept. */
void cli_kept(struct mpj_err *err, const char *path);
/* Progress is shown: stderr is a terminal, without --quiet. */
bool cli_shows(void);
/* Colours may be used: a terminal, no NO_COLOR in the environment (https://no-color.org), and no
 * TERM=dumb. */
bool cli_colours(FILE *f);
/* A line on stderr, "mpjoule: TEXT", with --verbose. */
void cli_tell(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * What begins here prints nothing until cli_busy_end(), and may take long: from two seconds on a
 * live line has its name and how long it has taken. Not nested. The text is used until the end.
 */
void cli_busy_begin(const char *what);
void cli_busy_end(void);

#endif
