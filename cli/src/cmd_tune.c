/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mpjoule tune: the best way to run a program. */
#include <argp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/stop.h"
#include "batch_command.h"
#include "cli.h"
#include "cli_options.h"
#include "commands.h"
#include "conclude.h"
#include "tune_assume.h"
#include "tune_protocol.h"
#include "tune_show.h"

struct tune_options {
    struct run_tune run;
    struct run_engine engine;
    struct batch_options many;
    const char *space;      /* a YAML file; NULL: the options are the space */
    const char *json, *csv; /* files; "-": stdout; NULL: none */
    const char *replay;     /* landscape that is read; NULL: none */
    const char *landscape;  /* file that is written; NULL: none */
    const char *svg;        /* drawing; NULL: none */
    bool all, why, assumptions;
    struct conclusions conclusions;
    struct cli_files files;
};

enum key {
    KEY_CORES = 256,
    KEY_ENV,
    KEY_AXIS,
    KEY_CHIP,
    KEY_CONSTRAINT,
    KEY_CAP,
    KEY_STRATEGY,
    KEY_JSON,
    KEY_CSV,
    KEY_SVG,
    KEY_ALL,
    KEY_KEEP,
    KEY_WHY,
    KEY_STOP,
    KEY_EVALUATIONS,
    KEY_DRAW,
    KEY_WITHIN,
    KEY_LANDSCAPE,
    KEY_REPLAY,
    KEY_ASK,
    KEY_TELL,
    KEY_ASSUMPTIONS,
};

/* Parses NAME=VALUES: an axis; with a list, its value is set there under its name. */
static void axis(struct argp_state *state, const char *option, const char *arg,
                 struct run_tune_list *list)
{
    struct tune_options *const o = state->input;
    const char *const equals = strchr(arg, '=');
    char *const name = strndup(arg, equals != NULL ? (size_t)(equals - arg) : 0);
    char place[128];
    struct mpj_err err;

    if (equals == NULL || name == NULL)
        argp_error(state, "%s takes NAME=A..B or NAME=A,B,C, not \"%s\"", option, arg);
    batch_require(state, run_tune_axis(&o->run, name, equals + 1, &err), &err);
    snprintf(place, sizeof(place), "{%s}", name);
    if (list != NULL)
        batch_require(state, run_tune_put(list, name, place, &err), &err);
    free(name);
}

static void cores(struct argp_state *state, const char *arg)
{
    struct tune_options *const o = state->input;
    struct mpj_err err;

    batch_require(state, run_tune_axis(&o->run, "cores", arg, &err), &err);
    batch_require(state, run_tune_put(&o->run.option, "cores", "{cores}", &err), &err);
}

static void word(struct argp_state *state, char *arg)
{
    struct tune_options *const o = state->input;
    const size_t len = strlen(arg);
    struct mpj_err err;

    if (o->space == NULL && o->run.program == NULL && len > 5 &&
        strcmp(arg + len - 5, ".yaml") == 0) {
        o->space = arg;
        batch_require(state, run_tune_read(&o->run, arg, &err), &err);
    } else if (o->space != NULL) {
        argp_error(state, "write arguments into %s, not on the command line: \"%s\"", o->space,
                   arg);
    } else if (o->run.program == NULL) {
        o->run.program = strdup(arg);
    } else {
        batch_require(state, run_tune_put(&o->run.argument, NULL, arg, &err), &err);
    }
}

static void strategy(struct argp_state *state, const char *arg)
{
    struct tune_options *const o = state->input;
    char all[400] = "";
    const char *name;

    for (unsigned n = 0; (name = run_tune_strategy_name(n, NULL)) != NULL; n++) {
        if (strcmp(name, arg) == 0)
            o->run.strategy = arg;
        snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s", n > 0 ? ", " : "", name);
    }
    if (strcmp(o->run.strategy, arg) != 0)
        argp_error(state, "unknown strategy \"%s\"; expected one of: %s", arg, all);
}

/* Checks the options against --assumptions: each member is a calibration, and the points are
 * measured here. */
static void check_assumptions(struct argp_state *state)
{
    const struct tune_options *const o = state->input;

    if (!o->assumptions)
        return;
    for (unsigned i = 0; i < o->run.option.n; i++) {
        if (strcmp(o->run.option.at[i].name, "calibration") == 0)
            argp_error(state,
                       "--assumptions cannot be combined with --calibration: it names several");
    }
    if (o->replay != NULL || o->landscape != NULL || o->run.talk != RUN_TUNE_ALONE)
        argp_error(state, "--assumptions measures its points itself: omit --replay, --landscape, "
                          "--ask and --tell");
}

