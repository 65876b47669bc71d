/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "models/regress.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_multifit.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RANK_TOLERANCE 1e-10 /* relative to the largest singular value */

static int check(const double *x, const double *y, const double *w, size_t n, size_t p,
                 struct mpj_err *err)
{
    if (p > MPJ_REGRESS_MAX)
        return mpj_err_set(err, MPJ_E_USAGE, "%zu predictors: at most %u", p, MPJ_REGRESS_MAX);
    if (n < p + 2)
        return mpj_err_set(err, MPJ_E_USAGE,
                           "too few programs: %zu for %zu predictors and a constant, at least %zu",
                           n, p, p + 2);
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(y[i]) || (w != NULL && !(isfinite(w[i]) && w[i] > 0)))
            return mpj_err_set(err, MPJ_E_USAGE, "observation %zu is not a number", i);
        for (size_t j = 0; j < p; j++) {
            if (!isfinite(x[i * p + j]))
                return mpj_err_set(err, MPJ_E_USAGE, "predictor %zu of observation %zu is missing",
                                   j, i);
        }
    }
    return MPJ_E_OK;
}

/* Computes R2, errors and information criteria of the coefficients in *f. */
static void statistics(struct mpj_fit *f, const double *x, const double *y, const double *w)
{
    const double n = (double)f->n;
    const double k = (double)f->p + 1;
    double sw = 0;
    double mean = 0;
    double tss = 0;
    double sse = 0;
    double percent = 0;

    f->rss = f->max_error_percent = 0;
    for (size_t i = 0; i < f->n; i++) {
        sw += w != NULL ? w[i] : 1;
        mean += (w != NULL ? w[i] : 1) * y[i];
    }
    mean /= sw;
    for (size_t i = 0; i < f->n; i++) {
        double e = y[i] - f->constant.c;
        for (size_t j = 0; j < f->p; j++)
            e -= f->term[j].c * x[i * f->p + j];
        const double wi = w != NULL ? w[i] : 1;
        const double share = y[i] != 0 ? fabs(e / y[i]) * 100 : 0;
        f->rss += wi * e * e;
        tss += wi * (y[i] - mean) * (y[i] - mean);
        sse += e * e;
        percent += share;
        f->max_error_percent = fmax(f->max_error_percent, share);
    }
    f->mean_error_percent = percent / n;
    f->rmse = sqrt(sse / n);
    f->sigma = sqrt(f->rss / (n - k));
    f->r2 = tss > 0 ? 1 - f->rss / tss : 0;
    f->r2_adjusted = tss > 0 ? 1 - (f->rss / (n - k)) / (tss / (n - 1)) : 0;
    f->aic = n * log(f->rss / n) + 2 * k;
    f->bic = n * log(f->rss / n) + k * log(n);
}

/* Computes the variance inflation: the diagonal of the inverse correlation matrix. */
static void inflation(struct mpj_fit *f, const double *x)
{
    const size_t p = f->p;
    double mean[MPJ_REGRESS_MAX] = {0};
    gsl_matrix *r;
    int bad;

    f->constant.vif = 1;
    if (p == 0 || (r = gsl_matrix_calloc(p, p)) == NULL)
        return;
    for (size_t i = 0; i < f->n; i++) {
        for (size_t j = 0; j < p; j++)
            mean[j] += x[i * p + j] / (double)f->n;
    }
    for (size_t i = 0; i < f->n; i++) {
        for (size_t j = 0; j < p; j++) {
            for (size_t k = 0; k < p; k++)
                *gsl_matrix_ptr(r, j, k) += (x[i * p + j] - mean[j]) * (x[i * p + k] - mean[k]);
        }
    }
    for (size_t j = 0; j < p; j++) {
        for (size_t k = 0; k < p; k++) {
            if (j != k)
                *gsl_matrix_ptr(r, j, k) /=
                    sqrt(gsl_matrix_get(r, j, j)) * sqrt(gsl_matrix_get(r, k, k));
        }
    }
    for (size_t j = 0; j < p; j++)
        gsl_matrix_set(r, j, j, 1);
    bad = gsl_linalg_cholesky_decomp1(r) != GSL_SUCCESS || gsl_linalg_cholesky_invert(r) != 0;
    for (size_t j = 0; j < p; j++)
        f->term[j].vif = bad ? INFINITY : gsl_matrix_get(r, j, j);
    gsl_matrix_free(r);
}

