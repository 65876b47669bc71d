/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums up a recording: power, energy between marks, and doubts about the samples. */
#include "report/energy.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "log/log.h"
#include "store/energy_int.h"

#define V_LEAST_UV  900e3 /* a processor and a PLL of 1.2 V, and some */
#define V_MOST_UV   1500e3
#define STUCK_S     2.0 /* all channels unchanged for that long and STUCK_LEAST samples */
#define STUCK_LEAST 20U
#define STILL_LEAST 1000U /* samples that all have one value in a channel */
#define REPEATS_MOST                                                                               \
    3.0 /* mean samples between changes; above this number the ADC is the slower one of both */

struct adder {
    struct mpj_energy *e;
    mpj_energy_take take;
    void *ctx;
    unsigned at;   /* the phase that samples belong to */
    uint64_t from; /* start of the share of the previous sample, in half ticks since begin */
    bool have;
    uint64_t index; /* of the previous sample */
    struct mpj_adc_sample last;
    double time; /* summed up, seconds */
    double sum_v[MPJ_RAILS], sum_i[MPJ_RAILS], sum_p[MPJ_RAILS];

    uint64_t first_lost; /* index before the first gap */
    uint64_t steps;      /* intervals between neighbours ... */
    double step_sum;     /* ... their length in ticks */
    double late;         /* the one that deviates most from the period */
    uint64_t out[TILE_POWER_MAX];
    bool set_by_calibration; /* a modelled supply is outside the tile's limits */
    uint16_t least[TILE_POWER_MAX], most[TILE_POWER_MAX];
    uint64_t run;           /* samples since all channels had other values */
    uint64_t run_from;      /* tick of the first of them */
    uint64_t changes;       /* number of changes of any channel */
    double still;           /* the longest time without a change, seconds */
    uint64_t still_samples; /* ... and the samples in it */
};

void mpj_energy_add_check(struct mpj_energy *e, const char *name, enum mpj_verdict verdict,
                          const char *format, ...)
{
    struct mpj_energy_check *const c = &e->check[e->checks];
    va_list ap;

    if (e->checks == MPJ_ENERGY_CHECKS)
        return;
    e->checks++;
    c->name = name;
    c->verdict = verdict;
    va_start(ap, format);
    vsnprintf(c->text, sizeof(c->text), format, ap);
    va_end(ap);
}

int energy_add_mark(struct energy_scan *s, struct energy_mark m, struct mpj_err *err)
{
    if (s->marks == s->room) {
        const size_t room = s->room > 0 ? 2 * s->room : 64;
        struct energy_mark *const more = realloc(s->mark, room * sizeof(*more));
        if (more == NULL) {
            free(m.name);
            return mpj_err_nomem(err);
        }
        s->mark = more;
        s->room = room;
    }
    m.order = s->marks;
    s->mark[s->marks++] = m;
    return MPJ_E_OK;
}

/* ---- samples ---------------------------------------------------------------------- */

struct values {
    double uv[MPJ_RAILS], ua[MPJ_RAILS], pw[MPJ_RAILS];
};

static struct values physical(const struct mpj_energy *e, const struct mpj_adc_sample *a)
{
    struct values out = {{0}, {0}, {0}};
    double code[TILE_POWER_MAX];

    for (unsigned c = 0; c < TILE_POWER_MAX; c++)
        code[c] = a->code[c];
    mpj_supply_values(&e->supplies, code, out.uv, out.ua, out.pw);
    return out;
}

static unsigned code_max(const struct tile_machine *m, unsigned channel)
{
    return (1U << m->power[channel].bits) - 1U;
}

/* True for a supply of the chip's logic, whose voltage range is known. */
static bool is_core_supply(const struct mpj_supply *s)
{
    return strcmp(s->name, MPJ_SUPPLY_PROCESSOR) == 0 || strcmp(s->name, MPJ_SUPPLY_PLL) == 0;
}

static void add_to_phase(struct mpj_energy_phase *p, const struct values *x, double s)
{
    for (unsigned k = 0; k < MPJ_RAILS; k++) {
        p->rail[k].v_avg_uv += x->uv[k] * s;
        p->rail[k].i_avg_ua += x->ua[k] * s;
        p->rail[k].energy_uj += x->pw[k] * s / MPJ_PW_PER_UW;
    }
}

