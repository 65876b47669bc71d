/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mpjoule model fit, show, verify, predict. */
#include <argp.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "model.h"
#include "mpj_model.h"
#include "mpj_run.h"

#define MODELS_MAX 8U

struct fit_options {
    const char *dataset, *output;
    struct mpj_model_options how;
};

enum { KEY_METHOD = 256, KEY_EVENTS, KEY_SIGNS, KEY_WEIGHTED, KEY_ALPHA, KEY_MAX };

static error_t parse_fit(int key, char *arg, struct argp_state *state)
{
    struct fit_options *const o = state->input;

    switch (key) {
    case KEY_METHOD:
        if (strcmp(arg, "paper") == 0)
            o->how.method = MPJ_METHOD_PAPER;
        else if (strcmp(arg, "backward") == 0)
            o->how.method = MPJ_METHOD_BACKWARD;
        else if (strcmp(arg, "best-subset") == 0)
            o->how.method = MPJ_METHOD_SUBSET;
        else
            argp_error(state, "--method is paper, backward or best-subset, not \"%s\"", arg);
        return 0;
    case KEY_EVENTS:
        o->how.predictors = arg;
        return 0;
    case KEY_SIGNS:
        o->how.signs = true;
        return 0;
    case KEY_WEIGHTED:
        o->how.weighted = true;
        return 0;
    case KEY_ALPHA:
        o->how.alpha = strtod(arg, NULL);
        if (!(o->how.alpha > 0 && o->how.alpha < 1))
            argp_error(state, "--alpha takes a number between 0 and 1, not \"%s\"", arg);
        return 0;
    case KEY_MAX:
        o->how.max = strtoul(arg, NULL, 10);
        if (o->how.max < 1 || o->how.max > 12)
            argp_error(state, "--max-events takes a number from 1 to 12, not \"%s\"", arg);
        return 0;
    case 'o':
        o->output = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (o->dataset != NULL)
            argp_error(state, "one data set, please");
        o->dataset = arg;
        return 0;
    case ARGP_KEY_END:
        if (o->dataset == NULL || o->output == NULL)
            argp_error(state, "give a data set and, with -o, a model file");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void show(const struct mpj_model *m)
{
    printf("model %s (%s), %zu programs%s%s\n", m->name, m->method, m->programs,
           m->calibration[0] != '\0' ? ", calibration " : "", m->calibration);
    if (m->source[0] != '\0')
        printf("source: %s\n", m->source);
    printf("power [mW] = sum of coefficient [mW s] * rate [1/s]\n\n");
    printf("%-16s %14s %12s %10s %10s\n", "predictor", "coefficient", "std. error", "p", "VIF");
    printf("%-16s %14.6g %12.3g\n", "(constant, mW)", m->constant_mw, m->constant_se);
    for (size_t i = 0; i < m->terms; i++)
        printf("%-16s %14.6g %12.3g %10.2g %10.3g\n",
               mpj_predictor_name((size_t)m->term[i].predictor), m->term[i].c, m->term[i].se,
               m->term[i].p, m->term[i].vif);
    printf(
        "\nR2 %.6f, adjusted %.6f; RMSE %.3f mW, by family left out %.3f mW; AIC %.1f, BIC %.1f; "
        "condition %.3g\nerror of the fit: mean %.3f %%, max %.3f %%\n",
        m->r2, m->r2_adjusted, m->rmse_mw, m->cv_rmse_mw, m->aic, m->bic, m->condition,
        m->mean_error_percent, m->max_error_percent);
}

int model_fit(int argc, char **argv)
{
    static char name[] = "mpjoule model fit";
    static const struct argp_option known[] = {
        {"method", KEY_METHOD, "NAME", 0, "paper (five events), backward or best-subset (default)",
         0},
        {"events", KEY_EVENTS, "P,P", 0, "Candidate predictors (default: all)", 0},
        {"signs", KEY_SIGNS, NULL, 0, "Only stalls may lower the power", 0},
        {"weighted", KEY_WEIGHTED, NULL, 0, "Weight programs by the deviation between passes", 0},
        {"alpha", KEY_ALPHA, "A", 0, "Significance of the elimination (default 0.05)", 0},
        {"max-events", KEY_MAX, "N", 0, "Largest subset (default 8)", 0},
        {"output", 'o', "FILE", 0, "The model file", 0},
        {0},
    };
    static const struct argp argp = {.options = known,
                                     .parser = parse_fit,
                                     .args_doc = "DATASET",
                                     .doc = "Fit an energy model. See `mpjoule help model`."};
    struct fit_options o = {.how = {.method = MPJ_METHOD_SUBSET}};
    struct mpj_dataset *ds;
    struct mpj_model m;
    struct mpj_err err;
    int result;

    argv[0] = name;
    argp_err_exit_status = CLI_FAILURE;
    argp_parse(&argp, argc, argv, 0, NULL, &o);
    result = mpj_dataset_load(&ds, o.dataset, &err);
    if (result == MPJ_E_OK) {
        const char *const base = strrchr(o.output, '/');
        result = mpj_model_fit(&m, ds, &o.how, &err);
        snprintf(m.name, sizeof(m.name), "%s", base != NULL ? base + 1 : o.output);
        if (strchr(m.name, '.') != NULL)
            *strchr(m.name, '.') = '\0';
    }
    if (result == MPJ_E_OK)
        result = mpj_model_save(&m, o.output, &err);
    if (result == MPJ_E_OK)
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
    else if (mpj_model_load(&m, argv[1], &err) == MPJ_E_OK) {
        show(&m);
        return 0;
    }
    return cli_fail(&err);
}

/* ---- verification ----------------------------------------------------------- */

/* Errors of one model over a data set, in percent. */
struct errors {
    unsigned n, outside;
    double mean, max;      /* of the total power */
    double dynamic, above; /* of the part above idle: mean, and of how many programs */
    double core;           /* of the cores' energy against the truth: mean */
    unsigned cores;
};

/* idle: power of the model's constant stands for it. */
static int judge(struct errors *e, const struct mpj_model *m, const struct mpj_dataset *ds,
                 bool table, struct mpj_err *err)
{
    *e = (struct errors){0};
    for (size_t i = 0; i < ds->programs; i++) {
        const struct mpj_dataset_program *const p = &ds->program[i];
        const double mw = mpj_model_power(m, p, MPJ_MODEL_CHIP);
        const double share = fabs(mw - p->power_mw) / p->power_mw * 100;
        /* The analyser does not know that the caller's error path ends. */
        const double above =
            p->power_mw - m->constant_mw; // NOLINT(clang-analyzer-core.NullDereference)
        const bool outside = mpj_model_outside(m, p) >= 0;
        if (!p->complete || !p->have_adc)
            continue;
        if (isnan(mw))
            return mpj_err_set(err, MPJ_E_USAGE, "%s: no counts for predictor %s", p->name,
                               mpj_predictor_name((size_t)mpj_model_missing(m, p)));
        e->n++;
        e->outside += outside;
        e->mean += share;
        e->max = fmax(e->max, share);
        if (above > 0) {
            e->dynamic += fabs(mw - p->power_mw) / above * 100;
            e->above++;
        }
        for (unsigned k = 0; p->have_truth && k < MPJ_CORES_MAX; k++) {
            const double truth = (p->truth_core_uj[k] + p->truth_shared_uj / MPJ_CORES_MAX) /
                                 p->truth_window_s / 1000;
            e->core += fabs(mpj_model_power(m, p, k) - truth) / truth * 100;
            e->cores++;
        }
        if (table) {
            printf("%-20s %10.2f %10.2f %9.3f %s ", p->name, p->power_mw, mw,
                   (mw - p->power_mw) / p->power_mw * 100, outside ? "outside" : "       ");
            for (double b = 0; b < share && b < 10; b += 0.25)
                putchar('#');
            putchar('\n');
        }
    }
    if (e->n == 0)
        return mpj_err_set(err, MPJ_E_USAGE, "the data set has no complete program");
    e->mean /= e->n;
    e->dynamic = e->above > 0 ? e->dynamic / e->above : NAN;
    e->core = e->cores > 0 ? e->core / e->cores : NAN;
    return MPJ_E_OK;
}

int model_verify(int argc, char **argv)
{
    struct mpj_dataset *ds = NULL;
    struct mpj_model *const m = calloc(MODELS_MAX, sizeof(*m));
    struct errors e[MODELS_MAX];
    struct mpj_err err;
    int result = MPJ_E_OK;
    const unsigned models = argc > 2 ? (unsigned)argc - 2 : 0;

    if (m == NULL)
        result = mpj_err_set(&err, MPJ_E_NOMEM, "out of memory");
    else if (models < 1 || models > MODELS_MAX)
        result =
            mpj_err_set(&err, MPJ_E_USAGE, "usage: mpjoule model verify MODEL [MODEL ...] DATASET");
    if (result == MPJ_E_OK)
        result = mpj_dataset_load(&ds, argv[argc - 1], &err);
    for (unsigned i = 0; i < models && result == MPJ_E_OK; i++) {
        result = mpj_model_load(&m[i], argv[i + 1], &err);
        if (result == MPJ_E_OK && i == 0)
            printf("%-20s %10s %10s %9s\n", "program", "ADC mW", "model mW", "error %");
        if (result == MPJ_E_OK)
            result = judge(&e[i], &m[i], ds, i == 0, &err);
    }
    if (result == MPJ_E_OK)
        printf("\n%-20s %8s %8s %8s %12s %10s %8s\n", "model", "programs", "mean %", "max %",
               "dynamic %", "cores %", "outside");
    for (unsigned i = 0; i < models && result == MPJ_E_OK; i++)
        printf("%-20s %8u %8.3f %8.3f %12.2f %10.3f %8u\n", m[i].name, e[i].n, e[i].mean, e[i].max,
               e[i].dynamic, e[i].core, e[i].outside);
    mpj_dataset_free(ds);
    free(m);
    return result == MPJ_E_OK ? 0 : cli_fail(&err);
}

int model_predict(int argc, char **argv)
{
    struct mpj_model m;
    struct mpj_run *run = NULL;
    struct mpj_dataset_program p;
    struct mpj_err err;
    int result;

    if (argc != 3)
        result = mpj_err_set(&err, MPJ_E_USAGE, "usage: mpjoule model predict MODEL RUN.mpj");
    else if ((result = mpj_model_load(&m, argv[1], &err)) == MPJ_E_OK)
        result = mpj_run_load(&run, argv[2], &err);
    if (result != MPJ_E_OK)
        return cli_fail(&err);
    mpj_model_program(&p, run);
    mpj_run_free(run);
    if (mpj_model_missing(&m, &p) >= 0) {
        const size_t q = (size_t)mpj_model_missing(&m, &p);
        mpj_err_set(&err, MPJ_E_USAGE, "the run did not count what %s needs of it: %s (%s)", m.name,
                    mpj_predictor_name(q), mpj_predictor_formula(q));
        return cli_fail(&err);
    }
    printf("%-6s %10s %14s\n", "", "mW", "uJ");
    for (uint32_t k = 0; k < MPJ_CORES_MAX; k++)
        printf("core %u %10.2f %14.1f\n", k, mpj_model_power(&m, &p, k),
               mpj_model_power(&m, &p, k) * p.time_s * 1000);
    printf("model  %10.2f %14.1f\n", mpj_model_power(&m, &p, MPJ_MODEL_CHIP),
           mpj_model_power(&m, &p, MPJ_MODEL_CHIP) * p.time_s * 1000);
    if (p.have_adc)
        printf("ADC    %10.2f %14.1f\n", p.power_mw, p.energy_uj);
    if (p.have_adc && fabs(mpj_model_power(&m, &p, MPJ_MODEL_CHIP) - p.power_mw) * 100 >
                          m.max_error_percent * p.power_mw)
        printf("ADC and model disagree by more than the model's stated error, %.2f %%\n",
               m.max_error_percent);
    if (mpj_model_outside(&m, &p) >= 0)
        printf("outside the range of the fit: %s\n",
               mpj_predictor_name((size_t)m.term[mpj_model_outside(&m, &p)].predictor));
    return 0;
}
