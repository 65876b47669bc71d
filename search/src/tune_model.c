/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Search by predictions of the measured points (tune_predict.h). The next point is the one with the
 * largest expected improvement (D. Jones, M. Schonlau, W. Welch, J. of Global Optimization 13,
 * 1998), weighted with the probability that it obeys the caps on time and energy. When none
 * promises anything, the points that keep the bound of the regret up are measured, until it is met
 * and the best point is better than its neighbours.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>

#include "tune_regret.h"
#include "tune_search.h"

#define LEAST      16U    /* evaluations when the twentieth part of the points is fewer */
#define SHARE      20U    /* one point in N is evaluated */
#define LAST       5U     /* the last one in N evaluations takes what is predicted best */
#define WITHIN     0.01   /* bound that is met unless evaluations are limited */
#define CANDIDATES 3000U  /* points examined for the next one, in larger spaces */
#define ENOUGH     0.0003 /* expected improvement at which the search ends, in parts */

struct search {
    struct run_tune *t;
    struct run_tune_model *model;
    double within;    /* bound to meet; 0: none */
    unsigned planned; /* evaluations before the bound is looked at */
    uint64_t random;
};

static double improvement(const struct search *s, unsigned objective, unsigned point, double least)
{
    const double feasible = run_tune_model_feasible(s->model, point);
    double mean;
    double variance;
    double deviation;
    double z;

    run_tune_model_at(s->model, objective, point, &mean, &variance);
    deviation = sqrt(variance);
    if (run_tune_model_logarithm(s->model, objective) &&
        s->t->evaluations >= s->planned - s->planned / LAST) /* nothing is learned any longer */
        return exp(least - mean) * feasible;
    z = (least - mean) / deviation;
    return deviation * (z * gsl_cdf_ugaussian_P(z) + gsl_ran_ugaussian_pdf(z)) * feasible;
}

/* True if the point is examined: in a space that is too large to be searched as a whole, only some
 * points are, and the neighbours of the best. */
static bool is_examined(struct search *s, unsigned point, int best)
{
    const struct run_tune *const t = s->t;
    unsigned other = 0;

    if (t->points <= CANDIDATES || run_tune_draw(&s->random) % t->points < CANDIDATES)
        return true;
    for (unsigned a = 0; best >= 0 && a < t->axes; a++)
        other += t->point[point].index[a] != t->point[best].index[a];
    return best >= 0 && other <= 1;
}

/* Returns the best measured point; -1: there is none. */
static int best_measured(const struct search *s, unsigned objective)
{
    double least = INFINITY;
    int best = -1;

    for (unsigned k = 0; k < s->t->points; k++) {
        if (s->t->point[k].state != RUN_TUNE_MEASURED ||
            run_tune_model_value(s->model, objective, k) >= least)
            continue;
        least = run_tune_model_value(s->model, objective, k);
        best = (int)k;
    }
    return best;
}

/* Returns the next point; -1: none promises anything. */
static int next(struct search *s, unsigned objective)
{
    const struct run_tune *const t = s->t;
    double most = 0;
    double least = INFINITY;
    int out = -1;
    const int best = best_measured(s, objective);

    if (best >= 0)
        least = run_tune_model_value(s->model, objective, (unsigned)best);
    for (unsigned k = 0; best < 0 && k < t->points; k++) { /* all are over a cap */
        if (t->point[k].state == RUN_TUNE_OVER)
            least = fmin(least, run_tune_model_value(s->model, objective, k));
    }
    for (unsigned k = 0; k < t->points; k++) {
        double i;
        if (t->point[k].state == RUN_TUNE_INFEASIBLE || t->point[k].tried > 0 ||
            !is_examined(s, k, best))
            continue;
        i = improvement(s, objective, k, least);
        if (i > most || out < 0) {
            most = i;
            out = (int)k;
        }
    }
    return most > (run_tune_model_logarithm(s->model, objective) ? ENOUGH : ENOUGH * fabs(least)) ||
                   best < 0
               ? out
               : -1;
}

/* ---- where it begins --------------------------------------------------------------------------
 */

static double distance(const struct search *s, unsigned a, unsigned b)
{
    const struct run_tune_places *const places = run_tune_model_places(s->model);
    const unsigned *const x = s->t->point[a].index;
    const unsigned *const y = s->t->point[b].index;
    double sum = 0;

    for (unsigned i = 0; i < s->t->axes; i++) {
        const double d =
            places->words[i] ? x[i] != y[i] : places->at[i][x[i]] - places->at[i][y[i]];
        sum += d * d;
    }
    return sum;
}