/* Extends the last sample up to `to`, in half ticks since the beginning. */
static void stand(struct adder *a, uint64_t to)
{
    struct mpj_energy *const e = a->e;
    const double half = 0.5 / e->time_hz;
    const struct values x = physical(e, &a->last);

    for (unsigned k = 0; k < MPJ_RAILS; k++) {
        const double s = (double)(to - a->from) * half;
        a->sum_v[k] += x.uv[k] * s;
        a->sum_i[k] += x.ua[k] * s;
        a->sum_p[k] += x.pw[k] * s;
    }
    a->time += (double)(to - a->from) * half;
    while (a->from < to && a->at < e->phases) {
        const uint64_t end = 2 * (e->phase[a->at].end - e->begin);
        const uint64_t upto = end < to ? end : to;
        add_to_phase(&e->phase[a->at], &x, (double)(upto - a->from) * half);
        a->from = upto;
        if (end > to)
            break;
        a->at++;
    }
    a->from = to;
}

/* True for the emulator: its voltages are what the calibration says, not those of a tile. */
static bool is_modelled(const struct mpj_energy *e)
{
    return e->target != NULL && strcmp(e->target, "sim") == 0;
}

/* Checks for a code at the end of its range, or a voltage that is impossible for core and PLL. */
static void look_at_range(struct adder *a, const struct mpj_adc_sample *s, const struct values *x)
{
    const struct tile_machine *const m = &a->e->machine;

    for (unsigned c = 0; c < m->powers; c++) {
        if (a->e->samples == 0 || s->code[c] < a->least[c])
            a->least[c] = s->code[c];
        if (a->e->samples == 0 || s->code[c] > a->most[c])
            a->most[c] = s->code[c];
        if (s->code[c] == 0 || s->code[c] >= code_max(m, c))
            a->out[c]++;
    }
    for (unsigned k = 0; k < a->e->supplies.count; k++) {
        const struct mpj_supply *const of = &a->e->supplies.of[k];
        const int c = of->volts;

        if (c < 0 || !is_core_supply(of) || s->code[c] == 0 ||
            s->code[c] >= code_max(m, (unsigned)c) ||
            (x->uv[k] >= V_LEAST_UV && x->uv[k] <= V_MOST_UV))
            continue;
        if (is_modelled(a->e))
            a->set_by_calibration = true;
        else
            a->out[c]++;
    }
}

static void look(struct adder *a, const struct mpj_adc_sample *s)
{
    const struct values x = physical(a->e, s);

    look_at_range(a, s, &x);
    for (unsigned k = 0; k < a->e->supplies.count; k++) {
        const double p = x.pw[k] / MPJ_PW_PER_UW;

        if (a->e->samples == 0 || p < a->e->power_min_uw[k])
            a->e->power_min_uw[k] = p;
        if (a->e->samples == 0 || p > a->e->power_max_uw[k])
            a->e->power_max_uw[k] = p;
    }
}

/* Measures how long the ADC's values are unchanged. */
static void look_for_change(struct adder *a, const struct mpj_adc_sample *s)
{
    double still;

    if (a->have && memcmp(s->code, a->last.code, sizeof(s->code)) == 0) {
        a->run++;
        still = (double)(s->time - a->run_from) / a->e->time_hz;
        if (still > a->still) {
            a->still = still;
            a->still_samples = a->run;
        }
        return;
    }
    a->changes++;
    a->run = 1;
    a->run_from = s->time;
}

static int give(struct adder *a, uint64_t index, const struct mpj_adc_sample *s,
                struct mpj_err *err)
{
    struct mpj_energy *const e = a->e;
    struct mpj_energy_sample out = {.index = index, .supplies = &e->supplies};
    struct values x;
    unsigned at = a->at;

