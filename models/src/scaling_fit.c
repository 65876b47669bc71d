/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fits predictors of the controller. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "models/regress.h"
#include "models/scaling.h"

#define RARE        0.01 /* per 1000 cycles: an event below this in every region is omitted */
#define TERMS       (MPJ_SCALING_TERMS - 1U) /* without the constant */
#define POWER       (MPJ_SCALING_POWER - 1U)
#define ALL_OF_THEM UINT32_MAX
#define FOLDS       10U  /* parts of the regions, each predicted by a fit to the others */
#define ROBUST      4U   /* fits of a line: errors beyond ... */
#define LARGE       0.03 /* ... this are weighted by their size, not its square */
#define SLOWEST     0.75 /* as in firmware/adapt/policy.c */
#define IDLE        0.05 /* likewise, the least busy share */

/* ---- terms --------------------------------------------------------------------------- */

/* Computes the terms of the IPC with `to` threads over that of the test, as adapt_predict()
 * does. */
static void ipc_terms(double x[TERMS], const struct mpj_scaling *p,
                      const struct mpj_scaling_region *r, unsigned event, unsigned test,
                      unsigned to)
{
    const double ipc = r->ipc[test - 1U];
    const double stall = r->rate[test - 1U][event] / 1000.0;
    const double busy = fmax(r->busy[test - 1U], IDLE);
    const double slow = fmax(0.0, p->knot[0] - ipc);
    const double idle = fmax(0.0, p->knot[1] - busy);
    const double speed = fmin(1.0, to / (test * busy));

    x[0] = 1.0 / busy;
    x[1] = busy;
    x[2] = slow * speed;
    x[3] = stall * speed;
    x[4] = idle * ipc / (test * busy);
    x[5] = idle * slow;
    x[6] = stall * fmax(0.0, p->knot[2] - ipc);
    x[7] = fmax(0.0, p->knot[3] - ipc) * busy;
}

static void power_terms(double x[POWER], const struct mpj_scaling_region *r, unsigned event,
                        unsigned test)
{
    x[0] = r->rate[test - 1U][event];
    x[1] = r->busy[test - 1U];
    x[2] = r->ipc[test - 1U];
}

/* Evaluates a line; the last coefficient is the constant. */
static double sum(const double *c, const double *x, unsigned terms)
{
    double v = c[terms];

    for (unsigned i = 0; i < terms; i++)
        v += c[i] * x[i];
    return v;
}

void mpj_scaling_predict(const struct mpj_scaling *p, const struct mpj_scaling_region *r,
                         unsigned event, unsigned test, unsigned to, double *ipc, double *mw)
{
    const double i = r->ipc[test - 1U];
    double x[TERMS];

    ipc_terms(x, p, r, event, test, to);
    *ipc = i * sum(p->ipc[test - 2U][to - 1U], x, TERMS);
    *ipc = fmin(fmax(*ipc, SLOWEST * i * to / test), i * test / to);
    power_terms(x, r, event, test);
    *mw = sum(p->power[test - 2U][to - 1U], x, POWER);
}

/* Returns the IPC that would have been measured: the same work in the actual time. */
static double true_ipc(const struct mpj_scaling_region *r, unsigned test, unsigned to)
{
    return r->ipc[test - 1U] * r->s[test - 1U] / r->s[to - 1U];
}

static bool usable(const struct mpj_scaling_region *r, unsigned test, unsigned to)
{
    return r->ipc[test - 1U] > 0 && r->s[test - 1U] > 0 && r->s[to - 1U] > 0;
}

/* ---- lines --------------------------------------------------------------------------- */

struct rows {
    double *x, *y, *w, *reweighted;
    size_t n;
};