/* Checks the options at their end: a landscape is a space of its own. */
static void end(struct argp_state *state)
{
    struct tune_options *const o = state->input;
    struct run_tune *const t = &o->run;
    struct mpj_err err;

    check_assumptions(state);
    if (o->replay == NULL) {
        if (t->program == NULL && o->space == NULL && t->talk != RUN_TUNE_ASK)
            argp_error(state, "no space given: pass SPACE.yaml, or an ELF file and what varies");
        return;
    }
    if (o->space != NULL || t->program != NULL || t->axes > 0 || t->stop || t->talk == RUN_TUNE_ASK)
        argp_error(state, "--replay uses the space of its landscape and runs nothing: omit "
                          "program, axes, --stop and --ask");
    batch_require(state, run_tune_landscape_read(t, o->replay, &err), &err);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct tune_options *const o = state->input;
    struct run_tune *const t = &o->run;
    struct mpj_err err;

    switch (key) {
    case ARGP_KEY_INIT:
        state->err_stream = cli_usage_stream();
        state->child_inputs[0] = &o->many;
        state->child_inputs[1] = &o->many;
        return 0;
    case KEY_CORES:
        cores(state, arg);
        return 0;
    case KEY_ENV:
        axis(state, "--env", arg, &t->environment);
        return 0;
    case KEY_AXIS:
        axis(state, "--axis", arg, NULL);
        return 0;
    case KEY_CHIP:
        axis(state, "--chip", arg, &t->chip);
        return 0;
    case KEY_CONSTRAINT:
        batch_require(state, run_tune_put(&t->constraint, NULL, arg, &err), &err);
        return 0;
    case KEY_CAP:
        batch_require(state, run_tune_put(&t->cap, NULL, arg, &err), &err);
        return 0;
    case 'O':
        batch_require(state, run_tune_put(&t->objective, NULL, arg, &err), &err);
        return 0;
    case KEY_STRATEGY:
        strategy(state, arg);
        return 0;
    case KEY_EVALUATIONS:
        t->most = (unsigned)cli_whole(state, "--evaluations", arg, 1, RUN_TUNE_POINTS_MAX);
        return 0;
    case KEY_WITHIN:
        t->within = cli_number(state, "--within", arg, 0.01, 100) / 100;
        return 0;
    case KEY_DRAW:
        t->draw = cli_whole(state, "--draw", arg, 0, INT64_MAX);
        return 0;
    case KEY_LANDSCAPE:
        o->landscape = arg;
        return 0;
    case KEY_REPLAY:
        o->replay = arg;
        return 0;
    case KEY_ASK:
    case KEY_TELL:
        if (t->talk != RUN_TUNE_ALONE)
            argp_error(state, "--ask and --tell exclude each other: both read stdin");
        t->talk = key == KEY_ASK ? RUN_TUNE_ASK : RUN_TUNE_TELL;
        return 0;
    case KEY_JSON:
        o->json = arg;
        return 0;
    case KEY_CSV:
        o->csv = arg;
        return 0;
    case KEY_SVG:
        o->svg = arg;
        return 0;
    case KEY_ALL:
        o->all = true;
        return 0;
    case KEY_WHY:
        o->why = true;
        return 0;
    case KEY_ASSUMPTIONS:
        o->assumptions = true;
        return 0;
    case KEY_KEEP:
        t->keep = true;
        return 0;
    case KEY_STOP:
        t->stop = true;
        return 0;
    case 'o':
        t->folder = arg;
        return 0;
    case ARGP_KEY_ARG:
        word(state, arg);
        return 0;
    case ARGP_KEY_END:
        end(state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void narrowed(double bound, unsigned evaluations)
{
    if (!cli_shows_progress())
        return;
    if (isfinite(bound))
        cli_live_line("%u points evaluated: the best is at most %.2g %% above the best of all",
                      evaluations, 100 * bound);
    else
        cli_live_line("%u points evaluated", evaluations);
}

static int show(void *input, struct mpj_err *err)
{
    const struct tune_options *const o = input;
    const struct tune_files files = {.json = o->json,
                                     .csv = o->csv,
                                     .svg = o->svg,
                                     .landscape = o->landscape,
                                     .conclusions = o->assumptions ? &o->conclusions : NULL};

    if (o->run.ended && o->run.evaluations > 0)
        cli_note("stdin ended: %u of %u points were answered", o->run.evaluations, o->run.points);
    return tune_show(&o->run, o->all, o->why, &files, err);
}

static int collect(void *input, struct mpj_err *err)
{
    struct tune_options *const o = input;
    const struct run_inputs reads = cli_files_inputs(&o->files);

    cli_file(&o->files, o->run.talk != RUN_TUNE_ALONE ? "-" : NULL, CLI_WRITTEN);
    cli_file(&o->files, o->json, CLI_WRITTEN);
    cli_file(&o->files, o->csv, CLI_WRITTEN);
    cli_file(&o->files, o->landscape, CLI_WRITTEN);
    cli_file(&o->files, o->svg, CLI_WRITTEN);
    cli_file(&o->files, o->run.folder, CLI_MADE | CLI_FOLDER);
    cli_file(&o->files, o->space, CLI_READ);
    cli_file(&o->files, o->replay, CLI_READ);
    return run_inputs_tune(&reads, &o->run, err);
}

static int run(void *input, struct mpj_err *err)
{
    struct tune_options *const o = input;
    struct mpj_err ignored; /* the reason of the end is reported */

    o->run.jobs = o->engine.jobs;
    if (o->assumptions)
        return tune_assume(&o->run, &o->conclusions, err);
    if (o->run.talk == RUN_TUNE_ASK)
        mpj_pipe_ignore(); /* a reader that has gone must not lose the results */
    if (run_tune(&o->run, err) == MPJ_E_OK)
        return MPJ_E_OK;
    if (o->run.talk == RUN_TUNE_ASK && o->run.evaluations > 0)
        show(o, &ignored);
    return err->code;
}

static void release(void *input)
{
    struct tune_options *const o = input;

    run_tune_free(&o->run);
    conclude_free(&o->conclusions);
}

int cmd_tune(int argc, char **argv)
{
    static char name[] = "mpjoule tune"; /* what argp calls us */
    static const struct argp_option known[] = {
        {"cores", KEY_CORES, "A..B", 0, "Axis: cores in use, a range or a list (1..4; 1,2,4)", 0},
        {"env", KEY_ENV, "NAME=A..B", 0, "Axis: an environment variable; repeatable", 0},
        {"axis", KEY_AXIS, "NAME=A..B", 0, "Axis: {NAME} in ARGS is its value; repeatable", 0},
        {"chip", KEY_CHIP, "KEY=A,B", 0, "Axis: a key of the calibration; repeatable", 0},
        {"constraint", KEY_CONSTRAINT, "EXPR", 0,
         "Only points that satisfy this condition; repeatable", 0},
        {"objective", 'O', "EXPR", 0, "Quantity to minimise (default: time and energy); repeatable",
         0},
        {"cap", KEY_CAP, "EXPR", 0, "Condition that results must meet; repeatable", 0},
        {"strategy", KEY_STRATEGY, "NAME", 0,
         "Search strategy: exhaustive (default), or another strategy of `mpjoule help tune`", 0},
        {"evaluations", KEY_EVALUATIONS, "N", 0, "Try at most N points", 0},
        {"within", KEY_WITHIN, "PERCENT", 0,
         "Strategy model: evaluate points until the best one is within this of the best of the "
         "space (default 1)",
         0},
        {"draw", KEY_DRAW, "N", 0, "Seed of the random numbers of a strategy (default 1)", 0},
        {"landscape", KEY_LANDSCAPE, "FILE", 0,
         "Also write all figures of all points as a landscape (compressed: .zst; -: stdout)", 0},
        {"replay", KEY_REPLAY, "FILE", 0,
         "Take the space and its points from a landscape; nothing is run", 0},
        {"ask", KEY_ASK, NULL, 0,
         "Another program measures the points: JSON lines on stdout, answers on stdin", 0},
        {"tell", KEY_TELL, NULL, 0, "Another program chooses the points: JSON lines on stdin", 0},
        {"stop", KEY_STOP, NULL, 0,
         "End a run as soon as a measured point is better in time and energy, or a cap is exceeded",
         0},
        {"output", 'o', "FOLDER", 0, "Folder of the points (default tune); finished ones are kept",
         0},
        {"json", KEY_JSON, "FILE", 0, "Also write all points as JSON (-: instead of the table)", 0},
        {"csv", KEY_CSV, "FILE", 0, "Also write all points as CSV (-: instead of the table)", 0},
        {"svg", KEY_SVG, "FILE", 0, "Also draw all points by the first two objectives (-: stdout)",
         0},
        {"all", KEY_ALL, NULL, 0, "Show every point, not only the Pareto front", 0},
        {"why", KEY_WHY, NULL, 0, "Also explain why neighbouring points are worse", 0},
        {"assumptions", KEY_ASSUMPTIONS, NULL, 0,
         "Tune under each calibration that agrees with what is published, and show which of the "
         "best points flip (--svg draws that)",
         0},
        {"keep", KEY_KEEP, NULL, 0, "Keep store, raw log and output of each point", 0},
        {0},
    };
    static const struct argp_child common[] = {
        {&batch_argp, 0, NULL, 0}, {&batch_board_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {.options = known,
                                     .parser = parse,
                                     .children = common,
                                     .args_doc = "SPACE.yaml|app.elf [-- ARGS]",
                                     .doc = "Find the best configuration of a program. See "
                                            "`mpjoule help tune`."};
    static struct tune_options o = {.run = {.folder = "tune",
                                            .strategy = "exhaustive",
                                            .draw = 1,
                                            .engine = &o.engine,
                                            .progress = batch_progress,
                                            .narrowed = narrowed,
                                            .ask = tune_ask,
                                            .next = tune_next,
                                            .told = tune_tell},
                                    .engine = {.note = batch_note},
                                    .many = {&o.engine, tune_pass_option, &o.run}};
    static const struct batch_command c = {name, &argp, &o, &o.files, collect, run, show, release};

    return batch_main(&c, argc, argv);
}
