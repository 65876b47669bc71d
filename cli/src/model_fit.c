/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mpjoule model fit, show, predict. */
#include <argp.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "cli_options.h"
#include "files.h"
#include "model_commands.h"
#include "models/model.h"
#include "report/run.h"

struct fit_options {
    const char *dataset, *output;
    const char *verify; /* data set to compare all methods on */
    bool all;
    struct mpj_model_options how;
};

enum {
    KEY_METHOD = 256,
    KEY_EVENTS,
    KEY_SIGNS,
    KEY_WEIGHTS,
    KEY_ALPHA,
    KEY_MAX,
    KEY_VIF,
    KEY_PER_CORE,
    KEY_VERIFY
};

static error_t parse_fit(int key, char *arg, struct argp_state *state)
{
    struct fit_options *const o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->err_stream = cli_usage_stream();
        return 0;
    case KEY_METHOD:
        if (strcmp(arg, "paper") == 0)
            o->how.method = MPJ_METHOD_PAPER;
        else if (strcmp(arg, "backward") == 0)
            o->how.method = MPJ_METHOD_BACKWARD;
        else if (strcmp(arg, "best-subset") == 0)
            o->how.method = MPJ_METHOD_SUBSET;
        else if (strcmp(arg, "all") != 0)
            argp_error(state, "--method must be paper, backward, best-subset or all, not \"%s\"",
                       arg);
        o->all = strcmp(arg, "all") == 0;
        return 0;
    case KEY_PER_CORE:
        o->how.per_core = true;
        return 0;
    case KEY_VERIFY:
        o->verify = arg;
        return 0;
    case KEY_EVENTS:
        o->how.predictors = arg;
        return 0;
    case KEY_SIGNS:
        o->how.signs = true;
        return 0;
    case KEY_WEIGHTS:
        if (strcmp(arg, "dynamic") == 0)
            o->how.weights = MPJ_WEIGHTS_DYNAMIC;
        else if (strcmp(arg, "passes") == 0)
            o->how.weights = MPJ_WEIGHTS_PASSES;
        else if (strcmp(arg, "equal") == 0)
            o->how.weights = MPJ_WEIGHTS_EQUAL;
        else
            argp_error(state, "--weights must be dynamic, passes or equal, not \"%s\"", arg);
        return 0;
    case KEY_ALPHA:
        o->how.alpha = cli_number(state, "--alpha", arg, 0, 1);
        if (!(o->how.alpha > 0 && o->how.alpha < 1))
            argp_error(state, "--alpha takes a number between 0 and 1, not \"%s\"", arg);
        return 0;
    case KEY_MAX:
        o->how.max = cli_whole(state, "--max-events", arg, 1, 12);
        return 0;
    case KEY_VIF:
        o->how.most_vif = cli_number(state, "--max-vif", arg, 1, INFINITY); /* inf: any */
        return 0;
    case 'o':
        o->output = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (o->dataset != NULL)
            argp_error(state, "expected exactly one data set");
        o->dataset = arg;
        return 0;
    case ARGP_KEY_END:
        if (o->dataset == NULL || (o->output == NULL && !o->all))
            argp_error(state, "expected a data set and, with -o, a model file");
        if (o->all && (o->how.predictors != NULL || o->how.per_core))
            argp_error(state, "--method all chooses predictors and formulation itself");
        if (o->verify != NULL && !o->all)
            argp_error(state,
                       "--verify requires --method all; otherwise use `mpjoule model verify`");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* A figure, or "-" for one that is not known. */
struct figure {
    char text[24];
};

static struct figure figure(int digits, char kind, double v)
{
    struct figure f = {"-"};

    if (isfinite(v))
        snprintf(f.text, sizeof(f.text), kind == 'f' ? "%.*f" : "%.*g", digits, v);
    return f;
}

static void show(const struct mpj_model *m)
{
    printf("model %s (%s%s), %zu programs%s%s\n", m->name, m->method,
           m->per_core ? ", per core" : "", m->programs,
           m->calibration[0] != '\0' ? ", calibration " : "", m->calibration);
    if (m->source[0] != '\0')
        printf("source: %s\n", m->source);
    if (m->metered)
        printf("fitted to the external meter%s%s and everything it supplies\n",
               m->meter[0] != '\0' ? ", channel " : "", m->meter);
    printf("power [mW] = sum of coefficient [mW s] * rate [1/s]\n\n");
    printf("%-16s %14s %12s %10s %10s\n", "predictor", "coefficient", "std. error", "p", "VIF");
    printf("%-16s %14.6g %12s\n", "(constant, mW)", m->constant_mw,
           figure(3, 'g', m->constant_se).text);
    for (size_t i = 0; i < m->terms; i++)
        printf("%-16s %14.6g %12s %10s %10s\n", mpj_predictor_name((size_t)m->term[i].predictor),
               m->term[i].c, figure(3, 'g', m->term[i].se).text, figure(2, 'g', m->term[i].p).text,
               figure(3, 'g', m->term[i].vif).text);
    printf(
        "\nR2 %s, adjusted %s; RMSE %s mW, by family left out %s mW; AIC %s, BIC %s; condition %s\n"
        "error of the fit: mean %s %%, max %s %%\n",
        figure(6, 'f', m->r2).text, figure(6, 'f', m->r2_adjusted).text,
        figure(3, 'f', m->rmse_mw).text, figure(3, 'f', m->cv_rmse_mw).text,
        figure(1, 'f', m->aic).text, figure(1, 'f', m->bic).text, figure(3, 'g', m->condition).text,
        figure(3, 'f', m->mean_error_percent).text, figure(3, 'f', m->max_error_percent).text);
    if (m->interval.level > 0)
        printf("interval of %g %%: +- (%s program, %s thread, %s function) of what is above the "
               "constant + %.3f mW\n",
               m->interval.level * 100, figure(3, 'f', m->interval.share[MPJ_OF_PROGRAM]).text,
               figure(3, 'f', m->interval.share[MPJ_OF_THREAD]).text,
               figure(3, 'f', m->interval.share[MPJ_OF_FUNCTION]).text, m->interval.least_mw);
}

int model_fit(int argc, char **argv)
{
    static char name[] = "mpjoule model fit";
    static const struct argp_option known[] = {
        {"method", KEY_METHOD, "NAME", 0,
         "paper (five events), backward, best-subset (default); all: compare all of these and the "
         "published equations",
         0},
        {"verify", KEY_VERIFY, "DATASET", 0,
         "With --method all: also compare the models on this data set", 0},
        {"per-core", KEY_PER_CORE, NULL, 0, "Only events of the cores' own counters", 0},
        {"events", KEY_EVENTS, "P,P", 0, "Candidate predictors (default: all)", 0},
        {"signs", KEY_SIGNS, NULL, 0, "Only stalls may have negative coefficients", 0},
        {"weights", KEY_WEIGHTS, "NAME", 0,
         "Weight programs by the inverse of their dynamic power (dynamic, default), by how little "
         "their passes differ (passes), or not at all (equal)",
         0},
        {"alpha", KEY_ALPHA, "A", 0, "Significance level of the elimination (default 0.05)", 0},
        {"max-events", KEY_MAX, "N", 0, "Largest subset (default 8)", 0},
        {"max-vif", KEY_VIF, "V", 0,
         "Largest variance inflation factor in a subset (default 5; inf: any)", 0},
        {"output", 'o', "FILE", 0, "File of the model", 0},
        {0},
    };
    static const struct argp argp = {.options = known,
                                     .parser = parse_fit,
                                     .args_doc = "DATASET",
                                     .doc = "Fit an energy model. See `mpjoule help model`."};
    struct fit_options o = {.how = {.method = MPJ_METHOD_SUBSET}};
    struct mpj_dataset *ds = NULL;
    struct cli_files files = {.n = 0};
    struct mpj_model m;
    struct mpj_err err;
    int result;

    cli_arguments(&argp, argc, argv, name, &o);
    cli_file(&files, o.output, CLI_WRITTEN);
    cli_file(&files, o.dataset, CLI_READ);
    cli_file(&files, o.verify, CLI_READ);
    result = cli_files_check(&files, &err);
    cli_files_free(&files);
    if (result == MPJ_E_OK)
        result = mpj_dataset_load(&ds, o.dataset, &err);
    if (result == MPJ_E_OK && o.all) {
        result = model_compare(ds, &o.how, o.verify, &m, &err);
        if (result == MPJ_E_OK && o.output != NULL)
            putchar('\n');
    } else if (result == MPJ_E_OK) {
        cli_busy_begin("fitting");
        result = mpj_model_fit(&m, ds, &o.how, &err);
        cli_busy_end();
    }
    if (result == MPJ_E_OK && o.output != NULL) {
        const char *const base = strrchr(o.output, '/');
        snprintf(m.name, sizeof(m.name), "%s", base != NULL ? base + 1 : o.output);
        if (strchr(m.name, '.') != NULL)
            *strchr(m.name, '.') = '\0';
    }
    if (result == MPJ_E_OK && o.output != NULL)
        result = mpj_model_save(&m, o.output, &err);
    if (result == MPJ_E_OK && o.output != NULL)
        show(&m);
    mpj_dataset_free(ds);
    return result == MPJ_E_OK ? 0 : cli_fail(&err);
}

int model_show(int argc, char **argv)
{
    struct mpj_model m;
    struct mpj_err err;

    if (argc != 2)
        mpj_err_set(&err, MPJ_E_USAGE, "usage: mpjoule model show MODEL");
    else if (run_model(&m, argv[1], &err) == MPJ_E_OK) {
        show(&m);
        return 0;
    }
    return cli_fail(&err);
}

int model_predict(int argc, char **argv)
{
    struct mpj_model m;
    struct mpj_run *run = NULL;
    struct mpj_err err;
    int result;

    if (argc != 3)
        result = mpj_err_set(&err, MPJ_E_USAGE, "usage: mpjoule model predict MODEL RUN.mpj");
    else if ((result = run_model(&m, argv[1], &err)) == MPJ_E_OK)
        result = mpj_run_load(&run, argv[2], &err);
    if (result == MPJ_E_OK)
        result = mpj_model_apply(&m, run, &err);
    if (result != MPJ_E_OK || run == NULL) {
        mpj_run_free(run);
        return cli_fail(&err);
    }
    printf("%-8s %10s %14s\n", "", "mW", "uJ");
    for (unsigned k = 0; k < MPJ_CORES_MAX; k++)
        printf("core %-3u %10.2f %14.1f\n", k, run->core[k].energy_uj / run->time_s / 1e3,
               run->core[k].energy_uj);
    printf("model    %10.2f %14.1f", run->model.power_mw, run->model.energy_uj);
    if (isfinite(run->model.interval_uj))
        printf("  +- %.2f mW, %.1f uJ (%g %%)", run->model.interval_uj / run->time_s / 1e3,
               run->model.interval_uj, run->model.interval.level * 100);
    putchar('\n');
    if (mpj_run_power(run).meter != NULL)
        printf("meter    %10.2f %14.1f\n", mpj_run_power(run).energy_uj / run->time_s / 1e3,
               mpj_run_power(run).energy_uj);
    if (run->have_adc)
        printf("ADC      %10.2f %14.1f\n", run->processor.energy_uj / run->time_s / 1e3,
               run->processor.energy_uj);
    if (fabs(run->model.adc_percent) > run->model.stated_percent) /* not so when unknown */
        printf("%s and model differ by %+.2f %%, more than the model's stated error of %.2f %%\n",
               run->model.by_meter ? run->model.meter : "ADC", run->model.adc_percent,
               run->model.stated_percent);
    if (run->model.outside[0] != '\0')
        printf("outside the range of the fit: %s\n", run->model.outside);
    mpj_run_free(run);
    return 0;
}
