/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Predicts objectives by a model that knows the counters. The time of a run is exactly
 *
 *     instructions * (busy seconds / instructions) / (busy seconds / seconds)
 *
 * and its energy that times its mean power. Each of these factors depends on fewer axes than their
 * product: the number of instructions on options and tiles but hardly on threads, the cost of one
 * on caches and contention, the busy cores on threads and schedules. So each has a Gaussian process
 * of its own, of its logarithm; the sum of these predicts the objective. A separate process models
 * the objective itself, and the one that predicts the measured points better, each from all others,
 * is followed.
 */
#include "tune_predict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>

#include "tune_gp.h"
#include "tune_search.h"

enum factor { INSTRUCTIONS, COST, CORES, POWER, FACTORS };

/* Factors of each objective, with their powers. */
static const struct target {
    const char *name;
    int power[FACTORS];
} targets[] = {
    {"time", {1, 1, -1, 0}}, {"energy", {1, 1, -1, 1}}, {"edp", {2, 2, -2, 1}},
    {"ed2p", {3, 3, -3, 1}}, {"power", {0, 0, 0, 1}},
};

struct run_tune_model {
    const struct run_tune *t;
    struct run_tune_places places;
    struct run_tune_gp *factor[FACTORS];
    struct run_tune_gp *whole[RUN_TUNE_OBJECTIVES_MAX];
    bool by_factors[RUN_TUNE_OBJECTIVES_MAX];
    bool logarithm[RUN_TUNE_OBJECTIVES_MAX];
    unsigned *point; /* that have figures */
    double *y;
    unsigned n;
    double scale[RUN_TUNE_OBJECTIVES_MAX]; /* of deviations: see scale_of() */
    uint64_t *random;
};

static const struct target *target(const char *text)
{
    for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
        if (strcmp(targets[i].name, text) == 0)
            return &targets[i];
    }
    return NULL;
}

static double logarithm_of(const struct run_tune *t, unsigned point, unsigned factor)
{
    const double time = run_tune_figure_of(t, point, "time");
    const double busy = run_tune_figure_of(t, point, "busy");
    const double instr = run_tune_figure_of(t, point, "instr");
    const double of[FACTORS] = {instr, busy / instr, busy / time,
                                run_tune_figure_of(t, point, "energy") / time};

    return log(of[factor]);
}

/* ---- fits ------------------------------------------------------------------------------------ */

static bool has_figures(const struct run_tune_point *p)
{
    return p->state == RUN_TUNE_MEASURED || p->state == RUN_TUNE_OVER;
}

static bool fit(struct run_tune_model *m, struct run_tune_gp **g)
{
    *g = run_tune_gp_fit(*g, m->t, &m->places, m->point, m->y, m->n, m->random);
    return *g != NULL;
}

static bool fit_factors(struct run_tune_model *m)
{
    for (unsigned f = 0; f < FACTORS; f++) {
        bool known = true;
        for (unsigned i = 0; i < m->n; i++) {
            m->y[i] = logarithm_of(m->t, m->point[i], f);
            known = known && isfinite(m->y[i]);
        }
        if (!known) { /* no counts, or no energy */
            run_tune_gp_free(m->factor[f]);
            m->factor[f] = NULL;
        } else if (!fit(m, &m->factor[f])) {
            return false;
        }
    }
    return true;
}

static bool have_factors(const struct run_tune_model *m, const struct target *of)
{
    for (unsigned f = 0; f < FACTORS; f++) {
        if (of->power[f] != 0 && m->factor[f] == NULL)
            return false;
    }
    return true;
}

double run_tune_model_value(const struct run_tune_model *m, unsigned objective, unsigned point)
{
    const double v = m->t->point[point].objective[objective];

    return m->logarithm[objective] ? log(v) : v;
}

/* Predicts by the factors: a point, or the i-th measured one from all others. */
static void by_factors(const struct run_tune_model *m, const struct target *of, bool without,
                       unsigned at, double *mean, double *variance)
{
    *mean = *variance = 0;
    for (unsigned f = 0; f < FACTORS; f++) {
        double one;
        double its;
        if (of->power[f] == 0)
            continue;
        (without ? run_tune_gp_without : run_tune_gp_at)(m->factor[f], at, &one, &its);
        *mean += of->power[f] * one;
        *variance += of->power[f] * of->power[f] * its;
    }
}

/* Predicts the i-th measured point from all others, by the factors or by the whole. */
static void left_out(const struct run_tune_model *m, unsigned objective, bool factors, unsigned i,
                     double *mean, double *variance)
{
    if (factors)
        by_factors(m, target(m->t->objective.at[objective].text), true, i, mean, variance);
    else
        run_tune_gp_without(m->whole[objective], i, mean, variance);
}

