/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mpjoule diff: what changed from one run to another. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli.h"
#include "cli_options.h"
#include "commands.h"
#include "log/log.h"
#include "report/diff.h"
#include "report/report.h"

enum { OPT_SORT = 256, OPT_TOP };

struct options {
    const char *file[2];
    mpj_diff_put *put;
    const char *sort;
    int top;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *const o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->err_stream = cli_usage_stream();
        return 0;
    case 'f':
        o->put = mpj_diff_format(arg);
        if (o->put == NULL)
            argp_error(state, "--format must be one of " MPJ_DIFF_FORMATS "; not \"%s\"", arg);
        return 0;
    case OPT_SORT:
        o->sort = arg;
        return 0;
    case OPT_TOP:
        o->top = (int)cli_whole(state, "--top", arg, 0, 1000000000);
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 1)
            argp_error(state, "too many arguments: expected two runs, A.mpj B.mpj");
        o->file[state->arg_num] = arg;
        return 0;
    case ARGP_KEY_END:
        if (o->file[1] == NULL)
            argp_error(state, "expected two runs: A.mpj B.mpj");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int load(struct mpj_run **out, struct cli_source *source, const char *name,
                struct mpj_err *err)
{
    if (access(name, R_OK) != 0)
        return mpj_err_errno(err, "cannot open %s", name);
    if (cli_source_open(source, name, err) != MPJ_E_OK)
        return err->code;
    if (mpj_log_is(source->file))
        return mpj_err_set(err, MPJ_E_USAGE, "%s is a %s: expected the run's store (.mpj)", name,
                           source->taken != NULL ? "recording's page" : "raw log");
    if (mpj_run_load(out, source->file, err) != MPJ_E_OK)
        return err->code;
    return cli_model_apply(*out, NULL, err);
}

/* Finds the causes, with the calls of inlined functions if the programs are at hand. */
static int blame(struct mpj_diff *d, const struct options *o, struct mpj_run *const run[2],
                 const struct cli_source source[2], struct mpj_err *err)
{
    char *elf[2];
    int result;

    for (int i = 0; i < 2; i++) {
        elf[i] = cli_program_find(o->file[i], run[i]->program);
        if (elf[i] != NULL && cli_program_check(run[i], elf[i], err) != MPJ_E_OK) {
            free(elf[i]); /* another build: without */
            elf[i] = NULL;
        }
    }
    result = mpj_diff_blame(d, run, (const char *const[]){source[0].file, source[1].file},
                            (const char *const[]){elf[0], elf[1]}, err);
    free(elf[0]);
    free(elf[1]);
    return result;
}

static int show(const struct options *o, struct mpj_err *err)
{
    struct mpj_run *run[2] = {NULL, NULL};
    struct cli_source source[2] = {{.file = NULL}, {.file = NULL}};
    struct mpj_diff *d = NULL;
    int result;

    cli_busy_begin("reading and comparing");
    result = load(&run[0], &source[0], o->file[0], err);

    if (result == MPJ_E_OK)
        result = load(&run[1], &source[1], o->file[1], err);
    if (result == MPJ_E_OK)
        result = mpj_diff_make(&d, run, (const char *const[]){source[0].file, source[1].file},
                               o->sort, err);
    if (result == MPJ_E_OK)
        result = blame(d, o, run, source, err);
    cli_busy_end();
    if (result == MPJ_E_OK) {
        const struct mpj_diff_report r = {
            .diff = d, .file = {o->file[0], o->file[1]}, .run = {run[0], run[1]}, .top = o->top};
        result = o->put(&r, stdout, err);
    }
    if (result == MPJ_E_OK && (fflush(stdout) != 0 || ferror(stdout)))
        result = mpj_err_errno(err, "cannot write the difference");
    mpj_diff_free(d);
    for (int i = 0; i < 2; i++) {
        mpj_run_free(run[i]);
        cli_source_close(&source[i]);
    }
    return result;
}

int cmd_diff(int argc, char **argv)
{
    static char name[] = "mpjoule diff"; /* what argp calls us */
    static const struct argp_option known[] = {
        {"format", 'f', "FORMAT", 0, MPJ_DIFF_FORMATS " (default text)", 0},
        {"sort", OPT_SORT, "COST", 0, "Sort by the change of energy (default), time, or an event",
         0},
        {"top", OPT_TOP, "N", 0, "Rows of a table; 0: all", 0},
        {0},
    };
    static const struct argp argp = {.options = known,
                                     .parser = parse,
                                     .args_doc = "A.mpj|A.html B.mpj|B.html",
                                     .doc = "Show what changed from run A to run B. See `mpjoule "
                                            "help diff`."};
    struct mpj_err err;
    struct options o = {.put = mpj_diff_format(MPJ_FORMAT_TEXT), .top = -1};

    cli_arguments(&argp, argc, argv, name, &o);
    return show(&o, &err) == MPJ_E_OK ? 0 : cli_fail(&err);
}
