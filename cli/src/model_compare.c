/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mpjoule model fit --method all: what the methods are worth, in one table. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "model_commands.h"
#include "models/verify.h"
#include "run/paths.h"

#define PUBLISHED_MAX 8U

static const struct {
    const char *name;
    enum mpj_model_method method;
    bool per_core;
} ways[] = {
    {"paper", MPJ_METHOD_PAPER, false},
    {"best-subset", MPJ_METHOD_SUBSET, false},
    {"backward", MPJ_METHOD_BACKWARD, false},
    {"best-subset-per-core", MPJ_METHOD_SUBSET, true},
};

#define WAYS (sizeof(ways) / sizeof(ways[0]))
#define BEST 1U

static void number(double v, int width, int digits)
{
    if (isfinite(v) &&
        fabs(v) >= pow(10, width - digits - 2)) /* would touch the column before it */
        printf("%*.1e", width, v);
    else if (isfinite(v))
        printf("%*.*f", width, digits, v);
    else
        printf("%*s", width, "-");
}

static void statistics(const struct mpj_model *m, size_t count)
{
    printf("%-24s %10s %10s %9s %11s %9s %9s\n", "model", "predictors", "constant", "RMSE mW",
           "family out", "condition", "VIF");
    for (size_t i = 0; i < count; i++) {
        double vif = NAN;
        for (size_t k = 0; k < m[i].terms; k++)
            vif = fmax(vif, m[i].term[k].vif);
        printf("%-24s %10zu %10.2f", m[i].name, m[i].terms, m[i].constant_mw);
        number(i < WAYS ? m[i].rmse_mw : NAN, 10, 3);
        number(i < WAYS ? m[i].cv_rmse_mw : NAN, 12, 3);
        number(i < WAYS ? m[i].condition : NAN, 10, 1);
        number(vif, 10, 1);
        putchar('\n');
    }
}

static int on(const struct mpj_dataset *ds, const struct mpj_model *m, size_t count,
              struct mpj_err *err)
{
    struct mpj_verify v[WAYS + PUBLISHED_MAX] = {{0}};
    int result = MPJ_E_OK;

    for (size_t i = 0; i < count && result == MPJ_E_OK; i++)
        result = mpj_verify_make(&v[i], &m[i], ds, m[BEST].constant_mw, err);
    if (result == MPJ_E_OK)
        mpj_verify_compare(v, count, stdout);
    for (size_t i = 0; i < count; i++)
        mpj_verify_free(&v[i]);
    return result;
}

/* Collects the fits, followed by the published equations. */
static int gather(struct mpj_model *m, size_t *count, const struct mpj_dataset *ds,
                  const struct mpj_model_options *how, struct mpj_err *err)
{
    char *const root = run_path_models();
    struct mpj_model *published = NULL;
    size_t n = 0;
    int result = root != NULL ? mpj_model_published(&published, &n, root, err) : mpj_err_nomem(err);

    free(root);
    for (size_t i = 0; i < WAYS && result == MPJ_E_OK; i++) {
        struct mpj_model_options o = *how;
        o.method = ways[i].method;
        o.per_core = ways[i].per_core;
        result = mpj_model_fit(&m[i], ds, &o, err);
        snprintf(m[i].name, sizeof(m[i].name), "%s", ways[i].name);
    }
    *count = WAYS;
    for (size_t i = 0; i < n && i < PUBLISHED_MAX && result == MPJ_E_OK; i++)
        m[(*count)++] = published[i];
    free(published);
    return result;
}

int model_compare(const struct mpj_dataset *ds, const struct mpj_model_options *how,
                  const char *verify, struct mpj_model *best, struct mpj_err *err)
{
    struct mpj_model *const m = calloc(WAYS + PUBLISHED_MAX, sizeof(*m));
    struct mpj_dataset *others = NULL;
    size_t count = 0;
    int result;

    if (m == NULL)
        return mpj_err_nomem(err);
    result = gather(m, &count, ds, how, err);
    if (result == MPJ_E_OK && verify != NULL)
        result = mpj_dataset_load(&others, verify, err);
    if (result == MPJ_E_OK) {
        printf("Fits to %zu programs, calibration %s\n\n", m[BEST].programs,
               ds->calibration != NULL ? ds->calibration : "unknown");
        statistics(m, count);
        printf("\nErrors on the programs of the fit\n\n");
        result = on(ds, m, count, err);
    }
    if (result == MPJ_E_OK && others != NULL) {
        printf("\nErrors on programs they were not fitted to\n\n");
        result = on(others, m, count, err);
    }
    *best = m[BEST];
    mpj_dataset_free(others);
    free(m);
    return result;
}
