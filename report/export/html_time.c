/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page's data over time, reduced to a number of figures that a page can show. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "export/html.h"
#include "export/profile_out.h"
#include "export/timeline.h"
#include "report/energy.h"
#include "report_int.h"
#include "view/profile_text.h"

#define TEXTS_MAX 50000 /* different ones; the rest is "..." */

/* ---- moments --------------------------------------------------------------------------- */

/* One span, or several of a kind in close succession. */
struct item {
    uint64_t from, to;
    uint64_t sum; /* ns, their total duration */
    uint32_t n;
    int32_t what;   /* core; number of a text */
    int32_t holder; /* of a wait; -1: unknown */
};

#define KINDS (SPAN_REGION + 1U) /* of spans with a duration */

struct list {
    struct item *item;
    size_t n, room;
};

struct thread_list {
    int64_t thread;
    struct list list[KINDS];
};

struct moments {
    const struct mpj_report *r;
    struct thread_list *thread;
    unsigned threads, room;
    size_t spans;
    uint64_t closer;  /* spans of one kind up to this total length are merged; 0: never */
    json_t *number;   /* of a text */
    json_t *text;     /* by number */
    uint64_t unnamed; /* spans whose text is "..." */
    struct mpj_err *err;
};

static int text_number(struct moments *m, const char *text)
{
    const json_t *const known = json_object_get(m->number, text);
    const int next = (int)json_array_size(m->text);

    if (known != NULL)
        return (int)json_integer_value(known);
    if (next >= TEXTS_MAX && strcmp(text, "...") != 0) {
        m->unnamed++;
        return text_number(m, "...");
    }
    json_object_set_new(m->number, text, json_integer(next));
    json_array_append_new(m->text, json_string(text));
    return next;
}

static struct thread_list *list_of(struct moments *m, int64_t thread)
{
    for (unsigned i = m->threads; i-- > 0;) {
        if (m->thread[i].thread == thread)
            return &m->thread[i];
    }
    if (m->threads == m->room) {
        const unsigned room = 2 * m->room + 16;
        struct thread_list *const more = realloc(m->thread, room * sizeof(*more));
        if (more == NULL)
            return NULL;
        m->thread = more;
        m->room = room;
    }
    m->thread[m->threads] = (struct thread_list){.thread = thread};
    return &m->thread[m->threads++];
}

static int by_begin(const void *x, const void *y)
{
    const struct item *const a = x;
    const struct item *const b = y;

    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return (a->to < b->to) - (a->to > b->to);
}

/* Merges neighbours that are close; the result has the text of the longest of them. */
static size_t thin(struct list *l, uint64_t closer)
{
    size_t kept = 0;

    if (l->n > 0)
        qsort(l->item, l->n, sizeof(*l->item), by_begin);
    for (size_t i = 0; i < l->n; i++) {
        struct item *const before = kept > 0 ? &l->item[kept - 1] : NULL;
        const struct item *const x = &l->item[i];
        if (before == NULL || x->to - before->from > closer || x->from < before->to) {
            l->item[kept++] = *x;
            continue;
        }
        if (x->sum > before->sum) {
            before->what = x->what;
            before->holder = x->holder;
        }
        before->to = x->to;
        before->sum += x->sum;
        before->n += x->n;
    }
    l->n = kept;
    return kept;
}

static void thin_all(struct moments *m)
{
    while (m->spans > HTML_SPANS_MAX / 2 && m->closer < UINT64_MAX / 4) {
        m->closer = m->closer > 0 ? 2 * m->closer : 1000;
        m->spans = 0;
        for (unsigned i = 0; i < m->threads; i++) {
            for (unsigned k = 0; k < KINDS; k++)
                m->spans += thin(&m->thread[i].list[k], m->closer);
        }
    }
}

static int add(struct moments *m, const struct span *s)
{
    struct thread_list *const t = list_of(m, s->thread);
    struct list *const l = t != NULL ? &t->list[s->kind] : NULL;

    if (l == NULL)
        return mpj_err_nomem(m->err);
    if (l->n == l->room) {
        const size_t room = 2 * l->room + 64;
        struct item *const more = realloc(l->item, room * sizeof(*more));
        if (more == NULL)
            return mpj_err_nomem(m->err);
        l->item = more;
        l->room = room;
    }
    l->item[l->n++] =
        (struct item){s->from,
                      s->to,
                      s->to - s->from,
                      1,
                      s->kind == SPAN_RUN ? (int32_t)s->core : text_number(m, s->text),
                      (int32_t)s->holder};
    if (++m->spans > HTML_SPANS_MAX)
        thin_all(m);
    return MPJ_E_OK;
}

