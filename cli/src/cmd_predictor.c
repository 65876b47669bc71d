/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mpjoule predictor: coefficients of the controller of parallel regions. */
#include <argp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "batch/scaling_runs.h"
#include "cli.h"
#include "cli_options.h"
#include "commands.h"

struct predictor_options {
    struct cli_options cli;
    const char *file, *programs, *csv;
    bool writes; /* file is made, not read */
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct predictor_options *const o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->err_stream = cli_usage_stream();
        state->child_inputs[0] = state->child_inputs[1] = &o->cli;
        return 0;
    case 'o':
        if (!o->writes)
            return ARGP_ERR_UNKNOWN;
        o->file = arg;
        return 0;
    case 'c':
        o->csv = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (!o->writes && o->file == NULL)
            o->file = arg;
        else if (o->programs == NULL)
            o->programs = arg;
        else
            argp_usage(state);
        return 0;
    case ARGP_KEY_END:
        if (o->file == NULL || o->programs == NULL)
            argp_error(state, o->writes ? "train needs a list of programs and --output FILE"
                                        : "verify needs a predictor and a list of programs");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option known[] = {
    {"output", 'o', "FILE", 0, "File of the predictor (train)", 0},
    {"csv", 'c', "FILE", 0, "Also write the measurements of each region as CSV", 0},
    {0},
};

/* ---- while it runs ------------------------------------------------------------------- */

static void on_progress(void *ctx, const char *program, unsigned threads, unsigned run,
                        unsigned runs)
{
    (void)ctx;
    if (cli_quiet())
        return;
    if (cli_shows_progress())
        cli_live_line("%s with %u threads, %u of %u", program, threads, run + 1U, runs);
    else if (threads == MPJ_SCALING_THREADS)
        fprintf(stderr, "%u of %u runs: %s\n", run, runs, program);
}

/* ---- results ------------------------------------------------------------------------- */

static void show_accuracy(const char *of, const struct mpj_scaling_accuracy *a)
{
    printf("Accuracy     %s: %u predictions of the IPC\n", of, a->predictions);
    printf("             mean %.2f %%, median %.2f %%, 10th percentile %.2f %%, minimum %.2f %%\n",
           a->mean, a->median, a->p10, a->least);
    printf("             within 5 %%: %.1f %%, within 10 %%: %.1f %%\n", a->within_5, a->within_10);
    if (!isnan(a->power_mean))
        printf("             power: mean %.2f %%\n", a->power_mean);
}

static void show_line(unsigned test, unsigned to, const double *c, unsigned terms)
{
    printf("%u to %-3u", test, to);
    for (unsigned i = 0; i < terms; i++)
        printf("%11.4g", c[i]);
    putchar('\n');
}

static void show(const struct mpj_scaling *p)
{
    printf("Chip         %s, calibration %s\n", p->chip, p->calibration);
    printf("Made by      mpjoule %s, firmware ABI %u\n", p->version, p->abi);
    printf("Trained on   %u programs with %u regions\n", p->programs, p->regions);
    printf("Counts       %s, %s\n", p->event[0], p->event[1]);
    printf("Knots        IPC %.3g, busy share %.3g, IPC %.3g, IPC %.3g\n", p->knot[0], p->knot[1],
           p->knot[2], p->knot[3]);
    show_accuracy("functions predicted by a fit to other functions", &p->unseen);
    printf("\n%-8s%11s%11s%11s%11s%11s%11s%11s%11s%11s\n", "IPC", "1 / busy", "busy", "slow",
           "stall", "idle", "idle slow", "stall slow", "full", "1");
    for (unsigned test = MPJ_SCALING_THREADS; test >= 2; test--) {
        for (unsigned to = test - 1U; to >= 1; to--)
            show_line(test, to, p->ipc[test - 2U][to - 1U], MPJ_SCALING_TERMS);
    }
    printf("\n%-8s%11s%11s%11s%11s\n", "mW", "rate", "busy", "IPC", "1");
    for (unsigned test = MPJ_SCALING_THREADS; test >= 2; test--) {
        for (unsigned to = test - 1U; to >= 1; to--)
            show_line(test, to, p->power[test - 2U][to - 1U], MPJ_SCALING_POWER);
    }
}

static void show_choice(const struct run_scaling *s, const struct mpj_scaling_choice *choice)
{
    puts("Second event in addition to instr, and the accuracy with it on unseen functions");
    for (unsigned i = 0; i < s->events; i++) {
        if (strcmp(s->name[i], "instr") == 0)
            continue;
        if (isnan(choice[i].accuracy))
            printf("  %-18s  too rare\n", s->name[i]);
        else
            printf("  %-18s%8.2f %%\n", s->name[i], choice[i].accuracy);
    }
    putchar('\n');
}

static int put(const void *what, FILE *f, struct mpj_err *err)
{
    return mpj_scaling_put(what, f, err);
}

static int put_csv(const void *what, FILE *f, struct mpj_err *err)
{
    const struct run_scaling *const s = what;

    (void)err;
    fputs("program,region,threads,s,mw,ipc,busy", f);
    for (unsigned e = 0; e < s->events; e++)
        fprintf(f, ",%s", s->name[e]);
    fputc('\n', f);
    for (size_t i = 0; i < s->regions; i++) {
        const struct mpj_scaling_region *const r = &s->region[i];
        for (unsigned n = 0; n < MPJ_SCALING_THREADS; n++) {
            if (!(r->s[n] > 0))
                continue;
            fprintf(f, "%u,%s,%u,%.9g,", r->program, r->name, n + 1U, r->s[n]);
            if (!isnan(r->mw[n]))
                fprintf(f, "%.9g", r->mw[n]);
            fprintf(f, ",%.9g,%.9g", r->ipc[n], r->busy[n]);
            for (unsigned e = 0; e < s->events; e++)
                fprintf(f, ",%.9g", r->rate[n][e]);
            fputc('\n', f);
        }
    }
    return MPJ_E_OK;
}

/* ---- subcommands --------------------------------------------------------------------- */

static int check_files(struct predictor_options *o, const struct run_scaling *s,
                       struct mpj_err *err)
{
    struct cli_files *const files = &o->cli.files;

