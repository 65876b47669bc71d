/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds best subsets by depth-first search. A node is a set of chosen predictors; the cross
 * products of the undecided ones are kept with the chosen ones eliminated, so that adding one more
 * costs one elimination and the last one of a set nothing. The residual sum with all undecided ones
 * added bounds a whole branch from below.
 */
#include "models/regress.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define PIVOT_TOLERANCE 1e-10

struct search {
    size_t p, max;
    struct mpj_subset *best;
    size_t chosen[MPJ_REGRESS_MAX];
    size_t order[MPJ_REGRESS_MAX + 1];
    double most; /* limit of the variance inflation of a subset; 0: any */
    double *correlation;
    double *level; /* per depth: (p + 1)^2 cross products, y last */
};

static double *at(double *m, size_t p, size_t i, size_t j)
{
    return m + i * (p + 1) + j;
}

/* Eliminates column j from the columns after it. */
static void eliminate(double *to, const double *from, size_t p, size_t j)
{
    const double *const row = from + j * (p + 1);

    for (size_t a = j + 1; a <= p; a++) {
        const double f = row[a] / row[j];
        for (size_t b = a; b <= p; b++)
            to[a * (p + 1) + b] = from[a * (p + 1) + b] - f * row[b];
    }
}

static double bound(const double *m, size_t p, size_t first)
{
    double work[(MPJ_REGRESS_MAX + 1) * (MPJ_REGRESS_MAX + 1)];

    memcpy(work, m, (p + 1) * (p + 1) * sizeof(*m));
    for (size_t j = first; j < p; j++) {
        if (*at(work, p, j, j) > PIVOT_TOLERANCE)
            eliminate(work, work, p, j);
    }
    return *at(work, p, p, p);
}

/* True if no chosen predictor of the first `size` is inflated by the others beyond the limit: the
 * diagonal of the inverse of their correlations. More predictors never lower it. */
static bool apart(const struct search *s, size_t size)
{
    double m[MPJ_REGRESS_MAX][MPJ_REGRESS_MAX];

    if (!(s->most > 0))
        return true;
    for (size_t i = 0; i < size; i++) {
        for (size_t j = 0; j < size; j++) {
            const size_t a = s->chosen[i] < s->chosen[j] ? s->chosen[i] : s->chosen[j];
            const size_t b = s->chosen[i] < s->chosen[j] ? s->chosen[j] : s->chosen[i];
            m[i][j] = s->correlation[a * (s->p + 1) + b];
        }
    }
    for (size_t k = 0; k < size; k++) { /* in place: positive definite, so no pivoting */
        const double d = m[k][k];
        if (d <= PIVOT_TOLERANCE)
            return false;
        m[k][k] = 1;
        for (size_t j = 0; j < size; j++)
            m[k][j] /= d;
        for (size_t i = 0; i < size; i++) {
            const double f = m[i][k];
            if (i == k)
                continue;
            m[i][k] = 0;
            for (size_t j = 0; j < size; j++)
                m[i][j] -= f * m[k][j];
        }
    }
    for (size_t k = 0; k < size; k++) {
        if (m[k][k] > s->most)
            return false;
    }
    return true;
}

static void better(struct search *s, size_t size, double rss)
{
    struct mpj_subset *const b = &s->best[size - 1];

    if (!(rss < b->rss) || !apart(s, size))
        return;
    b->rss = rss;
    b->size = size;
    for (size_t i = 0; i < size; i++)
        b->index[i] = s->order[s->chosen[i]];
}

static void visit(struct search *s, size_t depth, size_t first)
{
    const size_t p = s->p;
    double *const m = s->level + depth * (p + 1) * (p + 1);

    for (size_t j = first; j < p; j++) {
        const double d = *at(m, p, j, j);
        if (d <= PIVOT_TOLERANCE)
            continue;
        s->chosen[depth] = j;
        better(s, depth + 1, *at(m, p, p, p) - *at(m, p, j, p) * *at(m, p, j, p) / d);
    }
    if (depth + 1 == s->max)
        return;
    for (size_t j = first; j + 1 < p; j++) {
        const size_t left = p - j;
        if (left > 3) { /* all columns from j on: no branch that starts later can be better */
            const double low = bound(m, p, j);
            size_t k = depth + 1;
            while (k < s->max && low >= s->best[k].rss)
                k++;
            if (k == s->max)
                return;
        }
        if (*at(m, p, j, j) <= PIVOT_TOLERANCE)
            continue;
        s->chosen[depth] = j;
        if (!apart(s, depth + 1))
            continue;
        eliminate(m + (p + 1) * (p + 1), m, p, j);
        visit(s, depth + 1, j + 1);
    }
}

