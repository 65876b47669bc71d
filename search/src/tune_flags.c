/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Elimination of compiler options, Z. Pan and R. Eigenmann, "Fast and Effective Orchestration of
 * Compiler Optimizations for Automatic Performance Tuning", CGO 2006: all options are on at first,
 * and those go whose absence improves. An option is an axis of two values, off and on. Its relative
 * improvement is what the first objective gains by switching it off, relative to the options that
 * are on.
 */
#include <math.h>

#include "tune_search.h"

struct flags {
    struct run_tune *t;
    unsigned base;                    /* the options that are on, as a point */
    unsigned left[RUN_TUNE_AXES_MAX]; /* axes of those */
    double gain[RUN_TUNE_AXES_MAX];   /* negative: better without */
    unsigned n;
};

static unsigned without(const struct flags *f, unsigned i)
{
    return run_tune_neighbour(f->t, f->base, f->left[i], 0);
}

static double gain(const struct flags *f, unsigned i)
{
    const double base = run_tune_cost(f->t, f->base);
    const double less = run_tune_cost(f->t, without(f, i));

    if (!isfinite(base) && isfinite(less))
        return -1; /* it does not even work with the option */
    return isfinite(less) ? less / base - 1 : 1;
}

/* Measures the gain of every option that is left. */
static int measure(struct flags *f, struct mpj_err *err)
{
    unsigned point[RUN_TUNE_AXES_MAX];

    for (unsigned i = 0; i < f->n; i++)
        point[i] = without(f, i);
    if (run_tune_measure(f->t, point, f->n, err) != MPJ_E_OK)
        return err->code;
    for (unsigned i = 0; i < f->n; i++)
        f->gain[i] = gain(f, i);
    return MPJ_E_OK;
}

static void eliminate(struct flags *f, unsigned i)
{
    f->base = without(f, i);
    f->n--;
    for (; i < f->n; i++) {
        f->left[i] = f->left[i + 1];
        f->gain[i] = f->gain[i + 1];
    }
}

/* Returns the option without which it is best; n: all are of use. */
static unsigned worst(const struct flags *f)
{
    unsigned at = f->n;

    for (unsigned i = 0; i < f->n; i++) {
        if (f->gain[i] < 0 && (at == f->n || f->gain[i] < f->gain[at]))
            at = i;
    }
    return at;
}

static int begin(struct flags *f, struct run_tune *t, struct mpj_err *err)
{
    unsigned index[RUN_TUNE_AXES_MAX];
    int axis;

    *f = (struct flags){.t = t};
    run_tune_baseline(t, index);
    for (unsigned n = 0; (axis = run_tune_role(t, "flags", n)) >= 0; n++) {
        if (t->axis[axis].values != 2)
            return mpj_err_set(err, MPJ_E_USAGE,
                               "flags: the axis %s has %u values, not two: off, on",
                               t->axis[axis].name, t->axis[axis].values);
        index[axis] = 1;
        f->left[f->n++] = (unsigned)axis;
    }
    if (f->n == 0)
        return mpj_err_set(err, MPJ_E_USAGE,
                           "elimination needs the axes of options, each of two values, off and "
                           "on: \"roles: {flags: [AXIS, AXIS]}\"");
    f->base = run_tune_number(t, index);
    return run_tune_measure(t, &f->base, 1, err);
}

/* Runs batch elimination: all that harm go at once. */
static int batch(struct run_tune *t, struct mpj_err *err)
{
    struct flags f;
    unsigned i;

    if (begin(&f, t, err) != MPJ_E_OK || measure(&f, err) != MPJ_E_OK)
        return err->code;
    while ((i = worst(&f)) < f.n)
        eliminate(&f, i);
    return run_tune_measure(t, &f.base, 1, err);
}

/* Runs iterative elimination: the one that harms most goes, then all are measured again. */
static int iterative(struct run_tune *t, struct mpj_err *err)
{
    struct flags f;
    unsigned i;

    if (begin(&f, t, err) != MPJ_E_OK)
        return err->code;
    do {
        if (measure(&f, err) != MPJ_E_OK)
            return err->code;
        i = worst(&f);
        if (i < f.n)
            eliminate(&f, i);
        else
            break;
    } while (f.n > 0);
    return MPJ_E_OK;
}

/*
 * Runs combined elimination: the one that harms most goes; of the others that did harm each is
 * measured once more without it, in their order, and goes if it still harms; then all again.
 */
static int combined(struct run_tune *t, struct mpj_err *err)
{
    struct flags f;

    if (begin(&f, t, err) != MPJ_E_OK)
        return err->code;
    for (;;) {
        unsigned i;
        if (measure(&f, err) != MPJ_E_OK)
            return err->code;
        i = worst(&f);
        if (i == f.n)
            return MPJ_E_OK;
        eliminate(&f, i);
        while ((i = worst(&f)) < f.n) {
            const unsigned point = without(&f, i);
            if (run_tune_measure(t, &point, 1, err) != MPJ_E_OK)
                return err->code;
            f.gain[i] = 0;
            if (gain(&f, i) < 0)
                eliminate(&f, i);
        }
    }
}

const struct run_tune_strategy run_tune_batch = {
    "batch-elimination", "harmful options are removed together (Pan and Eigenmann)", batch};
const struct run_tune_strategy run_tune_iterative = {
    "iterative-elimination", "harmful options are removed one by one (Pan and Eigenmann)",
    iterative};
const struct run_tune_strategy run_tune_combined = {"combined-elimination",
                                                    "both (Pan and Eigenmann)", combined};
