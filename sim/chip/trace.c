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

static const size_t most_steps[GRIDS] = {TRACE_STEPS_MAX, TRACE_COUNTS_MAX};

static unsigned grid_of(unsigned lane)
{
    return lane < LANE_COUNTS ? GRID_ENERGY : GRID_COUNTS;
}

static void halve_lane(struct lane *l)
{
    size_t n = (l->steps + 1) / 2;
    for (size_t k = 0; k < n; k++)
        l->v[k] = l->v[2 * k] + (2 * k + 1 < l->steps ? l->v[2 * k + 1] : 0);
    l->steps = n;
}

/* Makes steps twice as long, and half as many. */
static void halve(struct trace *t, unsigned grid)
{
    for (unsigned i = 0; i <= MPJ_CORES; i++)
        for (unsigned n = 0; n < LANES; n++)
            if (grid_of(n) == grid)
                halve_lane(&t->wave[i].lane[n]);
    t->step[grid] *= 2;
}

/* Makes a step, with all before it. */
static void steps_to(struct trace *t, struct lane *l, size_t k)
{
    if (k >= l->cap) {
        size_t cap = l->cap ? l->cap : 4096;
        while (cap <= k)
            cap *= 2;
        int64_t *v = realloc(l->v, cap * sizeof(*v));
        if (!v) {
            t->no_mem = true;
            return;
        }
        l->v = v;
        l->cap = cap;
    }
    memset(l->v + l->steps, 0, (k + 1 - l->steps) * sizeof(*l->v));
    l->steps = k + 1;
}

static inline void add(struct trace *t, struct lane *l, size_t k, int64_t v)
{
    if (k == l->steps && k < l->cap) { /* the next one: most are */
        l->v[k] = v;
        l->steps++;
        return;
    }
    if (k >= l->steps)
        steps_to(t, l, k);
    if (k < l->steps)
        l->v[k] += v;
}

/* Returns a / b, of which neither is negative; the host divides 64 bits faster. */
static int64_t quotient(int128 a, int64_t b)
{
    return a <= INT64_MAX ? (int64_t)a / b : (int64_t)(a / b);
}

/* Time on the steps of a grid: from the k-th, which ends there, to a later one. */
struct span {
    uint64_t from, to, step, end;
    size_t k;
};

static struct span span_of(const struct trace *t, uint64_t from, uint64_t to, unsigned grid)
{
    uint64_t step = t->step[grid];
    size_t k = (from - t->origin) / step;
    return (struct span){from, to, step, t->origin + (k + 1) * step, k};
}

/* Spreads an amount of that time, 0 or more, evenly: up to the end of each step, all * time /
 * length, rounded down. The remainder goes from step to step, so that all of them take two
 * divisions. */
static void spread(struct trace *t, struct lane *l, struct span s, int64_t all)
{
    int64_t given = 0;
    if (s.end < s.to && all != 0) {
        int64_t length = (int64_t)(s.to - s.from);
        int128 first = (int128)all * (int64_t)(s.end - s.from);
        int128 each = (int128)all * (int64_t)s.step;
        int64_t upto = quotient(first, length);
        int64_t rest = (int64_t)(first - (int128)upto * length);
        int64_t more = quotient(each, length);
        int64_t more_rest = (int64_t)(each - (int128)more * length);
        for (; s.end < s.to && given != all; s.k++, s.end += s.step) {
            add(t, l, s.k, upto - given);
            given = upto;
            upto += more;
            rest += more_rest;
            if (rest >= length) {
                rest -= length;
                upto++;
            }
        }
    }
    add(t, l, s.k, all - given);
}

/* Extends the wave to a time, with the energy so far. What falls (a term of a published equation)
 * waits for what rises. ev: the core's events so far; NULL: not a core. */
static void wave_to(struct trace *t, struct wave *w, uint64_t time, int128 energy,
                    const uint64_t *ev)
{
    int64_t fj = (int64_t)(energy - w->energy);
    if (fj < 0 || time <= w->time)
        return;
    for (unsigned g = 0; g < GRIDS; g++)
        while (time - t->origin >= t->step[g] * most_steps[g])
            halve(t, g);
    spread(t, &w->lane[LANE_ENERGY], span_of(t, w->time, time, GRID_ENERGY), fj);
    if (ev) {
        struct span s = span_of(t, w->time, time, GRID_COUNTS);
        for (unsigned e = 0; e < TRACE_EVENTS; e++) {
            struct lane *l = &w->lane[LANE_COUNTS + e];
            uint64_t now = ev[trace_event[e]];
            int64_t more = (int64_t)(now - w->counted[e]);
            w->counted[e] = now;
            if (s.end >= s.to)
                add(t, l, s.k, more);
            else
                spread(t, l, s, more);
        }
    }
    w->time = time;
    w->energy = energy;
}

void trace_flush(struct mpj_chip *c, unsigned core, uint64_t end)
{
    struct trace *t = c->trace;
    t->flushed[core] = end;
    if (!t->first_step || !c->win.open)
        return;
    wave_to(t, &t->wave[core], end, core_energy(c, core), c->core[core].ev);
    if (c->time > t->wave[MPJ_CORES].time)
        wave_to(t, &t->wave[MPJ_CORES], c->time, shared_energy(c, c->time), NULL);
}

static void add_last(struct trace *t, struct lane *l, int64_t v)
{
    add(t, l, l->steps ? l->steps - 1 : 0, v);
}

/* Takes what has waited from the newest steps. */
static void settle(struct trace *t, struct wave *w, uint64_t time, int128 energy,
                   const uint64_t *ev)
{
    wave_to(t, w, time, energy, ev);
    struct lane *l = &w->lane[LANE_ENERGY];
    int64_t rest = (int64_t)(energy - w->energy);
    for (unsigned e = 0; e < TRACE_EVENTS && ev; e++) {
        add_last(t, &w->lane[LANE_COUNTS + e], (int64_t)(ev[trace_event[e]] - w->counted[e]));
        w->counted[e] = ev[trace_event[e]];
    }
    if (rest > 0)
        add_last(t, l, rest);
    for (size_t k = l->steps; rest < 0 && k > 0; k--) {
        int64_t take = -rest < l->v[k - 1] ? -rest : l->v[k - 1];
        l->v[k - 1] -= take;
        rest += take;
    }
    w->energy = energy;
}

void trace_window(struct mpj_chip *c, bool open, uint64_t now)
{
    struct trace *t = c->trace;
    if (!t->first_step)
        return;
    if (open && !t->begun) {
        t->begun = true;
        t->origin = now / t->first_step * t->first_step;
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
    for (unsigned g = 0; g < GRIDS; g++)
        t->step[g] = t->first_step;
    t->begun = t->no_mem = false;
    memset(t->flushed, 0, sizeof(t->flushed));
    memset(t->waits, 0, sizeof(t->waits));
    for (unsigned i = 0; i <= MPJ_CORES; i++) {
        for (unsigned n = 0; n < LANES; n++)
            t->wave[i].lane[n].steps = 0;
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
    t->first_step = (uint64_t)us * (uint64_t)c->prm.clock_hz / 1000000U;
    for (unsigned g = 0; g < GRIDS; g++)
        t->step[g] = t->first_step;
    return MPJ_OK;
}

void trace_free(struct mpj_chip *c)
{
    struct trace *t = c->trace;
    if (!t)
        return;
    free(t->moment);
    for (unsigned i = 0; i <= MPJ_CORES; i++)
        for (unsigned n = 0; n < LANES; n++)
            free(t->wave[i].lane[n].v);
    free(t);
    c->trace = NULL;
}
