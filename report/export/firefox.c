/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A processed profile of the Firefox Profiler, version 40 of its format, which later readers
 * convert (github.com/firefox-devtools/profiler, docs-developer): functions of each thread as
 * samples whose weight is their own time in ms (sums, not in order of time); a thread of markers
 * for moments; power as counters in pWh since the previous sample. A counter's first sample is
 * ignored and the last of a range is cut, so each begins and ends with an empty one. Columns are
 * written one by one, so their input is read once for each.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export/profile_out.h"
#include "export/timeline.h"
#include "report_int.h"
#include "view/profile_text.h"

#define FORMAT     40
#define FJ_PER_PWH 3.6e6 /* 1 pWh = 3.6 nJ */
#define COUNTERS   (1 + MPJ_CORES_MAX)

struct writing {
    const struct mpj_report *r;
    uint32_t *place; /* [node]: number within its lane */
    FILE *f;
};

/* ---- functions ------------------------------------------------------------------------- */

/* Writes "key":[v,v,...] with the same text n times. */
static void repeat(FILE *f, const char *key, const char *v, uint64_t n)
{
    fprintf(f, "\"%s\":[", key);
    for (uint64_t i = 0; i < n; i++)
        fprintf(f, "%s%s", i > 0 ? "," : "", v);
    fputs("],", f);
}

static void count_up(FILE *f, const char *key, uint64_t n)
{
    fprintf(f, "\"%s\":[", key);
    for (uint64_t i = 0; i < n; i++)
        fprintf(f, "%s%" PRIu64, i > 0 ? "," : "", i);
    fputs("],", f);
}

/* Writes frames, functions and strings, which are the profile's functions, each under its own
 * number; files follow their names. */
static void put_tables(FILE *f, const struct mpj_profile *p)
{
    const unsigned n = p != NULL ? p->funcs : 0;

    fprintf(f, "\"frameTable\":{\"length\":%u,", n);
    repeat(f, "address", "-1", n);
    repeat(f, "inlineDepth", "0", n);
    repeat(f, "category", "0", n);
    repeat(f, "subcategory", "0", n);
    repeat(f, "nativeSymbol", "null", n);
    repeat(f, "innerWindowID", "0", n);
    repeat(f, "implementation", "null", n);
    repeat(f, "line", "null", n);
    repeat(f, "column", "null", n);
    repeat(f, "optimizations", "null", n);
    fputs("\"func\":[", f);
    for (unsigned i = 0; i < n; i++)
        fprintf(f, "%s%u", i > 0 ? "," : "", i);
    fprintf(f, "]},\n\"funcTable\":{\"length\":%u,", n);
    count_up(f, "name", n);
    repeat(f, "isJS", "false", n);
    repeat(f, "relevantForJS", "false", n);
    repeat(f, "resource", "-1", n);
    repeat(f, "columnNumber", "null", n);
    fputs("\"fileName\":[", f);
    for (unsigned i = 0; i < n; i++)
        fprintf(f, "%s%u", i > 0 ? "," : "", n + i);
    fputs("],\"lineNumber\":[", f);
    for (unsigned i = 0; i < n; i++)
        fprintf(f, "%s%d", i > 0 ? "," : "", p->func[i].line);
    fputs("]},\n\"resourceTable\":{\"length\":0,\"lib\":[],\"name\":[],\"host\":[],\"type\":[]},"
          "\"nativeSymbols\":{\"length\":0,\"libIndex\":[],\"address\":[],\"name\":[],"
          "\"functionSize\":[]},\n",
          f);
}

static void put_strings(FILE *f, const struct mpj_profile *p)
{
    for (unsigned i = 0; i < 2 * p->funcs; i++) {
        const struct mpj_prof_func *const func = &p->func[i < p->funcs ? i : i - p->funcs];
        if (i > 0)
            fputc(',', f);
        profile_json_text(f, i < p->funcs ? func->name : func->file != NULL ? func->file : "");
    }
}

