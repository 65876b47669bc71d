/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gaussian process regression (Rasmussen and Williams, Gaussian Processes for Machine Learning,
 * algorithm 2.1) with a kernel that is a part a sum over the axes and a part their product, so that
 * effects of single axes are learned from few points and those of axes together from more. The
 * variance is the one that makes the values most likely (equation 5.8 with it profiled out), and
 * values left out are predicted by equation 5.12.
 */
#include "tune_gp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>

#include "tune_search.h"

#define DRAWS   40U  /* random kernels for a fit */
#define STEPS   24U  /* ... and tried around the best one */
#define JITTER  1e-8 /* keeps a matrix of close points regular */
#define SPREAD  8.0  /* from this factor on, numbers count by their logarithm */
#define SUM_MAX 0.9  /* few points can look like a sum of effects, which does not exclude others */
#define USUAL   1.5  /* expected length of an axis, in parts of its range */

struct kernel {
    double length[RUN_TUNE_AXES_MAX];
    double sum;   /* share of the part that is a sum */
    double noise; /* variance relative to 1 */
};

struct run_tune_gp {
    const struct run_tune *t;
    const struct run_tune_places *places;
    struct kernel k;
    unsigned n;
    unsigned *point;
    double mean, variance;
    gsl_matrix *chol;
    gsl_vector *alpha, *inverse; /* K^-1 (y - mean); the diagonal of K^-1 */
    double *y;
};

void run_tune_places(struct run_tune_places *out, const struct run_tune *t)
{
    memset(out, 0, sizeof(*out));
    for (unsigned a = 0; a < t->axes; a++) {
        double low = INFINITY;
        double high = -INFINITY;
        for (unsigned v = 0; v < t->axis[a].values; v++) {
            char *end;
            out->at[a][v] = strtod(t->axis[a].value[v], &end);
            out->words[a] = out->words[a] || end == t->axis[a].value[v] || *end != '\0';
            low = fmin(low, out->at[a][v]);
            high = fmax(high, out->at[a][v]);
        }
        for (unsigned v = 0; v < t->axis[a].values && !out->words[a] && high > low; v++) {
            double *const at = &out->at[a][v];
            *at = low > 0 && high / low >= SPREAD ? log(*at / low) / log(high / low)
                                                  : (*at - low) / (high - low);
        }
    }
}

/* Evaluates Matern 5/2. */
static double near(double d)
{
    const double r = sqrt(5.0) * d;

    return (1 + r + r * r / 3) * exp(-r);
}

static double covariance(const struct run_tune_gp *g, const struct kernel *k, unsigned p,
                         unsigned q)
{
    const unsigned *const x = g->t->point[p].index;
    const unsigned *const y = g->t->point[q].index;
    double sum = 0;
    double product = 1;

    for (unsigned a = 0; a < g->t->axes; a++) {
        double one = 1;
        if (x[a] != y[a])
            one = g->places->words[a]
                      ? exp(-1 / k->length[a])
                      : near(fabs(g->places->at[a][x[a]] - g->places->at[a][y[a]]) / k->length[a]);
        sum += one;
        product *= one;
    }
    return k->sum * sum / g->t->axes + (1 - k->sum) * product;
}

/* Computes the Cholesky factor of the covariances; false: they are singular. */
static bool factor(struct run_tune_gp *g, const struct kernel *k)
{
    for (unsigned i = 0; i < g->n; i++) {
        for (unsigned j = 0; j <= i; j++) {
            const double c = covariance(g, k, g->point[i], g->point[j]);
            gsl_matrix_set(g->chol, i, j, c);
            gsl_matrix_set(g->chol, j, i, c);
        }
        gsl_matrix_set(g->chol, i, i, 1 + k->noise + JITTER);
    }
    return gsl_linalg_cholesky_decomp1(g->chol) == GSL_SUCCESS;
}

static void solve(struct run_tune_gp *g)
{
    double sum = 0;

    for (unsigned i = 0; i < g->n; i++)
        gsl_vector_set(g->alpha, i, g->y[i] - g->mean);
    gsl_linalg_cholesky_svx(g->chol, g->alpha);
    for (unsigned i = 0; i < g->n; i++)
        sum += (g->y[i] - g->mean) * gsl_vector_get(g->alpha, i);
    g->variance = fmax(sum / g->n, 1e-12);
}

/* Returns the logarithm of the values' likelihood under the kernel, with the prior of lengths. */
static double likelihood(struct run_tune_gp *g, const struct kernel *k)
{
    double out;

    if (!factor(g, k))
        return -INFINITY;
    solve(g);
    out = -0.5 * g->n * log(g->variance);
    for (unsigned i = 0; i < g->n; i++)
        out -= log(gsl_matrix_get(g->chol, i, i));
    for (unsigned a = 0; a < g->t->axes; a++) {
        const double off = log(k->length[a] / USUAL);
        out -= off * off / 4;
    }
    return out;
}

static double uniform(uint64_t *random)
{
    return (double)(run_tune_draw(random) >> 11) * 0x1p-53;
}

