/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mpjoule model coverage: lists what a campaign's programs do, and what none of them does. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"
#include "cli_options.h"
#include "model_commands.h"
#include "models/coverage.h"

struct coverage_options {
    const char *path;
    double threshold;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct coverage_options *const o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->err_stream = cli_usage_stream();
        return 0;
    case 'r':
        o->threshold = cli_number(state, "--correlation", arg, 0, 1);
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 0)
            argp_error(state, "expected one data set");
        o->path = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int model_coverage(int argc, char **argv)
{
    static char name[] = "mpjoule model coverage";
    static const struct argp_option options[] = {
        {"correlation", 'r', "R", 0,
         "List pairs of events with at least this correlation (default 0.95)", 0},
        {0},
    };
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "[campaign.mpc]",
        .doc = "Show how well a campaign's programs cover the events. See `mpjoule help model`."};
    struct coverage_options o = {"campaign.mpc", 0.95};
    struct mpj_dataset *ds = NULL;
    struct mpj_coverage c = {0};
    struct mpj_err err;
    int result;

    cli_arguments(&argp, argc, argv, name, &o);
    result = mpj_dataset_load(&ds, o.path, &err);
    if (result == MPJ_E_OK)
        result = mpj_coverage_make(&c, ds, &err);
    if (result == MPJ_E_OK)
        result = mpj_coverage_print(&c, o.threshold, stdout, &err);
    mpj_coverage_free(&c);
    mpj_dataset_free(ds);
    return result == MPJ_E_OK ? 0 : cli_fail(&err);
}