    if (a->take == NULL)
        return MPJ_E_OK;
    x = physical(e, s);
    for (unsigned k = 0; k < e->supplies.count; k++) {
        out.v_uv[k] = x.uv[k];
        out.i_ua[k] = x.ua[k];
        out.power_uw[k] = x.pw[k] / MPJ_PW_PER_UW;
    }
    out.time_s = (double)(s->time - e->begin) / e->time_hz;
    while (at < e->phases && e->phase[at].end <= s->time)
        at++;
    if (at < e->phases)
        out.phase = e->phase[at].name;
    return a->take(a->ctx, &out, err);
}

static int add(void *ctx, uint64_t index, const struct mpj_adc_sample *s, struct mpj_err *err)
{
    struct adder *const a = ctx;
    struct mpj_energy *const e = a->e;

    if (s->time < e->begin || s->time > e->end)
        return MPJ_E_OK;
    if (a->have && (index <= a->index || s->time <= a->last.time)) {
        e->doubled++;
        return MPJ_E_OK;
    }
    look(a, s);
    look_for_change(a, s);
    if (a->have) {
        const double step = (double)(s->time - a->last.time);
        if (index != a->index + 1U) {
            if (e->lost == 0)
                a->first_lost = a->index;
            e->lost += index - a->index - 1U;
        } else {
            const double off = fabs(step - e->period_s * e->time_hz);
            a->steps++;
            a->step_sum += step;
            a->late = off > a->late ? off : a->late;
        }
        stand(a, a->last.time + s->time - 2 * e->begin);
    } else if (index > 0) {
        e->lost += index;
    }
    for (unsigned p = a->at; p < e->phases; p++) {
        if (s->time < e->phase[p].end || p + 1U == e->phases) {
            e->phase[p].samples++;
            break;
        }
    }
    a->have = true;
    a->index = index;
    a->last = *s;
    e->samples++;
    return give(a, index, s, err);
}

/* ---- result ------------------------------------------------------------------------- */

