/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mpjoule model campaign, and model generate. */
#include <argp.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "batch/campaign.h"
#include "batch_command.h"
#include "cli.h"
#include "cli_options.h"
#include "model_commands.h"
#include "models/generate.h"
#include "run/kinds.h"
#include "run/recipe.h"
#include "upload_show.h"

enum key {
    KEY_COUNT = 256,
    KEY_GENERATOR_SEED,
    KEY_PROGRAMS,
    KEY_MODEL,
    KEY_ROTATE,
    KEY_CSV,
    KEY_BOARD,
    KEY_METER,
    KEY_METER_CHANNEL,
};

struct campaign_options {
    struct cli_options cli;
    struct run_campaign run; /* its o is filled from cli.run */
    const char *csv;         /* file; NULL: none */
    char *failed_csv;        /* of an incomplete data set, if csv is a file */
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct campaign_options *const a = state->input;
    struct run_campaign *const c = &a->run;
    struct run_options *const o = &a->cli.run;
    struct mpj_model m;
    struct mpj_err err;

    switch (key) {
    case ARGP_KEY_INIT:
        state->err_stream = cli_usage_stream();
        state->child_inputs[0] = state->child_inputs[1] = &a->cli;
        state->child_inputs[2] = &c->engine;
        return 0;
    case KEY_COUNT:
        c->count = (unsigned)cli_whole(state, "--count", arg, 1, 100000);
        return 0;
    case KEY_GENERATOR_SEED:
        c->generator_seed = cli_whole(state, "--generator-seed", arg, 0, INT64_MAX);
        return 0;
    case KEY_PROGRAMS:
        c->list = arg;
        return 0;
    case KEY_MODEL:
        if (run_model(&m, arg, &err) != MPJ_E_OK)
            argp_error(state, "%s", err.text);
        cli_file(&a->cli.files, arg, CLI_READ);
        mpj_model_events(&m, o->selection.want);
        o->events = true;
        return 0;
    case KEY_ROTATE:
        cli_rotate(state, o, arg);
        return 0;
    case ARGP_KEY_END:
        cli_rotate_end(state, o);
        return 0;
    case KEY_BOARD:
        c->board = arg;
        return 0;
    case KEY_METER:
        o->meter = arg;
        c->meter_channel = c->meter_channel != NULL ? c->meter_channel : "";
        return 0;
    case KEY_METER_CHANNEL:
        c->meter_channel = arg;
        return 0;
    case KEY_CSV:
        a->csv = arg;
        return 0;
    case 'o':
        c->path = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option known[] = {
    {"output", 'o', "FILE", 0, "Data set (default campaign.mpc); an unfinished one is completed",
     0},
    {"count", KEY_COUNT, "N", 0, "Number of random programs (default 200)", 0},
    {"generator-seed", KEY_GENERATOR_SEED, "N", 0, "Seed of the programs (default 1)", 0},
    {"board", KEY_BOARD, "NAME", 0,
     "Kind of board to generate the programs for (default: the target's; `mpjoule boards --kinds`)",
     0},
    {"programs", KEY_PROGRAMS, "FILE", 0,
     "Programs from this file instead of random ones: lines name|family|program|arguments", 0},
    {"model", KEY_MODEL, "NAME|FILE", 0,
     "Count only the events that this model needs (default: every event); repeatable", 0},
    {"rotate", KEY_ROTATE, "MS", OPTION_ARG_OPTIONAL,
     "Multiplex core events within each run, each pair for MS milliseconds (default: the sampling "
     "period): fewer runs, but counts are estimates",
     0},
    {"meter", KEY_METER, "COMMAND", 0,
     "Use the power of this external meter, not the ADC's (`mpjoule help boards`)", 0},
    {"meter-channel", KEY_METER_CHANNEL, "NAME", 0,
     "Channel of that meter, or of the board's (default: the first)", 0},
    {"csv", KEY_CSV, "FILE", 0, "Also write the data set as CSV", 0},
    {0},
};

/* ---- while it runs ------------------------------------------------------------- */

/* State of the display of a campaign. */
struct screen {
    unsigned shown; /* last tenth written, when there is no terminal */
    struct cli_progress upload;
};

static void on_progress(void *ctx, const struct run_campaign_progress *p)
{
    struct screen *const s = ctx;
    const unsigned tenth = p->total > 0 ? p->done * 10U / p->total : 10U;
    const char *unit;
    const double left = batch_duration(p->left_s, &unit);

    if (cli_quiet() || (!cli_shows_progress() && tenth == s->shown))
        return;
    s->shown = tenth;
    if (cli_shows_progress())
        cli_live_line("%u of %u runs, %u failed, %.0f %s left", p->done, p->total, p->failed, left,
                      unit);
    else
        fprintf(stderr, "%u of %u runs, %u failed, %.0f %s left\n", p->done, p->total, p->failed,
                left, unit);
}

static void on_failure(void *ctx, const char *program, unsigned pass, unsigned passes,
                       const struct mpj_err *err)
{
    cli_progress_end(&((struct screen *)ctx)->upload);
    cli_live_clear();
    fprintf(stderr, "mpjoule: %s, pass %u of %u: %s\n", program, pass + 1, passes, err->text);
}

static void on_upload(void *ctx, char phase, uint32_t done, uint32_t total, uint32_t rate)
{
    cli_progress_show(&((struct screen *)ctx)->upload, phase, done, total, rate);
}

/* ---- its end ------------------------------------------------------------------ */

static int put_csv(const void *what, FILE *f, struct mpj_err *err)
{
    return mpj_dataset_csv(what, f, err);
}

/* Prints the contents of the data set, and what is missing; writes the CSV. That of an incomplete
 * one does not replace a whole one. */
static int sum_up(void *input, struct mpj_err *err)
{
    const struct campaign_options *const o = input;
    struct mpj_dataset *ds;
    const char *csv;
    bool whole;
    unsigned complete = 0;
    double time = 0.0;
    int result = mpj_dataset_load(&ds, o->run.path, err);

    if (result != MPJ_E_OK)
        return result;
    for (size_t i = 0; i < ds->programs; i++) {
        complete += ds->program[i].complete;
        time += ds->program[i].time_s;
    }
    if (!cli_quiet())
        printf("%s: %u of %zu programs complete, %u passes each, %.3f s of target time a pass\n",
               o->run.path, complete, ds->programs, ds->passes, time);
    for (size_t i = 0; i < ds->programs && !cli_quiet(); i++) {
        if (ds->program[i].missing != NULL)
            printf("  %s: %s\n", ds->program[i].name, ds->program[i].missing);
    }
    whole = complete == ds->programs;
    csv = whole || o->failed_csv == NULL ? o->csv : o->failed_csv;
    if (csv != NULL)
        result = csv == o->failed_csv ? mpj_file_replace(csv, put_csv, ds, err)
                                      : mpj_file_write(csv, put_csv, ds, err);
    if (result == MPJ_E_OK && !whole) {
        result = mpj_err_set(err, MPJ_E_PROGRAM, "%zu of %zu programs are incomplete",
                             ds->programs - complete, ds->programs);
        if (csv != NULL && csv == o->failed_csv)
            cli_append_kept(err, csv);
    }
    mpj_dataset_free(ds);
    return result;
}

/* Names the CSV of an incomplete data set, unless it goes to a pipe or a device. */
static int name_failed(struct campaign_options *o, struct mpj_err *err)
{
    struct stat st;

    if (o->csv == NULL || cli_is_stdout(o->csv) || (stat(o->csv, &st) == 0 && !S_ISREG(st.st_mode)))
        return MPJ_E_OK;
    o->failed_csv = run_failed_name(o->csv);
    return o->failed_csv != NULL ? MPJ_E_OK : mpj_err_nomem(err);
}

static int collect(void *input, struct mpj_err *err)
{
    struct campaign_options *const o = input;
    struct cli_files *const files = &o->cli.files;

    if (name_failed(o, err) != MPJ_E_OK)
        return err->code;
    o->run.reads = cli_files_inputs(files);
    if (run_name_check(o->run.path, err) != MPJ_E_OK)
        return err->code;
    cli_file(files, o->run.path, CLI_MADE);
    cli_file(files, o->csv, CLI_WRITTEN);
    cli_file(files, o->failed_csv, CLI_MADE | CLI_OWN);
    cli_file(files, o->run.list, CLI_READ);
    return run_inputs_options(&o->run.reads, &o->cli.run, err);
}

static int run(void *input, struct mpj_err *err)
{
    struct campaign_options *const o = input;
    struct screen screen = {.shown = 0};
    const struct run_campaign_watch watch = {
        .progress = on_progress, .failure = on_failure, .upload = on_upload, .ctx = &screen};

    o->run.o = o->cli.run;
    screen.upload.quiet = !cli_shows_progress();
    if (run_campaign_prepare(&o->run, err) != MPJ_E_OK)
        return err->code;
    return run_campaign(&o->run, &watch, err);
}

static void release(void *input)
{
    struct campaign_options *const o = input;

    run_campaign_release(&o->run);
    free(o->failed_csv);
}

int model_campaign(int argc, char **argv)
{
    static char name[] = "mpjoule model campaign";
    static const struct argp_child common[] = {{&cli_target_argp, 0, NULL, 0},
                                               {&cli_measuring_argp, 0, NULL, 0},
                                               {&batch_engine_argp, 0, NULL, 0},
                                               {0}};
    static const struct argp argp = {
        .options = known,
        .parser = parse,
        .children = common,
        .doc = "Measure many programs for an energy model: every event, and power. "
               "See `mpjoule help model`."};
    static struct campaign_options o = {.run = {.path = "campaign.mpc",
                                                .count = MPJ_GENERATE_COUNT,
                                                .generator_seed = MPJ_GENERATE_SEED,
                                                .engine = {.note = batch_note}}};
    static const struct batch_command c = {name,    &argp, &o,     &o.cli.files,
                                           collect, run,   sum_up, release};

    cli_options_init(&o.cli);
    o.cli.run.sample_us = TILE_CAMPAIGN_SAMPLE_US_DEFAULT;
    o.cli.run.timeout_s = 120;
    return batch_main(&c, argc, argv);
}

/* ---- generate ----------------------------------------------------------------- */

static error_t parse_generate(int key, char *arg, struct argp_state *state)
{
    switch (key) {
    case ARGP_KEY_INIT:
        state->err_stream = cli_usage_stream();
        return 0;
    case KEY_COUNT:
    case KEY_GENERATOR_SEED:
    case KEY_BOARD:
        return parse(key, arg, state);
    case ARGP_KEY_ARG:
        argp_error(state, "unexpected argument \"%s\"", arg);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int model_generate(int argc, char **argv)
{
    static char name[] = "mpjoule model generate";
    static const struct argp_option options[] = {
        {"count", KEY_COUNT, "N", 0, "Number of programs (default 200)", 0},
        {"generator-seed", KEY_GENERATOR_SEED, "N", 0, "Seed (default 1)", 0},
        {"board", KEY_BOARD, "NAME", 0, "Kind of board to generate the programs for", 0},
        {0},
    };
    static const struct argp argp = {
        .options = options,
        .parser = parse_generate,
        .doc =
            "Print the random programs of a campaign: name, family, number of threads, arguments "
            "of basis.elf. See `mpjoule help model`."};
    struct campaign_options o = {
        .run = {.count = MPJ_GENERATE_COUNT, .generator_seed = MPJ_GENERATE_SEED}};
    struct tile_machine machine = {.cores = MPJ_CORES_MAX};
    struct mpj_err err;

    cli_arguments(&argp, argc, argv, name, &o);
    if (o.run.board != NULL && run_kind_load(&machine, o.run.board, &err) != MPJ_E_OK)
        return cli_fail(&err);
    for (unsigned i = 0; i < o.run.count; i++) {
        struct mpj_generated g;
        mpj_generate(&g, o.run.generator_seed, i, machine.cores);
        printf("%s|%s|%u|", g.name, g.family, g.threads);
        for (unsigned k = 0; k < g.argc; k++)
            printf("%s%s", k > 0 ? " " : "", g.arg[k]);
        putchar('\n');
    }
    if (fflush(stdout) != 0) {
        mpj_err_errno(&err, "cannot write the programs");
        return cli_fail(&err);
    }
    return 0;
}
