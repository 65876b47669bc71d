/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Aligns a meter's clock with the target's: meter = a + (1 + b) * target. First the offset of the
 * best correlation of means over coarse intervals; then finer ones, with an offset for each part of
 * the run, whose line gives the skew; then least squares of both with gain and constant.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/meter.h"

#define COARSE      512U   /* intervals of the first search */
#define FINEST      65536U /* and of the last one at most */
#define PARTS       8U
#define REACH       6 /* intervals to either side, in each part */
#define SKEW_MAX    2e-3
#define SPAN_MAX    20.0 /* lengths of the run that a meter may have been on */
#define ALIKE       0.7  /* correlation below which the signals are unrelated */
#define CERTAIN     0.03 /* margin of the best one over any other */
#define SAMPLES_MIN 16U
#define MARGIN_S    0.1 /* before and after a program, with other activity of the board */

/* Power with its integral: means of any interval. */
struct curve {
    const struct mpj_power *p;
    double *sum; /* joules up to each sample */
};

struct state {
    struct curve meter, adc;
    double a, b;
    double begin, length; /* of the ADC's samples */
    bool brief;           /* too short to determine a skew: it is 0 */
    bool window;          /* instead of the ADC's power, only the program's running time is known */
    double *x, *y, *z;    /* means of intervals: ADC, meter; its slope */
};

static bool curve_make(struct curve *c, const struct mpj_power *p)
{
    c->p = p;
    c->sum = malloc(p->n * sizeof(*c->sum));
    if (c->sum == NULL)
        return false;
    c->sum[0] = 0;
    for (size_t i = 1; i < p->n; i++)
        c->sum[i] =
            c->sum[i - 1] + (p->watts[i] + p->watts[i - 1]) / 2 * (p->time_s[i] - p->time_s[i - 1]);
    return true;
}

/* Returns the joules up to a time within the samples; constant power outside. */
static double joules(const struct curve *c, double t)
{
    const struct mpj_power *const p = c->p;
    size_t low = 0;
    size_t high = p->n - 1;
    double part;

    if (t <= p->time_s[0])
        return (t - p->time_s[0]) * p->watts[0];
    if (t >= p->time_s[high])
        return c->sum[high] + (t - p->time_s[high]) * p->watts[high];
    while (high - low > 1) {
        const size_t mid = (low + high) / 2;
        if (p->time_s[mid] <= t)
            low = mid;
        else
            high = mid;
    }
    part = (t - p->time_s[low]) / (p->time_s[high] - p->time_s[low]);
    return c->sum[low] +
           (t - p->time_s[low]) * (p->watts[low] + (p->watts[high] - p->watts[low]) * part / 2);
}

/* Computes means of n intervals of the width w from `from` on, after t -> a + (1 + b) t. */
static void means(double *out, const struct curve *c, unsigned n, double from, double w, double a,
                  double b)
{
    double last = joules(c, a + (1 + b) * from);

    for (unsigned i = 0; i < n; i++) {
        const double next = joules(c, a + (1 + b) * (from + w * (i + 1)));
        out[i] = (next - last) / (w * (1 + b));
        last = next;
    }
}

/* Returns the correlation of n pairs; 0 without any variation. weight: variation of x, or NULL. */
static double correlation(const double *x, const double *y, unsigned n, double *weight)
{
    double mx = 0, my = 0, xx = 0, yy = 0, xy = 0;

    for (unsigned i = 0; i < n; i++) {
        mx += x[i] / n;
        my += y[i] / n;
    }
    for (unsigned i = 0; i < n; i++) {
        xx += (x[i] - mx) * (x[i] - mx);
        yy += (y[i] - my) * (y[i] - my);
        xy += (x[i] - mx) * (y[i] - my);
    }
    if (weight != NULL)
        *weight = xx;
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : 0;
}

/* Returns the similarity of the means of both. A program may draw less than its board does
 * otherwise. */
static double alike(const struct state *s, unsigned n, double *weight)
{
    const double c = correlation(s->x, s->y, n, weight);

    return s->window ? fabs(c) : c;
}

