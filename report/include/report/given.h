/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arguments, environment, stdin and options of a run: labels in the raw log and in the store
 * (docs/mplog.md). */
#ifndef REPORT_GIVEN_H
#define REPORT_GIVEN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/errors.h"

/* Keys of the labels. N counts from 1; NAME is escaped as values are. */
#define MPJ_GIVEN_PATH         "program_path"
#define MPJ_GIVEN_ARGUMENT     "argument."    /* N */
#define MPJ_GIVEN_ENVIRONMENT  "environment." /* NAME */
#define MPJ_GIVEN_OPTION       "option."      /* NAME; NAME.2, NAME.3 ... if given several times */
#define MPJ_GIVEN_STDIN_SHA256 "stdin_sha256"
#define MPJ_GIVEN_STDIN_BYTES  "stdin_bytes"
#define MPJ_GIVEN_TERMINAL     "terminal" /* streams that are one: stdout, stderr */
/* A value longer than a label may be continues in the label of its key and this. */
#define MPJ_GIVEN_MORE        '+'
#define MPJ_GIVEN_PIECE       800U /* bytes of a value in a label, at most */
#define MPJ_GIVEN_ARGUMENTS   4096U
#define MPJ_GIVEN_OPTION_ON   "on" /* value of an option without an argument */
#define MPJ_GIVEN_OPTION_SEEN 64U  /* length of an option's name, at most */

struct mpj_given_item {
    char *name, *value;
};

struct mpj_given {
    bool known; /* a log of version 0.2 or older does not say */
    char *path; /* of the program, as the user typed it */
    unsigned arguments;
    char **argument; /* without argv[0] */
    unsigned environments, options;
    struct mpj_given_item *environment; /* in the order of the escaped names */
    struct mpj_given_item *option;      /* without dashes; likewise, those given several times in
                                           their order */
    char *stdin_sha256;                 /* NULL: nothing was given */
    uint64_t stdin_bytes;
    char *terminal; /* "stdout", "stderr", "stdout,stderr"; NULL: neither is one */
};

/* Returns the text with control characters, '\\', '+' and bytes that are not UTF-8 written as in C
 * (\n, \x1b: two digits each). Allocated; NULL: out of memory. */
char *mpj_given_escape(const char *text);
/* Reverses it, in place; all else stays as it is. */
void mpj_given_unescape(char *text);

/* Takes a label, in the order of the keys; others are ignored. MPJ_E_NOMEM. */
int mpj_given_label(struct mpj_given *g, const char *key, const char *value, struct mpj_err *err);
/* Ends the labels: reverses the escapes. */
void mpj_given_end(struct mpj_given *g);
void mpj_given_free(struct mpj_given *g);

/* Returns the text of one kind as a report shows and compares it: words quoted for a shell,
 * separated by spaces. Allocated; NULL: out of memory, or what was given is not known. */
char *mpj_given_arguments(const struct mpj_given *g);
char *mpj_given_environment(const struct mpj_given *g);
char *mpj_given_stdin(const struct mpj_given *g);
/* Returns the value of an option; NULL: not given. */
const char *mpj_given_option(const struct mpj_given *g, const char *name);
/* Writes a command that repeats the run with an option more (without dashes; NULL: none), as a
 * shell reads it. Options that the new one replaces or excludes are left out: --events with
 * "functions", also profiles with "what-if=COST". program: without a path, its name. */
void mpj_given_command(const struct mpj_given *g, const char *program, const char *more, FILE *out);
/* Writes a word of a command, quoted if a shell would read it otherwise. */
void mpj_given_word(const char *word, FILE *out);

#endif
