/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "models/coverage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Compares pairs: strongest first; equal ones in the order of the table, so that the order is
 * always the same. */
static int stronger(const void *a, const void *b)
{
    const struct mpj_coverage_pair *const p = a;
    const struct mpj_coverage_pair *const q = b;

    if (fabs(p->r) != fabs(q->r))
        return fabs(p->r) < fabs(q->r) ? 1 : -1;
    return p->a != q->a ? p->a - q->a : p->b - q->b;
}

/* Returns the quantile of sorted numbers, interpolated between neighbours. */
static double quantile(const double *v, unsigned n, double q)
{
    const double at = q * (n - 1U);
    const unsigned i = (unsigned)at;

    return i + 1U < n ? v[i] + (at - i) * (v[i + 1U] - v[i]) : v[n - 1U];
}

static void spread(struct mpj_coverage_event *e, const double *rate, double *sorted)
{
    memcpy(sorted, rate, e->n * sizeof(*sorted));
    qsort(sorted, e->n, sizeof(*sorted), ascending);
    e->min = sorted[0];
    e->quarter = quantile(sorted, e->n, 0.25);
    e->median = quantile(sorted, e->n, 0.5);
    e->three_quarters = quantile(sorted, e->n, 0.75);
    e->max = sorted[e->n - 1U];
    for (unsigned i = 0; i < e->n; i++) {
        unsigned b = e->max > 0 ? (unsigned)(rate[i] / e->max * MPJ_COVERAGE_BINS) : 0;
        if (b == MPJ_COVERAGE_BINS)
            b--;
        e->bin[b]++;
    }
    for (unsigned b = 0; b < MPJ_COVERAGE_BINS; b++)
        e->empty += e->bin[b] == 0;
}

/* Returns the correlation; NAN when one of the two does not vary. */
static double correlation(const double *x, const double *y, unsigned n)
{
    double mx = 0.0;
    double my = 0.0;
    double xx = 0.0;
    double yy = 0.0;
    double xy = 0.0;

    for (unsigned i = 0; i < n; i++) {
        mx += x[i] / n;
        my += y[i] / n;
    }
    for (unsigned i = 0; i < n; i++) {
        xx += (x[i] - mx) * (x[i] - mx);
        yy += (y[i] - my) * (y[i] - my);
        xy += (x[i] - mx) * (y[i] - my);
    }
    return xx > 0.0 && yy > 0.0 ? xy / sqrt(xx * yy) : NAN;
}

static double rate_of(const struct mpj_dataset_program *p, const struct mpj_event_info *e,
                      int index)
{
    return (e->source == MPJ_SOURCE_PMU ? mpj_dataset_total(p, index) : p->chip[index]) / p->time_s;
}

int mpj_coverage_make(struct mpj_coverage *out, const struct mpj_dataset *ds, struct mpj_err *err)
{
    size_t events;
    const struct mpj_event_info *const table = mpj_event_table(&events);
    const size_t size = ds->programs > 0 ? ds->programs : 1;
    double *const rate = calloc(events * size, sizeof(*rate));
    double *const sorted = calloc(size, sizeof(*sorted));

    memset(out, 0, sizeof(*out));
    out->pair = calloc(events * events, sizeof(*out->pair));
    if (rate == NULL || sorted == NULL || out->pair == NULL) {
        free(rate);
        free(sorted);
        mpj_coverage_free(out);
        return mpj_err_nomem(err);
    }
    for (size_t i = 0; i < ds->programs; i++) {
        if (!ds->program[i].complete)
            continue;
        for (size_t k = 0; k < events; k++)
            rate[k * size + out->programs] = rate_of(&ds->program[i], &table[k], (int)k);
        out->programs++;
    }
    for (size_t k = 0; k < events && out->programs >= 2; k++) {
        struct mpj_coverage_event *const e = &out->event[out->events];
        bool known = true;
        for (unsigned i = 0; i < out->programs; i++)
            known = known && !isnan(rate[k * size + i]);
        if (!known)
            continue;
        e->index = (int)k;
        e->n = out->programs;
        spread(e, &rate[k * size], sorted);
        out->events++;
    }
    for (unsigned a = 0; a < out->events; a++) {
        for (unsigned b = a + 1U; b < out->events; b++) {
            struct mpj_coverage_pair *const p = &out->pair[out->pairs];
            p->a = out->event[a].index;
            p->b = out->event[b].index;
            p->r =
                correlation(&rate[(size_t)p->a * size], &rate[(size_t)p->b * size], out->programs);
            out->pairs += !isnan(p->r);
        }
    }
    qsort(out->pair, out->pairs, sizeof(*out->pair), stronger);
    free(rate);
    free(sorted);
    if (out->programs < 2) {
        const unsigned n = out->programs;
        mpj_coverage_free(out);
        return mpj_err_set(err, MPJ_E_USAGE, "%u programs are complete: coverage needs at least 2",
                           n);
    }
    return MPJ_E_OK;
}