/* Returns the best correlation on one side of the overall best, beyond a valley; -1: not found. */
static double rival(const double *found, long best, long end, long step)
{
    double low = found[best];
    double high = -1;

    for (long i = best; i != end; i += step) {
        low = fmin(low, found[i]);
        if (found[i] > low + CERTAIN)
            high = fmax(high, found[i]);
    }
    return high;
}

static int no_window(double best, struct mpj_err *err)
{
    return mpj_err_set(err, MPJ_E_LOG,
                       "the meter's power does not show when the program began and ended "
                       "(correlation %.2f at best): without an ADC it has to be another one, once, "
                       "for as long as the program runs",
                       best);
}

/* Computes the similarity for each offset, half an interval apart; the last one is at the end of
 * what the meter saw. False: out of memory. */
static bool compare_all(struct state *s, double *found, long steps, double first, double last)
{
    const double w = s->length / COARSE;
    const size_t n = (size_t)steps + 2U * COARSE;
    double *const sum = malloc(n * sizeof(*sum)); /* joules up to each half of an interval */

    if (sum == NULL)
        return false;
    means(s->x, &s->adc, COARSE, s->begin, w, 0, 0);
    for (size_t k = 0; k < n; k++)
        sum[k] = joules(&s->meter, s->begin + first + (double)k * (w / 2));
    for (long i = 0; i < steps; i++) {
        for (unsigned j = 0; j < COARSE; j++)
            s->y[j] = (sum[i + 2L * (j + 1L)] - sum[i + 2L * j]) / w;
        found[i] = alike(s, COARSE, NULL);
    }
    means(s->y, &s->meter, COARSE, s->begin, w, fmin(first + steps * (w / 2), last), 0);
    found[steps] = alike(s, COARSE, NULL);
    free(sum);
    return true;
}

/* Searches for the offset of the best correlation. */
static int search(struct state *s, struct mpj_err *err)
{
    const struct mpj_power *const m = s->meter.p;
    const double w = s->length / COARSE;
    const double first = m->time_s[0] - s->begin;
    const double last = m->time_s[m->n - 1] - (s->begin + s->length);
    const long steps = (long)ceil((last - first) / (w / 2));
    double *const found = steps >= 0 ? calloc((size_t)steps + 1, sizeof(*found)) : NULL;
    double other;
    long best = 0;

    if (steps < 0)
        return mpj_err_set(err, MPJ_E_LOG, "the meter's %.3f s are shorter than the %.3f s of %s",
                           m->time_s[m->n - 1] - m->time_s[0], s->length,
                           s->window ? "the program and a little before and after it"
                                     : "the ADC's samples");
    if (found == NULL || !compare_all(s, found, steps, first, last)) {
        free(found);
        return mpj_err_nomem(err);
    }
    for (long i = 0; i <= steps; i++) {
        if (found[i] > found[best])
            best = i;
    }
    other = fmax(rival(found, best, -1, -1), rival(found, best, steps + 1, 1));
    s->a = fmin(first + best * (w / 2), last);
    if (s->window && (found[best] < ALIKE || other > found[best] - CERTAIN))
        no_window(found[best], err);
    else if (found[best] < ALIKE)
        mpj_err_set(err, MPJ_E_LOG,
                    "the meter's power does not follow the ADC's (correlation %.2f at best): does "
                    "it hang on this board?",
                    found[best]);
    else if (other > found[best] - CERTAIN)
        mpj_err_set(err, MPJ_E_LOG,
                    "the power repeats itself: the meter fits in more than one place (correlation "
                    "%.3f and %.3f); a pause before the measured part makes it certain",
                    found[best], other);
    else
        err->code = MPJ_E_OK;
    free(found);
    return err->code;
}