/* Marks and samples are elsewhere in the page's data. */
static int on_span(void *ctx, const struct span *s)
{
    return s->kind < KINDS ? add(ctx, s) : MPJ_E_OK;
}

/* Writes starts as differences from the previous start, lengths, texts, holders; number and total
 * duration of merged ones. */
static void put_list(const char *name, struct list *l, bool holders, FILE *f)
{
    uint64_t last = 0;

    if (l->n > 0)
        qsort(l->item, l->n, sizeof(*l->item), by_begin);
    fprintf(f, ",\"%s\":{\"from\":[", name);
    for (size_t i = 0; i < l->n; i++) {
        fprintf(f, "%s%" PRIu64, i > 0 ? "," : "", l->item[i].from - last);
        last = l->item[i].from;
    }
    fputs("],\"ns\":[", f);
    for (size_t i = 0; i < l->n; i++)
        fprintf(f, "%s%" PRIu64, i > 0 ? "," : "", l->item[i].to - l->item[i].from);
    fputs("],\"what\":[", f);
    for (size_t i = 0; i < l->n; i++)
        fprintf(f, "%s%" PRId32, i > 0 ? "," : "", l->item[i].what);
    fputs("],\"holder\":[", f);
    for (size_t i = 0; holders && i < l->n; i++)
        fprintf(f, "%s%" PRId32, i > 0 ? "," : "", l->item[i].holder);
    fputs("],\"several\":{", f);
    for (size_t i = 0, any = 0; i < l->n; i++) {
        if (l->item[i].n > 1)
            fprintf(f, "%s\"%zu\":[%" PRIu32 ",%" PRIu64 "]", any++ > 0 ? "," : "", i, l->item[i].n,
                    l->item[i].sum);
    }
    fputs("}}", f);
}

static void put_json(const char *name, const json_t *o, FILE *f)
{
    fprintf(f, ",\"%s\":", name);
    if (json_dumpf(o, f, JSON_COMPACT | JSON_ENSURE_ASCII) != 0)
        fputs("[]", f);
}

static void put_moments(struct moments *m, uint64_t lost, FILE *f)
{
    fprintf(f, ",\"moments\":{\"lost\":%" PRIu64 ",\"closer_ns\":%" PRIu64 ",\"threads\":[", lost,
            m->closer);
    for (unsigned i = 0; i < m->threads; i++) {
        struct thread_list *const t = &m->thread[i];
        fprintf(f, "%s{\"id\":%" PRId64, i > 0 ? "," : "", t->thread);
        put_list("run", &t->list[SPAN_RUN], false, f);
        put_list("wait", &t->list[SPAN_WAIT], true, f);
        put_list("region", &t->list[SPAN_REGION], false, f);
        fputs("}", f);
    }
    fputs("]", f);
    put_json("texts", m->text, f);
    fprintf(f, ",\"unnamed\":%" PRIu64 "}", m->unnamed);
}

int html_moments(const struct mpj_report *r, FILE *f, struct mpj_err *err)
{
    struct moments m = {.r = r, .number = json_object(), .text = json_array(), .err = err};
    uint64_t lost = 0;
    const int result = timeline_read(r, on_span, &m, &lost, err);

    if (result == MPJ_E_OK && m.spans > 0)
        put_moments(&m, lost, f);
    for (unsigned i = 0; i < m.threads; i++) {
        for (unsigned k = 0; k < KINDS; k++)
            free(m.thread[i].list[k].item);
    }
    free(m.thread);
    json_decref(m.number);
    json_decref(m.text);
    return result;
}

/* ---- samples of the program counter ---------------------------------------------------- */

struct counter_samples {
    const struct mpj_report *r;
    struct {
        uint64_t ns;
        int32_t func;
    } * at; /* HTML_SAMPLES_MAX */
    unsigned n;
    uint64_t seen, every; /* every n-th is kept, n a power of two */
};

