/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Search by a model that knows the counters. The time of a run is exactly
 *
 *     instructions * (busy seconds / instructions) / (busy seconds / seconds)
 *
 * and its energy that times its mean power. Each of these factors depends on fewer axes than their
 * product: the number of instructions on options and tiles but hardly on threads, the cost of one
 * on caches and contention, the busy cores on threads and schedules. So each has a Gaussian process
 * of its own, of its logarithm; the sum of these predicts the objective. A separate process models
 * the objective itself, and the one that predicts the measured points better, each from all others,
 * is followed. The next point is the one with the largest expected improvement (D. Jones, M.
 * Schonlau, W. Welch, J. of Global Optimization 13, 1998), weighted with the probability that it
 * obeys the caps on time and energy.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>

#include "tune_gp.h"
#include "tune_search.h"

#define LEAST      16U    /* evaluations when the twentieth part of the points is fewer */
#define SHARE      20U    /* one point in N is evaluated */
#define LAST       5U     /* the last one in N evaluations takes what is predicted best */
#define CANDIDATES 3000U  /* points examined for the next one, in larger spaces */
#define ENOUGH     0.0003 /* expected improvement at which the search ends, in parts */

enum factor { INSTRUCTIONS, COST, CORES, POWER, FACTORS };

/* Factors of each objective, with their powers. */
static const struct target {
    const char *name;
    int power[FACTORS];
} targets[] = {
    {"time", {1, 1, -1, 0}}, {"energy", {1, 1, -1, 1}}, {"edp", {2, 2, -2, 1}},
    {"ed2p", {3, 3, -3, 1}}, {"power", {0, 0, 0, 1}},
};

struct model {
    struct run_tune *t;
    struct run_tune_places places;
    struct run_tune_gp *factor[FACTORS];
    struct run_tune_gp *whole[RUN_TUNE_OBJECTIVES_MAX];
    bool by_factors[RUN_TUNE_OBJECTIVES_MAX];
    bool logarithm[RUN_TUNE_OBJECTIVES_MAX];
    unsigned *point; /* that have figures */
    double *y;
    unsigned n;
    uint64_t random;
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

static bool fit(struct model *m, struct run_tune_gp **g)
{
    *g = run_tune_gp_fit(*g, m->t, &m->places, m->point, m->y, m->n, &m->random);
    return *g != NULL;
}

static bool fit_factors(struct model *m)
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

static bool have_factors(const struct model *m, const struct target *of)
{
    for (unsigned f = 0; f < FACTORS; f++) {
        if (of->power[f] != 0 && m->factor[f] == NULL)
            return false;
    }
    return true;
}

static double value(const struct model *m, unsigned objective, unsigned point)
{
    const double v = m->t->point[point].objective[objective];

    return m->logarithm[objective] ? log(v) : v;
}

/* True if the factors predict the points left out better: by a smaller sum of squared errors. */
static bool factors_are_better(const struct model *m, unsigned objective)
{
    const struct target *const of = target(m->t->objective.at[objective].text);
    double by_whole = 0;
    double by_factors = 0;

    if (of == NULL || !have_factors(m, of))
        return false;
    for (unsigned i = 0; i < m->n; i++) {
        const double is = value(m, objective, m->point[i]);
        const double whole = run_tune_gp_without(m->whole[objective], i) - is;
        double sum = -is;
        for (unsigned f = 0; f < FACTORS; f++) {
            if (of->power[f] != 0)
                sum += of->power[f] * run_tune_gp_without(m->factor[f], i);
        }
        by_whole += whole * whole;
        by_factors += sum * sum;
    }
    return by_factors < by_whole;
}

static bool refit(struct model *m)
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
            m->y[i] = value(m, o, m->point[i]);
        if (!fit(m, &m->whole[o]))
            return false;
        m->by_factors[o] = m->logarithm[o] && factors_are_better(m, o);
    }
    return true;
}

/* ---- the next point -----------------------------------------------------------------------------
 */