static void put_head(const struct writing *c, const char *name, bool main, unsigned tid)
{
    const struct mpj_run *const run = c->r->run;

    fprintf(c->f,
            "{\"processType\":\"default\",\"isMainThread\":%s,\"processStartupTime\":0,"
            "\"processShutdownTime\":null,\"registerTime\":0,\"unregisterTime\":null,"
            "\"pausedRanges\":[],\"pid\":\"1\",\"tid\":%u,\"name\":",
            main ? "true" : "false", tid);
    profile_json_text(c->f, name);
    fputs(",\"processName\":", c->f);
    profile_json_text(c->f, run->program != NULL ? run->program : "program");
    fputs(",\n", c->f);
}

/* Writes samples of a lane: value 0 the stack, 1 the time, 2 the duration. */
static void put_samples(const struct writing *c, const struct lane *l, const char *key, int value)
{
    const struct mpj_profile *const p = c->r->run->profile;
    const double ms = p->clock_hz > 0 ? 1e3 / p->clock_hz : 1.0;
    const char *comma = "";
    int64_t cycles = 0;

    fprintf(c->f, "\"%s\":[", key);
    for (uint32_t i = 0; i < p->nodes; i++) {
        const int64_t self = p->self[(size_t)i * p->items + (size_t)p->cycles];
        if (!profile_in_lane(&p->node[i], l))
            continue;
        if (value == 0)
            fprintf(c->f, "%s%" PRIu32, comma, c->place[i]);
        else
            fprintf(c->f, "%s%.9f", comma, ms * (double)(value == 1 ? cycles : self));
        comma = ",";
        cycles += self;
    }
    fputs("],", c->f);
}

static void put_stacks(const struct writing *c, const struct lane *l, uint32_t n)
{
    const struct mpj_profile *const p = c->r->run->profile;

    fprintf(c->f, "\"stackTable\":{\"length\":%" PRIu32 ",", n);
    repeat(c->f, "category", "0", n);
    repeat(c->f, "subcategory", "0", n);
    fputs("\"prefix\":[", c->f);
    for (uint32_t i = 0, k = 0; i < p->nodes; i++) {
        const uint32_t up = p->node[i].parent;
        if (!profile_in_lane(&p->node[i], l))
            continue;
        fputs(k++ > 0 ? "," : "", c->f);
        if (up == MPJ_PROF_NO_PARENT)
            fputs("null", c->f);
        else
            fprintf(c->f, "%" PRIu32, c->place[up]);
    }
    fputs("],\"frame\":[", c->f);
    for (uint32_t i = 0, k = 0; i < p->nodes; i++) {
        if (profile_in_lane(&p->node[i], l))
            fprintf(c->f, "%s%" PRIu32, k++ > 0 ? "," : "", p->node[i].func);
    }
    fputs("]},\n", c->f);
}

static void put_lane(const struct writing *c, const struct lane *l, unsigned tid)
{
    const struct mpj_profile *const p = c->r->run->profile;
    uint32_t n = 0;
    char name[120];

    for (uint32_t i = 0; i < p->nodes; i++) {
        if (profile_in_lane(&p->node[i], l))
            c->place[i] = n++;
    }
    profile_thread(c->r->run, l->thread, l->core, name, sizeof(name));
    fputs(",\n", c->f);
    put_head(c, name, false, tid);
    fprintf(c->f, "\"samples\":{\"length\":%" PRIu32 ",\"weightType\":\"tracing-ms\",", n);
    put_samples(c, l, "stack", 0);
    put_samples(c, l, "time", 1);
    put_samples(c, l, "weight", 2);
    fputs("\"responsiveness\":[]},\n", c->f);
    put_stacks(c, l, n);
    put_tables(c->f, p);
    fputs("\"markers\":{\"length\":0,\"category\":[],\"data\":[],\"name\":[],\"startTime\":[],"
          "\"endTime\":[],\"phase\":[]},\n\"stringArray\":[",
          c->f);
    put_strings(c->f, p);
    fputs("]}", c->f);
}

/* ---- moments --------------------------------------------------------------------------- */