static void collect(struct rows *rows, const struct mpj_scaling *p,
                    const struct mpj_scaling_region *region, size_t n, unsigned event,
                    unsigned test, unsigned to, const unsigned *fold, unsigned without, bool power)
{
    const unsigned terms = power ? POWER : TERMS;

    rows->n = 0;
    for (size_t i = 0; i < n; i++) {
        const struct mpj_scaling_region *const r = &region[i];
        double *const x = rows->x + rows->n * terms;

        if (fold[i] == without || !usable(r, test, to))
            continue;
        rows->y[rows->n] = power ? r->mw[to - 1U] : true_ipc(r, test, to) / r->ipc[test - 1U];
        if (!(rows->y[rows->n] > 0))
            continue;
        if (power)
            power_terms(x, r, event, test);
        else
            ipc_terms(x, p, r, event, test, to);
        rows->w[rows->n] = 1.0 / (rows->y[rows->n] * rows->y[rows->n]); /* relative errors */
        rows->n++;
    }
}

/* Fits a line; columns that depend on others get coefficient 0. */
static bool regress(double *c, const struct rows *rows, const double *w, unsigned terms)
{
    struct mpj_fit fit;
    struct mpj_err ignored;
    unsigned char keep[TERMS];
    unsigned at = 0;

    memset(c, 0, (terms + 1U) * sizeof(*c));
    if (mpj_regress_backward(&fit, keep, rows->x, rows->y, w, rows->n, terms, 1.0, &ignored) !=
        MPJ_E_OK)
        return false;
    for (unsigned i = 0; i < terms; i++) {
        if (keep[i])
            c[i] = fit.term[at++].c;
    }
    c[terms] = fit.constant.c;
    return true;
}

/* Fits by least squares, with reduced weights for outliers; if there are too few regions, or all
 * are alike, uses their mean. */
static void fit_line(double *c, const struct rows *rows, unsigned terms)
{
    double w = 0;
    double y = 0;

    memcpy(rows->reweighted, rows->w, rows->n * sizeof(*rows->w));
    for (unsigned k = 0; k < ROBUST; k++) {
        if (rows->n < 3U * (terms + 1U) || !regress(c, rows, rows->reweighted, terms))
            break;
        if (k + 1U == ROBUST)
            return;
        for (size_t i = 0; i < rows->n; i++) {
            const double error = fabs(sum(c, rows->x + i * terms, terms) - rows->y[i]);

            rows->reweighted[i] = rows->w[i] / fmax(1.0, error * sqrt(rows->w[i]) / LARGE);
        }
    }
    memset(c, 0, (terms + 1U) * sizeof(*c));
    for (size_t i = 0; i < rows->n; i++) {
        w += rows->w[i];
        y += rows->w[i] * rows->y[i];
    }
    c[terms] = w > 0 ? y / w : 0.0;
}

/* Fits lines from a test with that many threads for one event, from all parts but one. */
static void fit_lines(struct mpj_scaling *p, struct rows *rows,
                      const struct mpj_scaling_region *region, size_t n, unsigned event,
                      unsigned test, const unsigned *fold, unsigned without)
{
    for (unsigned to = 1; to < test; to++) {
        collect(rows, p, region, n, event, test, to, fold, without, false);
        fit_line(p->ipc[test - 2U][to - 1U], rows, TERMS);
        collect(rows, p, region, n, event, test, to, fold, without, true);
        fit_line(p->power[test - 2U][to - 1U], rows, POWER);
    }
}

/* ---- accuracy ------------------------------------------------------------------------ */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Computes accuracies of the predictions for one part of the regions, or all; appends to v. */
static void accuracies(const struct mpj_scaling *p, const struct mpj_scaling_region *region,
                       size_t n, unsigned event, const unsigned *fold, unsigned only, double *v,
                       size_t *count, double power[2])
{
    for (size_t i = 0; i < n; i++) {
        const struct mpj_scaling_region *const r = &region[i];

        if ((only != ALL_OF_THEM && fold[i] != only) || r->once ||
            r->s[MPJ_SCALING_THREADS - 1U] < MPJ_SCALING_LEAST_S)
            continue;
        for (unsigned to = 1; to < MPJ_SCALING_THREADS; to++) {
            double ipc;
            double mw;

            if (!usable(r, MPJ_SCALING_THREADS, to))
                continue;
            mpj_scaling_predict(p, r, event, MPJ_SCALING_THREADS, to, &ipc, &mw);
            v[(*count)++] =
                100.0 * fmax(0.0, 1.0 - fabs(ipc / true_ipc(r, MPJ_SCALING_THREADS, to) - 1.0));
            if (r->mw[to - 1U] > 0) {
                power[0] += 100.0 * fmax(0.0, 1.0 - fabs(mw / r->mw[to - 1U] - 1.0));
                power[1] += 1.0;
            }
        }
    }
}