static void by_factors(const struct model *m, const struct target *of, unsigned point, double *mean,
                       double *variance)
{
    *mean = *variance = 0;
    for (unsigned f = 0; f < FACTORS; f++) {
        double one;
        double its;
        if (of->power[f] == 0)
            continue;
        run_tune_gp_at(m->factor[f], point, &one, &its);
        *mean += of->power[f] * one;
        *variance += of->power[f] * of->power[f] * its;
    }
}

/* Returns the probability that the point obeys caps like "time <= 0.5". */
static double feasibility(const struct model *m, unsigned point)
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
        by_factors(m, of, point, &mean, &variance);
        p *= gsl_cdf_ugaussian_P((log(most) - mean) / sqrt(variance));
    }
    return p;
}

static double improvement(const struct model *m, unsigned objective, unsigned point, double least)
{
    double mean;
    double variance;
    double deviation;
    double z;

    if (m->by_factors[objective])
        by_factors(m, target(m->t->objective.at[objective].text), point, &mean, &variance);
    else
        run_tune_gp_at(m->whole[objective], point, &mean, &variance);
    deviation = sqrt(variance);
    if (m->logarithm[objective] &&
        m->t->evaluations >= m->t->most - m->t->most / LAST) /* nothing is learned any longer */
        return exp(least - mean) * feasibility(m, point);
    z = (least - mean) / deviation;
    return deviation * (z * gsl_cdf_ugaussian_P(z) + gsl_ran_ugaussian_pdf(z)) *
           feasibility(m, point);
}

/* True if the point is examined: in a space that is too large to be searched as a whole, only some
 * points are, and the neighbours of the best. */
static bool is_duplicate(struct model *m, unsigned point, int best)
{
    const struct run_tune *const t = m->t;
    unsigned other = 0;

    if (t->points <= CANDIDATES || run_tune_draw(&m->random) % t->points < CANDIDATES)
        return true;
    for (unsigned a = 0; best >= 0 && a < t->axes; a++)
        other += t->point[point].index[a] != t->point[best].index[a];
    return best >= 0 && other <= 1;
}

/* Returns the next point; -1: none promises anything. */
static int next(struct model *m, unsigned objective)
{
    const struct run_tune *const t = m->t;
    double most = 0;
    double least = INFINITY;
    int out = -1;
    int best = -1;

    for (unsigned k = 0; k < t->points; k++) {
        if (t->point[k].state != RUN_TUNE_MEASURED || value(m, objective, k) >= least)
            continue;
        least = value(m, objective, k);
        best = (int)k;
    }
    for (unsigned i = 0; best < 0 && i < m->n; i++) /* all are over a cap */
        least = fmin(least, value(m, objective, m->point[i]));
    for (unsigned k = 0; k < t->points; k++) {
        double i;
        if (t->point[k].state == RUN_TUNE_INFEASIBLE || t->point[k].tried > 0 ||
            !is_duplicate(m, k, best))
            continue;
        i = improvement(m, objective, k, least);
        if (i > most || out < 0) {
            most = i;
            out = (int)k;
        }
    }
    return most > (m->logarithm[objective] ? ENOUGH : ENOUGH * fabs(least)) || best < 0 ? out : -1;
}

/* ---- where it begins --------------------------------------------------------------------------
 */

static double distance(const struct model *m, unsigned a, unsigned b)
{
    const unsigned *const x = m->t->point[a].index;
    const unsigned *const y = m->t->point[b].index;
    double sum = 0;

    for (unsigned i = 0; i < m->t->axes; i++) {
        const double d =
            m->places.words[i] ? x[i] != y[i] : m->places.at[i][x[i]] - m->places.at[i][y[i]];
        sum += d * d;
    }
    return sum;
}

/* Returns that of some random points which is farthest from those before. */
static int farthest(struct model *m, const unsigned *had, unsigned n)
{
    const struct run_tune *const t = m->t;
    double most = -1;
    int out = -1;

    for (unsigned i = 0; i < 40; i++) {
        const unsigned k = (unsigned)(run_tune_draw(&m->random) % t->points);
        double nearest = INFINITY;
        for (unsigned j = 0; j < n; j++)
            nearest = fmin(nearest, distance(m, k, had[j]));
        if (t->point[k].state != RUN_TUNE_INFEASIBLE && nearest > most) {
            most = nearest;
            out = (int)k;
        }
    }
    return out;
}

