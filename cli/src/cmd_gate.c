/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mpjoule gate: programs against their baseline. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "batch_command.h"
#include "cli.h"
#include "cli_options.h"
#include "commands.h"
#include "files.h"
#include "gate/gate.h"
#include "gate/history.h"

#define OUTPUTS_MAX 16U

enum key {
    KEY_BASELINE = 256,
    KEY_UPDATE,
    KEY_LAYOUTS,
    KEY_RECHECK,
    KEY_REPEAT,
    KEY_TARGET,
    KEY_BOARDS,
    KEY_WAIT,
    KEY_CACHE,
    KEY_CACHE_SIZE,
    KEY_HISTORY,
};

struct output {
    const struct mpj_gate_writer *writer;
    const char *file;
};

struct options {
    struct run_gate gate;
    const char *file, *baseline, *cache, *target, *boards, *history;
    unsigned layouts, repeat;
    const struct mpj_gate_writer *shown; /* on stdout */
    bool asked;                          /* for it: --format */
    struct output output[OUTPUTS_MAX];
    unsigned outputs;
    const char **only;
};

static const struct mpj_gate_writer *writer(struct argp_state *state, const char *name)
{
    struct mpj_err err;
    const struct mpj_gate_writer *const w = mpj_gate_writer_find(name, &err);

    if (w == NULL)
        argp_error(state, "%s", err.text);
    return w;
}