static void condition(struct mpj_fit *f, const double *x)
{
    const size_t k = f->p + 1;
    gsl_matrix *const a = gsl_matrix_alloc(f->n, k);
    gsl_matrix *const v = gsl_matrix_alloc(k, k);
    gsl_vector *const s = gsl_vector_alloc(k);

    f->condition = NAN;
    if (a != NULL && v != NULL && s != NULL) {
        for (size_t j = 0; j < k; j++) {
            double length = 0;
            for (size_t i = 0; i < f->n; i++) {
                gsl_matrix_set(a, i, j, j == 0 ? 1 : x[i * f->p + j - 1]);
                length = hypot(length, gsl_matrix_get(a, i, j));
            }
            for (size_t i = 0; length > 0 && i < f->n; i++)
                *gsl_matrix_ptr(a, i, j) /= length;
        }
        if (gsl_linalg_SV_decomp_jacobi(a, v, s) == GSL_SUCCESS)
            f->condition = gsl_vector_get(s, 0) / gsl_vector_get(s, k - 1);
    }
    gsl_matrix_free(a);
    gsl_matrix_free(v);
    gsl_vector_free(s);
}

int mpj_regress(struct mpj_fit *out, const double *x, const double *y, const double *w, size_t n,
                size_t p, struct mpj_err *err)
{
    const size_t k = p + 1;
    gsl_error_handler_t *const before = gsl_set_error_handler_off();
    gsl_matrix *a = NULL;
    gsl_matrix *cov = NULL;
    gsl_vector *b = NULL;
    gsl_vector *c = NULL;
    gsl_vector *weight = NULL;
    gsl_multifit_linear_workspace *ws = NULL;
    double chi2;
    size_t rank = 0;
    int result = check(x, y, w, n, p, err);

    memset(out, 0, sizeof(*out));
    if (result != MPJ_E_OK)
        goto out;
    a = gsl_matrix_alloc(n, k);
    cov = gsl_matrix_alloc(k, k);
    b = gsl_vector_alloc(n);
    weight = gsl_vector_alloc(n);
    c = gsl_vector_alloc(k);
    ws = gsl_multifit_linear_alloc(n, k);
    if (a == NULL || cov == NULL || b == NULL || weight == NULL || c == NULL || ws == NULL) {
        result = mpj_err_nomem(err);
        goto out;
    }
    for (size_t i = 0; i < n; i++) {
        gsl_matrix_set(a, i, 0, 1);
        for (size_t j = 0; j < p; j++)
            gsl_matrix_set(a, i, j + 1, x[i * p + j]);
        gsl_vector_set(b, i, y[i]);
        gsl_vector_set(weight, i, w != NULL ? w[i] : 1);
    }
    if ((w != NULL
             ? gsl_multifit_wlinear_tsvd(a, weight, b, RANK_TOLERANCE, c, cov, &chi2, &rank, ws)
             : gsl_multifit_linear_tsvd(a, b, RANK_TOLERANCE, c, cov, &chi2, &rank, ws)) !=
            GSL_SUCCESS ||
        rank < k) {
        result = mpj_err_set(err, MPJ_E_USAGE,
                             "singular: the %zu predictors and the constant are linearly dependent "
                             "(rank %zu of %zu)",
                             p, rank, k);
        goto out;
    }
    out->n = n;
    out->p = p;
    out->constant.c = gsl_vector_get(c, 0);
    for (size_t j = 0; j < p; j++)
        out->term[j].c = gsl_vector_get(c, j + 1);
    statistics(out, x, y, w);
    for (size_t j = 0; j < k; j++) {
        struct mpj_fit_term *const t = j == 0 ? &out->constant : &out->term[j - 1];
        /* GSL scales the covariance by the residuals without weights only */
        const double scale = w != NULL ? out->sigma : 1;
        t->se = sqrt(gsl_matrix_get(cov, j, j)) * scale;
        t->t = t->c / t->se;
        t->p = 2 * gsl_cdf_tdist_Q(fabs(t->t), (double)(n - k));
    }
    inflation(out, x);
    condition(out, x);
out:
    gsl_matrix_free(a);
    gsl_matrix_free(cov);
    gsl_vector_free(b);
    gsl_vector_free(weight);
    gsl_vector_free(c);
    if (ws != NULL)
        gsl_multifit_linear_free(ws);
    gsl_set_error_handler(before);
    return result;
}

/* ---- selection -------------------------------------------------------------- */