/* Returns any point not yet tried, as few points work so far; -1: none. */
static int next_unmeasured(const struct run_tune *t)
{
    for (unsigned k = 0; k < t->points; k++) {
        if (t->point[k].state != RUN_TUNE_INFEASIBLE && t->point[k].tried == 0)
            return (int)k;
    }
    return -1;
}

/* Begins with the baseline, or the middle of numbers; then one more value of each axis of words,
 * when these are few: effects without a number are learned in pairs; then points that are far
 * apart. */
static int begin(struct model *m, struct mpj_err *err)
{
    struct run_tune *const t = m->t;
    const unsigned half = t->most > 1 ? t->most / 2 : 1;
    const unsigned wanted = t->axes + 2 < half ? t->axes + 2 : half;
    unsigned words = 0;
    unsigned index[RUN_TUNE_AXES_MAX];
    unsigned point[RUN_TUNE_AXES_MAX + 2];
    unsigned n = 1;

    run_tune_baseline(t, index);
    if (t->baseline.n == 0) {
        for (unsigned a = 0; a < t->axes; a++)
            index[a] = m->places.words[a] ? 0 : t->axis[a].values / 2;
    }
    point[0] = run_tune_number(t, index);
    for (unsigned a = 0; a < t->axes; a++)
        words += m->places.words[a];
    for (unsigned a = 0; words < wanted && a < t->axes; a++) {
        if (m->places.words[a])
            point[n++] = run_tune_neighbour(t, point[0], a, (index[a] + 1) % t->axis[a].values);
    }
    for (unsigned tries = 0; n < wanted && tries < 8 * wanted; tries++) {
        const int k = farthest(m, point, n);
        if (k >= 0)
            point[n++] = (unsigned)k;
    }
    return run_tune_measure(t, point, n, err);
}

/* ---- all of it --------------------------------------------------------------------------------
 */

static int search(struct model *m, struct mpj_err *err)
{
    struct run_tune *const t = m->t;
    unsigned idle = 0; /* objectives, in a row, for which no point promises anything */

    if (begin(m, err) != MPJ_E_OK)
        return err->code;
    for (unsigned turn = 0; !run_tune_exhausted(t) && idle < t->objective.n; turn++) {
        unsigned point;
        int found;
        if (!refit(m))
            return mpj_err_nomem(err);
        found = m->n < 2 ? next_unmeasured(t) : next(m, turn % t->objective.n);
        idle = found < 0 ? idle + 1 : 0;
        if (found < 0)
            continue;
        point = (unsigned)found;
        if (run_tune_measure(t, &point, 1, err) != MPJ_E_OK)
            return err->code;
    }
    return MPJ_E_OK;
}

static int by_model(struct run_tune *t, struct mpj_err *err)
{
    struct model *const m = calloc(1, sizeof(*m));
    unsigned feasible = 0;
    int result;

    if (m == NULL)
        return mpj_err_nomem(err);
    m->t = t;
    m->random = t->draw;
    m->point = malloc(t->points * sizeof(*m->point));
    m->y = malloc(t->points * sizeof(*m->y));
    for (unsigned k = 0; k < t->points; k++)
        feasible += t->point[k].state != RUN_TUNE_INFEASIBLE;
    if (t->most == 0)
        t->most = (feasible + SHARE - 1) / SHARE > LEAST ? (feasible + SHARE - 1) / SHARE : LEAST;
    run_tune_places(&m->places, t);
    result = m->point != NULL && m->y != NULL ? search(m, err) : mpj_err_nomem(err);
    for (unsigned f = 0; f < FACTORS; f++)
        run_tune_gp_free(m->factor[f]);
    for (unsigned o = 0; o < t->objective.n; o++)
        run_tune_gp_free(m->whole[o]);
    free(m->point);
    free(m->y);
    free(m);
    return result;
}

const struct run_tune_strategy run_tune_model = {
    "model", "few points, by a model of time and energy from counters", by_model};