enum column { NAMES, STARTS, ENDS, PHASES };

struct marking {
    const struct writing *c;
    enum column column;
    uint64_t n;
};

static int on_span(void *ctx, const struct span *s)
{
    struct marking *const m = ctx;
    FILE *const f = m->c->f;
    char thread[120];
    char text[600];

    fputs(m->n++ > 0 ? "," : "", f);
    switch (m->column) {
    case NAMES:
        profile_thread(m->c->r->run, s->thread, s->core, thread, sizeof(thread));
        if (s->kind == SPAN_RUN)
            snprintf(text, sizeof(text), "%s on core %" PRId64, thread, s->core);
        else
            snprintf(text, sizeof(text), "%s: %s%s", thread,
                     s->kind == SPAN_REGION ? "region " : "", s->text);
        profile_json_text(f, text);
        break;
    case STARTS:
        fprintf(f, "%.6f", (double)s->from / 1e6);
        break;
    case ENDS:
        fprintf(f, "%.6f", (double)s->to / 1e6);
        break;
    default: /* an interval, or one moment */
        fputs(s->kind == SPAN_MARK || s->kind == SPAN_SAMPLE ? "0" : "1", f);
    }
    return MPJ_E_OK;
}

static int put_column(const struct writing *c, const char *key, enum column column, uint64_t *n,
                      struct mpj_err *err)
{
    struct marking m = {.c = c, .column = column};
    int result;

    fprintf(c->f, "\"%s\":[", key);
    result = timeline_read(c->r, on_span, &m, NULL, err);
    fputc(']', c->f);
    *n = m.n;
    return result;
}

static int put_events(const struct writing *c, struct mpj_err *err)
{
    uint64_t n = 0;

    put_head(c, "events in time", true, 0);
    fputs("\"samples\":{\"length\":0,\"stack\":[],\"time\":[],\"weight\":null,\"weightType\":"
          "\"samples\"},\n\"stackTable\":{\"length\":0,\"prefix\":[],\"frame\":[],\"category\":[],"
          "\"subcategory\":[]},\n",
          c->f);
    put_tables(c->f, NULL);
    if (put_column(c, "stringArray", NAMES, &n, err) != MPJ_E_OK)
        return err->code;
    fputs(",\n\"markers\":{", c->f);
    if (put_column(c, "startTime", STARTS, &n, err) != MPJ_E_OK)
        return err->code;
    fputc(',', c->f);
    if (put_column(c, "endTime", ENDS, &n, err) != MPJ_E_OK)
        return err->code;
    fputc(',', c->f);
    if (put_column(c, "phase", PHASES, &n, err) != MPJ_E_OK)
        return err->code;
    fputc(',', c->f);
    count_up(c->f, "name", n);
    repeat(c->f, "category", "0", n);
    repeat(c->f, "data", "null", n);
    fprintf(c->f, "\"length\":%" PRIu64 "}}", n);
    return MPJ_E_OK;
}

/* ---- power ------------------------------------------------------------------------------ */

struct powering {
    const struct writing *c;
    int64_t core;
    bool times;
    uint64_t n;
    uint64_t end, step; /* ticks */
};

static void power_sample(struct powering *p, uint64_t ticks, double pwh)
{
    fputs(p->n++ > 0 ? "," : "", p->c->f);
    if (p->times)
        fprintf(p->c->f, "%.6f", (double)timeline_ns(p->c->r->run, ticks) / 1e6);
    else
        fprintf(p->c->f, "%.6f", pwh);
}

static int on_step(void *ctx, int64_t core, uint64_t time, uint64_t step, uint64_t fj)
{
    struct powering *const p = ctx;

    if (core != p->core)
        return MPJ_E_OK;
    if (p->n == 0)
        power_sample(p, time, 0.0);
    p->end = time + step;
    p->step = step;
    power_sample(p, p->end, (double)fj / FJ_PER_PWH);
    return MPJ_E_OK;
}