/* Returns that of some random points which is farthest from those before. */
static int farthest(struct search *s, const unsigned *had, unsigned n)
{
    const struct run_tune *const t = s->t;
    double most = -1;
    int out = -1;

    for (unsigned i = 0; i < 40; i++) {
        const unsigned k = (unsigned)(run_tune_draw(&s->random) % t->points);
        double nearest = INFINITY;
        for (unsigned j = 0; j < n; j++)
            nearest = fmin(nearest, distance(s, k, had[j]));
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

/* Begins with the baseline, or the middle of numbers; then all other values of each axis of words,
 * or one more of each, if so many are planned: nothing else predicts a word; then points that are
 * far apart. */
static int begin(struct search *s, struct mpj_err *err)
{
    struct run_tune *const t = s->t;
    const struct run_tune_places *const places = run_tune_model_places(s->model);
    const unsigned half = s->planned > 1 ? s->planned / 2 : 1;
    const unsigned wanted = t->axes + 2 < half ? t->axes + 2 : half;
    unsigned words = 0;  /* axes */
    unsigned values = 0; /* of these, not counting the first point's */
    unsigned index[RUN_TUNE_AXES_MAX];
    unsigned *const point = malloc((s->planned + t->axes + 2U) * sizeof(*point));
    unsigned n = 1;
    int result;

    if (point == NULL)
        return mpj_err_nomem(err);

    run_tune_baseline(t, index);
    if (t->baseline.n == 0) {
        for (unsigned a = 0; a < t->axes; a++)
            index[a] = places->words[a] ? 0 : t->axis[a].values / 2;
    }
    point[0] = run_tune_number(t, index);
    for (unsigned a = 0; a < t->axes; a++) {
        words += places->words[a];
        values += places->words[a] ? t->axis[a].values - 1 : 0;
    }
    for (unsigned a = 0; words < wanted && a < t->axes; a++) {
        const unsigned more = 4 * values < 3 * s->planned ? t->axis[a].values : 2;
        for (unsigned v = 1; places->words[a] && v < more && v < t->axis[a].values; v++)
            point[n++] = run_tune_neighbour(t, point[0], a, (index[a] + v) % t->axis[a].values);
    }
    for (unsigned tries = 0; n < wanted && tries < 8 * wanted; tries++) {
        const int k = farthest(s, point, n);
        if (k >= 0)
            point[n++] = (unsigned)k;
    }
    result = run_tune_measure(t, point, n, err);
    free(point);
    return result;
}

/* ---- the whole search ---------------------------------------------------------------------- */

/* Searches where improvements are expected, with the planned evaluations. */
static int improve(struct search *s, struct mpj_err *err)
{
    struct run_tune *const t = s->t;
    unsigned idle = 0; /* objectives, in a row, for which no point promises anything */

    for (unsigned turn = 0; t->evaluations < s->planned && idle < t->objective.n; turn++) {
        unsigned point;
        int found;
        if (!run_tune_model_fit(s->model))
            return mpj_err_nomem(err);
        found = run_tune_model_points(s->model) < 2 ? next_unmeasured(t)
                                                    : next(s, turn % t->objective.n);
        idle = found < 0 ? idle + 1 : 0;
        if (found < 0)
            continue;
        point = (unsigned)found;
        if (run_tune_measure(t, &point, 1, err) != MPJ_E_OK)
            return err->code;
    }
    return MPJ_E_OK;
}

/* Returns a point that was not measured one step of an axis of numbers from the best one; -1: none
 * is left. The processes take numbers for smooth, and errors of points left out show little of how
 * they are not: 1 may be a mode that has nothing in common with 0 and 2, and 80 a tile that divides
 * the work evenly, where 40 and 240 do not. */
static int neighbour_of_best(const struct search *s, unsigned objective)
{
    const struct run_tune *const t = s->t;
    const struct run_tune_places *const places = run_tune_model_places(s->model);
    const int best = best_measured(s, objective);

    for (unsigned a = 0; best >= 0 && a < t->axes; a++) {
        const unsigned here = t->point[best].index[a];
        for (unsigned v = here > 0 ? here - 1 : 1; v <= here + 1 && v < t->axis[a].values; v += 2) {
            const unsigned k = run_tune_neighbour(t, (unsigned)best, a, v);
            if (!places->words[a] && t->point[k].state != RUN_TUNE_INFEASIBLE &&
                t->point[k].tried == 0)
                return (int)k;
        }
    }
    return -1;
}

/* Measures the points that may still be better, until the bounds of all objectives are met and the
 * best points are better than their neighbours, or no evaluations are left. */
static int prove(struct search *s, struct mpj_err *err)
{
    struct run_tune *const t = s->t;
    bool met = false;

    while (!met) {
        double worst = s->within;
        int point = -1;
        if (!run_tune_model_fit(s->model))
            return mpj_err_nomem(err);
        for (unsigned o = 0; o < t->objective.n; o++) {
            int likely;
            t->bound[o] = run_tune_regret(t, s->model, o, &likely);
            if (likely < 0 || t->bound[o] <= worst)
                continue;
            worst = t->bound[o];
            point = likely;
        }
        if (point >= 0 && t->narrowed != NULL)
            t->narrowed(worst, t->evaluations);
        for (unsigned o = 0; s->within > 0 && point < 0 && o < t->objective.n; o++)
            point = neighbour_of_best(s, o);
        met = point < 0 || run_tune_exhausted(t);
        if (!met && run_tune_measure(t, (unsigned[]){(unsigned)point}, 1, err) != MPJ_E_OK)
            return err->code;
    }
    return MPJ_E_OK;
}

static int by_model(struct run_tune *t, struct mpj_err *err)
{
    struct search s = {.t = t, .planned = t->most, .random = t->draw, .within = t->within};
    unsigned feasible = 0;
    int result;

    s.model = run_tune_model_new(t, &s.random);
    if (s.model == NULL)
        return mpj_err_nomem(err);
    for (unsigned k = 0; k < t->points; k++)
        feasible += t->point[k].state != RUN_TUNE_INFEASIBLE;
    if (t->most == 0 && s.within <= 0)
        s.within = WITHIN;
    if (s.within > 0)
        s.planned = (feasible + SHARE - 1) / SHARE > LEAST ? (feasible + SHARE - 1) / SHARE : LEAST;
    if (t->most > 0 && s.planned > t->most)
        s.planned = t->most;
    result = begin(&s, err);
    if (result == MPJ_E_OK)
        result = improve(&s, err);
    if (result == MPJ_E_OK)
        result = prove(&s, err);
    run_tune_model_free(s.model);
    return result;
}

const struct run_tune_strategy run_tune_model = {
    "model", "few points, by a model of time and energy from counters", by_model};
