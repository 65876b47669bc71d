/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Linear regression y = X c with an intercept, for models of tens of predictors and hundreds of
 * observations. Matrices are row-major: x[i * p + j] is predictor j of observation i, without the
 * column of ones. No function keeps state; results are the same on every run.
 */
#ifndef MODELS_REGRESS_H
#define MODELS_REGRESS_H

#include <stddef.h>

#include "base/errors.h"

#define MPJ_REGRESS_MAX 64U /* predictors */

struct mpj_fit_term {
    double c;   /* coefficient: unit of y per unit of x */
    double se;  /* its standard error, same unit; NAN with sign constraints */
    double t;   /* c / se */
    double p;   /* two-sided significance of t */
    double vif; /* variance inflation factor; 1 for the constant, INFINITY when collinear */
};

struct mpj_fit {
    size_t n, p; /* observations; predictors without the constant */
    struct mpj_fit_term constant, term[MPJ_REGRESS_MAX];
    double r2, r2_adjusted;
    double rss;                /* weighted if there are weights */
    double rmse;               /* sqrt(sum e^2 / n), unit of y */
    double sigma;              /* sqrt(rss / (n - p - 1)) */
    double mean_error_percent; /* mean of |e / y| */
    double max_error_percent;  /* largest of |e / y| */
    double aic, bic;
    double condition; /* of the columns scaled to length 1, constant included */
};

/*
 * Fits by least squares with singular value decomposition; w (n weights > 0) may be NULL.
 * MPJ_E_USAGE with one line when there are too few observations (n < p + 2), too many predictors, a
 * value is not finite, or the columns are linearly dependent.
 */
int mpj_regress(struct mpj_fit *out, const double *x, const double *y, const double *w, size_t n,
                size_t p, struct mpj_err *err);

/*
 * Fits with signs: sign[j] > 0 keeps coefficient j >= 0, < 0 keeps it <= 0, 0 leaves it free; the
 * constant is free (Lawson and Hanson). Standard errors are NAN: they have no simple meaning at a
 * bound.
 */
int mpj_regress_signs(struct mpj_fit *out, const double *x, const double *y, const double *w,
                      size_t n, size_t p, const int *sign, struct mpj_err *err);

/*
 * Removes the least significant predictor until every one has p <= alpha, after omitting columns
 * that are linearly dependent on earlier ones. keep (p flags) receives the remaining ones; *out is
 * their fit, in their order.
 */
int mpj_regress_backward(struct mpj_fit *out, unsigned char *keep, const double *x, const double *y,
                         const double *w, size_t n, size_t p, double alpha, struct mpj_err *err);

struct mpj_subset {
    size_t size;                   /* 0: no such subset is independent */
    size_t index[MPJ_REGRESS_MAX]; /* ascending */
    double rss;
};

/*
 * Finds the best subset of every size 1..max (best[0] is size 1): smallest residual sum of squares
 * among all subsets, by exhaustive search with bounds. Linearly dependent subsets are skipped, and,
 * unless most_vif is 0, those with a predictor of a larger variance inflation factor, which is the
 * same with any weights.
 */
int mpj_regress_subsets(struct mpj_subset *best, size_t max, const double *x, const double *y,
                        const double *w, size_t n, size_t p, double most_vif, struct mpj_err *err);

/*
 * Computes the error, y less prediction, of each observation when its group is predicted by a fit
 * to the others: error[n]. group: n numbers; at least two must differ.
 */
int mpj_regress_unseen(double *error, const double *x, const double *y, const double *w,
                       const unsigned *group, size_t n, size_t p, struct mpj_err *err);
/* Computes the root of the (weighted) mean square of these errors. */
int mpj_regress_crossvalidate(double *rmse, const double *x, const double *y, const double *w,
                              const unsigned *group, size_t n, size_t p, struct mpj_err *err);

#endif