static void sum_up(struct mpj_scaling_accuracy *a, double *v, size_t n, const double power[2])
{
    *a = (struct mpj_scaling_accuracy){.predictions = (unsigned)n, .power_mean = NAN};
    if (n == 0)
        return;
    qsort(v, n, sizeof(*v), by_value);
    for (size_t i = 0; i < n; i++) {
        a->mean += v[i] / (double)n;
        a->within_5 += v[i] >= 95.0 ? 100.0 / (double)n : 0.0;
        a->within_10 += v[i] >= 90.0 ? 100.0 / (double)n : 0.0;
    }
    a->median = n % 2U == 1U ? v[n / 2U] : (v[n / 2U] + v[n / 2U - 1U]) / 2.0;
    a->p10 = v[n / 10U];
    a->least = v[0];
    if (power[1] > 0)
        a->power_mean = power[0] / power[1];
}

void mpj_scaling_judge(const struct mpj_scaling *p, const struct mpj_scaling_region *region,
                       size_t n, unsigned event, struct mpj_scaling_accuracy *out)
{
    double *const v = calloc(n * MPJ_SCALING_THREADS + 1U, sizeof(*v));
    double power[2] = {0};
    size_t count = 0;

    if (v != NULL)
        accuracies(p, region, n, event, NULL, ALL_OF_THEM, v, &count, power);
    sum_up(out, v, count, power);
    free(v);
}

/* ---- fit ----------------------------------------------------------------------------- */

/* Divides the regions: those of a name are in the same part, whatever their program. */
static void divide(const struct mpj_scaling_region *region, size_t n, unsigned *fold)
{
    unsigned names = 0;

    for (size_t i = 0; i < n; i++) {
        size_t first = 0;

        while (strcmp(region[first].name, region[i].name) != 0)
            first++;
        fold[i] = first < i ? fold[first] : names++ % FOLDS;
    }
}

/* Predicts each part by a fit to the others. */
static void leave_out(struct mpj_scaling *p, struct rows *rows,
                      const struct mpj_scaling_region *region, size_t n, unsigned event,
                      const unsigned *fold, double *v, struct mpj_scaling_accuracy *out)
{
    double power[2] = {0};
    size_t count = 0;

    for (unsigned i = 0; i < FOLDS; i++) {
        fit_lines(p, rows, region, n, event, MPJ_SCALING_THREADS, fold, i);
        accuracies(p, region, n, event, fold, i, v, &count, power);
    }
    sum_up(out, v, count, power);
}

static bool is_rare(const struct mpj_scaling_region *region, size_t n, unsigned event)
{
    for (size_t i = 0; i < n; i++) {
        if (region[i].rate[MPJ_SCALING_THREADS - 1U][event] > RARE)
            return false;
    }
    return true;
}

/* Starts of the terms: a region that waits for memory has an IPC below the first, and below the
 * fourth it uses the full bandwidth; one that waits for locks has a busy share below the second;
 * stalls matter below the third. The first of these is tried for each event. */
static const double knots[][MPJ_SCALING_KNOTS] = {
    {0.6, 0.6, 2.3, 0.35}, {0.6, 0.4, 2.3, 0.35}, {0.6, 0.6, 2.3, 0.3},
    {0.6, 0.6, 1.5, 0.35}, {0.6, 0.6, 4.0, 0.35}, {0.7, 0.6, 2.3, 0.35},
};

