/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events in time, and energy and counts over time (mpj_functions.h). Both only look: what they need
 * is known at a flush or at a change of the context.
 */
#include "trace_int.h"

#include <stdlib.h>
#include <string.h>

/* ---- moments ---- */

struct moment *trace_moment(struct mpj_chip *c, unsigned core, uint64_t time, unsigned kind,
                            uint32_t ctx, uint32_t object, uint32_t value)
{
    struct trace *t = c->trace;
    if (!c->win.open)
        return NULL;
    if (t->moments == t->moment_cap && t->moment_cap < t->most_moments) {
        size_t cap = t->moment_cap ? 2 * t->moment_cap : 4096;
        if (cap > t->most_moments)
            cap = t->most_moments;
        struct moment *more = realloc(t->moment, cap * sizeof(*more));
        if (more) {
            t->moment = more;
            t->moment_cap = cap;
        }
    }
    if (t->moments == t->moment_cap) {
        t->lost++;
        return NULL;
    }
    struct moment *m = &t->moment[t->moments++];
    *m = (struct moment){
        .time = time, .kind = kind, .core = core, .ctx = ctx, .object = object, .value = value};
    return m;
}

void trace_stops(struct mpj_chip *c, unsigned core, uint64_t time, uint32_t ctx, unsigned reason,
                 const struct trace_wait *wait)
{
    struct trace *t = c->trace;
    if (ctx == 0 || !t->most_moments)
        return;
    if (wait) {
        t->wait[ctx] = *wait;
        t->waits[ctx] = true;
        struct moment *m = trace_moment(c, core, time, MOMENT_WAITS, ctx, wait->object, wait->kind);
        if (m)
            m->holder = wait->holder;
    }
    trace_moment(c, core, time, MOMENT_STOPS, ctx, 0, reason);
}

void trace_runs(struct mpj_chip *c, unsigned core, uint64_t time, uint32_t ctx)
{
    struct trace *t = c->trace;
    if (ctx == 0 || !t->most_moments)
        return;
    if (t->waits[ctx])
        trace_moment(c, core, time, MOMENT_WAITED, ctx, t->wait[ctx].object, t->wait[ctx].kind);
    t->waits[ctx] = false;
    trace_moment(c, core, time, MOMENT_RUNS, ctx, 0, 0);
}

/* ---- waveform ---- */

/* Twice as long steps, half as many. */
static void halve(struct trace *t)
{
    for (unsigned i = 0; i <= MPJ_CORES; i++) {
        struct wave *w = &t->wave[i];
        size_t n = (w->steps + 1) / 2;
        for (size_t k = 0; k < n; k++) {
            bool second = 2 * k + 1 < w->steps;
            w->fj[k] = w->fj[2 * k] + (second ? w->fj[2 * k + 1] : 0);
            for (unsigned e = 0; e < TRACE_EVENTS && w->count[e]; e++)
                w->count[e][k] = w->count[e][2 * k] + (second ? w->count[e][2 * k + 1] : 0);
        }
        w->steps = n;
    }
    t->step *= 2;
}

static bool grow(struct wave *w, size_t cap, bool counts)
{
    int64_t *fj = realloc(w->fj, cap * sizeof(*fj));
    if (!fj)
        return false;
    w->fj = fj;
    for (unsigned e = 0; e < TRACE_EVENTS && counts; e++) {
        uint32_t *count = realloc(w->count[e], cap * sizeof(*count));
        if (!count)
            return false;
        w->count[e] = count;
    }
    w->cap = cap;
    return true;
}

/* Makes a step, with all before it; false: no memory. */
static bool step_at(struct trace *t, struct wave *w, size_t k)
{
    if (k >= w->cap) {
        size_t cap = w->cap ? w->cap : 4096;
        while (cap <= k)
            cap *= 2;
        if (!grow(w, cap, w != &t->wave[MPJ_CORES])) {
            t->no_mem = true;
            return false;
        }
    }
    for (; w->steps <= k; w->steps++) {
        w->fj[w->steps] = 0;
        for (unsigned e = 0; e < TRACE_EVENTS && w->count[e]; e++)
            w->count[e][w->steps] = 0;
    }
    return true;
}

/* Adds to a step: energy, or counts of event lane - 1. */
static void add(struct trace *t, struct wave *w, size_t k, unsigned lane, int64_t v)
{
    if (!step_at(t, w, k))
        return;
    if (lane == 0)
        w->fj[k] += v;
    else
        w->count[lane - 1][k] += (uint32_t)v;
}

/* What there was between two times, evenly. */
static void spread(struct trace *t, struct wave *w, uint64_t to, unsigned lane, int64_t all)
{
    uint64_t from = w->time;
    uint64_t length = to - from;
    int64_t given = 0;
    for (uint64_t at = from; given != all || at == from;) {
        uint64_t k = (at - t->origin) / t->step;
        uint64_t end = t->origin + (k + 1) * t->step;
        int64_t upto = all;
        if (end < to)
            upto = (int64_t)((int128)all * (int64_t)(end - from) / (int64_t)length);
        add(t, w, k, lane, upto - given);
        given = upto;
        if (end >= to)
            break;
        at = end;
    }
}

