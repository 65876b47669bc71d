/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What commands that make many runs have in common: sweep, tune, explore, model campaign. */
#ifndef MANY_H
#define MANY_H

#include <argp.h>

#include "base/errors.h"
#include "files.h"
#include "run/engine.h"

/* For argp's children; input: a struct run_engine. --engine, --task. */
extern const struct argp many_engine_argp;

/* Options of `mpjoule run` that are handed on. */
struct many_options {
    struct run_engine *engine;
    /* Takes one, by its name. What is wrong with it ends the command. */
    int (*put)(void *ctx, const char *name, const char *value, struct mpj_err *err);
    void *ctx;
};

/* Likewise; input: a struct many_options. --jobs, and what sweep and tune hand on. */
extern const struct argp many_argp;

/* Ends the command when the result is not MPJ_E_OK, with what is wrong. */
void many_must(struct argp_state *state, int result, const struct mpj_err *err);

/* The progress of runs: a live line where stderr is a terminal. left_s: negative when unknown. */
void many_progress(unsigned done, unsigned todo, unsigned running, double left_s);
/* Seconds as s or min: the number, *unit. */
double many_time(double s, const char **unit);
/* A line on a machine, among live ones. */
void many_note(const char *text);

/* A command: its arguments, its files, and what is done in turn with its input. */
struct many_command {
    char *name; /* what argp calls it */
    const struct argp *argp;
    void *input;
    struct cli_files *files;
    /* Adds to them all that the arguments name; then they are looked at. */
    int (*collect)(void *input, struct mpj_err *err);
    int (*run)(void *input, struct mpj_err *err);
    int (*show)(void *input, struct mpj_err *err);
    void (*release)(void *input);
};

/* All of it: the exit status. */
int many_main(const struct many_command *c, int argc, char **argv);

#endif