static int on_counter(void *ctx, const struct mpj_moment *m)
{
    struct counter_samples *const s = ctx;
    const struct mpj_profile *const p = s->r->run->profile;
    const struct mpj_prof_func *const func =
        m->kind == MPJ_MOMENT_SAMPLE ? mpj_profile_at(p, m->object) : NULL;

    if (func == NULL || s->seen++ % s->every != 0)
        return MPJ_E_OK;
    if (s->n == HTML_SAMPLES_MAX) {
        s->every *= 2;
        s->n /= 2;
        for (unsigned i = 0; i < s->n; i++)
            s->at[i] = s->at[2 * (size_t)i];
    }
    s->at[s->n].ns = timeline_ns(s->r->run, m->time);
    s->at[s->n++].func = (int32_t)(func - p->func);
    return MPJ_E_OK;
}

int html_samples(const struct mpj_report *r, FILE *f, struct mpj_err *err)
{
    struct counter_samples s = {.r = r, .every = 1};
    int result;

    if (r->run->profile == NULL || r->run->profile->source != MPJ_PROF_SAMPLES)
        return MPJ_E_OK;
    s.at = calloc(HTML_SAMPLES_MAX, sizeof(*s.at));
    if (s.at == NULL)
        return mpj_err_nomem(err);
    result = mpj_moments(r->store, MPJ_PROF_SAMPLES, on_counter, &s, NULL, err);
    if (result == MPJ_E_OK && s.n > 0) {
        fprintf(f, ",\"samples\":{\"every\":%" PRIu64 ",\"at\":[", s.every);
        for (unsigned i = 0; i < s.n; i++)
            fprintf(f, "%s%" PRIu64 ",%" PRId32, i > 0 ? "," : "",
                    s.at[i].ns - (i > 0 ? s.at[i - 1].ns : 0), s.at[i].func);
        fputs("]}", f);
    }
    free(s.at);
    return result;
}

/* Returns the least multiple of a step such that fewer than `most` steps reach the end. */
static uint64_t page_step(uint64_t finest, uint64_t end, uint64_t most)
{
    return finest * (end / finest / most + 1);
}

/* ---- the emulator's power -------------------------------------------------------------- */

#define LANES (MPJ_CORES_MAX + 1) /* the chip's own first */

struct wave {
    uint64_t end;  /* of the last step, ticks */
    uint64_t step; /* of the page, ticks */
    uint64_t finest;
    unsigned steps;
    bool there[LANES];
    double *fj[LANES]; /* of each step */
};

static int on_extent(void *ctx, int64_t core, uint64_t time, uint64_t step, uint64_t fj)
{
    struct wave *const w = ctx;

    (void)fj;
    if (core + 1 < LANES && core >= MPJ_PROF_NONE && step > 0) {
        w->there[core + 1] = true;
        w->end = time + step > w->end ? time + step : w->end;
        w->finest = w->finest == 0 || step < w->finest ? step : w->finest;
    }
    return MPJ_E_OK;
}

/* Distributes a value from time to time + step evenly over the steps of the page that it
 * overlaps. */
static void share_out(double *sum, uint64_t page, uint64_t time, uint64_t step, double v)
{
    const uint64_t end = time + step < time ? time : time + step; /* a store may have any value */

    for (uint64_t at = time; at < end;) {
        const uint64_t rest = page - at % page;
        const uint64_t part = end - at < rest ? end - at : rest;
        sum[at / page] += v * (double)part / (double)step;
        at += part;
    }
}

static int on_step(void *ctx, int64_t core, uint64_t time, uint64_t step, uint64_t fj)
{
    struct wave *const w = ctx;

    if (core + 1 < LANES && core >= MPJ_PROF_NONE && step > 0)
        share_out(w->fj[core + 1], w->step, time, step, (double)fj);
    return MPJ_E_OK;
}

