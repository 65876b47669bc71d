/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of commands that execute many runs: sweep, tune, explore, model campaign. */
#ifndef BATCH_COMMAND_H
#define BATCH_COMMAND_H

#include <argp.h>

#include "base/errors.h"
#include "batch/engine.h"
#include "files.h"

/* Parser for argp's children; input: a struct run_engine. --engine, --task. */
extern const struct argp batch_engine_argp;

/* Options that are passed on to `mpjoule run`. */
struct batch_options {
    struct run_engine *engine;
    /* Takes an option, by its name; an error ends the command. */
    int (*put)(void *ctx, const char *name, const char *value, struct mpj_err *err);
    void *ctx;
};

/* Parser likewise; input: a struct batch_options. --jobs, and what sweep and tune pass on. */
extern const struct argp batch_argp;

/* Parser likewise: --target, --boards, --wait. */
extern const struct argp batch_board_argp;

/* Ends the command with the error when the result is not MPJ_E_OK. */
void batch_require(struct argp_state *state, int result, const struct mpj_err *err);

/* Shows the progress of runs: a live line where stderr is a terminal. left_s: negative when
 * unknown. */
void batch_progress(unsigned done, unsigned todo, unsigned running, double left_s);
/* Returns a duration in s or min, with the unit in *unit. */
double batch_duration(double s, const char **unit);
/* Prints a line on a machine, among live ones. */
void batch_note(const char *text);

/* A command: its arguments, its files, and the steps with its input, in order. */
struct batch_command {
    char *name; /* what argp calls it */
    const struct argp *argp;
    void *input;
    struct cli_files *files;
    /* Adds all files that the arguments name; they are checked afterwards. */
    int (*collect)(void *input, struct mpj_err *err);
    int (*run)(void *input, struct mpj_err *err);
    int (*show)(void *input, struct mpj_err *err);
    void (*release)(void *input);
};

/* Executes the command; returns the exit status. */
int batch_main(const struct batch_command *c, int argc, char **argv);

#endif
