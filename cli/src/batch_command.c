/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "batch_command.h"

#include <stdio.h>

#include "cli.h"
#include "cli_options.h"

enum key {
    KEY_ENGINE = 512, /* above those of the commands */
    KEY_TASK,
    KEY_TARGET,
    KEY_BOARDS,
    KEY_WAIT,
#define SETTING_KEY(kind, option, ...) KEY_##option,
#define OPTION_KEY(identifier, ...)    KEY_##identifier,
    MPJ_SETTINGS_ALL(SETTING_KEY) RUN_HANDED_ON(OPTION_KEY)
};

void batch_require(struct argp_state *state, int result, const struct mpj_err *err)
{
    if (result != MPJ_E_OK)
        argp_error(state, "%s", err->text);
}

static error_t parse_engine(int key, char *arg, struct argp_state *state)
{
    struct run_engine *const e = state->input;
    struct mpj_err err;

    switch (key) {
    case KEY_ENGINE:
        batch_require(state, run_engine_find(&e->kind, arg, &err), &err);
        return 0;
    case KEY_TASK:
        e->task_s = cli_number(state, "--task", arg, RUN_ENGINE_TASK_S_MIN, RUN_ENGINE_TASK_S_MAX);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option engine_options[] = {
    {"engine", KEY_ENGINE, "NAME", 0,
     "Where runs are executed: local (default), slurm, parallel. See `mpjoule help tune`", 0},
    {"task", KEY_TASK, "S", 0,
     "Seconds of work in a task of another engine (default 60); smaller batches run locally", 0},
    {0},
};
const struct argp batch_engine_argp = {.options = engine_options, .parser = parse_engine};

#define HAND_ON(key, name)                                                                         \
    case key:                                                                                      \
        batch_require(state, o->put(o->ctx, name, arg, &err), &err);                               \
        return 0;
#define SETTING(kind, option, field, since, name, ...) HAND_ON(KEY_##option, name)
#define OPTION(identifier, name, argument)             HAND_ON(KEY_##identifier, name)

static error_t parse(int key, char *arg, struct argp_state *state)
{
    const struct batch_options *const o = state->input;
    struct mpj_err err;

    switch (key) {
        MPJ_SETTINGS_ALL(SETTING)
        RUN_HANDED_ON(OPTION)
    case ARGP_KEY_INIT:
        state->child_inputs[0] = o->engine;
        return 0;
    case 'j':
        o->engine->jobs = (unsigned)cli_whole(state, "--jobs", arg, 1, CLI_JOBS_MAX);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

#define SETTING_ROW(kind, option, field, since, name, ...)                                         \
    {name, KEY_##option, CLI_SETTING_##kind, 0, NULL, 1},
#define OPTION_ROW(identifier, name, argument) {name, KEY_##identifier, argument, 0, NULL, 1},

static const struct argp_option options[] = {
    {"jobs", 'j', "N", 0, "Runs at a time on this machine (default: its processors)", 0},
    {NULL, 0, NULL, 0, "Options of `mpjoule run`:", 1},
    MPJ_SETTINGS_ALL(SETTING_ROW) RUN_HANDED_ON(OPTION_ROW) /* --sample-ms, ... */
    {0},
};
static const struct argp_child children[] = {{&batch_engine_argp, 0, NULL, 0}, {0}};
const struct argp batch_argp = {.options = options, .parser = parse, .children = children};

static error_t parse_board(int key, char *arg, struct argp_state *state)
{
    const struct batch_options *const o = state->input;
    const char *const name = key == KEY_TARGET ? "target" : key == KEY_BOARDS ? "boards" : "wait";
    struct mpj_err err;

    switch (key) {
    case KEY_WAIT:
        cli_whole(state, "--wait", arg, 0, CLI_WAIT_MAX);
        /* fall through */
    case KEY_TARGET:
    case KEY_BOARDS:
        batch_require(state, o->put(o->ctx, name, arg, &err), &err);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option board_options[] = {
    {"target", KEY_TARGET, "NAME", 0,
     "A board instead of the emulator; any:TAG: all free boards with that tag share the runs; "
     "A,B,C: those of these that are free",
     0},
    {"boards", KEY_BOARDS, "FILE", 0, "List of boards", 0},
    {"wait", KEY_WAIT, "S", 0, "Wait up to S seconds for a busy board (default 0)", 0},
    {0},
};
const struct argp batch_board_argp = {.options = board_options, .parser = parse_board};

/* ---- while it runs ------------------------------------------------------------------- */

double batch_duration(double s, const char **unit)
{
    const bool minutes = s >= 90;

    *unit = minutes ? "min" : "s";
    return minutes ? s / 60 : s;
}

void batch_progress(unsigned done, unsigned todo, unsigned running, double left_s)
{
    const char *unit;
    const double left = batch_duration(left_s, &unit);

    if (!cli_shows_progress())
        return;
    if (left_s < 0)
        cli_live_line("%u of %u done, %u under way", done, todo, running);
    else
        cli_live_line("%u of %u done, %u under way, %.0f %s left", done, todo, running, left, unit);
}

void batch_note(const char *text)
{
    cli_live_clear();
    if (!cli_quiet())
        fprintf(stderr, "mpjoule: %s\n", text);
}

int batch_main(const struct batch_command *c, int argc, char **argv)
{
    struct mpj_err err;
    int result;

    cli_arguments(c->argp, argc, argv, c->name, c->input);
    result = c->collect(c->input, &err);
    if (result == MPJ_E_OK)
        result = cli_files_check(c->files, &err);
    if (result == MPJ_E_OK)
        result = c->run(c->input, &err);
    cli_live_clear();
    if (result == MPJ_E_OK)
        result = c->show(c->input, &err);
    c->release(c->input);
    cli_files_free(c->files);
    return result == MPJ_E_OK ? 0 : cli_fail(&err);
}
