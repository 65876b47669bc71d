/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mpjoule diff: what changed from one run to another. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assume.h"
#include "cli.h"
#include "cli_options.h"
#include "commands.h"
#include "diff_assume.h"
#include "log/log.h"
#include "report/diff.h"
#include "report/report.h"

enum { OPT_SORT = 256, OPT_TOP, OPT_ASSUMPTIONS, OPT_SVG };

struct options {
    const char *file[2];
    const char *format; /* NULL: the default */
    mpj_diff_put *put;
    const char *sort;
    int top;
    bool assumptions;
    const char *svg; /* drawing of the conclusions; NULL: none */
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *const o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->err_stream = cli_usage_stream();
        return 0;
    case 'f':
        o->format = arg;
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
    case OPT_ASSUMPTIONS:
        o->assumptions = true;
        return 0;
    case OPT_SVG:
        o->svg = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 1)
            argp_error(state, "too many arguments: expected two runs, A.mpj B.mpj");
        o->file[state->arg_num] = arg;
        return 0;
    case ARGP_KEY_END:
        if (o->file[1] == NULL)
            argp_error(state, "expected two runs: A.mpj B.mpj");
        if (o->assumptions && o->format != NULL && strcmp(o->format, "text") != 0 &&
            strcmp(o->format, "json") != 0)
            argp_error(state, "--assumptions writes text or json; not \"%s\"", o->format);
        if (o->svg != NULL && !o->assumptions)
            argp_error(state, "--svg draws the conclusions of --assumptions");
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

    for (int i = 0; i < 2; i++)
        (void)cli_program_find(&elf[i], run[i], o->file[i], err); /* or without */
    result = mpj_diff_blame(d, run, (const char *const[]){source[0].file, source[1].file},
                            (const char *const[]){elf[0], elf[1]}, err);
    free(elf[0]);
    free(elf[1]);
    return result;
}

/* Compares; the result is written, or added to the conclusions of a calibration. */
static int show(const struct options *o, struct conclusions *conclusions, unsigned member,
                struct mpj_err *err)
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
    if (result == MPJ_E_OK && conclusions != NULL) {
        diff_conclude(conclusions, member, d);
    } else if (result == MPJ_E_OK) {
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

/* Compares the runs of one calibration. */
static int show_member(const struct options *o, struct conclusions *s, unsigned member,
                       struct mpj_err *err)
{
    struct options one = *o;
    char *file[2];
    int result;

    for (int i = 0; i < 2; i++)
        one.file[i] = file[i] = assume_file(o->file[i], s->set.name[member], ".mpj");
    result = file[0] != NULL && file[1] != NULL ? show(&one, s, member, err) : mpj_err_nomem(err);
    free(file[0]);
    free(file[1]);
    return result;
}

static int show_all(const struct options *o, struct mpj_err *err)
{
    struct conclusions s = {.n = 0};
    int result = conclude_begin(&s, err);

    for (unsigned m = 0; m < s.set.names && result == MPJ_E_OK; m++)
        result = show_member(o, &s, m, err);
    if (result == MPJ_E_OK && !cli_is_stdout(o->svg))
        result = diff_conclusions(&s, o->file, o->put == mpj_diff_format("json"), err);
    result = cli_output(result, o->svg, conclude_draw, &s, err);
    conclude_free(&s);
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
        {"assumptions", OPT_ASSUMPTIONS, NULL, 0,
         "Compare two runs of `mpjoule run --assumptions` under each calibration, and show which "
         "changes flip",
         0},
        {"svg", OPT_SVG, "FILE", 0, "Also draw the conclusions of --assumptions (-: stdout)", 0},
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
    return (o.assumptions ? show_all(&o, &err) : show(&o, NULL, 0, &err)) == MPJ_E_OK
               ? 0
               : cli_fail(&err);
}