/* Returns the columns marked in keep. *q receives their number; NULL: out of memory. */
static double *select_columns(const double *x, size_t n, size_t p, const unsigned char *keep,
                              size_t *q)
{
    double *s;

    *q = 0;
    for (size_t j = 0; j < p; j++)
        *q += keep[j] != 0;
    s = calloc(n * *q + 1, sizeof(*s));
    for (size_t i = 0, k = 0; s != NULL && i < n; i++) {
        for (size_t j = 0; j < p; j++) {
            if (keep[j])
                s[k++] = x[i * p + j];
        }
    }
    return s;
}

/* Marks a maximal independent set of columns, the first ones first (modified Gram-Schmidt). */
static int independent(unsigned char *keep, const double *x, size_t n, size_t p)
{
    double *const q = calloc(n * (p + 1), sizeof(*q));
    size_t k = 1;

    if (q == NULL)
        return -1;
    for (size_t i = 0; i < n; i++)
        q[i] = 1 / sqrt((double)n);
    for (size_t j = 0; j < p; j++) {
        double *const v = q + k * n;
        double before = 0;
        double after = 0;
        for (size_t i = 0; i < n; i++) {
            v[i] = x[i * p + j];
            before = hypot(before, v[i]);
        }
        for (size_t m = 0; m < 2 * k; m++) { /* twice: a single pass loses digits */
            const double *const u = q + m % k * n;
            double dot = 0;
            for (size_t i = 0; i < n; i++)
                dot += u[i] * v[i];
            for (size_t i = 0; i < n; i++)
                v[i] -= dot * u[i];
        }
        for (size_t i = 0; i < n; i++)
            after = hypot(after, v[i]);
        keep[j] = before > 0 && after > 1e-6 * before;
        for (size_t i = 0; keep[j] && i < n; i++)
            v[i] /= after;
        k += keep[j];
    }
    free(q);
    return 0;
}

int mpj_regress_backward(struct mpj_fit *out, unsigned char *keep, const double *x, const double *y,
                         const double *w, size_t n, size_t p, double alpha, struct mpj_err *err)
{
    int result = check(x, y, w, n, p, err);

    if (result == MPJ_E_OK && independent(keep, x, n, p) != 0)
        result = mpj_err_nomem(err);
    while (result == MPJ_E_OK) {
        size_t q;
        size_t worst = 0;
        double *const s = select_columns(x, n, p, keep, &q);
        result = s == NULL ? mpj_err_nomem(err) : mpj_regress(out, s, y, w, n, q, err);
        free(s);
        if (result != MPJ_E_OK)
            break;
        for (size_t j = 1; j < q; j++) {
            if (fabs(out->term[j].t) < fabs(out->term[worst].t))
                worst = j;
        }
        if (q == 0 || out->term[worst].p <= alpha)
            break;
        for (size_t j = 0, k = 0; j < p; j++) {
            if (keep[j] && k++ == worst)
                keep[j] = 0;
        }
    }
    return result;
}

/* Buffers for the observations that are not of one group. */
struct others {
    double *x, *y, *w;
};

/* Fills the errors of a group, predicted by a fit to all others. */
static int leave_out(double *error, const struct others *o, unsigned g, const double *x,
                     const double *y, const double *w, const unsigned *group, size_t n, size_t p,
                     struct mpj_err *err)
{
    struct mpj_fit f = {0};
    size_t m = 0;
    int result;

    for (size_t i = 0; i < n; i++) {
        if (group[i] == g)
            continue;
        memcpy(o->x + m * p, x + i * p, p * sizeof(*x));
        o->y[m] = y[i];
        o->w[m++] = w != NULL ? w[i] : 1;
    }
    if (m == n)
        return MPJ_E_OK; /* no such group */
    result = mpj_regress(&f, o->x, o->y, o->w, m, p, err);
    for (size_t i = 0; i < n && result == MPJ_E_OK; i++) {
        if (group[i] != g)
            continue;
        error[i] = y[i] - f.constant.c;
        for (size_t j = 0; j < p; j++)
            error[i] -= f.term[j].c * x[i * p + j];
    }
    return result;
}

int mpj_regress_unseen(double *error, const double *x, const double *y, const double *w,
                       const unsigned *group, size_t n, size_t p, struct mpj_err *err)
{
    const struct others o = {calloc(n * p + 1, sizeof(double)), calloc(n + 1, sizeof(double)),
                             calloc(n + 1, sizeof(double))};
    int result = MPJ_E_OK;
    unsigned last = 0;

    for (size_t i = 0; i < n; i++)
        last = group[i] > last ? group[i] : last;
    if (o.x == NULL || o.y == NULL || o.w == NULL) {
        result = mpj_err_nomem(err);
    } else {
        for (unsigned g = 0; g <= last && result == MPJ_E_OK; g++)
            result = leave_out(error, &o, g, x, y, w, group, n, p, err);
    }
    free(o.x);
    free(o.y);
    free(o.w);
    return result;
}

