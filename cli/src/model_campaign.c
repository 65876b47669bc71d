/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mpjoule model campaign, and model generate. */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sha2.h>

#include "campaign.h"
#include "cli.h"
#include "model.h"

enum key {
    KEY_COUNT = 256,
    KEY_GENERATOR_SEED,
    KEY_PROGRAMS,
    KEY_MODEL,
    KEY_ROTATE,
    KEY_CSV,
    KEY_QUIET,
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct campaign *const c = state->input;
    struct options *const o = &c->base.o;
    struct mpj_model m;
    struct mpj_err err;

    switch (key) {
    case ARGP_KEY_INIT:
        state->err_stream = cli_usage_stream();
        state->child_inputs[0] = state->child_inputs[1] = o;
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
        if (cli_model(&m, arg, &err) != MPJ_E_OK)
            argp_error(state, "%s", err.text);
        mpj_model_events(&m, o->wish.want);
        o->events = true;
        return 0;
    case KEY_ROTATE:
        run_rotate(state, o, arg);
        return 0;
    case ARGP_KEY_END:
        run_rotate_end(state, o);
        return 0;
    case KEY_CSV:
        c->csv = arg;
        return 0;
    case KEY_QUIET:
        c->quiet = o->quiet = true;
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
    {"count", KEY_COUNT, "N", 0, "Random programs (default 200)", 0},
    {"generator-seed", KEY_GENERATOR_SEED, "N", 0, "Seed of the programs (default 1)", 0},
    {"programs", KEY_PROGRAMS, "FILE", 0,
     "Given programs instead: lines name|family|program|arguments", 0},
    {"model", KEY_MODEL, "NAME|FILE", 0,
     "Count only what this model needs (default: every event); repeatable", 0},
    {"rotate", KEY_ROTATE, "MS", OPTION_ARG_OPTIONAL,
     "Core events take turns of MS milliseconds within each run (default: the sampling period): "
     "fewer runs, estimates",
     0},
    {"csv", KEY_CSV, "FILE", 0, "Also write the data set as CSV", 0},
    {"quiet", KEY_QUIET, NULL, 0, "No progress, no summary", 0},
    {0},
};

/* ---- the data set ------------------------------------------------------------- */

/* SHA-256 of the program file; of a list, of those of all its programs. */
static void firmware_hash(const struct campaign *c, char out[65])
{
    SHA2_CTX s;

    if (c->list == NULL) {
        memcpy(out, c->program[0].image.sha256, 65);
        return;
    }
    SHA256Init(&s);
    for (unsigned i = 0; i < c->programs; i++)
        SHA256Update(&s, (const uint8_t *)c->program[i].image.sha256, 64);
    SHA256End(&s, out);
}

static int plan(struct campaign *c, struct mpj_err *err)
{
    const struct options *const o = &c->base.o;
    const char *const calibration = run_calibration_name(&c->base);
    char hash[65];
    char number[7][24];
    const uint64_t value[7] = {c->generator_seed, o->seed,     o->quantum,  o->sample_us,
                               c->base.passes,    c->programs, o->rotate_ms};
    const struct {
        const char *key, *value;
    } label[] = {
        {"kind", c->list != NULL ? "list" : "random"},
        {"target", o->target},
        {"calibration", calibration != NULL ? calibration : "unknown"},
        {"firmware_sha256", hash},
        {"version", MPJ_VERSION},
        {"noise_seed", number[1]},
        {"quantum", number[2]},
        {"sample_us", number[3]},
        {"passes", number[4]},
        {"programs", number[5]},
        {"generator_seed", c->list == NULL ? number[0] : NULL},
        {"rotate_ms", o->rotate ? number[6] : NULL},
    };
    const size_t labels = sizeof(label) / sizeof(label[0]);

    firmware_hash(c, hash);
    for (unsigned i = 0; i < 7; i++)
        snprintf(number[i], sizeof(number[i]), "%" PRIu64, value[i]);
    if (mpj_dataset_open(&c->data, c->path, err) != MPJ_E_OK)
        return err->code;
    for (size_t i = 0; i < labels; i++) {
        if (label[i].value != NULL &&
            mpj_dataset_label(c->data, label[i].key, label[i].value, err) != MPJ_E_OK)
            return err->code;
    }
    for (unsigned i = 0; i < c->programs; i++) {
        const struct campaign_program *const p = &c->program[i];
        const struct mpj_dataset_plan row = {p->name, p->family, p->description, p->threads};
        if (mpj_dataset_program(c->data, i, &row, err) != MPJ_E_OK)
            return err->code;
    }
    return mpj_dataset_begin(c->data, err);
}

static int make_folder(struct campaign *c, struct mpj_err *err)
{
    if (asprintf(&c->work, "%s.work", c->path) < 0) {
        c->work = NULL;
        return mpj_err_set(err, MPJ_E_NOMEM, "out of memory");
    }
    if (mkdir(c->work, 0777) != 0 && errno != EEXIST)
        return mpj_err_errno(err, "cannot create %s", c->work);
    return MPJ_E_OK;
}

static int prepare(struct campaign *c, struct mpj_err *err)
{
    struct run *const r = &c->base;

    if (run_find_target(r, err) != MPJ_E_OK)
        return err->code;
    if (r->o.calibration == NULL && !run_on_board(r))
        r->o.calibration = RUN_CALIBRATION;
    if (r->o.calibration != NULL && strcmp(r->o.calibration, RUN_NO_MODEL) == 0)
        return mpj_err_set(err, MPJ_E_USAGE,
                           "a campaign needs a calibration: nothing is measured "
                           "without one");
    r->qemu = cli_path_qemu();
    r->calibration = run_on_board(r) ? NULL : cli_path_calibration(r->o.calibration);
    if (r->qemu == NULL || (!run_on_board(r) && r->calibration == NULL))
        return mpj_err_set(err, MPJ_E_NOMEM, "out of memory");
    if (!run_on_board(r) && access(r->calibration, R_OK) != 0)
        return mpj_err_errno(err, "cannot read the calibration %s", r->calibration);
    if (!r->o.events)
        mpj_wish_all(&r->o.wish);
    r->passes = mpj_plan_passes(&r->o.wish, r->o.rotate);
    if (make_folder(c, err) != MPJ_E_OK || campaign_programs(c, err) != MPJ_E_OK ||
        run_take_target(r, err) != MPJ_E_OK)
        return err->code;
    return plan(c, err);
}

/* ---- its end ------------------------------------------------------------------ */

static int write_csv(const struct mpj_dataset *ds, const char *path, struct mpj_err *err)
{
    FILE *const f = fopen(path, "we");
    int result;

    if (f == NULL)
        return mpj_err_errno(err, "cannot create %s", path);
    result = mpj_dataset_csv(ds, f, err);
    if (fclose(f) != 0 && result == MPJ_E_OK)
        result = mpj_err_errno(err, "cannot write %s", path);
    return result;
}

/* What there is, and what is missing. */
static int sum_up(const struct campaign *c, struct mpj_err *err)
{
    struct mpj_dataset *ds;
    unsigned complete = 0;
    double time = 0.0;
    int result = mpj_dataset_load(&ds, c->path, err);

    if (result != MPJ_E_OK)
        return result;
    for (size_t i = 0; i < ds->programs; i++) {
        complete += ds->program[i].complete;
        time += ds->program[i].time_s;
    }
    if (!c->quiet)
        printf("%s: %u of %zu programs complete, %u passes each, %.3f s of target time a pass\n",
               c->path, complete, ds->programs, ds->passes, time);
    for (size_t i = 0; i < ds->programs && !c->quiet; i++) {
        if (ds->program[i].missing != NULL)
            printf("  %s: %s\n", ds->program[i].name, ds->program[i].missing);
    }
    if (c->csv != NULL)
        result = write_csv(ds, c->csv, err);
    if (result == MPJ_E_OK && complete < ds->programs)
        result = mpj_err_set(err, MPJ_E_PROGRAM, "%zu of %zu programs are incomplete",
                             ds->programs - complete, ds->programs);
    mpj_dataset_free(ds);
    return result;
}

static void release(struct campaign *c)
{
    mpj_dataset_close(c->data);
    campaign_programs_free(c);
    if (c->work != NULL)
        rmdir(c->work); /* stays when it holds what explains a failure */
    free(c->work);
    free(c->base.qemu);
    free(c->base.calibration);
    run_release_target(&c->base);
}

int model_campaign(int argc, char **argv)
{
    static char name[] = "mpjoule model campaign";
    static const struct argp_child common[] = {
        {&run_target_argp, 0, NULL, 0}, {&run_measuring_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        .options = known,
        .parser = parse,
        .children = common,
        .doc = "Measure many programs for an energy model: every event, and power beside it. "
               "See `mpjoule help model`."};
    static struct campaign c = {.path = "campaign.mpc",
                                .count = MPJ_GENERATE_COUNT,
                                .generator_seed = MPJ_GENERATE_SEED,
                                .base.o = {.target = RUN_SIM,
                                           .cores_mask = (1U << MPJ_CORES_MAX) - 1U,
                                           .sample_us = 1000,
                                           .quantum = TILE_QUANTUM_DEFAULT,
                                           .seed = TILE_SEED_DEFAULT,
                                           .timeout_s = 120}};
    struct mpj_err err;
    unsigned failed = 0;
    int result;

    argv[0] = name;
    argp_err_exit_status = CLI_FAILURE;
    argp_parse(&argp, argc, argv, 0, NULL, &c);
    result = prepare(&c, &err);
    if (result == MPJ_E_OK)
        result = campaign_runs(&c, &failed, &err);
    if (result == MPJ_E_OK)
        result = sum_up(&c, &err);
    release(&c);
    return result == MPJ_E_OK ? 0 : cli_fail(&err);
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
        return parse(key, arg, state);
    case ARGP_KEY_ARG:
        argp_error(state, "what is \"%s\"?", arg);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int model_generate(int argc, char **argv)
{
    static char name[] = "mpjoule model generate";
    static const struct argp_option options[] = {
        {"count", KEY_COUNT, "N", 0, "Programs (default 200)", 0},
        {"generator-seed", KEY_GENERATOR_SEED, "N", 0, "Seed (default 1)", 0},
        {0},
    };
    static const struct argp argp = {
        .options = options,
        .parser = parse_generate,
        .doc =
            "Print the random programs of a campaign: name, family, number of threads, arguments "
            "of basis.elf. See `mpjoule help model`."};
    struct campaign c = {.count = MPJ_GENERATE_COUNT, .generator_seed = MPJ_GENERATE_SEED};
    struct mpj_err err;

    argv[0] = name;
    argp_err_exit_status = CLI_FAILURE;
    argp_parse(&argp, argc, argv, 0, NULL, &c);
    for (unsigned i = 0; i < c.count; i++) {
        struct mpj_generated g;
        mpj_generate(&g, c.generator_seed, i, MPJ_CORES_MAX);
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
