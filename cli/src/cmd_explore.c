/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mpjoule explore: the best chip for a program. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch_command.h"
#include "cli.h"
#include "cli_options.h"
#include "commands.h"
#include "conclude.h"
#include "explore_show.h"
#include "tune_assume.h"
#include "tune_show.h"

struct explore_options {
    struct run_explore run;
    struct explore_files out;
    bool all, assumptions;
    struct conclusions conclusions;
    struct run_engine engine;
    struct batch_options many;
    struct cli_files files;
};

enum key {
    KEY_CHIP = 256,
    KEY_CORES,
    KEY_CONSTRAINT,
    KEY_ENV,
    KEY_LAWS,
    KEY_WITHIN,
    KEY_VARY,
    KEY_NO_RERUN,
    KEY_JSON,
    KEY_CSV,
    KEY_SVG,
    KEY_ALL,
    KEY_ASSUMPTIONS,
};

/* Splits NAME=TEXT: returns the text, and copies the name into `name`. */
static const char *assigned(struct argp_state *state, const char *option, const char *form,
                            const char *arg, char name[64])
{
    const char *const equals = strchr(arg, '=');

    if (equals == NULL || equals == arg || equals - arg > 63) {
        argp_error(state, "%s takes %s, not \"%s\"", option, form, arg);
        return "";
    }
    snprintf(name, 64, "%.*s", (int)(equals - arg), arg);
    return equals + 1;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct explore_options *const o = state->input;
    struct run_tune *const t = &o->run.tune;
    struct mpj_err err;
    char name[64];
    const char *text;

    switch (key) {
    case ARGP_KEY_INIT:
        state->err_stream = cli_usage_stream();
        state->child_inputs[0] = &o->many;
        return 0;
    case KEY_CHIP:
        text = assigned(state, "--chip", "KEY=A,B,C", arg, name);
        batch_require(state, run_explore_axis(&o->run, name, text, &err), &err);
        return 0;
    case KEY_CORES:
        batch_require(state, run_explore_axis(&o->run, "cores", arg, &err), &err);
        return 0;
    case KEY_CONSTRAINT:
        batch_require(state, run_tune_put(&t->constraint, NULL, arg, &err), &err);
        return 0;
    case KEY_ENV:
        text = assigned(state, "--env", "NAME=TEXT", arg, name);
        batch_require(state, run_tune_put(&t->environment, name, text, &err), &err);
        return 0;
    case KEY_LAWS:
        o->run.laws = arg;
        return 0;
    case KEY_WITHIN:
        o->run.within = cli_number(state, "--within", arg, 0, 1000) / 100;
        return 0;
    case KEY_VARY:
        o->run.vary = cli_number(state, "--vary", arg, 0, 90) / 100;
        return 0;
    case KEY_NO_RERUN:
        o->run.no_rerun = true;
        return 0;
    case KEY_JSON:
        o->out.json = arg;
        return 0;
    case KEY_CSV:
        o->out.csv = arg;
        return 0;
    case KEY_SVG:
        o->out.svg = arg;
        return 0;
    case KEY_ASSUMPTIONS:
        o->assumptions = true;
        return 0;
    case KEY_ALL:
        o->all = true;
        return 0;
    case 'o':
        t->folder = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (t->program != NULL)
            batch_require(state, run_tune_put(&t->argument, NULL, arg, &err), &err);
        else
            t->program = strdup(arg);
        return 0;
    case ARGP_KEY_END:
        if (t->program == NULL)
            argp_error(state, "no program given: pass an ELF file");
        if (t->axes == 0)
            argp_error(state, "nothing varies: pass --chip KEY=A,B or --cores A..B");
        for (unsigned i = 0; o->assumptions && i < t->option.n; i++) {
            if (strcmp(t->option.at[i].name, "calibration") == 0)
                argp_error(state,
                           "--assumptions cannot be combined with --calibration: it names several");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int collect(void *input, struct mpj_err *err)
{
    struct explore_options *const o = input;
    const struct run_inputs reads = cli_files_inputs(&o->files);

    cli_file(&o->files, o->out.json, CLI_WRITTEN);
    cli_file(&o->files, o->out.csv, CLI_WRITTEN);
    cli_file(&o->files, o->out.svg, CLI_WRITTEN);
    cli_file(&o->files, o->run.tune.folder, CLI_MADE | CLI_FOLDER);
    return run_inputs_explore(&reads, &o->run, err);
}

static int run(void *input, struct mpj_err *err)
{
    struct explore_options *const o = input;

    o->run.tune.jobs = o->engine.jobs;
    return o->assumptions ? explore_assume(&o->run, &o->conclusions, err)
                          : run_explore(&o->run, err);
}

static int show(void *input, struct mpj_err *err)
{
    struct explore_options *const o = input;

    o->out.conclusions = o->assumptions ? &o->conclusions : NULL;
    return explore_show(&o->run, o->all, &o->out, err);
}

static void release(void *input)
{
    struct explore_options *const o = input;

    run_explore_free(&o->run);
    conclude_free(&o->conclusions);
}

int cmd_explore(int argc, char **argv)
{
    static char name[] = "mpjoule explore"; /* what argp calls us */
    static const struct argp_option known[] = {
        {"chip", KEY_CHIP, "KEY=A,B", 0,
         "Axis: l1_kb, l1d_kb, l1i_kb, l2_kb (0: none), l1d_ways, l1i_ways, l2_ways, clock_mhz, or "
         "a key of the calibration; repeatable",
         0},
        {"cores", KEY_CORES, "A..B", 0, "Axis: number of the chip's cores (1..4; 1,2,4)", 0},
        {"constraint", KEY_CONSTRAINT, "EXPR", 0,
         "Only chips that satisfy this condition; repeatable", 0},
        {"env", KEY_ENV, "NAME=TEXT", 0,
         "Environment variable of the program; {AXIS} is the axis' value, as in ARGS; repeatable",
         0},
        {"laws", KEY_LAWS, "FILE", 0, "Scaling laws, instead of the installed ones", 0},
        {"within", KEY_WITHIN, "PERCENT", 0,
         "Show the smallest chip within PERCENT of the best (default 5)", 0},
        {"vary", KEY_VARY, "PERCENT", 0,
         "Vary each assumption by PERCENT up and down (default 30; 0: none)", 0},
        {"no-rerun", KEY_NO_RERUN, NULL, 0, "Only assumptions that need no further runs", 0},
        {"assumptions", KEY_ASSUMPTIONS, NULL, 0,
         "Explore under each calibration that agrees with what is published, and show which "
         "conclusions flip (--svg draws that)",
         0},
        {"all", KEY_ALL, NULL, 0, "Show every chip, not only the Pareto front", 0},
        {"output", 'o', "FOLDER", 0,
         "Folder of the points (default explore); finished ones are kept", 0},
        {"json", KEY_JSON, "FILE", 0, "Also write everything as JSON (-: instead of the tables)",
         0},
        {"csv", KEY_CSV, "FILE", 0, "Also write all chips as CSV (-: instead of the tables)", 0},
        {"svg", KEY_SVG, "FILE", 0, "Also draw time, energy and area of all chips", 0},
        {0},
    };
    static const struct argp_child common[] = {{&batch_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {.options = known,
                                     .parser = parse,
                                     .children = common,
                                     .args_doc = "app.elf [-- ARGS]",
                                     .doc = "Find the best chip for a program. See `mpjoule help "
                                            "explore`."};
    static struct explore_options o = {
        .run = {.tune = {.folder = "explore", .engine = &o.engine, .progress = batch_progress},
                .within = 0.05,
                .vary = 0.3},
        .engine = {.note = batch_note},
        .many = {&o.engine, tune_pass_option, &o.run.tune}};
    static const struct batch_command c = {name, &argp, &o, &o.files, collect, run, show, release};

    return batch_main(&c, argc, argv);
}
