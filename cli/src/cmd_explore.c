/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mpjoule explore: the best chip for a program. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "cli_options.h"
#include "commands.h"
#include "explore_show.h"

struct explore_options {
    struct run_explore run;
    struct explore_files files;
    bool all;
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
    KEY_PASS_ON, /* and everything above: options of `mpjoule run` that are handed on */
};

static const char *const handed_on[] = {"calibration", "quantum", "seed", "timeout", "stdin"};

static void must(struct argp_state *state, int result, const struct mpj_err *err)
{
    if (result != MPJ_E_OK)
        argp_error(state, "%s", err->text);
}

/* NAME=TEXT: the text, and the name into `name`. */
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

    if (key >= KEY_PASS_ON && key < KEY_PASS_ON + (int)(sizeof(handed_on) / sizeof(*handed_on))) {
        must(state, run_tune_put(&t->option, handed_on[key - KEY_PASS_ON], arg, &err), &err);
        return 0;
    }
    switch (key) {
    case ARGP_KEY_INIT:
        state->err_stream = cli_usage_stream();
        return 0;
    case KEY_CHIP:
        text = assigned(state, "--chip", "KEY=A,B,C", arg, name);
        must(state, run_explore_axis(&o->run, name, text, &err), &err);
        return 0;
    case KEY_CORES:
        must(state, run_explore_axis(&o->run, "cores", arg, &err), &err);
        return 0;
    case KEY_CONSTRAINT:
        must(state, run_tune_put(&t->constraint, NULL, arg, &err), &err);
        return 0;
    case KEY_ENV:
        text = assigned(state, "--env", "NAME=TEXT", arg, name);
        must(state, run_tune_put(&t->environment, name, text, &err), &err);
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
        o->files.json = arg;
        return 0;
    case KEY_CSV:
        o->files.csv = arg;
        return 0;
    case KEY_SVG:
        o->files.svg = arg;
        return 0;
    case KEY_ALL:
        o->all = true;
        return 0;
    case 'j':
        t->jobs = (unsigned)cli_whole(state, "--jobs", arg, 1, CLI_JOBS_MAX);
        return 0;
    case 'o':
        t->folder = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (t->program != NULL)
            must(state, run_tune_put(&t->argument, NULL, arg, &err), &err);
        else
            t->program = strdup(arg);
        return 0;
    case ARGP_KEY_END:
        if (t->program == NULL)
            argp_error(state, "no program given: pass an ELF file");
        if (t->axes == 0)
            argp_error(state, "nothing varies: pass --chip KEY=A,B or --cores A..B");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void progress(unsigned done, unsigned todo, unsigned running, double left_s)
{
    if (isatty(STDERR_FILENO) != 1)
        return;
    if (left_s < 0)
        cli_live_line("%u of %u chips done, %u under way", done, todo, running);
    else
        cli_live_line("%u of %u chips done, %u under way, %.0f s left", done, todo, running,
                      left_s);
}

int cmd_explore(int argc, char **argv)
{
    static char name[] = "mpjoule explore"; /* what argp calls us */
    static const struct argp_option known[] = {
        {"chip", KEY_CHIP, "KEY=A,B", 0,
         "Axis: l1_kb, l1d_kb, l1i_kb, l2_kb (0: none), l1d_ways, l1i_ways, l2_ways, clock_mhz, or "
         "a key of the calibration; repeatable",
         0},
        {"cores", KEY_CORES, "A..B", 0, "Axis: cores that the chip has (1..4; 1,2,4)", 0},
        {"constraint", KEY_CONSTRAINT, "EXPR", 0, "Only chips for which it is true; repeatable", 0},
        {"env", KEY_ENV, "NAME=TEXT", 0,
         "Environment of the program; {AXIS} is the axis' value, as in ARGS; repeatable", 0},
        {"laws", KEY_LAWS, "FILE", 0, "Other laws of scaling than those that are shipped", 0},
        {"within", KEY_WITHIN, "PERCENT", 0,
         "Show the smallest chip within so much of the best (default 5)", 0},
        {"vary", KEY_VARY, "PERCENT", 0,
         "Move each assumption by so much either way (default 30; 0: none)", 0},
        {"no-rerun", KEY_NO_RERUN, NULL, 0, "Only assumptions for which nothing is to run again",
         0},
        {"all", KEY_ALL, NULL, 0, "Show every chip, not only the Pareto front", 0},
        {"jobs", 'j', "N", 0, "Runs at a time on this machine (default: its processors)", 0},
        {"output", 'o', "FOLDER", 0,
         "Folder of the points (default explore); finished ones are kept", 0},
        {"json", KEY_JSON, "FILE", 0, "Also write all of it as JSON (-: instead of the tables)", 0},
        {"csv", KEY_CSV, "FILE", 0, "Also write all chips as CSV (-: instead of the tables)", 0},
        {"svg", KEY_SVG, "FILE", 0, "Also draw time, energy and area of all chips", 0},
        {"calibration", KEY_PASS_ON, "NAME", 0, "These are handed on to `mpjoule run`:", 1},
        {"quantum", KEY_PASS_ON + 1, "CYCLES", 0, NULL, 1},
        {"seed", KEY_PASS_ON + 2, "N", 0, NULL, 1},
        {"timeout", KEY_PASS_ON + 3, "S", 0, NULL, 1},
        {"stdin", KEY_PASS_ON + 4, "FILE", 0, NULL, 1},
        {0},
    };
    static const struct argp argp = {.options = known,
                                     .parser = parse,
                                     .args_doc = "app.elf [-- ARGS]",
                                     .doc = "Find the best chip for a program. See `mpjoule help "
                                            "explore`."};
    static struct explore_options o = {
        .run = {.tune = {.folder = "explore", .progress = progress}, .within = 0.05, .vary = 0.3}};
    struct mpj_err err;
    int result;

    argv[0] = name;
    argp_err_exit_status = CLI_FAILURE;
    argp_parse(&argp, argc, argv, 0, NULL, &o);
    result = cli_check_output(o.files.json, &err);
    if (result == MPJ_E_OK)
        result = cli_check_output(o.files.csv, &err);
    if (result == MPJ_E_OK)
        result = cli_check_output(o.files.svg, &err);
    if (result == MPJ_E_OK)
        result = run_explore(&o.run, &err);
    cli_live_clear();
    if (result == MPJ_E_OK)
        result = explore_show(&o.run, o.all, &o.files, &err);
    run_explore_free(&o.run);
    return result == MPJ_E_OK ? 0 : cli_fail(&err);
}