static int power_column(struct powering *p, const char *key, struct mpj_err *err)
{
    int result;

    p->n = 0;
    fprintf(p->c->f, "\"%s\":[", key);
    result = mpj_wave(p->c->r->store, on_step, p, err);
    if (p->n > 0)
        power_sample(p, p->end + p->step, 0.0);
    fputs("],", p->c->f);
    return result;
}

static int on_core(void *ctx, int64_t core, uint64_t time, uint64_t step, uint64_t fj)
{
    bool *const there = ctx;

    (void)time;
    (void)step;
    (void)fj;
    there[core + 1] = true; /* check.c: up to 3 */
    return MPJ_E_OK;
}

static int put_power(const struct writing *c, struct mpj_err *err)
{
    bool there[COUNTERS] = {false};
    const char *comma = "";
    int result = MPJ_E_OK;

    if (c->r->store == NULL || c->r->run->time_hz == 0)
        return MPJ_E_OK;
    if (mpj_wave(c->r->store, on_core, there, err) != MPJ_E_OK)
        return err->code;
    for (int64_t core = MPJ_PROF_NONE; core < (int64_t)MPJ_CORES_MAX && result == MPJ_E_OK;
         core++) {
        struct powering p = {.c = c, .core = core, .times = true};
        char name[60] = "outside of the cores";
        if (!there[core + 1])
            continue;
        if (core >= 0)
            snprintf(name, sizeof(name), "core %" PRId64, core);
        fprintf(c->f,
                "%s{\"name\":\"%s\",\"category\":\"power\",\"description\":\"energy, %s\","
                "\"pid\":\"1\",\"mainThreadIndex\":0,\"sampleGroups\":[{\"id\":0,\"samples\":{",
                comma, name, name);
        result = power_column(&p, "time", err);
        p.times = false;
        if (result == MPJ_E_OK)
            result = power_column(&p, "count", err);
        fprintf(c->f, "\"length\":%" PRIu64 "}}]}", p.n);
        comma = ",\n";
    }
    return result;
}

/* ---- */

static int put_threads(struct writing *c, struct mpj_err *err)
{
    const struct mpj_profile *const p = c->r->run->profile;
    struct lane *lane = NULL;
    unsigned lanes = 0;
    int result = put_events(c, err);

    if (result != MPJ_E_OK || p == NULL || p->cycles < 0)
        return result;
    c->place = calloc(p->nodes + 1U, sizeof(*c->place));
    result = c->place != NULL ? profile_lanes(p, &lane, &lanes, err) : mpj_err_nomem(err);
    for (unsigned i = 0; i < lanes && result == MPJ_E_OK; i++)
        put_lane(c, &lane[i], i + 1);
    free(lane);
    free(c->place);
    return result;
}

static int put_firefox(const struct mpj_report *r, FILE *f, struct mpj_err *err)
{
    struct writing c = {.r = r, .f = f};
    char label[400];
    int result = timeline_check(r, err);

    if (result != MPJ_E_OK)
        return result;
    profile_label(r->run, label, sizeof(label));
    fprintf(f,
            "{\"meta\":{\"interval\":1,\"startTime\":0,\"processType\":0,\"stackwalk\":1,"
            "\"version\":24,\"preprocessedProfileVersion\":%d,\"symbolicated\":true,"
            "\"importedFrom\":\"mpjoule\",\"markerSchema\":[],\"categories\":[{\"name\":\"Other\","
            "\"color\":\"grey\",\"subcategories\":[\"Other\"]}],\"product\":",
            FORMAT);
    profile_json_text(f, label);
    fputs("},\n\"libs\":[],\"pages\":[],\n\"threads\":[", f);
    result = put_threads(&c, err);
    fputs("],\n\"counters\":[", f);
    if (result == MPJ_E_OK)
        result = put_power(&c, err);
    fputs("]}\n", f);
    return result;
}

static mpj_report_put *firefox_of(const struct mpj_view *view)
{
    return profile_exports(view) ? put_firefox : NULL;
}

const struct mpj_exporter exporter_firefox = {"firefox", "json", firefox_of, false, false};