/* Parses FORMAT=FILE. */
static void output(struct argp_state *state, struct options *o, const char *arg)
{
    const char *const equals = strchr(arg, '=');
    char *const name = strndup(arg, equals != NULL ? (size_t)(equals - arg) : 0);

    if (equals == NULL || equals[1] == '\0' || name == NULL)
        argp_error(state, "--output takes FORMAT=FILE, not \"%s\"", arg);
    if (o->outputs == OUTPUTS_MAX)
        argp_error(state, "more than %u outputs", OUTPUTS_MAX);
    o->output[o->outputs++] = (struct output){writer(state, name), equals + 1};
    free(name);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *const o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->err_stream = cli_usage_stream();
        o->only = calloc((size_t)state->argc + 1, sizeof(*o->only));
        return 0;
    case 'c':
        o->file = arg;
        return 0;
    case KEY_BASELINE:
        o->baseline = arg;
        return 0;
    case KEY_UPDATE:
        o->gate.update = true;
        return 0;
    case KEY_LAYOUTS:
        o->layouts = (unsigned)cli_whole(state, "--layouts", arg, 1, RUN_GATE_MOST);
        return 0;
    case KEY_REPEAT:
        o->repeat = (unsigned)cli_whole(state, "--repeat", arg, 1, RUN_GATE_MOST);
        return 0;
    case KEY_RECHECK:
        o->gate.recheck = (unsigned)cli_whole(state, "--recheck", arg, 0, 100);
        return 0;
    case KEY_TARGET:
        o->target = arg;
        return 0;
    case KEY_BOARDS:
        o->boards = arg;
        return 0;
    case KEY_WAIT:
        o->gate.wait_s = (unsigned)cli_whole(state, "--wait", arg, 0, CLI_WAIT_MAX);
        return 0;
    case KEY_CACHE:
        o->cache = arg;
        return 0;
    case KEY_CACHE_SIZE:
        o->gate.cache_mb = (unsigned)cli_whole(state, "--cache-size", arg, 1, 1000000);
        return 0;
    case KEY_HISTORY:
        o->history = arg;
        return 0;
    case 'f':
        o->shown = writer(state, arg);
        o->asked = true;
        return 0;
    case 'o':
        output(state, o, arg);
        return 0;
    case 'j':
        o->gate.jobs = (unsigned)cli_whole(state, "--jobs", arg, 1, CLI_JOBS_MAX);
        return 0;
    case ARGP_KEY_ARG:
        if (o->only != NULL)
            o->only[state->arg_num] = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void progress(unsigned done, unsigned todo)
{
    cli_live_line("%u of %u programs", done, todo);
}

/* Replaces the gate file's value by the command line's, if it has one. */
static int set(char **to, const char *text, struct mpj_err *err)
{
    if (text == NULL)
        return MPJ_E_OK;
    free(*to);
    *to = strdup(text);
    return *to != NULL ? MPJ_E_OK : mpj_err_nomem(err);
}

static int apply(struct options *o, struct mpj_err *err)
{
    struct run_gate *const g = &o->gate;
    /* the emulator by name is the emulator */
    const char *const target =
        o->target != NULL && strcmp(o->target, RUN_EMULATOR) == 0 ? NULL : o->target;

    if (o->layouts > 0)
        g->layouts = o->layouts;
    if (o->repeat > 0 || target == NULL) /* the file's is for boards */
        g->repeat = o->repeat;
    if (target != NULL && o->layouts == 0) /* and its layouts are for the emulator */
        g->layouts = 0;
    g->only = o->only;
    if (set(&g->baseline, o->baseline, err) != MPJ_E_OK ||
        set(&g->folder, o->cache, err) != MPJ_E_OK || set(&g->target, target, err) != MPJ_E_OK)
        return err->code;
    return set(&g->boards, o->boards, err);
}

struct writing {
    const struct mpj_gate_writer *writer;
    const struct mpj_gate_result *result;
};

static int put(const void *what, FILE *f, struct mpj_err *err)
{
    const struct writing *const w = what;

    return w->writer->put(w->result, f, err);
}

/* Returns how many outputs go to stdout, where the table is otherwise. */
static unsigned on_stdout(const struct options *o)
{
    unsigned n = 0;

    for (unsigned i = 0; i < o->outputs; i++)
        n += cli_is_stdout(o->output[i].file);
    return n;
}

/* Writes each output by itself; reports the first failure. */
static int show(const struct options *o, struct mpj_err *err)
{
    struct writing w = {.writer = o->shown, .result = &o->gate.result};
    const bool shows = o->asked || (!cli_quiet() && on_stdout(o) == 0);
    int result = cli_output(MPJ_E_OK, shows ? "-" : NULL, put, &w, err);

    for (unsigned i = 0; i < o->outputs; i++) {
        w.writer = o->output[i].writer;
        result = cli_output(result, o->output[i].file, put, &w, err);
    }
    return result;
}

/* Returns the exit status that git bisect takes as good, bad, skip. */
static int status_of(const struct run_gate *g)
{
    const char *const where = cli_quiet() ? "without -q, the reason is shown" : "reason above";
    struct mpj_err err;

    if (g->result.verdict == MPJ_GATE_OK)
        return 0;
    if (g->update)
        mpj_err_set(&err, MPJ_E_PROGRAM, "the baseline %s is unchanged (%s)", g->baseline, where);
    else if (g->result.verdict == MPJ_GATE_REGRESSION)
        return 1;
    else
        mpj_err_set(&err, MPJ_E_PROGRAM, "not every program could be judged (%s)", where);
    cli_fail(&err);
    return g->result.verdict == MPJ_GATE_REGRESSION ? 1 : CLI_FAILURE;
}

/* Checks that no output is an input or another output. */
static int check_files(const struct options *o, struct mpj_err *err)
{
    const struct run_gate *const g = &o->gate;
    struct cli_files files = {.n = 0};
    const struct run_inputs reads = cli_files_inputs(&files);
    int result;

    cli_file(&files, o->asked ? "-" : NULL, CLI_WRITTEN);
    for (unsigned i = 0; i < o->outputs; i++)
        cli_file(&files, o->output[i].file, CLI_WRITTEN);
    cli_file(&files, g->folder != NULL ? g->folder : RUN_GATE_FOLDER, CLI_MADE);
    if (g->update)
        cli_file(&files, g->baseline != NULL ? g->baseline : RUN_GATE_BASELINE, CLI_MADE);
    if (o->history != NULL)
        cli_file(&files, o->history, CLI_MADE);
    result = run_inputs_gate(&reads, g, err);
    if (result == MPJ_E_OK)
        result = cli_files_check(&files, err);
    cli_files_free(&files);
    return result;
}

static int gate(struct options *o, struct mpj_err *err)
{
    const char *const file = o->file != NULL ? o->file : RUN_GATE_FILE;
    struct mpj_commit commit;
    int result;

    if (run_gate_read(&o->gate, file, err) != MPJ_E_OK || apply(o, err) != MPJ_E_OK ||
        check_files(o, err) != MPJ_E_OK)
        return err->code;
    if (o->history != NULL && mpj_commit_here(&commit, err) != MPJ_E_OK)
        return err->code;
    o->gate.progress = progress;
    o->gate.note = batch_note;
    result = run_gate(&o->gate, err);
    return result == MPJ_E_OK && o->history != NULL
               ? mpj_history_add(o->history, &commit, &o->gate.result, err)
               : result;
}

int cmd_gate(int argc, char **argv)
{
    static char name[] = "mpjoule gate"; /* what argp calls us */
    static const struct argp_option known[] = {
        {"config", 'c', "FILE", 0,
         "Programs to measure, and their limits (default " RUN_GATE_FILE ")", 0},
        {"baseline", KEY_BASELINE, "FILE", 0,
         "Figures to compare with (default " RUN_GATE_BASELINE ")", 0},
        {"update", KEY_UPDATE, NULL, 0, "Write the measured figures to the baseline", 0},
        {"layouts", KEY_LAYOUTS, "K", 0, "Link each program in K layouts and compare medians", 0},
        {"history", KEY_HISTORY, "FOLDER", 0, "Also write the figures of this commit to a history",
         0},
        {"recheck", KEY_RECHECK, "P", 0,
         "Repeat P of 100 cached runs; the results must be identical", 0},
        {"target", KEY_TARGET, "BOARD", 0,
         "A board instead of the emulator; any:TAG: all free boards with that tag; A,B,C: those of "
         "these that are free",
         0},
        {"boards", KEY_BOARDS, "FILE", 0, "List of boards", 0},
        {"wait", KEY_WAIT, "S", 0, "Wait up to S seconds for a busy board (default 0)", 0},
        {"repeat", KEY_REPEAT, "N", 0, "Runs of each program on a board (default 5)", 0},
        {"format", 'f', "FORMAT", 0, "Format on stdout (default table; see -o)", 0},
        {"output", 'o', "FORMAT=FILE", 0,
         "Also write a file: table, markdown, junit, sarif, codequality, openmetrics, json (-: "
         "instead of the table); repeatable",
         0},
        {"cache", KEY_CACHE, "FOLDER", 0, "Cache of runs (default " RUN_GATE_FOLDER ")", 0},
        {"cache-size", KEY_CACHE_SIZE, "MB", 0, "Limit of the cache's size (default 256)", 0},
        {"jobs", 'j', "N", 0, "Runs at a time on this machine (default: its processors)", 0},
        {0},
    };
    static const struct argp argp = {.options = known,
                                     .parser = parse,
                                     .args_doc = "[PROGRAM...]",
                                     .doc = "Compare programs with their baseline. See `mpjoule "
                                            "help gate`."};
    struct mpj_err err;
    static struct options o;
    int result;

    o.shown = mpj_gate_writer_find("table", &err);
    cli_arguments(&argp, argc, argv, name, &o);
    result = gate(&o, &err);
    cli_live_clear();
    if (result == MPJ_E_OK)
        result = show(&o, &err);
    result = result == MPJ_E_OK ? status_of(&o.gate) : cli_fail(&err);
    run_gate_free(&o.gate);
    free(o.only);
    return result;
}
