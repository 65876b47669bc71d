/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fits a model to a data set. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model_int.h"

#define LEAST_DYNAMIC 0.01 /* share of the least power: the smallest dynamic part in a weight */

#define FAR           3.0    /* standard deviations from which on a weight is lowered */
#define NORMAL_MEDIAN 0.6745 /* median of absolute values, in standard deviations */

struct design {
    size_t n, p;
    int predictor[MPJ_REGRESS_MAX];
    int sign[MPJ_REGRESS_MAX];
    double *x, *y, *w;
    unsigned *group;
    const struct mpj_dataset_program **program;
};

static bool usable(const struct mpj_dataset_program *p)
{
    return p->complete && p->have_adc && p->time_s > 0;
}

static int candidates(struct design *d, const char *list, bool per_core, struct mpj_err *err)
{
    if (list == NULL) {
        for (size_t i = 0; i < mpj_predictors(); i++) {
            if (per_core ? mpj_predictor_of_core(i) : !mpj_predictor_spare(i))
                d->predictor[d->p++] = (int)i;
        }
        return MPJ_E_OK;
    }
    while (*list != '\0') {
        const size_t len = strcspn(list, ",");
        char name[32];
        int i;
        snprintf(name, sizeof(name), "%.*s", (int)(len < 31 ? len : 31), list);
        if ((i = mpj_predictor_find(name)) < 0)
            return mpj_err_set(err, MPJ_E_USAGE, "unknown predictor \"%s\"", name);
        if (per_core && !mpj_predictor_of_core((size_t)i))
            return mpj_err_set(err, MPJ_E_USAGE, "predictor %s is not counted by the cores", name);
        for (size_t j = 0; j < d->p; j++) {
            if (d->predictor[j] == i)
                return mpj_err_set(err, MPJ_E_USAGE, "duplicate predictor %s", name);
        }
        d->predictor[d->p++] = i;
        list += len + (list[len] == ',');
    }
    return MPJ_E_OK;
}

/* Returns the weight of a program; least_mw: the least power of all. */
static double weight(const struct mpj_dataset_program *p, enum mpj_model_weights by,
                     double least_mw)
{
    switch (by) {
    case MPJ_WEIGHTS_DYNAMIC:
        return 1 / fmax(p->power_mw - least_mw, LEAST_DYNAMIC * least_mw);
    case MPJ_WEIGHTS_PASSES:
        /* an ADC step is a thousandth: no pass is more certain than a tenth of a milliwatt */
        return 1 / (p->power_sd_mw * p->power_sd_mw + 0.01);
    default:
        return 1;
    }
}

/* Collects rates and powers of the usable programs. A candidate without data or variation is
 * omitted, unless it was requested by name. */
