/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A bound of the regret. Each point that was not measured has a predicted distribution: Student's t
 * with the deviations that points left out show to be needed. The probability that one of them is
 * better than the best measured point by more than a part r falls with r; the bound is the r at
 * which it is 1 - RUN_TUNE_CONFIDENCE. Points are taken as independent, which errs on the safe
 * side: neighbours of good points are good together.
 */
#include "tune_regret.h"

#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_cdf.h>

#define FEWEST      6U   /* points below which nothing is known */
#define MOST_POINTS 400U /* a fit takes the cube of their number */
#define MOST_WORK   2e9  /* predictions of all points: the square of it for each */
#define MOST        64.0 /* bound beyond which it is infinite, in logarithms */
#define STEPS       60U  /* of a bisection */
#define FITS        6U   /* each continues the last one's search for the most likely kernel */

struct rival {
    double mean, deviation, feasible;
};

struct rivals {
    struct rival *at;
    unsigned n;
    double freedom; /* degrees of freedom */
    double least;   /* of the measured points */
};

/* Returns the probability that no rival is below the limit. */
static double none_below(const struct rivals *r, double limit)
{
    double p = 1;

    for (unsigned i = 0; i < r->n; i++) {
        const struct rival *const one = &r->at[i];
        p *= 1 - one->feasible * gsl_cdf_tdist_P((limit - one->mean) / one->deviation, r->freedom);
    }
    return p;
}

static bool gather(struct rivals *r, const struct run_tune *t, const struct run_tune_model *m,
                   unsigned objective, int *likely)
{
    const double scale = run_tune_model_scale(m, objective);
    double most = -1;

    r->at = malloc((t->points + 1U) * sizeof(*r->at));
    r->n = 0;
    r->least = INFINITY;
    for (unsigned k = 0; r->at != NULL && k < t->points; k++) {
        if (t->point[k].state == RUN_TUNE_MEASURED)
            r->least = fmin(r->least, run_tune_model_value(m, objective, k));
    }
    for (unsigned k = 0; r->at != NULL && k < t->points; k++) {
        struct rival *const one = &r->at[r->n];
        double variance;
        double p;
        if (t->point[k].state == RUN_TUNE_INFEASIBLE || t->point[k].tried > 0)
            continue;
        run_tune_model_at(m, objective, k, &one->mean, &variance);
        one->deviation = scale * sqrt(variance);
        one->feasible = run_tune_model_feasible(m, k);
        p = one->feasible * gsl_cdf_tdist_P((r->least - one->mean) / one->deviation, r->freedom);
        if (p > most) {
            most = p;
            *likely = (int)k;
        }
        r->n++;
    }
    return r->at != NULL;
}

/* True if a bound can be computed from n points, in seconds. */
static bool computable(const struct run_tune *t, unsigned n)
{
    return n >= FEWEST && n <= MOST_POINTS && (double)t->points * n * n <= MOST_WORK;
}

double run_tune_regret(const struct run_tune *t, const struct run_tune_model *m, unsigned objective,
                       int *likely)
{
    const unsigned n = run_tune_model_points(m);
    struct rivals r = {.freedom = n > 8 ? n / 2.0 : 4};
    double low = 0;
    double high = MOST;
    double out = INFINITY;

    *likely = -1;
    if (!run_tune_model_logarithm(m, objective))
        return -1;
    if (computable(t, n) && gather(&r, t, m, objective, likely) && isfinite(r.least)) {
        for (unsigned i = 0; i < STEPS; i++) {
            const double middle = (low + high) / 2;
            if (none_below(&r, r.least - middle) < RUN_TUNE_CONFIDENCE)
                low = middle;
            else
                high = middle;
        }
        out = none_below(&r, r.least) >= RUN_TUNE_CONFIDENCE ? 0 : expm1(high);
    }
    free(r.at);
    return out;
}

int run_tune_regrets(struct run_tune *t, struct mpj_err *err)
{
    uint64_t random = t->draw;
    struct run_tune_model *m;
    unsigned left = 0;
    unsigned have = 0;
    int likely;
    bool ok;

    for (unsigned k = 0; k < t->points; k++) {
        left += t->point[k].state == RUN_TUNE_NEW;
        have += t->point[k].state == RUN_TUNE_MEASURED || t->point[k].state == RUN_TUNE_OVER;
    }
    if (left > 0 && !isnan(t->bound[0])) /* known by the strategy */
        return MPJ_E_OK;
    for (unsigned o = 0; o < t->objective.n; o++)
        t->bound[o] = left == 0 ? 0 : INFINITY;
    if (left == 0 || !computable(t, have))
        return MPJ_E_OK;
    m = run_tune_model_new(t, &random);
    ok = m != NULL;
    for (unsigned i = 0; ok && i < FITS; i++)
        ok = run_tune_model_fit(m);
    for (unsigned o = 0; ok && o < t->objective.n; o++)
        t->bound[o] = run_tune_regret(t, m, o, &likely);
    run_tune_model_free(m);
    return ok ? MPJ_E_OK : mpj_err_nomem(err);
}