    cli_file(files, o->csv, CLI_WRITTEN);
    cli_file(files, o->file, o->writes ? CLI_WRITTEN : CLI_READ);
    cli_file(files, o->programs, CLI_READ);
    return run_inputs_options(&s->reads, &s->o, err) == MPJ_E_OK ? cli_files_check(files, err)
                                                                 : err->code;
}

/* Measures the programs. p: read from the file first, unless that is to be written. */
static int measure(struct predictor_options *o, struct run_scaling *s, struct mpj_scaling *p,
                   int argc, char **argv, char *name, const char *doc, struct mpj_err *err)
{
    static const struct argp_child common[] = {
        {&cli_target_argp, 0, NULL, 0}, {&cli_measuring_argp, 0, NULL, 0}, {0}};
    const struct argp argp = {known, parse, o->writes ? "LIST" : "FILE LIST", doc, common,
                              NULL,  NULL};
    int result;

    cli_options_init(&o->cli);
    o->cli.run.timeout_s = 600;
    cli_arguments(&argp, argc, argv, name, o);
    s->o = o->cli.run;
    s->list = o->programs;
    s->reads = cli_files_inputs(&o->cli.files);
    s->progress = on_progress;
    if (check_files(o, s, err) != MPJ_E_OK ||
        (!o->writes && mpj_scaling_load(p, o->file, err) != MPJ_E_OK))
        return err->code;
    s->of = o->writes ? NULL : p;
    result = run_scaling_measure(s, err);
    cli_live_clear();
    if (result == MPJ_E_OK && o->csv != NULL)
        result = mpj_file_write(o->csv, put_csv, s, err);
    return result;
}

static int train(int argc, char **argv, struct mpj_err *err)
{
    static char name[] = "mpjoule predictor train"; /* what argp calls us */
    struct predictor_options o = {.writes = true};
    struct run_scaling s = {0};
    struct mpj_scaling_choice choice[MPJ_SCALING_EVENTS];
    struct mpj_scaling p;
    int result = measure(&o, &s, &p, argc, argv, name,
                         "Train a predictor. See `mpjoule help predictor`.", err);

    if (result == MPJ_E_OK)
        result = run_scaling_train(&s, &p, choice, err);
    if (result == MPJ_E_OK)
        result = mpj_file_write(o.file, put, &p, err);
    if (result == MPJ_E_OK && !cli_quiet()) {
        show_choice(&s, choice);
        show(&p);
    }
    run_scaling_free(&s);
    cli_files_free(&o.cli.files);
    return result;
}

static int verify(int argc, char **argv, struct mpj_err *err)
{
    static char name[] = "mpjoule predictor verify";
    struct predictor_options o = {0};
    struct run_scaling s = {0};
    struct mpj_scaling p = {0};
    struct mpj_scaling_accuracy a;
    unsigned event = 0;
    int result = measure(&o, &s, &p, argc, argv, name,
                         "Verify a predictor. See `mpjoule help predictor`.", err);

    while (result == MPJ_E_OK && event < s.events && s.number[event] != p.number[1])
        event++;
    if (result == MPJ_E_OK) {
        mpj_scaling_judge(&p, s.region, s.regions, event, &a);
        printf("Programs     %u with %zu regions\n", s.programs, s.regions);
        show_accuracy("on these programs", &a);
    }
    run_scaling_free(&s);
    cli_files_free(&o.cli.files);
    return result;
}

static int show_file(int argc, char **argv, struct mpj_err *err)
{
    struct mpj_scaling p;

    if (argc != 2)
        return mpj_err_set(err, MPJ_E_USAGE, "usage: mpjoule predictor show FILE");
    if (mpj_scaling_load(&p, argv[1], err) != MPJ_E_OK)
        return err->code;
    show(&p);
    return MPJ_E_OK;
}

int cmd_predictor(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv, struct mpj_err *err);
    } commands[] = {{"train", train}, {"show", show_file}, {"verify", verify}};
    struct mpj_err err;
    int result = MPJ_E_USAGE;
    bool known_one = false;

    for (size_t i = 0; argc > 1 && i < sizeof(commands) / sizeof(commands[0]); i++) {
        if (strcmp(argv[1], commands[i].name) == 0) {
            known_one = true;
            result = commands[i].run(argc - 1, argv + 1, &err);
        }
    }
    if (!known_one)
        mpj_err_set(&err, MPJ_E_USAGE,
                    "predictor needs a subcommand, train, show or verify: see `mpjoule help "
                    "predictor`");
    return result == MPJ_E_OK ? 0 : cli_fail(&err);
}