/* Determines one part's own offset, within REACH intervals; its correlation, and its weight. */
static double part_offset(struct state *s, unsigned n, double from, double w, double *at,
                          double *weight)
{
    double c[4 * REACH + 1];
    int best = 0;

    means(s->x, &s->adc, n, from, w, 0, 0);
    for (int k = 0; k <= 4 * REACH; k++) {
        means(s->y, &s->meter, n, from, w, s->a + (k - 2 * REACH) * w / 2, s->b);
        c[k] = alike(s, n, weight);
        if (c[k] > c[best])
            best = k;
    }
    *at = (best - 2 * REACH) * w / 2;
    if (best > 0 && best < 4 * REACH) {
        const double bend = c[best - 1] - 2 * c[best] + c[best + 1];
        if (bend < 0)
            *at += (c[best - 1] - c[best + 1]) / bend / 2 * w / 2;
    }
    return c[best];
}

/* Fits a line through the offsets of the parts. */
static void refine(struct state *s, unsigned intervals)
{
    const unsigned n = intervals / PARTS;
    const double w = s->length / intervals;
    double sw = 0, st = 0, sd = 0, stt = 0, std = 0, spread;

    for (unsigned k = 0; k < PARTS; k++) {
        const double from = s->begin + k * n * w;
        const double t = from + n * w / 2;
        double at, weight;
        const double c = part_offset(s, n, from, w, &at, &weight);
        if (c < ALIKE)
            continue;
        sw += weight;
        st += weight * t;
        sd += weight * at;
        stt += weight * t * t;
        std += weight * t * at;
    }
    if (!(sw > 0))
        return;
    spread = stt / sw - (st / sw) * (st / sw);
    if (!s->brief && spread > s->length * s->length / 64) { /* edges in more than one part */
        const double db = (std / sw - st / sw * sd / sw) / spread;
        s->b += db;
        s->a += sd / sw - db * st / sw;
    } else {
        s->a += sd / sw;
    }
}

#define UNKNOWNS 4U /* offset, skew, gain, constant */

/* Solves m x = v in place; false: it does not have a unique solution. */
static bool solve(double m[UNKNOWNS][UNKNOWNS + 1])
{
    for (unsigned i = 0; i < UNKNOWNS; i++) {
        unsigned top = i;
        for (unsigned k = i + 1; k < UNKNOWNS; k++) {
            if (fabs(m[k][i]) > fabs(m[top][i]))
                top = k;
        }
        if (!(fabs(m[top][i]) > DBL_MIN))
            return false;
        for (unsigned j = 0; j <= UNKNOWNS; j++) {
            const double t = m[i][j];
            m[i][j] = m[top][j];
            m[top][j] = t;
        }
        for (unsigned k = 0; k < UNKNOWNS; k++) {
            const double f = m[k][i] / m[i][i];
            for (unsigned j = 0; j <= UNKNOWNS && k != i; j++)
                m[k][j] -= f * m[i][j];
        }
    }
    return true;
}

/* Does a step of least squares of y = gain * x + constant in all four; returns the correlation
 * before it. */
static double step(struct state *s, unsigned n, double *gain)
{
    double *const z = s->z;
    const double w = s->length / n;
    const double h = w / 4;
    double m[UNKNOWNS][UNKNOWNS + 1] = {{0}};
    double c, mx = 0, my = 0, xx = 0, xy = 0;

    means(s->x, &s->adc, n, s->begin, w, 0, 0);
    means(z, &s->meter, n, s->begin, w, s->a - h, s->b);
    means(s->y, &s->meter, n, s->begin, w, s->a + h, s->b);
    for (unsigned i = 0; i < n; i++)
        z[i] = (s->y[i] - z[i]) / (2 * h);
    means(s->y, &s->meter, n, s->begin, w, s->a, s->b);
    c = alike(s, n, NULL);
    for (unsigned i = 0; i < n; i++) {
        mx += s->x[i] / n;
        my += s->y[i] / n;
    }
    for (unsigned i = 0; i < n; i++) {
        xx += (s->x[i] - mx) * (s->x[i] - mx);
        xy += (s->x[i] - mx) * (s->y[i] - my);
    }
    *gain = xx > 0 ? xy / xx : 0;
    for (unsigned i = 0; i < n; i++) {
        /* scaled to the same size: offset in intervals, skew over half of the run */
        const double t = (i + 0.5) * w / s->length - 0.5;
        const double d[UNKNOWNS] = {z[i] * w, z[i] * w * t, s->x[i] - mx, 1};
        const double r = *gain * (s->x[i] - mx) + my - s->y[i];
        for (unsigned j = 0; j < UNKNOWNS; j++) {
            for (unsigned k = 0; k < UNKNOWNS; k++)
                m[j][k] += d[j] * d[k];
            m[j][UNKNOWNS] += d[j] * r;
        }
    }
    if (solve(m)) {
        const double da = m[0][UNKNOWNS] / m[0][0] * w;
        const double db = s->brief ? 0 : m[1][UNKNOWNS] / m[1][1] * w / s->length;
        if (fabs(da) <= 2 * w && fabs(db) * s->length <= 4 * w) {
            s->b += db;
            s->a += da - db * (s->begin + s->length / 2);
        }
    }
    return c;
}

