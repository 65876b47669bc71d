/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The view of moments: events in order of time. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/csv.h"
#include "report_int.h"
#include "view/profile_text.h"

#define ROWS 60 /* default number of rows */

struct showing {
    const struct mpj_run *run;
    FILE *f;
    uint64_t seen, top;
};

static void core_and_thread(const struct mpj_moment *m, FILE *f)
{
    if (m->core >= 0)
        fprintf(f, "%" PRId64, m->core);
    fputc(',', f);
    if (m->thread >= 0)
        fprintf(f, "%" PRId64, m->thread);
}

static int on_text(void *ctx, const struct mpj_moment *m)
{
    struct showing *const s = ctx;
    char thread[80];
    char text[400];

    if (s->seen++ >= s->top)
        return MPJ_E_OK;
    profile_thread(s->run, m->thread, MPJ_PROF_NONE, thread, sizeof(thread));
    moment_text(s->run, m, text, sizeof(text));
    fprintf(s->f, "  %14.6f", (double)m->time * 1e3 / s->run->time_hz);
    if (m->core >= 0)
        fprintf(s->f, "%6" PRId64, m->core);
    else
        fprintf(s->f, "%6s", "-");
    fprintf(s->f, "  %-18.17s%s\n", m->thread >= 0 ? thread : "-", text);
    return MPJ_E_OK;
}

static int on_csv(void *ctx, const struct mpj_moment *m)
{
    struct showing *const s = ctx;
    char text[400];

    moment_text(s->run, m, text, sizeof(text));
    s->seen++;
    fprintf(s->f, "%.12g,", (double)m->time / s->run->time_hz);
    core_and_thread(m, s->f);
    fprintf(s->f, ",%s,%" PRId64 ",%" PRId64 ",%" PRId64 ",", moment_word(m->kind), m->object,
            m->other, m->value);
    mpj_csv_quoted(s->f, text);
    fputc('\n', s->f);
    return MPJ_E_OK;
}

/* Writes a line as JSON, so that no reader has to hold all of them. */
static int on_json(void *ctx, const struct mpj_moment *m)
{
    struct showing *const s = ctx;
    char text[400];
    json_t *const o = json_object();

    moment_text(s->run, m, text, sizeof(text));
    json_object_set_new(o, "time_s", json_real((double)m->time / s->run->time_hz));
    if (m->core >= 0)
        json_object_set_new(o, "core", json_integer(m->core));
    if (m->thread >= 0)
        json_object_set_new(o, "thread", json_integer(m->thread));
    json_object_set_new(o, "kind", json_string(moment_word(m->kind)));
    json_object_set_new(o, "object", json_integer(m->object));
    json_object_set_new(o, "other", json_integer(m->other));
    json_object_set_new(o, "value", json_integer(m->value));
    json_object_set_new(o, "text", json_string(text));
    fputs(s->seen++ > 0 ? ",\n" : "\n", s->f);
    json_dumpf(o, s->f, JSON_COMPACT | JSON_REAL_PRECISION(12));
    json_decref(o);
    return MPJ_E_OK;
}

/* Stops at the first moment: it is sufficient. */
static int on_any(void *ctx, const struct mpj_moment *m)
{
    (void)ctx;
    (void)m;
    return MPJ_E_CANCELLED;
}

/* Checks that there is something to show. */
static int begin(const struct mpj_report *r, struct mpj_err *err)
{
    const int result = r->store == NULL || r->run->time_hz == 0
                           ? MPJ_E_OK
                           : mpj_moments(r->store, r->source, on_any, NULL, NULL, err);

    if (result == MPJ_E_OK)
        return mpj_err_set(err, MPJ_E_USAGE,
                           "the run has no events in time: record them with `mpjoule run "
                           "--moments`");
    return result == MPJ_E_CANCELLED ? MPJ_E_OK : result;
}

static int all(const struct mpj_report *r, struct showing *s, mpj_moment_each *each, uint64_t *lost,
               struct mpj_err *err)
{
    return mpj_moments(r->store, r->source, each, s, lost, err);
}

static int put_text(const struct mpj_report *r, FILE *out, struct mpj_err *err)
{
    struct showing s = {.run = r->run, .f = out};
    enum mpj_prof_source source = r->source;
    uint64_t lost = 0;
    int result = begin(r, err);

    if (result == MPJ_E_OK)
        result = mpj_moments_source(r->store, &source, err);
    if (result != MPJ_E_OK)
        return result;
    s.top = r->top < 0 ? ROWS : r->top == 0 ? UINT64_MAX : (uint64_t)r->top;
    text_head(r->run, out);
    fprintf(out, "\nWhat happened when, %s\n  %14s%6s  thread\n",
            source == MPJ_PROF_TRUTH ? "the emulator's truth" : "as the target recorded it", "ms",
            "core");
    result = all(r, &s, on_text, &lost, err);
    if (result != MPJ_E_OK)
        return result;
    if (s.seen > s.top)
        fprintf(out, "  %" PRIu64 " more (--top 0 shows all)\n", s.seen - s.top);
    if (lost > 0)
        fprintf(out, "  Incomplete: %" PRIu64 " events were not kept\n", lost);
    return MPJ_E_OK;
}

static int put_csv(const struct mpj_report *r, FILE *out, struct mpj_err *err)
{
    struct showing s = {.run = r->run, .f = out};

    if (begin(r, err) != MPJ_E_OK)
        return err->code;
    fputs("time_s,core,thread,kind,object,other,value,text\n", out);
    return all(r, &s, on_csv, NULL, err);
}

static int put_json(const struct mpj_report *r, FILE *out, struct mpj_err *err)
{
    struct showing s = {.run = r->run, .f = out};
    uint64_t lost = 0;
    int result = begin(r, err);

    if (result != MPJ_E_OK)
        return result;
    fputs("{\"schema\":\"mpjoule-events/1\",\"events\":[", out);
    result = all(r, &s, on_json, &lost, err);
    fprintf(out, "\n],\"lost\":%" PRIu64 "}\n", lost);
    return result;
}

const struct mpj_view view_events = {"events", MPJ_NEEDS_MOMENTS, put_text, put_csv, put_json};