/* Returns the sum of squared errors of the points left out. */
static double errors(const struct run_tune_model *m, unsigned objective, bool factors)
{
    double sum = 0;

    for (unsigned i = 0; i < m->n; i++) {
        double mean;
        double variance;
        left_out(m, objective, factors, i, &mean, &variance);
        mean -= run_tune_model_value(m, objective, m->point[i]);
        sum += mean * mean;
    }
    return sum;
}

static bool factors_are_better(const struct run_tune_model *m, unsigned objective)
{
    const struct target *const of = target(m->t->objective.at[objective].text);

    return m->logarithm[objective] && of != NULL && have_factors(m, of) &&
           errors(m, objective, true) < errors(m, objective, false);
}

/* Returns by how much errors of points left out exceed their predicted deviations: the root of the
 * mean square of their quotients, at least 1. */
static double scale_of(const struct run_tune_model *m, unsigned objective)
{
    double sum = 0;

    for (unsigned i = 0; i < m->n; i++) {
        double mean;
        double variance;
        left_out(m, objective, m->by_factors[objective], i, &mean, &variance);
        mean -= run_tune_model_value(m, objective, m->point[i]);
        sum += mean * mean / variance;
    }
    return fmax(sqrt(sum / m->n), 1);
}

bool run_tune_model_fit(struct run_tune_model *m)
{
    const struct run_tune *const t = m->t;

    m->n = 0;
    for (unsigned k = 0; k < t->points; k++) {
        if (has_figures(&t->point[k]))
            m->point[m->n++] = k;
    }
    if (m->n < 2)
        return true;
    if (!fit_factors(m))
        return false;
    for (unsigned o = 0; o < t->objective.n; o++) {
        m->logarithm[o] = true;
        for (unsigned i = 0; i < m->n; i++)
            m->logarithm[o] = m->logarithm[o] && t->point[m->point[i]].objective[o] > 0;
        for (unsigned i = 0; i < m->n; i++)
            m->y[i] = run_tune_model_value(m, o, m->point[i]);
        if (!fit(m, &m->whole[o]))
            return false;
        m->by_factors[o] = factors_are_better(m, o);
        m->scale[o] = scale_of(m, o);
    }
    return true;
}

/* ---- predictions ------------------------------------------------------------------------- */

void run_tune_model_at(const struct run_tune_model *m, unsigned objective, unsigned point,
                       double *mean, double *variance)
{
    if (m->by_factors[objective])
        by_factors(m, target(m->t->objective.at[objective].text), false, point, mean, variance);
    else
        run_tune_gp_at(m->whole[objective], point, mean, variance);
}

/* Returns the probability that the point obeys caps like "time <= 0.5". */
double run_tune_model_feasible(const struct run_tune_model *m, unsigned point)
{
    double p = 1;

    for (unsigned i = 0; i < m->t->cap.n; i++) {
        char name[8];
        char relation[3];
        double most;
        double mean;
        double variance;
        const struct target *of;
        if (sscanf(m->t->cap.at[i].text, " %7[a-z] %2[<=] %lf", name, relation, &most) != 3 ||
            relation[0] != '<' || most <= 0 || (of = target(name)) == NULL || !have_factors(m, of))
            continue;
        by_factors(m, of, false, point, &mean, &variance);
        p *= gsl_cdf_ugaussian_P((log(most) - mean) / sqrt(variance));
    }
    return p;
}

const struct run_tune_places *run_tune_model_places(const struct run_tune_model *m)
{
    return &m->places;
}

unsigned run_tune_model_points(const struct run_tune_model *m)
{
    return m->n;
}

bool run_tune_model_logarithm(const struct run_tune_model *m, unsigned objective)
{
    return m->logarithm[objective];
}

double run_tune_model_scale(const struct run_tune_model *m, unsigned objective)
{
    return m->scale[objective];
}

struct run_tune_model *run_tune_model_new(const struct run_tune *t, uint64_t *random)
{
    struct run_tune_model *const m = calloc(1, sizeof(*m));

    if (m == NULL)
        return NULL;
    m->t = t;
    m->random = random;
    m->point = malloc(t->points * sizeof(*m->point));
    m->y = malloc(t->points * sizeof(*m->y));
    run_tune_places(&m->places, t);
    if (m->point != NULL && m->y != NULL)
        return m;
    run_tune_model_free(m);
    return NULL;
}

void run_tune_model_free(struct run_tune_model *m)
{
    if (m == NULL)
        return;
    for (unsigned f = 0; f < FACTORS; f++)
        run_tune_gp_free(m->factor[f]);
    for (unsigned o = 0; o < m->t->objective.n; o++)
        run_tune_gp_free(m->whole[o]);
    free(m->point);
    free(m->y);
    free(m);
}
