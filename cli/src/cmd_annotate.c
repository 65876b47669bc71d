/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mpjoule annotate: what the lines and instructions of a function cost. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "commands.h"
#include "report/annotate.h"

struct options {
    const char *function, *store, *elf;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *const o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->err_stream = cli_usage_stream();
        return 0;
    case 'e':
        o->elf = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 1)
            argp_error(state, "too many arguments: expected FUNCTION and run.mpj");
        *(state->arg_num == 0 ? &o->function : &o->store) = arg;
        return 0;
    case ARGP_KEY_END:
        if (o->store == NULL)
            argp_error(state, "expected FUNCTION and run.mpj");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int annotate(const struct options *o, struct mpj_err *err)
{
    struct mpj_run *run = NULL;
    struct cli_source source;
    char *found = NULL;
    const char *elf = o->elf;
    int result;

    cli_busy_begin("reading the run");
    result = cli_source_open(&source, o->store, err);

    if (result == MPJ_E_OK)
        result = mpj_run_load(&run, source.file, err);
    cli_busy_end();
    if (result == MPJ_E_OK && elf == NULL) {
        result = cli_program_find(&found, run, o->store, err);
        elf = found;
    } else if (result == MPJ_E_OK) {
        result = cli_program_check(run, elf, err);
    }
    if (result == MPJ_E_OK)
        result = mpj_annotate(run, source.file, elf, o->function, stdout, err);
    if (result == MPJ_E_OK && (fflush(stdout) != 0 || ferror(stdout)))
        result = mpj_err_errno(err, "cannot write the report");
    free(found);
    mpj_run_free(run);
    cli_source_close(&source);
    return result;
}

int cmd_annotate(int argc, char **argv)
{
    static char name[] = "mpjoule annotate"; /* what argp calls us */
    static const struct argp_option known[] = {
        {"elf", 'e', "FILE", 0,
         "Program that was run (default: the file of its name, next to the run or in the current "
         "folder, or the path as typed for the run)",
         0},
        {0},
    };
    static const struct argp argp = {
        .options = known,
        .parser = parse,
        .args_doc = "FUNCTION run.mpj|page.html",
        .doc =
            "Show the cost of a function's lines and instructions. See `mpjoule help annotate`."};
    struct mpj_err err;
    struct options o = {0};

    cli_arguments(&argp, argc, argv, name, &o);
    return annotate(&o, &err) == MPJ_E_OK ? 0 : cli_fail(&err);
}
