/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that the subcommands share. */
#ifndef CLI_H
#define CLI_H

#include <argp.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/errors.h"
#include "base/file.h"
#include "base/tempdir.h"
#include "mpj_records.h"
#include "report/groups.h"
#include "report/run.h"
#include "run/options.h"
#include "verbosity.h"

/* Exit statuses that are not the program's own. */
#define CLI_NO_PORT   RUN_STATUS_NO_PORT /* no such board or port, or another process holds it */
#define CLI_NO_ANSWER RUN_STATUS_NO_ANSWER
#define CLI_IDENTITY  119
#define CLI_LINK      RUN_STATUS_LINK /* link lost */
#define CLI_FLASH     RUN_STATUS_FLASH
#define CLI_PROGRAM   122 /* the program faulted, or its runtime gave up */
#define CLI_TIMEOUT   124
#define CLI_FAILURE   RUN_STATUS_FAILURE
#define CLI_CANCELLED 130

/* Prints one line on stderr: "mpjoule: TEXT". Returns the exit status of the code. */
int cli_fail(const struct mpj_err *err);
/* Prints the line likewise for a failure of a board; returns an exit status that distinguishes its
 * outcomes. */
int cli_fail_board(const struct mpj_err *err);

/* Prints a line on stderr, "mpjoule: TEXT", cleaned for a terminal: it names files. */
void cli_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Returns the stream for argp's usage errors (state->err_stream, from ARGP_KEY_INIT on): one line
 * of them reaches stderr, the advice to ask for help does not. */
FILE *cli_usage_stream(void);

/* True if this argument for a file (NULL: not given) names stdout. */
bool cli_is_stdout(const char *path);

/* Shows progress: replaces the line on stderr, if progress is shown (verbosity.h); cuts it where
 * the terminal ends, since one that wraps could not be replaced. ASCII. */
void cli_live_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Writes an output: a file as mpj_file_write() does, stdout for "-", nothing for NULL. before: the
 * result of the outputs before it, whose error is in err: this output is written all the same, and
 * the first failure stays. Returns that, or MPJ_E_OK.
 */
int cli_output(int before, const char *path, mpj_file_put *put, const void *what,
               struct mpj_err *err);
/* Returns the path if it is stdout's, or if there is a result for it; NULL: an older one stays. */
const char *cli_place(const char *path, bool result);

/* A run that a command reads: the file, or the store in a page (report/page.h), extracted into a
 * folder. */
struct cli_source {
    const char *file; /* to read */
    char *taken;      /* of a page */
    struct mpj_tempdir folder;
};
/* Finds the store to read. MPJ_E_USAGE, MPJ_E_STORE: the page has none, or it is damaged. Close in
 * any case. */
int cli_source_open(struct cli_source *s, const char *name, struct mpj_err *err);
void cli_source_close(struct cli_source *s);

/* Finds the program that was run: next to the store, in the current folder, or by the path as typed
 * for the run; *elf is to be freed, and NULL on error. store: as the user named it. MPJ_E_USAGE: it
 * is not there, MPJ_E_ELF: another build is. */
int cli_program_find(char **elf, const struct mpj_run *run, const char *store, struct mpj_err *err);
/* Checks that the program is the one that was run: only that has code at these addresses. */
int cli_program_check(const struct mpj_run *run, const char *elf, struct mpj_err *err);

/* Loads a counter group by name. Free with mpj_group_free. */
int cli_group(struct mpj_group **out, const char *name, struct mpj_err *err);

/* Applies the energy model of that name to a run, NULL: the default one (run/energy_model.h);
 * prints its limits on stderr. */
int cli_model_apply(struct mpj_run *run, const char *name, struct mpj_err *err);

/* Prints on stdout the cost of a run with --entries in this many groups, estimated from a store of
 * one; writes to `file` what to leave out, so that it costs `most` (a share) at most. */
int cli_suggest(const char *store, const char *file, unsigned groups, double most,
                struct mpj_err *err);

/* Prints on stderr the records that the target has dropped, by kind. */
void cli_dropped(const struct mpj_dropped *d);

/* Prints output of a program, at once; returns 0, or the errno of a stdout that accepts no more;
 * failures of stderr are not reported. A signal to end does not wait for a reader: EINTR. */
int cli_print(FILE *f, const void *data, size_t len);

/* Ends the command as writing to a pipe without a reader ends others; returns when our parent
 * ignores SIGPIPE. */
void cli_end_unread(void);

/* Clears the line that cli_live_line() wrote. */
void cli_live_clear(void);

#endif