static int by_time(const void *x, const void *y)
{
    const struct energy_mark *const a = x;
    const struct energy_mark *const b = y;

    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

/* Builds the phases from the marks; ownership of the names moves. */
static int make_phases(struct mpj_energy *e, struct energy_scan *s, struct mpj_err *err)
{
    if (s->marks == 0)
        return MPJ_E_OK;
    qsort(s->mark, s->marks, sizeof(*s->mark), by_time);
    e->phase = calloc(s->marks + 1, sizeof(*e->phase));
    if (e->phase == NULL)
        return mpj_err_nomem(err);
    if (s->mark[0].time > e->begin)
        e->phase[e->phases++] = (struct mpj_energy_phase){.begin = e->begin};
    for (size_t i = 0; i < s->marks; i++) {
        struct energy_mark *const m = &s->mark[i];
        const uint64_t time = m->time < e->begin ? e->begin : m->time > e->end ? e->end : m->time;
        if (e->phases > 0)
            e->phase[e->phases - 1].end = time;
        e->phase[e->phases++] = (struct mpj_energy_phase){
            .name = m->name, .value = m->value, .by_host = m->by_host, .begin = time};
        m->name = NULL;
        e->marks++;
        if (e->phase[e->phases - 1].name == NULL)
            return mpj_err_nomem(err);
    }
    e->phase[e->phases - 1].end = e->end;
    return MPJ_E_OK;
}

static void mean_rail(struct mpj_rail *r, double seconds)
{
    r->v_avg_uv = seconds > 0 ? r->v_avg_uv / seconds : 0.0;
    r->i_avg_ua = seconds > 0 ? r->i_avg_ua / seconds : 0.0;
}

static void finish(struct adder *a)
{
    struct mpj_energy *const e = a->e;

    if (!a->have)
        return;
    stand(a, 2 * (e->end - e->begin));
    for (unsigned k = 0; k < MPJ_RAILS; k++) {
        e->rail[k] = (struct mpj_rail){a->sum_v[k], a->sum_i[k], a->sum_p[k] / MPJ_PW_PER_UW};
        mean_rail(&e->rail[k], a->time);
        for (unsigned p = 0; p < e->phases; p++)
            mean_rail(&e->phase[p].rail[k],
                      (double)(e->phase[p].end - e->phase[p].begin) / e->time_hz);
    }
}

static void check_samples(struct mpj_energy *e, const struct adder *a)
{
    const uint64_t all = e->samples + e->lost;

    if (e->supplies.count == 0)
        mpj_energy_add_check(
            e, "samples", MPJ_CHECK_BAD,
            "none: the board %s has no power channels, energy is not measured here",
            e->machine.name);
    else if (e->samples == 0)
        mpj_energy_add_check(e, "samples", MPJ_CHECK_BAD,
                             "none in %.3g ms: a sample comes every %g ms", e->time_s * 1e3,
                             e->period_s * 1e3);
    else if (e->lost > 0)
        mpj_energy_add_check(e, "samples", MPJ_CHECK_BAD,
                             "%" PRIu64 " of %" PRIu64 " lost (%.3g %%), the first after sample "
                             "%" PRIu64,
                             e->lost, all, 100.0 * (double)e->lost / (double)all, a->first_lost);
    else if (e->doubled > 0)
        mpj_energy_add_check(e, "samples", MPJ_CHECK_BAD, "%" PRIu64 " came twice", e->doubled);
    else
        mpj_energy_add_check(e, "samples", MPJ_CHECK_OK, "none of %" PRIu64 " lost", all);
}

static void check_timing(struct mpj_energy *e, const struct adder *a)
{
    const double period = e->period_s * e->time_hz;
    const double mean = a->steps > 0 ? a->step_sum / (double)a->steps : period;
    const double late_us = a->late / e->time_hz * 1e6;

    if (a->steps == 0 || period <= 0.0)
        return;
    mpj_energy_add_check(e, "timing", a->late > period / 2 ? MPJ_CHECK_DOUBT : MPJ_CHECK_OK,
                         "one every %.6f ms, %.3g us off at most", mean / e->time_hz * 1e3,
                         late_us);
}

static void check_range(struct mpj_energy *e, const struct adder *a)
{
    char title[TILE_TITLE_SIZE];
    char text[200] = "";
    size_t n = 0;

    for (unsigned c = 0; c < e->machine.powers; c++) {
        mpj_channel_title(&e->machine.power[c], title);
        if (a->out[c] > 0 && n < sizeof(text))
            n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s %" PRIu64 " times (%u to %u)",
                                  n > 0 ? ", " : "", title, a->out[c], a->least[c], a->most[c]);
    }
    if (n > 0)
        mpj_energy_add_check(e, "range", MPJ_CHECK_BAD, "out of range: %s", text);
    else if (a->set_by_calibration)
        mpj_energy_add_check(e, "range", MPJ_CHECK_OK,
                             "no code at its end; the calibration sets the voltages");
    else
        mpj_energy_add_check(e, "range", MPJ_CHECK_OK,
                             "voltages within %.1f and %.1f V, no code at its end",
                             V_LEAST_UV / 1e6, V_MOST_UV / 1e6);
}

static void check_stuck(struct mpj_energy *e, const struct adder *a)
{
    char title[TILE_TITLE_SIZE];
    const double repeats = a->changes > 0 ? (double)e->samples / (double)a->changes : 1.0;

    if (a->still >= STUCK_S && a->still_samples >= STUCK_LEAST) {
        mpj_energy_add_check(e, "stuck", MPJ_CHECK_BAD,
                             "no channel changed for %.3g s (%" PRIu64
                             " samples): the ADC is stuck",
                             a->still, a->still_samples);
        return;
    }
    if (e->samples >= STUCK_LEAST && repeats >= REPEATS_MOST) {
        mpj_energy_add_check(e, "stuck", MPJ_CHECK_DOUBT,
                             "new values only every %.3g ms: the ADC is slower than the sampling",
                             repeats * e->period_s * 1e3);
        return;
    }
    for (unsigned c = 0; c < e->machine.powers; c++) {
        if (e->samples >= STILL_LEAST && a->least[c] == a->most[c]) {
            mpj_channel_title(&e->machine.power[c], title);
            mpj_energy_add_check(e, "stuck", MPJ_CHECK_DOUBT, "%s is %u in every sample", title,
                                 a->least[c]);
            return;
        }
    }
    mpj_energy_add_check(e, "stuck", MPJ_CHECK_OK, "every channel moves");
}