void mpj_coverage_free(struct mpj_coverage *c)
{
    free(c->pair);
    memset(c, 0, sizeof(*c));
}

/* ---- text ------------------------------------------------------------------------ */

/* Prints 12.3 M and similar. */
static void quantity(FILE *f, double v)
{
    static const char unit[] = " kMG";
    unsigned u = 0;

    for (; fabs(v) >= 999.5 && u + 1U < sizeof(unit) - 1U; u++)
        v /= 1000.0;
    fprintf(f, "%7.*f%c", fabs(v) < 9.995 ? 2 : fabs(v) < 99.95 ? 1 : 0, v, unit[u]);
}

/* Prints one character per bin: '.' for 0, 1 to 9 programs, '+' for more. */
static void histogram(FILE *f, const struct mpj_coverage_event *e)
{
    fputs("  ", f);
    for (unsigned b = 0; b < MPJ_COVERAGE_BINS; b++)
        fputc(e->bin[b] == 0 ? '.' : e->bin[b] < 10 ? (char)('0' + e->bin[b]) : '+', f);
}

int mpj_coverage_print(const struct mpj_coverage *c, double threshold, FILE *out,
                       struct mpj_err *err)
{
    size_t n;
    const struct mpj_event_info *const table = mpj_event_table(&n);
    unsigned shown = 0;

    fprintf(out,
            "Rates of %u programs, counts per second of the whole chip. Histogram: %u steps from 0 "
            "to the\nlargest; . no program, 1 to 9 programs, + more.\n\n"
            "%-18s%8s%8s%8s%8s%8s  %-*s  empty\n",
            c->programs, MPJ_COVERAGE_BINS, "event", "min", "1/4", "median", "3/4", "max",
            (int)MPJ_COVERAGE_BINS, "histogram");
    for (unsigned i = 0; i < c->events; i++) {
        const struct mpj_coverage_event *const e = &c->event[i];
        fprintf(out, "%-18s", table[e->index].name);
        quantity(out, e->min);
        quantity(out, e->quarter);
        quantity(out, e->median);
        quantity(out, e->three_quarters);
        quantity(out, e->max);
        if (e->max > 0.0) {
            histogram(out, e);
            fprintf(out, "  %2u/%u\n", e->empty, MPJ_COVERAGE_BINS);
        } else {
            fputs("  never seen\n", out);
        }
    }
    fprintf(out, "\nEvents that go together (correlation from %.2f on)\n", threshold);
    for (unsigned i = 0; i < c->pairs && fabs(c->pair[i].r) >= threshold; i++, shown++)
        fprintf(out, "  %-18s %-18s %+.4f\n", table[c->pair[i].a].name, table[c->pair[i].b].name,
                c->pair[i].r);
    if (shown == 0)
        fputs("  none\n", out);
    if (fflush(out) != 0 || ferror(out))
        return mpj_err_errno(err, "cannot write the coverage");
    return MPJ_E_OK;
}