/* Fills the correlations of the predictors, in the order of the search. They are not weighted, as
 * those that the inflation of a fit is computed from. */
static void correlate(struct search *s, const double *x, size_t n)
{
    const size_t p = s->p;
    double mean[MPJ_REGRESS_MAX] = {0};
    double scale[MPJ_REGRESS_MAX];

    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < p; j++)
            mean[j] += x[i * p + s->order[j]] / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < p; j++) {
            const double v = x[i * p + s->order[j]] - mean[j];
            for (size_t k = j; k < p; k++)
                *at(s->correlation, p, j, k) += v * (x[i * p + s->order[k]] - mean[k]);
        }
    }
    for (size_t j = 0; j < p; j++)
        scale[j] = sqrt(*at(s->correlation, p, j, j));
    for (size_t j = 0; j < p; j++) {
        for (size_t k = j; k < p; k++)
            *at(s->correlation, p, j, k) = scale[j] > 0 && scale[k] > 0
                                               ? *at(s->correlation, p, j, k) / scale[j] / scale[k]
                                               : 0;
    }
}

static int by_index(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a;
    const size_t y = *(const size_t *)b;
    return (x > y) - (x < y);
}

int mpj_regress_subsets(struct mpj_subset *best, size_t max, const double *x, const double *y,
                        const double *w, size_t n, size_t p, double most_vif, struct mpj_err *err)
{
    struct search s = {.p = p, .max = max < p ? max : p, .best = best, .most = most_vif};
    double mean[MPJ_REGRESS_MAX + 1] = {0};
    double scale[MPJ_REGRESS_MAX + 1] = {0};
    double gain[MPJ_REGRESS_MAX];
    double sw = 0;
    double *m;

    for (size_t k = 0; k < max; k++)
        best[k] = (struct mpj_subset){.rss = INFINITY};
    if (p == 0 || p > MPJ_REGRESS_MAX || max == 0 || n < s.max + 2)
        return mpj_err_set(err, MPJ_E_USAGE,
                           "too few programs: %zu for subsets of up to %zu of %zu predictors", n,
                           s.max, p);
    m = s.level = calloc((s.max + 1) * (p + 1) * (p + 1), sizeof(*m));
    s.correlation = calloc((p + 1) * (p + 1), sizeof(*m));
    if (m == NULL || s.correlation == NULL) {
        free(s.level);
        free(s.correlation);
        return mpj_err_nomem(err);
    }
    for (size_t i = 0; i < n; i++) {
        const double wi = w != NULL ? w[i] : 1;
        sw += wi;
        for (size_t j = 0; j <= p; j++)
            mean[j] += wi * (j < p ? x[i * p + j] : y[i]);
    }
    for (size_t j = 0; j <= p; j++)
        mean[j] /= sw;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= p; j++) {
            const double v = (j < p ? x[i * p + j] : y[i]) - mean[j];
            scale[j] += (w != NULL ? w[i] : 1) * v * v;
        }
    }
    /* the strongest first: good subsets early make the bounds tight */
    for (size_t j = 0; j < p; j++) {
        double dot = 0;
        size_t k = j;
        for (size_t i = 0; i < n; i++)
            dot += (w != NULL ? w[i] : 1) * (x[i * p + j] - mean[j]) * (y[i] - mean[p]);
        gain[j] = scale[j] > 0 ? dot * dot / scale[j] : 0;
        while (k > 0 && gain[s.order[k - 1]] < gain[j]) {
            s.order[k] = s.order[k - 1];
            k--;
        }
        s.order[k] = j;
    }
    s.order[p] = p;
    for (size_t i = 0; i < n; i++) {
        double row[MPJ_REGRESS_MAX + 1];
        for (size_t j = 0; j <= p; j++) {
            const size_t o = s.order[j];
            const double v = (o < p ? x[i * p + o] : y[i]) - mean[o];
            row[j] = o == p ? v : scale[o] > 0 ? v / sqrt(scale[o]) : 0;
        }
        for (size_t j = 0; j <= p; j++) {
            for (size_t k = j; k <= p; k++)
                *at(m, p, j, k) += (w != NULL ? w[i] : 1) * row[j] * row[k];
        }
    }
    correlate(&s, x, n);
    visit(&s, 0, 0);
    for (size_t k = 0; k < max; k++)
        qsort(best[k].index, best[k].size, sizeof(size_t), by_index);
    free(s.level);
    free(s.correlation);
    return MPJ_E_OK;
}