/* Writes nJ as whole numbers, whose sum is exact. */
static void put_wave(const struct wave *w, const struct mpj_run *run, FILE *f)
{
    const char *comma = "";

    fprintf(f, ",\"wave\":{\"step_s\":%.12g,\"finest_s\":%.12g,\"lanes\":[",
            (double)w->step / run->time_hz, (double)w->finest / run->time_hz);
    for (unsigned k = 0; k < LANES; k++) {
        double rest = 0;
        if (!w->there[k])
            continue;
        fprintf(f, "%s{\"core\":%d,\"nj\":[", comma, (int)k - 1);
        for (unsigned i = 0; i < w->steps; i++) {
            const double v = w->fj[k][i] / 1e6 + rest;
            const double whole = floor(v + 0.5);
            rest = v - whole;
            fprintf(f, "%s%.0f", i > 0 ? "," : "", whole);
        }
        fputs("]}", f);
        comma = ",";
    }
    fputs("]}", f);
}

int html_wave(const struct mpj_report *r, FILE *f, struct mpj_err *err)
{
    struct wave w = {0};
    int result = mpj_wave(r->store, on_extent, &w, err);

    if (result != MPJ_E_OK || w.end == 0)
        return result;
    w.step = page_step(w.finest, w.end, HTML_STEPS_MAX);
    w.steps = (unsigned)((w.end - 1) / w.step + 1);
    for (unsigned k = 0; k < LANES && result == MPJ_E_OK; k++) {
        w.fj[k] = calloc(w.steps, sizeof(*w.fj[k]));
        if (w.fj[k] == NULL)
            result = mpj_err_nomem(err);
    }
    if (result == MPJ_E_OK)
        result = mpj_wave(r->store, on_step, &w, err);
    if (result == MPJ_E_OK)
        put_wave(&w, r->run, f);
    for (unsigned k = 0; k < LANES; k++)
        free(w.fj[k]);
    return result;
}

/* ---- events over time -------------------------------------------------------------------- */

struct counts {
    uint64_t end, step; /* ticks; step: of the page */
    unsigned steps;
    FILE *f;
    char event[64]; /* whose lanes are being read */
    int64_t core;
    double *n; /* of each step */
    bool open, any;
};

static int on_counts_extent(void *ctx, int64_t core, const char *event, uint64_t time,
                            uint64_t step, uint64_t n)
{
    struct counts *const c = ctx;

    (void)core;
    (void)event;
    (void)n;
    c->end = time + step > c->end ? time + step : c->end;
    c->step = c->step == 0 || step < c->step ? step : c->step;
    return MPJ_E_OK;
}

/* Writes the lane that was read, as whole numbers whose sum is exact. */
static void put_lane(struct counts *c)
{
    double rest = 0;

    fprintf(c->f, "%s{\"core\":%" PRId64 ",\"n\":[", c->any ? "," : "", c->core);
    for (unsigned i = 0; i < c->steps; i++) {
        const double whole = floor(c->n[i] + rest + 0.5);
        rest += c->n[i] - whole;
        fprintf(c->f, "%s%.0f", i > 0 ? "," : "", whole);
        c->n[i] = 0;
    }
    fputs("]}", c->f);
    c->any = true;
}