/* Up to a time, with the energy so far. What falls (a term of a published equation) waits for what
 * rises. ev: the core's events so far; NULL: not a core. */
static void wave_to(struct trace *t, struct wave *w, uint64_t time, int128 energy,
                    const uint64_t *ev)
{
    int64_t fj = (int64_t)(energy - w->energy);
    if (fj < 0 || time <= w->time)
        return;
    while ((time - t->origin) / t->step >= TRACE_STEPS_MAX)
        halve(t);
    spread(t, w, time, 0, fj);
    for (unsigned e = 0; e < TRACE_EVENTS && ev; e++) {
        spread(t, w, time, 1 + e, (int64_t)(ev[trace_event[e]] - w->counted[e]));
        w->counted[e] = ev[trace_event[e]];
    }
    w->time = time;
    w->energy = energy;
}

void trace_flush(struct mpj_chip *c, unsigned core, uint64_t end)
{
    struct trace *t = c->trace;
    t->flushed[core] = end;
    if (!t->step || !c->win.open)
        return;
    wave_to(t, &t->wave[core], end, core_energy(c, core), c->core[core].ev);
    if (c->time > t->wave[MPJ_CORES].time)
        wave_to(t, &t->wave[MPJ_CORES], c->time, shared_energy(c, c->time), NULL);
}

/* What has waited is taken from the newest steps. */
static void settle(struct trace *t, struct wave *w, uint64_t time, int128 energy,
                   const uint64_t *ev)
{
    wave_to(t, w, time, energy, ev);
    int64_t rest = (int64_t)(energy - w->energy);
    for (unsigned e = 0; e < TRACE_EVENTS && ev; e++) {
        add(t, w, w->steps ? w->steps - 1 : 0, 1 + e,
            (int64_t)(ev[trace_event[e]] - w->counted[e]));
        w->counted[e] = ev[trace_event[e]];
    }
    if (rest > 0)
        add(t, w, w->steps ? w->steps - 1 : 0, 0, rest);
    for (size_t k = w->steps; rest < 0 && k > 0; k--) {
        int64_t take = -rest < w->fj[k - 1] ? -rest : w->fj[k - 1];
        w->fj[k - 1] -= take;
        rest += take;
    }
    w->energy = energy;
}

void trace_window(struct mpj_chip *c, bool open, uint64_t now)
{
    struct trace *t = c->trace;
    if (!t->step)
        return;
    if (open && !t->begun) {
        t->begun = true;
        t->origin = now / t->step * t->step;
    }
    for (unsigned i = 0; i <= MPJ_CORES; i++) {
        int128 energy = i < MPJ_CORES ? core_energy(c, i) : shared_energy(c, now);
        const uint64_t *ev = i < MPJ_CORES ? c->core[i].ev : NULL;
        struct wave *w = &t->wave[i];
        if (open) {
            w->time = i < MPJ_CORES ? t->flushed[i] : now;
            if (w->time < t->origin)
                w->time = t->origin;
            w->energy = energy;
            for (unsigned e = 0; e < TRACE_EVENTS && ev; e++)
                w->counted[e] = ev[trace_event[e]];
        } else {
            settle(t, w, i < MPJ_CORES ? t->flushed[i] : now, energy, ev);
        }
    }
}

/* ---- life ---- */

void trace_reset(struct mpj_chip *c)
{
    struct trace *t = c->trace;
    t->moments = 0;
    t->lost = 0;
    t->step = t->first_step;
    t->begun = t->no_mem = false;
    memset(t->flushed, 0, sizeof(t->flushed));
    memset(t->waits, 0, sizeof(t->waits));
    for (unsigned i = 0; i <= MPJ_CORES; i++) {
        t->wave[i].steps = 0;
        t->wave[i].time = 0;
        t->wave[i].energy = 0;
    }
}

static struct trace *trace_get(struct mpj_chip *c)
{
    if (!c->trace)
        c->trace = calloc(1, sizeof(*c->trace));
    return c->trace;
}

int mpj_trace_moments(struct mpj_chip *c, size_t most, mpj_trace_peek *peek)
{
    struct trace *t = trace_get(c);
    if (!t)
        return MPJ_ERR_NOMEM;
    t->most_moments = most;
    t->peek = peek;
    return MPJ_OK;
}

int mpj_trace_wave(struct mpj_chip *c, uint32_t us)
{
    struct trace *t = trace_get(c);
    if (!t)
        return MPJ_ERR_NOMEM;
    t->step = t->first_step = (uint64_t)us * (uint64_t)c->prm.clock_hz / 1000000U;
    return MPJ_OK;
}

void trace_free(struct mpj_chip *c)
{
    struct trace *t = c->trace;
    if (!t)
        return;
    free(t->moment);
    for (unsigned i = 0; i <= MPJ_CORES; i++) {
        free(t->wave[i].fj);
        for (unsigned e = 0; e < TRACE_EVENTS; e++)
            free(t->wave[i].count[e]);
    }
    free(t);
    c->trace = NULL;
}
