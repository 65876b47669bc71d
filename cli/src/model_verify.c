/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mpjoule model verify. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli.h"
#include "cli_options.h"
#include "files.h"
#include "model_commands.h"
#include "models/verify.h"

#define MODELS_MAX 8U

struct options {
    const char *arg[MODELS_MAX + 1U]; /* models, then a data set */
    unsigned args;
    const char **run; /* .mpj files in place of a data set */
    size_t runs;
    const char *csv, *svg;
    double idle_mw;
};

enum { KEY_CSV = 256, KEY_SVG, KEY_IDLE };

static bool is_run(const char *path)
{
    const size_t len = strlen(path);

    return len > 4 && strcmp(path + len - 4, ".mpj") == 0;
}

/* True for a data set by its name; a model's has no such ending. */
static bool is_dataset(const char *path)
{
    const size_t len = strlen(path);

    return len > 4 && strcmp(path + len - 4, ".mpc") == 0;
}

/* Refuses a data set in the place of a model: only the last argument may be one. */
static void check_order(const struct options *o, struct argp_state *state)
{
    for (unsigned i = 0; i < o->args; i++) {
        if (!is_dataset(o->arg[i]) || (i > 0 && i + 1U == o->args && o->runs == 0))
            continue;
        if (i == 0)
            argp_error(state, "expected a model before the data set %s", o->arg[i]);
        else if (o->runs > 0)
            argp_error(state, "either runs (.mpj) or one data set, not also %s", o->arg[i]);
        else
            argp_error(state, "one data set at a time: %s and %s", o->arg[i], o->arg[o->args - 1U]);
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *const o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->err_stream = cli_usage_stream();
        return 0;
    case KEY_CSV:
        o->csv = arg;
        return 0;
    case KEY_SVG:
        o->svg = arg;
        return 0;
    case KEY_IDLE:
        o->idle_mw = cli_number(state, "--idle", arg, 0, 1e6);
        if (!(o->idle_mw > 0))
            argp_error(state, "--idle takes milliwatts, not \"%s\"", arg);
        return 0;
    case ARGP_KEY_ARG:
        if (is_run(arg))
            o->run[o->runs++] = arg;
        else if (o->args <= MODELS_MAX)
            o->arg[o->args++] = arg;
        else
            argp_error(state, "more than %u models", MODELS_MAX);
        return 0;
    case ARGP_KEY_END:
        check_order(o, state);
        if (o->args + (o->runs > 0) < 2 || o->args - (o->runs == 0) > MODELS_MAX)
            argp_error(state, "expected a model and a data set, or a model and runs (.mpj)");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Content of the files. */
struct verified {
    const struct mpj_verify *v;
    size_t count;
};

static int put_csv(const void *what, FILE *f, struct mpj_err *err)
{
    const struct verified *const all = what;

    return mpj_verify_csv(all->v, all->count, f, err);
}

static int put_svg(const void *what, FILE *f, struct mpj_err *err)
{
    return mpj_verify_svg(((const struct verified *)what)->v, f, err);
}

static int show(const struct options *o, const struct mpj_verify *v, size_t count,
                struct mpj_err *err)
{
    const struct verified all = {v, count};

    printf("model %s, %zu programs, idle %.2f mW\n\n", v[0].model->name, v[0].rows, v[0].idle_mw);
    mpj_verify_print(&v[0], stdout);
    putchar('\n');
    mpj_verify_compare(v, count, stdout);
    if (fflush(stdout) != 0)
        return mpj_err_errno(err, "cannot write the tables");
    if (o->csv != NULL && mpj_file_write(o->csv, put_csv, &all, err) != MPJ_E_OK)
        return err->code;
    return o->svg != NULL ? mpj_file_write(o->svg, put_svg, &all, err) : MPJ_E_OK;
}

static int check_files(const struct options *o, struct mpj_err *err)
{
    struct cli_files files = {.n = 0};
    int result;

    cli_file(&files, o->csv, CLI_WRITTEN);
    cli_file(&files, o->svg, CLI_WRITTEN);
    for (unsigned i = 0; i < o->args; i++)
        cli_file(&files, o->arg[i], CLI_READ);
    for (size_t i = 0; i < o->runs; i++)
        cli_file(&files, o->run[i], CLI_READ);
    result = cli_files_check(&files, err);
    cli_files_free(&files);
    return result;
}

static int verify(const struct options *o, struct mpj_err *err)
{
    const size_t models = o->args - (o->runs == 0);
    struct mpj_model *const m = calloc(models, sizeof(*m));
    struct mpj_verify v[MODELS_MAX] = {{0}};
    struct mpj_dataset *ds = NULL;
    int result;

    if (m == NULL)
        return mpj_err_nomem(err);
    result = check_files(o, err);
    for (size_t i = 0; i < models && result == MPJ_E_OK; i++)
        result = run_model(&m[i], o->arg[i], err);
    if (result == MPJ_E_OK)
        result = o->runs > 0 ? mpj_dataset_of_runs(&ds, o->run, o->runs,
                                                   m[0].metered ? m[0].meter : NULL, err)
                             : mpj_dataset_load(&ds, o->arg[models], err);
    for (size_t i = 0; i < models && result == MPJ_E_OK; i++)
        result =
            mpj_verify_make(&v[i], &m[i], ds, o->idle_mw > 0 ? o->idle_mw : m[0].constant_mw, err);
    if (result == MPJ_E_OK)
        result = show(o, v, models, err);
    for (size_t i = 0; i < models; i++)
        mpj_verify_free(&v[i]);
    mpj_dataset_free(ds);
    free(m);
    return result;
}

int model_verify(int argc, char **argv)
{
    static char name[] = "mpjoule model verify";
    static const struct argp_option known[] = {
        {"csv", KEY_CSV, "FILE", 0, "Also every program, core and thread as CSV", 0},
        {"svg", KEY_SVG, "FILE", 0, "Also a chart of the first model's errors", 0},
        {"idle", KEY_IDLE, "MW", 0,
         "Idle power, subtracted for the dynamic part (default: the first model's constant)", 0},
        {0},
    };
    static const struct argp argp = {
        .options = known,
        .parser = parse,
        .args_doc = "MODEL [MODEL ...] DATASET|RUN.mpj ...",
        .doc = "Compare models with measurements they were not fitted to, and with the emulator's "
               "truth. See `mpjoule help model`."};
    struct options o = {0};
    struct mpj_err err;
    int result;

    o.run = calloc((size_t)argc + 1U, sizeof(*o.run));
    if (o.run == NULL) {
        mpj_err_nomem(&err);
        return cli_fail(&err);
    }
    cli_arguments(&argp, argc, argv, name, &o);
    result = verify(&o, &err);
    free(o.run);
    return result == MPJ_E_OK ? 0 : cli_fail(&err);
}
