/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mpjoule model verify. */
#include "cli.h"
#include "model.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define MODELS_MAX 8U
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
        result = cli_model(&m[i], argv[i + 1], &err);
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
