/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "report_int.h"
#include "view/profile_text.h"

#define NESTED_MAX                                                                                 \
    16U /* regions within regions; deeper ones are part of the innermost of these                  \
         */
#define NS 1000000000ULL

struct thread_state {
    int64_t id;
    bool runs, waits;
    int64_t core;
    uint64_t ran, waited; /* since, in ns */
    int64_t holder;
    char *what; /* object of the wait */
    unsigned regions;
    struct {
        int64_t region;
        uint64_t since;
    } in[NESTED_MAX];
};

struct reading {
    const struct mpj_report *r;
    span_each *each;
    void *ctx;
    struct thread_state *thread;
    unsigned threads, room;
    uint64_t last;
    struct mpj_err *err;
};

uint64_t timeline_ns(const struct mpj_run *run, uint64_t ticks)
{
    const uint64_t hz = run->time_hz;

    return hz == 0 ? 0 : ticks / hz * NS + ticks % hz * NS / hz;
}

static struct thread_state *state_of(struct reading *c, int64_t id)
{
    for (unsigned i = c->threads; i-- > 0;) {
        if (c->thread[i].id == id)
            return &c->thread[i];
    }
    if (c->threads == c->room) {
        struct thread_state *const more =
            realloc(c->thread, (2 * c->room + 16) * sizeof(*c->thread));
        if (more == NULL) {
            mpj_err_nomem(c->err);
            return NULL;
        }
        c->thread = more;
        c->room = 2 * c->room + 16;
    }
    c->thread[c->threads] = (struct thread_state){.id = id};
    return &c->thread[c->threads++];
}

static int stop(struct reading *c, struct thread_state *t, uint64_t now, const char *why)
{
    const struct span s = {SPAN_RUN, t->id, t->core, t->ran, now, MPJ_PROF_NONE, why};

    if (!t->runs)
        return MPJ_E_OK;
    t->runs = false;
    return c->each(c->ctx, &s);
}

static int waited(struct reading *c, struct thread_state *t, uint64_t now)
{
    const struct span s = {SPAN_WAIT,
                           t->id,
                           MPJ_PROF_NONE,
                           t->waited,
                           now,
                           t->holder,
                           t->what != NULL ? t->what : "waits"};
    int result = MPJ_E_OK;

    if (t->waits)
        result = c->each(c->ctx, &s);
    t->waits = false;
    free(t->what);
    t->what = NULL;
    return result;
}

static int leave(struct reading *c, struct thread_state *t, uint64_t now)
{
    char name[120];
    struct span s = {.kind = SPAN_REGION,
                     .thread = t->id,
                     .core = MPJ_PROF_NONE,
                     .to = now,
                     .holder = MPJ_PROF_NONE,
                     .text = name};

    if (t->regions == 0)
        return MPJ_E_OK;
    t->regions--;
    s.from = t->in[t->regions].since;
    profile_region(c->r->run, t->in[t->regions].region, name, sizeof(name));
    return c->each(c->ctx, &s);
}

static int point(struct reading *c, const struct mpj_moment *m, uint64_t now)
{
    char text[400];
    const struct span s = {m->kind == MPJ_MOMENT_MARK ? SPAN_MARK : SPAN_SAMPLE,
                           m->thread,
                           m->core,
                           now,
                           now,
                           MPJ_PROF_NONE,
                           text};

    moment_text(c->r->run, m, text, sizeof(text));
    return c->each(c->ctx, &s);
}

static int on_moment(void *ctx, const struct mpj_moment *m)
{
    static const char *const why[] = {"preempted", "blocked", "ended", "yielded"};
    struct reading *const c = ctx;
    const uint64_t now = timeline_ns(c->r->run, m->time);
    struct thread_state *const t = state_of(c, m->thread);
    char text[400];

    c->last = now;
    if (t == NULL)
        return c->err->code;
    switch (m->kind) {
    case MPJ_MOMENT_RUNS:
        if (stop(c, t, now, "moved") != MPJ_E_OK)
            return c->err->code;
        t->runs = true;
        t->core = m->core;
        t->ran = now;
        return MPJ_E_OK;
    case MPJ_MOMENT_STOPS:
        return stop(c, t, now, m->value >= 0 && m->value < 4 ? why[m->value] : "stopped");
    case MPJ_MOMENT_WAITS:
        if (waited(c, t, now) != MPJ_E_OK)
            return c->err->code;
        moment_text(c->r->run, m, text, sizeof(text));
        t->waits = true;
        t->waited = now;
        t->holder = m->other;
        t->what = strdup(text);
        return MPJ_E_OK;
    case MPJ_MOMENT_WAITED:
        return waited(c, t, now);
    case MPJ_MOMENT_REGION_BEGIN:
        if (t->regions == NESTED_MAX)
            return MPJ_E_OK;
        t->in[t->regions].region = m->object;
        t->in[t->regions++].since = now;
        return MPJ_E_OK;
    case MPJ_MOMENT_REGION_END:
        return leave(c, t, now);
    default:
        return point(c, m, now);
    }
}

/* Ends the open spans at the run's end. */
static int finish(struct reading *c)
{
    const uint64_t run = (uint64_t)(c->r->run->time_s * (double)NS);
    const uint64_t end = run > c->last ? run : c->last;
    int result = MPJ_E_OK;

    for (unsigned i = 0; i < c->threads && result == MPJ_E_OK; i++) {
        struct thread_state *const t = &c->thread[i];
        while (result == MPJ_E_OK && t->regions > 0)
            result = leave(c, t, end);
        if (result == MPJ_E_OK)
            result = waited(c, t, end);
        if (result == MPJ_E_OK)
            result = stop(c, t, end, "the run ended");
    }
    return result;
}

int timeline_read(const struct mpj_report *r, span_each *each, void *ctx, uint64_t *lost,
                  struct mpj_err *err)
{
    struct reading c = {.r = r, .each = each, .ctx = ctx, .err = err};
    int result = MPJ_E_OK;

    if (r->store != NULL && r->run->time_hz > 0)
        result = mpj_moments(r->store, r->source, on_moment, &c, lost, err);
    if (result == MPJ_E_OK)
        result = finish(&c);
    for (unsigned i = 0; i < c.threads; i++)
        free(c.thread[i].what);
    free(c.thread);
    return result;
}

/* Stops at the first moment: it is sufficient. */
static int any_moment(void *ctx, const struct mpj_moment *m)
{
    (void)ctx;
    (void)m;
    return MPJ_E_CANCELLED;
}

static int any_step(void *ctx, int64_t core, uint64_t time, uint64_t step, uint64_t fj)
{
    (void)ctx;
    (void)core;
    (void)time;
    (void)step;
    (void)fj;
    return MPJ_E_CANCELLED;
}

int timeline_check(const struct mpj_report *r, struct mpj_err *err)
{
    int result = r->run->profile != NULL ? MPJ_E_CANCELLED : MPJ_E_OK;

    if (result == MPJ_E_OK && r->store != NULL && r->run->time_hz > 0)
        result = mpj_moments(r->store, r->source, any_moment, NULL, NULL, err);
    if (result == MPJ_E_OK && r->store != NULL && r->run->time_hz > 0)
        result = mpj_wave(r->store, any_step, NULL, err);
    if (result == MPJ_E_CANCELLED)
        return MPJ_E_OK;
    return result != MPJ_E_OK
               ? result
               : mpj_err_set(err, MPJ_E_USAGE,
                             "the run has neither events in time nor a profile of functions: "
                             "record them with `mpjoule run --moments --functions`");
}