/* Finds the best knots for one event: out->knot and out->unseen. */
static void best_knots(struct mpj_scaling *out, struct rows *rows,
                       const struct mpj_scaling_region *region, size_t n, unsigned event,
                       const unsigned *fold, double *v)
{
    size_t best = 0;

    for (size_t i = 1; i < sizeof(knots) / sizeof(knots[0]); i++) {
        struct mpj_scaling_accuracy with;

        memcpy(out->knot, knots[i], sizeof(out->knot));
        leave_out(out, rows, region, n, event, fold, v, &with);
        if (with.mean > out->unseen.mean) {
            out->unseen = with;
            best = i;
        }
    }
    memcpy(out->knot, knots[best], sizeof(out->knot));
}

static int choose(struct mpj_scaling *out, struct rows *rows,
                  const struct mpj_scaling_region *region, size_t n, const char *const *names,
                  const unsigned *number, unsigned events, struct mpj_scaling_choice *choice,
                  unsigned *fold, double *v, struct mpj_err *err)
{
    unsigned programs = 0;
    unsigned best = 0;
    bool found = false;
    unsigned instr = events;

    for (size_t i = 0; i < n; i++)
        programs = region[i].program >= programs ? region[i].program + 1U : programs;
    for (unsigned i = 0; i < events; i++)
        instr = strcmp(names[i], "instr") == 0 ? i : instr;
    if (programs < 3 || n < 3 * MPJ_SCALING_TERMS || instr == events)
        return mpj_err_set(err, MPJ_E_USAGE,
                           "%u programs with %zu regions are too few to train a predictor with",
                           programs, n);
    divide(region, n, fold);
    memcpy(out->knot, knots[0], sizeof(out->knot));
    for (unsigned i = 0; i < events; i++) {
        struct mpj_scaling_accuracy a = {.mean = NAN};

        if (i != instr && !is_rare(region, n, i)) {
            leave_out(out, rows, region, n, i, fold, v, &a);
            if (!found || a.mean > out->unseen.mean) {
                out->unseen = a;
                best = i;
                found = true;
            }
        }
        if (choice != NULL)
            choice[i] = (struct mpj_scaling_choice){i, a.mean};
    }
    if (!found)
        return mpj_err_set(err, MPJ_E_USAGE, "no event happened often enough to predict with");
    snprintf(out->event[0], sizeof(out->event[0]), "%s", names[instr]);
    snprintf(out->event[1], sizeof(out->event[1]), "%s", names[best]);
    out->number[0] = number[instr];
    out->number[1] = number[best];
    out->programs = programs;
    out->regions = (unsigned)n;
    best_knots(out, rows, region, n, best, fold, v);
    for (unsigned test = 2; test <= MPJ_SCALING_THREADS; test++)
        fit_lines(out, rows, region, n, best, test, fold, ALL_OF_THEM);
    return MPJ_E_OK;
}

int mpj_scaling_fit(struct mpj_scaling *out, const struct mpj_scaling_region *region, size_t n,
                    const char *const *names, const unsigned *number, unsigned events,
                    struct mpj_scaling_choice *choice, struct mpj_err *err)
{
    struct rows rows = {.x = calloc(n * TERMS + 1U, sizeof(double)),
                        .y = calloc(n + 1U, sizeof(double)),
                        .w = calloc(n + 1U, sizeof(double)),
                        .reweighted = calloc(n + 1U, sizeof(double))};
    unsigned *const fold = calloc(n + 1U, sizeof(*fold));
    double *const v = calloc(n * MPJ_SCALING_THREADS + 1U, sizeof(*v));
    int result;

    if (rows.x == NULL || rows.y == NULL || rows.w == NULL || rows.reweighted == NULL ||
        fold == NULL || v == NULL)
        result = mpj_err_nomem(err);
    else
        result = choose(out, &rows, region, n, names, number, events, choice, fold, v, err);
    free(rows.x);
    free(rows.y);
    free(rows.w);
    free(rows.reweighted);
    free(fold);
    free(v);
    return result;
}