int mpj_regress_crossvalidate(double *rmse, const double *x, const double *y, const double *w,
                              const unsigned *group, size_t n, size_t p, struct mpj_err *err)
{
    double *const error = calloc(n + 1, sizeof(double));
    double sum = 0;
    double weights = 0;
    int result;

    *rmse = NAN;
    if (error == NULL)
        return mpj_err_nomem(err);
    result = mpj_regress_unseen(error, x, y, w, group, n, p, err);
    for (size_t i = 0; i < n && result == MPJ_E_OK; i++) {
        const double wi = w != NULL ? w[i] : 1;
        sum += wi * error[i] * error[i];
        weights += wi;
    }
    free(error);
    if (result == MPJ_E_OK)
        *rmse = sqrt(sum / weights);
    return result;
}

/* ---- signs ------------------------------------------------------------------ */

/* Fits with Lawson and Hanson's active set: starts with the free ones, adds the one that helps
 * most, steps back to the nearest bound when a coefficient would change its sign. */
int mpj_regress_signs(struct mpj_fit *out, const double *x, const double *y, const double *w,
                      size_t n, size_t p, const int *sign, struct mpj_err *err)
{
    unsigned char in[MPJ_REGRESS_MAX] = {0};
    double c[MPJ_REGRESS_MAX] = {0};
    double constant = 0;
    size_t steps = 0;
    int result = check(x, y, w, n, p, err);

    for (size_t j = 0; j < p && result == MPJ_E_OK; j++)
        in[j] = sign[j] == 0;
    while (result == MPJ_E_OK && steps++ <= 10 * (p + 1)) {
        struct mpj_fit f = {0};
        size_t q;
        size_t next = p;
        double *const s = select_columns(x, n, p, in, &q);
        double step = 1;
        double best = 1e-9;
        size_t hit = p;

        result = s == NULL ? mpj_err_nomem(err) : mpj_regress(&f, s, y, w, n, q, err);
        free(s);
        if (result != MPJ_E_OK)
            return result;
        for (size_t j = 0, k = 0; j < p; j++) {
            if (!in[j])
                continue;
            const double to = f.term[k++].c;
            if (sign[j] != 0 && to * sign[j] < 0 && c[j] / (c[j] - to) <= step) {
                step = c[j] / (c[j] - to);
                hit = j;
            }
        }
        constant += step * (f.constant.c - constant);
        for (size_t j = 0, k = 0; j < p; j++) {
            if (in[j])
                c[j] += step * (f.term[k++].c - c[j]);
        }
        if (hit < p) {
            c[hit] = 0;
            in[hit] = 0;
            continue;
        }
        for (size_t j = 0; j < p; j++) { /* correlation of residuals and excluded columns */
            double dot = 0;
            double xx = 0;
            double ee = 0;
            for (size_t i = 0; !in[j] && i < n; i++) {
                double e = y[i] - constant;
                const double wi = w != NULL ? w[i] : 1;
                for (size_t k = 0; k < p; k++)
                    e -= c[k] * x[i * p + k];
                dot += wi * e * x[i * p + j];
                xx += wi * x[i * p + j] * x[i * p + j];
                ee += wi * e * e;
            }
            if (!in[j] && xx > 0 && ee > 0 && sign[j] * dot / sqrt(xx * ee) > best) {
                best = sign[j] * dot / sqrt(xx * ee);
                next = j;
            }
        }
        if (next == p)
            break;
        in[next] = 1;
    }
    if (result != MPJ_E_OK)
        return result;
    memset(out, 0, sizeof(*out));
    out->n = n;
    out->p = p;
    out->constant = (struct mpj_fit_term){constant, NAN, NAN, NAN, 1};
    for (size_t j = 0; j < p; j++)
        out->term[j] = (struct mpj_fit_term){c[j], NAN, NAN, NAN, NAN};
    statistics(out, x, y, w);
    gsl_error_handler_t *const before = gsl_set_error_handler_off();
    inflation(out, x);
    condition(out, x);
    gsl_set_error_handler(before);
    return MPJ_E_OK;
}
