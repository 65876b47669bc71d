/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fitting predictors of the controller. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mpj_regress.h"
#include "mpj_scaling.h"

#define RARE        0.01 /* per 1000 cycles: an event that no region has more of is left out */
#define TERMS       (MPJ_SCALING_TERMS - 1U) /* but the constant */
#define ALL_OF_THEM UINT32_MAX
#define SLOWEST     0.75 /* as firmware/adapt/policy.c believes it */

/* ---- terms --------------------------------------------------------------------------- */

static unsigned class_of(const struct mpj_scaling *p, double ipc)
{
    unsigned b = 0;

    while (b < MPJ_SCALING_BUCKETS - 1U && ipc >= p->bucket[b])
        b++;
    return b;
}

static double sum(const double c[MPJ_SCALING_TERMS], const double x[TERMS])
{
    return c[0] * x[0] + c[1] * x[1] + c[2] * x[2] + c[3];
}

void mpj_scaling_predict(const struct mpj_scaling *p, const struct mpj_scaling_region *r,
                         unsigned event, unsigned test, unsigned to, double *ipc, double *mw)
{
    const double i = r->ipc[test - 1U];
    const double rate = r->rate[test - 1U][event];
    const double busy = r->busy[test - 1U];
    const unsigned b = class_of(p, i);

    *ipc = sum(p->ipc[b][test - 2U][to - 1U], (double[]){i * rate, i * busy, i});
    *mw = sum(p->power[test - 2U][to - 1U], (double[]){rate, busy, i});
    *ipc = fmin(fmax(*ipc, SLOWEST * i * to / test), i * test / to);
}

/* The IPC that would have been: as much work in the time that it took. */
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
    double *x, *y, *w;
    size_t n;
};

static void collect(struct rows *rows, const struct mpj_scaling *p,
                    const struct mpj_scaling_region *region, size_t n, unsigned event,
                    unsigned test, unsigned to, unsigned bucket, unsigned without, bool power)
{
    rows->n = 0;
    for (size_t i = 0; i < n; i++) {
        const struct mpj_scaling_region *const r = &region[i];
        double *const x = rows->x + rows->n * TERMS;
        const double ipc = r->ipc[test - 1U];
        const double rate = r->rate[test - 1U][event];

        if (r->program == without || !usable(r, test, to) ||
            (bucket < MPJ_SCALING_BUCKETS && class_of(p, ipc) != bucket))
            continue;
        rows->y[rows->n] = power ? r->mw[to - 1U] : true_ipc(r, test, to);
        if (!(rows->y[rows->n] > 0))
            continue;
        x[0] = power ? rate : ipc * rate;
        x[1] = power ? r->busy[test - 1U] : ipc * r->busy[test - 1U];
        x[2] = ipc;
        rows->w[rows->n] = 1.0 / (rows->y[rows->n] * rows->y[rows->n]); /* relative errors */
        rows->n++;
    }
}

/* A line of fewer terms where there are too few regions, or they are all alike: the ratio at last.
 */
static bool fit_line(double c[MPJ_SCALING_TERMS], const struct rows *rows)
{
    struct mpj_fit fit;
    struct mpj_err ignored;
    double x = 0;
    double y = 0;

    memset(c, 0, MPJ_SCALING_TERMS * sizeof(*c));
    if (rows->n >= 3 * MPJ_SCALING_TERMS &&
        mpj_regress(&fit, rows->x, rows->y, rows->w, rows->n, TERMS, &ignored) == MPJ_E_OK) {
        for (unsigned i = 0; i < TERMS; i++)
            c[i] = fit.term[i].c;
        c[TERMS] = fit.constant.c;
        return true;
    }
    for (size_t i = 0; i < rows->n; i++) {
        x += rows->x[i * TERMS + 2U] * rows->x[i * TERMS + 2U] * rows->w[i];
        y += rows->y[i] * rows->x[i * TERMS + 2U] * rows->w[i];
    }
    c[2] = x > 0 ? y / x : 0.0;
    return false;
}

/* All lines for one event, from all programs but one. */
static void fit_lines(struct mpj_scaling *p, struct rows *rows,
                      const struct mpj_scaling_region *region, size_t n, unsigned event,
                      unsigned without)
{
    for (unsigned b = 0; b < MPJ_SCALING_BUCKETS; b++) {
        for (unsigned test = 2; test <= MPJ_SCALING_THREADS; test++) {
            for (unsigned to = 1; to < test; to++) {
                double *const ipc = p->ipc[b][test - 2U][to - 1U];

                collect(rows, p, region, n, event, test, to, b, without, false);
                if (!fit_line(ipc, rows)) { /* too few in the class: of all of them */
                    collect(rows, p, region, n, event, test, to, MPJ_SCALING_BUCKETS, without,
                            false);
                    (void)fit_line(ipc, rows);
                }
            }
        }
    }
    for (unsigned test = 2; test <= MPJ_SCALING_THREADS; test++) {
        for (unsigned to = 1; to < test; to++) {
            collect(rows, p, region, n, event, test, to, MPJ_SCALING_BUCKETS, without, true);
            (void)fit_line(p->power[test - 2U][to - 1U], rows);
        }
    }
}