static void draw(struct kernel *k, unsigned axes, uint64_t *random)
{
    for (unsigned a = 0; a < axes; a++)
        k->length[a] = 0.1 * pow(100.0, uniform(random));
    k->sum = SUM_MAX * uniform(random);
    k->noise = pow(10.0, -6 + 4 * uniform(random));
}

/* Changes one of its parts. */
static void move(struct kernel *k, unsigned axes, uint64_t *random)
{
    const unsigned part = (unsigned)(run_tune_draw(random) % (axes + 2U));
    const double by = uniform(random) - 0.5;

    if (part < axes)
        k->length[part] = fmin(fmax(k->length[part] * exp(3 * by), 0.05), 20);
    else if (part == axes)
        k->sum = fmin(fmax(k->sum + by, 0), SUM_MAX);
    else
        k->noise = fmin(fmax(k->noise * exp(8 * by), 1e-7), 0.05);
}

static void search(struct run_tune_gp *g, bool have, uint64_t *random)
{
    double most = have ? likelihood(g, &g->k) : -INFINITY;

    for (unsigned i = 0; i < DRAWS + STEPS; i++) {
        struct kernel k = g->k;
        double l;
        if (i < DRAWS)
            draw(&k, g->t->axes, random);
        else
            move(&k, g->t->axes, random);
        l = likelihood(g, &k);
        if (l > most || !isfinite(most)) {
            most = l;
            g->k = k;
        }
    }
}

static bool make(struct run_tune_gp *g, const unsigned *point, const double *y)
{
    g->point = malloc(g->n * sizeof(*g->point));
    g->y = malloc(g->n * sizeof(*g->y));
    g->chol = gsl_matrix_alloc(g->n, g->n);
    g->alpha = gsl_vector_alloc(g->n);
    g->inverse = gsl_vector_alloc(g->n);
    if (g->point == NULL || g->y == NULL || g->chol == NULL || g->alpha == NULL ||
        g->inverse == NULL)
        return false;
    memcpy(g->point, point, g->n * sizeof(*point));
    memcpy(g->y, y, g->n * sizeof(*y));
    return true;
}

static bool diagonal(struct run_tune_gp *g)
{
    gsl_matrix *const whole = gsl_matrix_alloc(g->n, g->n);

    if (whole == NULL)
        return false;
    gsl_matrix_memcpy(whole, g->chol);
    gsl_linalg_cholesky_invert(whole);
    for (unsigned i = 0; i < g->n; i++)
        gsl_vector_set(g->inverse, i, gsl_matrix_get(whole, i, i));
    gsl_matrix_free(whole);
    return true;
}

struct run_tune_gp *run_tune_gp_fit(struct run_tune_gp *last, const struct run_tune *t,
                                    const struct run_tune_places *places, const unsigned *point,
                                    const double *y, unsigned n, uint64_t *random)
{
    gsl_error_handler_t *const handler = gsl_set_error_handler_off();
    struct run_tune_gp *g = calloc(1, sizeof(*g));

    if (g != NULL) {
        g->t = t;
        g->places = places;
        g->n = n;
    }
    if (g == NULL || !make(g, point, y)) {
        run_tune_gp_free(g);
        run_tune_gp_free(last);
        gsl_set_error_handler(handler);
        return NULL;
    }
    for (unsigned i = 0; i < n; i++)
        g->mean += y[i] / n;
    if (last != NULL)
        g->k = last->k;
    search(g, last != NULL, random);
    run_tune_gp_free(last);
    while (!factor(g, &g->k)) /* as likely as it is: it must be regular */
        g->k.noise = fmax(2 * g->k.noise, JITTER);
    solve(g);
    if (!diagonal(g)) {
        run_tune_gp_free(g);
        g = NULL;
    }
    gsl_set_error_handler(handler);
    return g;
}

void run_tune_gp_at(const struct run_tune_gp *g, unsigned point, double *mean, double *variance)
{
    double left = 1 + g->k.noise;
    double value = g->mean;

    /* v = L^-1 k, in place of a vector of its own: the inverse's diagonal is not enough here */
    double *const v = malloc(g->n * sizeof(*v));

    for (unsigned i = 0; v != NULL && i < g->n; i++) {
        const double c = covariance(g, &g->k, point, g->point[i]);
        double rest = c;
        for (unsigned j = 0; j < i; j++)
            rest -= gsl_matrix_get(g->chol, i, j) * v[j];
        v[i] = rest / gsl_matrix_get(g->chol, i, i);
        left -= v[i] * v[i];
        value += c * gsl_vector_get(g->alpha, i);
    }
    free(v);
    *mean = value;
    *variance = g->variance * fmax(left, 1e-10);
}

void run_tune_gp_without(const struct run_tune_gp *g, unsigned i, double *mean, double *variance)
{
    const double inverse = gsl_vector_get(g->inverse, i);

    *mean = g->y[i] - gsl_vector_get(g->alpha, i) / inverse;
    *variance = g->variance / inverse;
}

void run_tune_gp_free(struct run_tune_gp *g)
{
    if (g == NULL)
        return;
    gsl_matrix_free(g->chol);
    gsl_vector_free(g->alpha);
    gsl_vector_free(g->inverse);
    free(g->point);
    free(g->y);
    free(g);
}