static double spacing(const struct mpj_power *p)
{
    return (p->time_s[p->n - 1] - p->time_s[0]) / (double)(p->n - 1);
}

static int align(struct state *s, struct mpj_meter *out, struct mpj_err *err)
{
    const double narrow = fmax(spacing(s->adc.p), spacing(s->meter.p));
    const unsigned finest = (unsigned)fmin(fmax(s->length / narrow, SAMPLES_MIN), FINEST);
    int result;

    s->brief = s->window || s->length * SKEW_MAX < narrow;
    result = search(s, err);

    for (unsigned n = COARSE; result == MPJ_E_OK && n <= 4 * finest; n *= 4)
        refine(s, n < finest ? n : finest);
    for (unsigned i = 0; result == MPJ_E_OK && i < 8; i++)
        out->correlation = step(s, finest, &out->gain);
    if (result == MPJ_E_OK && !(fabs(s->b) <= SKEW_MAX))
        result = mpj_err_set(err, MPJ_E_LOG,
                             "the meter's clock would be %.0f ppm off: its times "
                             "are not seconds",
                             s->b * 1e6);
    if (result == MPJ_E_OK && out->correlation < ALIKE && s->window)
        result = no_window(out->correlation, err);
    else if (result == MPJ_E_OK && out->correlation < ALIKE)
        result = mpj_err_set(err, MPJ_E_LOG,
                             "the meter's power does not follow the ADC's (correlation %.2f)",
                             out->correlation);
    return result;
}

/* Returns the microjoules from begin to end of the target's time. */
static double energy_of(const struct mpj_meter *m, const struct curve *c, double begin, double end)
{
    const double b = m->skew_ppm / 1e6;

    return (joules(c, m->offset_s + (1 + b) * end) - joules(c, m->offset_s + (1 + b) * begin)) /
           (1 + b) * 1e6;
}

static int compare(struct state *s, struct mpj_meter *out, double begin, double end, double adc_uj,
                   struct mpj_err *err)
{
    const struct mpj_power *const m = s->meter.p;
    const struct mpj_power *const adc = s->adc.p;

    s->begin = adc->time_s[0];
    s->length = adc->time_s[adc->n - 1] - s->begin;
    if (m->time_s[m->n - 1] - m->time_s[0] > SPAN_MAX * s->length)
        return mpj_err_set(err, MPJ_E_LOG, "the meter was on for more than %g times the run",
                           SPAN_MAX);
    if (align(s, out, err) != MPJ_E_OK)
        return err->code;
    out->samples = m->n;
    out->offset_s = s->a;
    out->skew_ppm = s->b * 1e6;
    out->energy_uj = energy_of(out, &s->meter, begin, end);
    out->power_mw = out->energy_uj / (end - begin) / 1e3;
    out->adc_percent = 100 * (out->energy_uj - adc_uj) / adc_uj;
    return MPJ_E_OK;
}