static int fill(struct design *d, const struct mpj_dataset *ds, const struct mpj_model_options *o,
                bool named, struct mpj_err *err)
{
    size_t kept = 0;
    const size_t m = ds->programs;

    double least_mw = INFINITY;

    for (size_t i = 0; i < m; i++) {
        d->n += usable(&ds->program[i]);
        if (usable(&ds->program[i]))
            least_mw = fmin(least_mw, ds->program[i].power_mw);
    }
    for (size_t j = 0; j < d->p; j++) {
        double low = INFINITY;
        double high = -INFINITY;
        bool missing = false;
        for (size_t i = 0; i < m; i++) {
            if (!usable(&ds->program[i]))
                continue;
            const double r =
                mpj_predictor_rate((size_t)d->predictor[j], &ds->program[i], MPJ_MODEL_CHIP);
            missing = missing || isnan(r);
            low = fmin(low, r);
            high = fmax(high, r);
        }
        if (named && missing && d->n > 0)
            return mpj_err_set(err, MPJ_E_USAGE, "the data set has no counts for %s (%s)",
                               mpj_predictor_name((size_t)d->predictor[j]),
                               mpj_predictor_formula((size_t)d->predictor[j]));
        if (named || (!missing && high > low))
            d->predictor[kept++] = d->predictor[j];
    }
    d->p = kept;
    d->x = calloc(d->n * d->p + 1, sizeof(double));
    d->y = calloc(d->n + 1, sizeof(double));
    d->w = calloc(d->n + 1, sizeof(double));
    d->group = calloc(d->n + 1, sizeof(unsigned));
    d->program = calloc(d->n + 1, sizeof(const void *));
    if (d->x == NULL || d->y == NULL || d->w == NULL || d->group == NULL || d->program == NULL)
        return mpj_err_nomem(err);
    for (size_t i = 0, r = 0; i < m; i++) {
        const struct mpj_dataset_program *const p = &ds->program[i];
        if (!usable(p))
            continue;
        for (size_t j = 0; j < d->p; j++)
            d->x[r * d->p + j] = mpj_predictor_rate((size_t)d->predictor[j], p, MPJ_MODEL_CHIP);
        d->y[r] = p->power_mw;
        d->program[r] = p;
        d->w[r] = weight(p, o->weights, least_mw);
        for (size_t k = 0; k <= i; k++) { /* number of the family: its first program */
            if (strcmp(ds->program[k].family, p->family) == 0) {
                d->group[r] = (unsigned)k;
                break;
            }
        }
        r++;
    }
    for (size_t j = 0; j < d->p; j++)
        d->sign[j] = mpj_predictor_sign((size_t)d->predictor[j]);
    return MPJ_E_OK;
}

/* Keeps only the columns of a subset. */
static void reduce(struct design *d, const struct mpj_subset *s)
{
    for (size_t i = 0; i < d->n; i++) {
        for (size_t j = 0; j < s->size; j++)
            d->x[i * s->size + j] = d->x[i * d->p + s->index[j]];
    }
    for (size_t j = 0; j < s->size; j++) {
        d->predictor[j] = d->predictor[s->index[j]];
        d->sign[j] = d->sign[s->index[j]];
    }
    d->p = s->size;
}

static void from_flags(struct mpj_subset *s, const unsigned char *keep, size_t p)
{
    s->size = 0;
    for (size_t j = 0; j < p; j++) {
        if (keep[j])
            s->index[s->size++] = j;
    }
}

static void not_zero(struct mpj_subset *s, const struct mpj_fit *f)
{
    s->size = 0;
    for (size_t j = 0; j < f->p; j++) {
        if (f->term[j].c != 0)
            s->index[s->size++] = j;
    }
}

/* Finds the subset whose families predict each other best; a smaller one within 2 % is
 * preferred. */
