/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mpjoule sweep: the same program at several degrees of parallelism, compared. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch_command.h"
#include "cli.h"
#include "cli_options.h"
#include "commands.h"
#include "sweep_show.h"

struct sweep_options {
    struct run_sweep run;
    struct batch_options many;
    struct sweep_files out;
    bool assumptions;
    struct cli_files files;
};

enum key {
    KEY_CORES = 256,
    KEY_ENV,
    KEY_JSON,
    KEY_EVENTS,
    KEY_DIR,
    KEY_ASSUMPTIONS,
    KEY_SVG,
};

static int pass_option(void *ctx, const char *name, const char *value, struct mpj_err *err)
{
    struct run_sweep *const s = ctx;

    if (s->options == RUN_SWEEP_OPTIONS_MAX ||
        asprintf(&s->option[s->options], "--%s=%s", name, value) < 0)
        return mpj_err_set(err, MPJ_E_USAGE, "too many options");
    if (strcmp(name, "stdin") == 0)
        s->input = s->option[s->options] + sizeof("--stdin=") - 1;
    s->options++;
    return MPJ_E_OK;
}

static void assume(struct argp_state *state, struct run_sweep *s)
{
    struct mpj_err err;

    for (unsigned i = 0; i < s->options; i++) {
        if (strncmp(s->option[i], "--calibration=", sizeof("--calibration=") - 1) == 0)
            argp_error(state,
                       "--assumptions cannot be combined with --calibration: it names several");
    }
    if (run_sweep_assume(s, &err) != MPJ_E_OK)
        argp_error(state, "%s", err.text);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct sweep_options *const o = state->input;
    struct run_sweep *const s = &o->run;
    struct mpj_err err;

    switch (key) {
    case ARGP_KEY_INIT:
        state->err_stream = cli_usage_stream();
        state->child_inputs[0] = &o->many;
        state->child_inputs[1] = &o->many;
        return 0;
    case KEY_EVENTS:
        batch_require(state, pass_option(s, "events", arg, &err), &err);
        return 0;
    case KEY_DIR:
        batch_require(state, pass_option(s, "dir", arg, &err), &err);
        return 0;
    case KEY_CORES:
        if (run_sweep_axis(s, NULL, arg, &err) != MPJ_E_OK)
            argp_error(state, "%s", err.text);
        return 0;
    case KEY_ENV:
        if (strchr(arg, '=') == NULL)
            argp_error(state, "--env takes NAME=A..B or NAME=A,B,C, not \"%s\"", arg);
        *strchr(arg, '=') = '\0';
        if (run_sweep_axis(s, arg, arg + strlen(arg) + 1, &err) != MPJ_E_OK)
            argp_error(state, "%s", err.text);
        return 0;
    case KEY_ASSUMPTIONS:
        o->assumptions = true;
        return 0;
    case KEY_JSON:
        o->out.json = arg;
        return 0;
    case KEY_SVG:
        o->out.svg = arg;
        return 0;
    case 'o':
        s->folder = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (s->argc == RUN_SWEEP_ARGS_MAX)
            argp_error(state, "too many arguments");
        s->argv[s->argc++] = arg;
        return 0;
    case ARGP_KEY_END:
        if (s->argc == 0)
            argp_error(state, "no program given: pass an ELF file");
        if (s->axes == 0)
            argp_error(state, "nothing varies: pass --cores 1..4 or --env NAME=1..4");
        if (o->assumptions)
            assume(state, s);
        else if (o->out.svg != NULL)
            argp_error(state, "--svg draws the conclusions of --assumptions");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int collect(void *input, struct mpj_err *err)
{
    struct sweep_options *const o = input;
    const struct run_inputs reads = cli_files_inputs(&o->files);

    cli_file(&o->files, o->out.json, CLI_WRITTEN);
    cli_file(&o->files, o->out.svg, CLI_WRITTEN);
    cli_file(&o->files, o->run.folder, CLI_MADE | CLI_FOLDER);
    return run_inputs_sweep(&reads, &o->run, err);
}

static int run(void *input, struct mpj_err *err)
{
    return run_sweep(&((struct sweep_options *)input)->run, err);
}

static int show(void *input, struct mpj_err *err)
{
    const struct sweep_options *const o = input;

    return sweep_show(&o->run, &o->out, err);
}

static void release(void *input)
{
    run_sweep_free(&((struct sweep_options *)input)->run);
}

int cmd_sweep(int argc, char **argv)
{
    static char name[] = "mpjoule sweep"; /* what argp calls us */
    static const struct argp_option known[] = {
        {"cores", KEY_CORES, "A..B", 0, "Cores in use: a range or a list (1..4; 1,2,4)", 0},
        {"env", KEY_ENV, "NAME=A..B", 0,
         "Environment variable: a range or a list; repeatable, every combination is run", 0},
        {"assumptions", KEY_ASSUMPTIONS, NULL, 0,
         "Repeat the sweep under each calibration that agrees with what is published, and show "
         "which of the best rows flip",
         0},
        {"output", 'o', "FOLDER", 0, "Folder of the runs (default sweep); finished ones are kept",
         0},
        {"json", KEY_JSON, "FILE", 0, "Also write the table as JSON (-: instead of the text)", 0},
        {"svg", KEY_SVG, "FILE", 0, "Also draw the conclusions of --assumptions (-: stdout)", 0},
        {NULL, 0, NULL, 0, "More options of `mpjoule run`:", 2},
        {"events", KEY_EVENTS, "E,E", 0, NULL, 2},
        {"dir", KEY_DIR, "FOLDER", 0, NULL, 2},
        {0},
    };
    static const struct argp_child common[] = {
        {&batch_argp, 0, NULL, 0}, {&batch_board_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        .options = known,
        .parser = parse,
        .children = common,
        .args_doc = "app.elf [-- ARGS]",
        .doc = "Run a program at several degrees of parallelism and compare time and energy. See "
               "`mpjoule help sweep`."};
    static struct sweep_options o = {
        .run = {.folder = "sweep", .engine = {.note = batch_note}, .progress = batch_progress},
        .many = {&o.run.engine, pass_option, &o.run}};
    static const struct batch_command c = {name, &argp, &o, &o.files, collect, run, show, release};

    return batch_main(&c, argc, argv);
}