static int place(struct mpj_meter *out, const struct mpj_power *meter, const struct mpj_power *adc,
                 double begin, double end, double adc_uj, struct mpj_err *err)
{
    struct state s = {.a = 0, .window = out->by_window};
    int result;

    s.x = malloc(FINEST * sizeof(*s.x));
    s.y = malloc(FINEST * sizeof(*s.y));
    s.z = malloc(FINEST * sizeof(*s.z));
    if (s.x != NULL && s.y != NULL && s.z != NULL && curve_make(&s.meter, meter) &&
        curve_make(&s.adc, adc))
        result = compare(&s, out, begin, end, adc_uj, err);
    else
        result = mpj_err_nomem(err);
    free(s.meter.sum);
    free(s.adc.sum);
    free(s.x);
    free(s.y);
    free(s.z);
    return result;
}

int mpj_meter_align(struct mpj_meter *out, const struct mpj_power *meter,
                    const struct mpj_power *adc, double begin, double end, double adc_uj,
                    struct mpj_err *err)
{
    if (adc->n < SAMPLES_MIN || meter->n < SAMPLES_MIN)
        return mpj_err_set(err, MPJ_E_LOG,
                           "too few samples to compare: %zu of the ADC, %zu of the meter", adc->n,
                           meter->n);
    out->by_window = false;
    return place(out, meter, adc, begin, end, adc_uj, err);
}

/* Returns the last part of the meter's samples: it was also on while the program was loaded. */
static struct mpj_power tail(const struct mpj_power *p, double length)
{
    size_t i = p->n - SAMPLES_MIN;

    while (i > 0 && p->time_s[p->n - 1] - p->time_s[i - 1] <= length)
        i--;
    return (struct mpj_power){p->n - i, p->time_s + i, p->watts + i};
}

/* Sets power 1 while the program runs, 0 for a margin before and after it. */
static void draw_box(struct mpj_power *box, double length, double margin)
{
    const size_t part = box->n / 3;
    const double sharp = length * 1e-6;
    const double from[3] = {-margin, 0, length + sharp};
    const double to[3] = {-sharp, length, length + margin};

    for (size_t i = 0; i < box->n; i++) {
        const size_t k = i / part;
        const double at = (double)(i % part) / (double)(part - 1);
        box->time_s[i] = from[k] + (to[k] - from[k]) * at;
        box->watts[i] = k == 1;
    }
}

int mpj_meter_window(struct mpj_meter *out, const struct mpj_power *meter, double length,
                     struct mpj_err *err)
{
    const double margin = fmin(length / 4, MARGIN_S);
    struct mpj_power box = {0};
    struct mpj_power last;
    int result;

    if (meter->n < SAMPLES_MIN)
        return mpj_err_set(err, MPJ_E_LOG, "too few samples of the meter: %zu", meter->n);
    last = tail(meter, SPAN_MAX * (length + 2 * margin));
    box.n = (size_t)fmin(fmax((length + 2 * margin) / spacing(&last), SAMPLES_MIN), FINEST) / 3 * 3;
    box.time_s = malloc(box.n * sizeof(double));
    box.watts = malloc(box.n * sizeof(double));
    if (box.time_s == NULL || box.watts == NULL) {
        result = mpj_err_nomem(err);
    } else {
        draw_box(&box, length, margin);
        out->by_window = true;
        result = place(out, &last, &box, 0, length, NAN, err);
    }
    mpj_power_free(&box);
    return result;
}

int mpj_meter_channels(struct mpj_meter *out, const struct mpj_meter_stream *m, double begin,
                       double end, struct mpj_err *err)
{
    out->channels = 0;
    for (unsigned i = 0; m->named && i < m->channels; i++) {
        const struct mpj_power p = mpj_meter_power(m, i);
        struct mpj_meter_channel *const c = &out->channel[i];
        struct curve curve;
        if (!curve_make(&curve, &p))
            return mpj_err_nomem(err);
        memcpy(c->name, m->channel[i].name, sizeof(c->name));
        memcpy(c->unit, m->channel[i].unit, sizeof(c->unit));
        c->error_percent = m->channel[i].error_percent;
        c->energy_uj = energy_of(out, &curve, begin, end);
        c->power_mw = c->energy_uj / (end - begin) / 1e3;
        free(curve.sum);
        out->channels = i + 1;
    }
    return MPJ_E_OK;
}