static int best_subset(struct design *d, size_t max, double most_vif, struct mpj_err *err)
{
    struct mpj_subset best[MPJ_REGRESS_MAX];
    double rmse[MPJ_REGRESS_MAX];
    double least = INFINITY;
    size_t pick = 0;
    int result = mpj_regress_subsets(best, max, d->x, d->y, d->w, d->n, d->p, most_vif, err);

    for (size_t k = 0; k < max && result == MPJ_E_OK; k++) {
        struct design part = *d;
        rmse[k] = INFINITY;
        if (best[k].size == 0)
            continue;
        part.x = calloc(d->n * d->p + 1, sizeof(double));
        if (part.x == NULL)
            return mpj_err_nomem(err);
        memcpy(part.x, d->x, d->n * d->p * sizeof(double));
        reduce(&part, &best[k]);
        if (mpj_regress_crossvalidate(&rmse[k], part.x, d->y, d->w, d->group, d->n, part.p, err) !=
            MPJ_E_OK)
            rmse[k] = INFINITY; /* one of the predictors varies in a single family only */
        free(part.x);
        least = fmin(least, rmse[k]);
    }
    if (result != MPJ_E_OK)
        return result;
    if (isinf(least))
        return mpj_err_set(err, MPJ_E_USAGE, "singular: no subset can be cross-validated");
    while (rmse[pick] > 1.02 * least)
        pick++;
    reduce(d, &best[pick]);
    return MPJ_E_OK;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Lowers the weights of programs whose error, as the weights see it, is beyond FAR of its spread.
 */
static int lower(struct design *d, const struct design *part, const struct mpj_fit *f,
                 struct mpj_err *err)
{
    double *const error = calloc(2 * d->n + 1, sizeof(double));
    double far;

    if (error == NULL)
        return mpj_err_nomem(err);
    for (size_t i = 0; i < d->n; i++) {
        double e = d->y[i] - f->constant.c;
        for (size_t j = 0; j < part->p; j++)
            e -= f->term[j].c * part->x[i * part->p + j];
        error[i] = error[d->n + i] = fabs(e) * sqrt(d->w[i]);
    }
    qsort(error + d->n, d->n, sizeof(*error), by_size);
    far = FAR * error[d->n + d->n / 2] / NORMAL_MEDIAN;
    for (size_t i = 0; i < d->n; i++) {
        if (error[i] > far)
            d->w[i] *= far / error[i] * far / error[i];
    }
    free(error);
    return MPJ_E_OK;
}

/*
 * Lowers the weights of programs that no linear model explains, such as those whose power a
 * calibration bounds: with little dynamic power they would weigh most of all. They are those that a
 * best subset with equal weights leaves far off. Without one, the weights stay.
 */
static int temper(struct design *d, size_t max, double most_vif, struct mpj_err *err)
{
    struct design part = *d;
    struct mpj_fit f;
    struct mpj_err none;
    int result = MPJ_E_OK;

    part.x = calloc(d->n * d->p + 1, sizeof(double));
    if (part.x == NULL)
        return mpj_err_nomem(err);
    memcpy(part.x, d->x, d->n * d->p * sizeof(double));
    part.w = NULL;
    if (best_subset(&part, max, most_vif, &none) == MPJ_E_OK &&
        mpj_regress(&f, part.x, part.y, NULL, part.n, part.p, &none) == MPJ_E_OK)
        result = lower(d, &part, &f, err);
    free(part.x);
    return result;
}

static void copy(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%s", from != NULL ? from : "");
}

static void describe(struct mpj_model *m, const struct mpj_fit *f, const struct design *d,
                     const struct mpj_dataset *ds)
{
    copy(m->target, sizeof(m->target), ds->target);
    copy(m->calibration, sizeof(m->calibration), ds->calibration);
    copy(m->firmware_sha256, sizeof(m->firmware_sha256), ds->firmware_sha256);
    copy(m->version, sizeof(m->version), ds->version);
    m->metered = ds->meter != NULL;
    copy(m->meter, sizeof(m->meter), ds->meter);
    m->seed = ds->generator_seed;
    m->programs = d->n;
    m->constant_mw = f->constant.c;
    m->constant_se = f->constant.se;
    m->r2 = f->r2;
    m->r2_adjusted = f->r2_adjusted;
    m->rmse_mw = f->rmse;
    m->aic = f->aic;
    m->bic = f->bic;
    m->condition = f->condition;
    m->mean_error_percent = f->mean_error_percent;
    m->max_error_percent = f->max_error_percent;
    for (size_t j = 0; j < d->p; j++) {
        struct mpj_model_term *const t = &m->term[j];
        t->predictor = d->predictor[j];
        t->c = f->term[j].c;
        t->se = f->term[j].se;
        t->p = f->term[j].p;
        t->vif = f->term[j].vif;
        t->low = INFINITY;
        t->high = -INFINITY;
        for (size_t i = 0; i < d->n; i++) {
            t->low = fmin(t->low, d->x[i * d->p + j]);
            t->high = fmax(t->high, d->x[i * d->p + j]);
        }
    }
    m->terms = d->p;
}

/* Estimates how far off the model is on unseen programs; unknown where its coefficients would
 * differ without the constraints, or a predictor varies in a single family only. */
static int judge(struct mpj_model *m, const struct design *d, bool signs, struct mpj_err *err)
{
    double *const error = calloc(d->n + 1, sizeof(double));
    struct mpj_err none;
    int result = MPJ_E_OK;

    m->cv_rmse_mw = NAN;
    if (error == NULL)
        return mpj_err_nomem(err);
    if (!signs &&
        mpj_regress_crossvalidate(&m->cv_rmse_mw, d->x, d->y, d->w, d->group, d->n, d->p, &none) ==
            MPJ_E_OK &&
        mpj_regress_unseen(error, d->x, d->y, d->w, d->group, d->n, d->p, &none) == MPJ_E_OK)
        result = mpj_interval_make(&m->interval, m->constant_mw, d->program, error, d->n, err);
    free(error);
    return result;
}

int mpj_model_fit(struct mpj_model *out, const struct mpj_dataset *ds,
                  const struct mpj_model_options *o, struct mpj_err *err)
{
    static const char *const methods[] = {"paper", "backward", "best-subset"};
    const char *const paper = o->per_core ? "instr,dl1_access,l1_miss,ddep_stall"
                                          : "instr,dl1_access,l2_access,ddep_stall,coh_trans";
    const char *const list =
        o->predictors == NULL && o->method == MPJ_METHOD_PAPER ? paper : o->predictors;
    const size_t max = o->max > 0 && o->max < MPJ_REGRESS_MAX ? o->max : 8;
    const double most_vif = isinf(o->most_vif) ? 0 : o->most_vif > 0 ? o->most_vif : MPJ_MODEL_VIF;
    struct design d = {0};
    struct mpj_subset s = {0};
    struct mpj_fit f = {0};
    unsigned char keep[MPJ_REGRESS_MAX];
    char hash[65];
    int result = candidates(&d, list, o->per_core, err);

    memset(out, 0, sizeof(*out));
    if (result == MPJ_E_OK)
        result = fill(&d, ds, o, list != NULL, err);
    if (result == MPJ_E_OK && d.n == 0)
        result = mpj_err_set(err, MPJ_E_USAGE, "the data set has no complete program");
    if (result == MPJ_E_OK && o->weights == MPJ_WEIGHTS_DYNAMIC)
        result = temper(&d, max, most_vif, err);
    if (result == MPJ_E_OK && o->method == MPJ_METHOD_BACKWARD) {
        result = mpj_regress_backward(&f, keep, d.x, d.y, d.w, d.n, d.p,
                                      o->alpha > 0 ? o->alpha : 0.05, err);
        if (result == MPJ_E_OK) {
            from_flags(&s, keep, d.p);
            reduce(&d, &s);
        }
    } else if (result == MPJ_E_OK && o->method == MPJ_METHOD_SUBSET) {
        result = best_subset(&d, max, most_vif, err);
    }
    if (result == MPJ_E_OK)
        result = o->signs ? mpj_regress_signs(&f, d.x, d.y, d.w, d.n, d.p, d.sign, err)
                          : mpj_regress(&f, d.x, d.y, d.w, d.n, d.p, err);
    if (result == MPJ_E_OK && o->signs && o->method != MPJ_METHOD_PAPER) {
        not_zero(&s, &f); /* a coefficient that its sign keeps at 0 is not informative */
        if (s.size > 0 && s.size < d.p) {
            reduce(&d, &s);
            result = mpj_regress_signs(&f, d.x, d.y, d.w, d.n, d.p, d.sign, err);
        }
    }
    if (result == MPJ_E_OK)
        result = mpj_dataset_sha256(ds, hash, err);
    if (result == MPJ_E_OK) {
        describe(out, &f, &d, ds);
        copy(out->dataset_sha256, sizeof(out->dataset_sha256), hash);
        copy(out->method, sizeof(out->method), methods[o->method]);
        out->per_core = o->per_core;
        result = judge(out, &d, o->signs, err);
    }
    free(d.x);
    free(d.y);
    free(d.w);
    free(d.group);
    free(d.program);
    return result;
}
