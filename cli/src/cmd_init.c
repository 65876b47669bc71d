/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mpjoule init: a folder to begin a project in. */
#include <argp.h>
#include <stdio.h>
#include <unistd.h>

#include "cli.h"
#include "commands.h"
#include "gate/gate.h"
#include "project/init.h"

struct options {
    const char *folder;
    bool no_gate;
};

enum key { KEY_NO_GATE = 256 };

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *const o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->err_stream = cli_usage_stream();
        return 0;
    case KEY_NO_GATE:
        o->no_gate = true;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 0)
            argp_error(state, "unexpected \"%s\": expected one folder", arg);
        o->folder = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void show(void *ctx, const char *path, enum run_init_file what)
{
    static const char *const word[] = {[RUN_INIT_MADE] = "made",
                                       [RUN_INIT_SAME] = "there",
                                       [RUN_INIT_KEPT] = "kept",
                                       [RUN_INIT_LEFT] = "left out"};

    (void)ctx;
    if (!cli_quiet())
        printf("%-9s %s\n", word[what], path);
}

/* Measures the baseline of the program that is there now, in the current folder. */
static int first_gate(struct mpj_err *err)
{
    struct run_gate gate = {.update = true};
    int result = run_gate_read(&gate, RUN_GATE_FILE, err);

    if (result == MPJ_E_OK)
        result = run_gate(&gate, err);
    if (result == MPJ_E_OK && gate.result.verdict != MPJ_GATE_OK)
        result = mpj_err_set(
            err, MPJ_E_TARGET,
            "the program could not be measured, so there is no " RUN_GATE_BASELINE
            ": `mpjoule gate --update` prints the reason, `mpjoule doctor` missing dependencies");
    run_gate_free(&gate);
    return result;
}

static int baseline(const struct options *o, const struct run_init *init, struct mpj_err *err)
{
    int result;

    if (chdir(o->folder) != 0)
        return mpj_err_errno(err, "cannot enter the folder %s", o->folder);
    if (access(RUN_GATE_BASELINE, F_OK) == 0) {
        show(NULL, RUN_GATE_BASELINE, RUN_INIT_KEPT);
        return MPJ_E_OK;
    }
    if (!init->gate || o->no_gate) {
        show(NULL, RUN_GATE_BASELINE, RUN_INIT_LEFT);
        return MPJ_E_OK;
    }
    fflush(stdout);
    cli_busy_begin("measuring the program");
    result = first_gate(err);
    cli_busy_end();
    if (result != MPJ_E_OK)
        return result;
    show(NULL, RUN_GATE_BASELINE, RUN_INIT_MADE);
    return MPJ_E_OK;
}

int cmd_init(int argc, char **argv)
{
    static char name[] = "mpjoule init"; /* what argp calls us */
    static const struct argp_option known[] = {
        {"no-gate", KEY_NO_GATE, NULL, 0, "Do not measure the program for a baseline", 0}, {0}};
    static const struct argp argp = {
        .options = known,
        .parser = parse,
        .args_doc = "[FOLDER]",
        .doc = "Create a project: a program, its build, its gate, pipelines. See `mpjoule help "
               "init`."};
    struct options o = {.folder = "."};
    struct run_init init = {.row = show};
    struct mpj_err err;

    cli_arguments(&argp, argc, argv, name, &o);
    if (run_init(&init, o.folder, &err) != MPJ_E_OK || baseline(&o, &init, &err) != MPJ_E_OK)
        return cli_fail(&err);
    if (cli_quiet())
        return 0;
    if (init.gate)
        puts("next: cmake -B build && cmake --build build && mpjoule gate");
    else
        puts("This folder already has a project: for a gate see `mpjoule help gate`");
    return 0;
}