/* ---- accuracy ------------------------------------------------------------------------ */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Accuracies of the predictions for one program, or all; appends to v. */
static void accuracies(const struct mpj_scaling *p, const struct mpj_scaling_region *region,
                       size_t n, unsigned event, unsigned only, double least_s, double *v,
                       size_t *count, double power[2])
{
    for (size_t i = 0; i < n; i++) {
        const struct mpj_scaling_region *const r = &region[i];

        if ((only != ALL_OF_THEM && r->program != only) || r->s[MPJ_SCALING_THREADS - 1U] < least_s)
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
        accuracies(p, region, n, event, ALL_OF_THEM, MPJ_SCALING_LEAST_S, v, &count, power);
    sum_up(out, v, count, power);
    free(v);
}

/* ---- all of it ----------------------------------------------------------------------- */

/* Each program predicted by a fit to the others. */
static void leave_out(struct mpj_scaling *p, struct rows *rows,
                      const struct mpj_scaling_region *region, size_t n, unsigned event,
                      unsigned programs, double *v, struct mpj_scaling_accuracy *out)
{
    double power[2] = {0};
    size_t count = 0;

    for (unsigned i = 0; i < programs; i++) {
        fit_lines(p, rows, region, n, event, i);
        accuracies(p, region, n, event, i, 0, v, &count, power);
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

/* Where classes begin: shares of the regions, by IPC. Those that wait for memory are few. */
static const double divisions[][MPJ_SCALING_BUCKETS - 1U] = {
    {0.25, 0.5, 0.75}, {0.1, 0.25, 0.5}, {0.1, 0.3, 0.6},
    {0.15, 0.4, 0.7},  {0.2, 0.35, 0.6}, {0.07, 0.2, 0.45},
};

static void divide(struct mpj_scaling *p, const struct mpj_scaling_region *region, size_t n,
                   const double share[MPJ_SCALING_BUCKETS - 1U], double *v)
{
    for (size_t i = 0; i < n; i++)
        v[i] = region[i].ipc[MPJ_SCALING_THREADS - 1U];
    qsort(v, n, sizeof(*v), by_value);
    for (unsigned b = 0; b < MPJ_SCALING_BUCKETS - 1U; b++)
        p->bucket[b] = v[(size_t)(share[b] * (double)n)];
}

/* The best classes for one event: out->bucket and the accuracy. */
static void best_classes(struct mpj_scaling *out, struct rows *rows,
                         const struct mpj_scaling_region *region, size_t n, unsigned event,
                         unsigned programs, double *v, struct mpj_scaling_accuracy *a)
{
    double bucket[MPJ_SCALING_BUCKETS - 1U];

    a->mean = NAN;
    for (size_t d = 0; d < sizeof(divisions) / sizeof(divisions[0]); d++) {
        struct mpj_scaling_accuracy with;

        divide(out, region, n, divisions[d], v);
        leave_out(out, rows, region, n, event, programs, v, &with);
        if (isnan(a->mean) || with.mean > a->mean) {
            *a = with;
            memcpy(bucket, out->bucket, sizeof(bucket));
        }
    }
    memcpy(out->bucket, bucket, sizeof(bucket));
}

static int choose(struct mpj_scaling *out, struct rows *rows,
                  const struct mpj_scaling_region *region, size_t n, const char *const *names,
                  const unsigned *number, unsigned events, struct mpj_scaling_choice *choice,
                  double *v, struct mpj_err *err)
{
    unsigned programs = 0;
    unsigned best = 0;
    bool found = false;
    unsigned instr = events;
    double bucket[MPJ_SCALING_BUCKETS - 1U];

    for (size_t i = 0; i < n; i++)
        programs = region[i].program >= programs ? region[i].program + 1U : programs;
    for (unsigned i = 0; i < events; i++)
        instr = strcmp(names[i], "instr") == 0 ? i : instr;
    if (programs < 3 || n < 3 * MPJ_SCALING_TERMS || instr == events)
        return mpj_err_set(err, MPJ_E_USAGE,
                           "%u programs with %zu regions are too few to train a predictor with",
                           programs, n);
    for (unsigned i = 0; i < events; i++) {
        struct mpj_scaling_accuracy a = {.mean = NAN};

        if (i != instr && !is_rare(region, n, i)) {
            best_classes(out, rows, region, n, i, programs, v, &a);
            if (!found || a.mean > out->unseen.mean) {
                memcpy(bucket, out->bucket, sizeof(bucket));
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
    memcpy(out->bucket, bucket, sizeof(bucket));
    fit_lines(out, rows, region, n, best, ALL_OF_THEM);
    return MPJ_E_OK;
}

int mpj_scaling_fit(struct mpj_scaling *out, const struct mpj_scaling_region *region, size_t n,
                    const char *const *names, const unsigned *number, unsigned events,
                    struct mpj_scaling_choice *choice, struct mpj_err *err)
{
    struct rows rows = {.x = calloc(n * TERMS + 1U, sizeof(double)),
                        .y = calloc(n + 1U, sizeof(double)),
                        .w = calloc(n + 1U, sizeof(double))};
    double *const v = calloc(n * MPJ_SCALING_THREADS + 1U, sizeof(*v));
    int result;

    if (rows.x == NULL || rows.y == NULL || rows.w == NULL || v == NULL)
        result = mpj_err_set(err, MPJ_E_NOMEM, "out of memory");
    else
        result = choose(out, &rows, region, n, names, number, events, choice, v, err);
    free(rows.x);
    free(rows.y);
    free(rows.w);
    free(v);
    return result;
}