static void check_end(struct mpj_energy *e)
{
    const double missing = e->planned_s - e->time_s;
    const bool planned = e->planned_s > 0;
    char rest[80] = "";

    if (planned && missing > 1.5 * e->period_s)
        snprintf(rest, sizeof(rest), "; of %g s planned, %.3f s are missing", e->planned_s,
                 missing);
    if (e->damage != NULL)
        mpj_energy_add_check(e, "file", MPJ_CHECK_BAD, "read up to its damage only: %s%s",
                             e->damage, rest);
    else if (!e->closed)
        mpj_energy_add_check(e, "file", MPJ_CHECK_BAD,
                             "the log is cut off after %.3f s%s; %zu bytes of an unfinished frame "
                             "were left out",
                             e->time_s, rest, e->cut_bytes);
    else if (e->outcome != MPJ_E_OK)
        mpj_energy_add_check(e, "file", MPJ_CHECK_BAD, "%s%s",
                             e->message != NULL ? e->message : "the recording failed", rest);
    else if (e->lost_frames > 0 || e->dropped > 0)
        mpj_energy_add_check(e, "file", MPJ_CHECK_BAD,
                             "%" PRIu64 " frames missing, %" PRIu64
                             " records dropped: out of memory",
                             e->lost_frames, e->dropped);
    else
        mpj_energy_add_check(e, "file", MPJ_CHECK_OK, "whole, %s%s",
                             e->message != NULL ? e->message : "closed normally", rest);
}

static int load(struct mpj_energy *e, const char *path, mpj_energy_take take, void *ctx,
                struct mpj_err *err)
{
    const bool log = mpj_log_is(path);
    struct energy_scan s = {.e = e};
    struct adder a = {.e = e, .take = take, .ctx = ctx};
    int result;

    e->machine = mpj_machine_unstated;
    result = log ? energy_scan_log(&s, path, err) : energy_scan_store(&s, path, err);

    if (result == MPJ_E_OK && (e->time_hz == 0 || (!s.have_begin && !s.have_sample)))
        result = mpj_err_set(err, MPJ_E_LOG, "%s ends before the first sample%s%s", path,
                             e->message != NULL ? ": " : "", e->message != NULL ? e->message : "");
    if (result == MPJ_E_OK) {
        mpj_supplies_of(&e->machine, &e->supplies);
        if (!s.have_begin)
            e->begin = s.first;
        if (!s.have_end) /* the last sample extends half a period beyond its time */
            e->end = s.have_sample ? s.last + s.period / 2 : e->begin;
        if (e->end < e->begin)
            e->end = e->begin;
        e->time_s = (double)(e->end - e->begin) / e->time_hz;
        result = make_phases(e, &s, err);
    }
    if (result == MPJ_E_OK)
        result =
            log ? energy_samples_log(path, add, &a, err) : energy_samples_store(path, add, &a, err);
    if (result == MPJ_E_OK) {
        finish(&a);
        check_samples(e, &a);
        if (e->samples > 0) {
            check_timing(e, &a);
            check_range(e, &a);
            check_stuck(e, &a);
        }
        check_end(e);
    }
    for (size_t i = 0; i < s.marks; i++)
        free(s.mark[i].name);
    free(s.mark);
    return result;
}

int mpj_energy_load(struct mpj_energy **out, const char *path, mpj_energy_take take, void *ctx,
                    struct mpj_err *err)
{
    struct mpj_energy *const e = calloc(1, sizeof(*e));
    int result;

    *out = NULL;
    if (e == NULL)
        return mpj_err_nomem(err);
    result = load(e, path, take, ctx, err);
    if (result != MPJ_E_OK) {
        mpj_energy_free(e);
        return result;
    }
    *out = e;
    return MPJ_E_OK;
}

void mpj_energy_free(struct mpj_energy *e)
{
    if (e == NULL)
        return;
    for (unsigned i = 0; i < e->phases; i++)
        free(e->phase[i].name);
    free(e->phase);
    free(e->target);
    free(e->program);
    free(e->arguments);
    free(e->firmware_sha256);
    free(e->calibration);
    free(e->message);
    free(e->damage);
    free(e);
}