/* Takes a step. Lanes of an event are contiguous, and so are steps of a lane. */
static int on_count(void *ctx, int64_t core, const char *event, uint64_t time, uint64_t step,
                    uint64_t n)
{
    struct counts *const c = ctx;

    if (c->open && (core != c->core || strcmp(event, c->event) != 0))
        put_lane(c);
    if (!c->open || strcmp(event, c->event) != 0) {
        json_t *const name = json_string(event);
        fputs(c->open ? "]},{\"event\":" : "{\"event\":", c->f);
        json_dumpf(name, c->f, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
        fputs(",\"lanes\":[", c->f);
        json_decref(name);
        snprintf(c->event, sizeof(c->event), "%s", event);
        c->any = false;
    }
    c->open = true;
    c->core = core;
    share_out(c->n, c->step, time, step, (double)n);
    return MPJ_E_OK;
}

int html_counts(const struct mpj_report *r, FILE *f, struct mpj_err *err)
{
    struct counts c = {.f = f};
    int result = mpj_wave_counts(r->store, on_counts_extent, &c, err);

    if (result != MPJ_E_OK || c.end == 0)
        return result;
    c.step = page_step(c.step, c.end, HTML_COUNTS_MAX);
    c.steps = (unsigned)((c.end - 1) / c.step + 1);
    c.n = calloc(c.steps, sizeof(*c.n));
    if (c.n == NULL)
        return mpj_err_nomem(err);
    fprintf(f, ",\"counts\":{\"step_s\":%.12g,\"events\":[", (double)c.step / r->run->time_hz);
    result = mpj_wave_counts(r->store, on_count, &c, err);
    if (c.open)
        put_lane(&c);
    fputs(c.open ? "]}]}" : "]}", f);
    free(c.n);
    return result;
}

/* ---- samples of the ADC ---------------------------------------------------------------- */

/* Consecutive samples; a power of two of them, and fewer at the end. */
struct bin {
    double begin_s, end_s; /* times of the first and the last */
    uint32_t n;
    double sum[MPJ_RAILS], least[MPJ_RAILS], most[MPJ_RAILS]; /* power, uW */
};

struct samples {
    struct bin *bin; /* HTML_STEPS_MAX */
    unsigned bins;
    uint32_t per; /* samples in a bin */
    struct mpj_supplies supplies;
};

static void merge(struct bin *a, const struct bin *b)
{
    a->end_s = b->end_s;
    a->n += b->n;
    for (unsigned k = 0; k < MPJ_RAILS; k++) {
        a->sum[k] += b->sum[k];
        a->least[k] = fmin(a->least[k], b->least[k]);
        a->most[k] = fmax(a->most[k], b->most[k]);
    }
}

static int on_sample(void *ctx, const struct mpj_energy_sample *a, struct mpj_err *err)
{
    struct samples *const s = ctx;
    struct bin one = {a->time_s, a->time_s, 1, {0}, {0}, {0}};

    (void)err;
    s->supplies = *a->supplies;
    for (unsigned k = 0; k < MPJ_RAILS; k++)
        one.sum[k] = one.least[k] = one.most[k] = a->power_uw[k];
    if (s->bins > 0 && s->bin[s->bins - 1].n < s->per) {
        merge(&s->bin[s->bins - 1], &one);
        return MPJ_E_OK;
    }
    if (s->bins == HTML_STEPS_MAX) {
        s->per *= 2;
        s->bins /= 2;
        for (unsigned i = 0; i < s->bins; i++) {
            s->bin[i] = s->bin[2 * (size_t)i];
            merge(&s->bin[i], &s->bin[2 * (size_t)i + 1]);
        }
    }
    s->bin[s->bins++] = one;
    return MPJ_E_OK;
}

static void put_samples(const struct samples *s, FILE *f)
{
    fprintf(f, ",\"adc\":{\"per\":%" PRIu32 ",\"begin_s\":[", s->per);
    for (unsigned i = 0; i < s->bins; i++)
        fprintf(f, "%s%.9g", i > 0 ? "," : "", s->bin[i].begin_s);
    fputs("],\"end_s\":[", f);
    for (unsigned i = 0; i < s->bins; i++)
        fprintf(f, "%s%.9g", i > 0 ? "," : "", s->bin[i].end_s);
    fputs("]", f);
    for (unsigned k = 0; k < s->supplies.count; k++) {
        fprintf(f, ",\"%s\":{\"uw\":[", s->supplies.of[k].name);
        for (unsigned i = 0; i < s->bins; i++)
            fprintf(f, "%s%.7g", i > 0 ? "," : "", s->bin[i].sum[k] / s->bin[i].n);
        fputs("],\"least_uw\":[", f);
        for (unsigned i = 0; i < s->bins; i++)
            fprintf(f, "%s%.7g", i > 0 ? "," : "", s->bin[i].least[k]);
        fputs("],\"most_uw\":[", f);
        for (unsigned i = 0; i < s->bins; i++)
            fprintf(f, "%s%.7g", i > 0 ? "," : "", s->bin[i].most[k]);
        fputs("]}", f);
    }
    fputs("}", f);
}

int html_adc(const char *file, FILE *f, struct mpj_err *err)
{
    struct samples s = {.bin = calloc(HTML_STEPS_MAX, sizeof(*s.bin)), .per = 1};
    struct mpj_energy *e = NULL;
    int result = s.bin != NULL ? mpj_energy_load(&e, file, on_sample, &s, err) : mpj_err_nomem(err);

    mpj_energy_free(e);
    if (result == MPJ_E_OK && s.bins > 0)
        put_samples(&s, f);
    free(s.bin);
    return result;
}
