/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mpjoule binfmt: the kernel runs images of the target by their paths. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"
#include "commands.h"
#include "project/binfmt.h"

enum key { KEY_REMOVE = 256, KEY_STATUS };

static error_t parse(int key, char *arg, struct argp_state *state)
{
    int *const wanted = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->err_stream = cli_usage_stream();
        return 0;
    case KEY_REMOVE:
    case KEY_STATUS:
        if (*wanted != 0 && *wanted != key)
            argp_error(state, "--remove and --status exclude each other");
        *wanted = key;
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "unexpected argument \"%s\"", arg);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int status(struct mpj_err *err)
{
    struct run_binfmt b;

    if (run_binfmt_status(&b, err) != MPJ_E_OK)
        return cli_fail(err);
    if (!cli_quiet())
        printf("%s%s\n", b.registered ? "registered: " : "not registered",
               b.interpreter != NULL ? b.interpreter : "");
    free(b.interpreter);
    return b.registered ? 0 : 1;
}

int cmd_binfmt(int argc, char **argv)
{
    static char name[] = "mpjoule binfmt"; /* what argp calls us */
    static const struct argp_option known[] = {
        {"remove", KEY_REMOVE, NULL, 0, "Remove the handler", 0},
        {"status", KEY_STATUS, NULL, 0, "Print whether it is registered; exit status 1 if not", 0},
        {0}};
    static const struct argp argp = {
        .options = known,
        .parser = parse,
        .doc = "Let the kernel run programs of the target by their paths. See `mpjoule help "
               "binfmt`."};
    struct mpj_err err;
    int wanted = 0;

    cli_arguments(&argp, argc, argv, name, &wanted);
    if (wanted == KEY_STATUS)
        return status(&err);
    if ((wanted == KEY_REMOVE ? run_binfmt_remove(&err) : run_binfmt_register(&err)) != MPJ_E_OK)
        return cli_fail(&err);
    return 0;
}
