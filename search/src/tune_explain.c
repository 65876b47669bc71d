/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Explains why another value of an axis loses: the factors of time and energy, and the counters
 * that show the cause. */
#include <math.h>
#include <string.h>

#include "mpj_events.h"
#include "tune_search.h"

static unsigned differing_axes(const struct run_tune *t, unsigned a, unsigned b)
{
    unsigned n = 0;

    for (unsigned i = 0; i < t->axes; i++)
        n += t->point[a].index[i] != t->point[b].index[i];
    return n;
}

/* Returns the nearest measured point with another value on the axis, the best of equally near ones;
 * -1: none. */
static int rival(const struct run_tune *t, unsigned objective, unsigned best, unsigned axis)
{
    int out = -1;

    for (unsigned k = 0; k < t->points; k++) {
        const struct run_tune_point *const p = &t->point[k];
        if (p->state != RUN_TUNE_MEASURED || p->index[axis] == t->point[best].index[axis])
            continue;
        if (out < 0 || differing_axes(t, k, best) < differing_axes(t, (unsigned)out, best) ||
            (differing_axes(t, k, best) == differing_axes(t, (unsigned)out, best) &&
             p->objective[objective] < t->point[out].objective[objective]))
            out = (int)k;
    }
    return out;
}

static double per_instruction(const struct run_tune *t, unsigned point, const char *event)
{
    return run_tune_figure_of(t, point, event) / run_tune_figure_of(t, point, "instr");
}

bool run_tune_explain(const struct run_tune *t, unsigned objective, unsigned axis,
                      struct run_tune_reason *out)
{
    const int best = t->best[objective];
    const int other = best >= 0 ? rival(t, objective, (unsigned)best, axis) : -1;
    size_t events;
    const struct mpj_event_info *const event = mpj_event_table(&events);
    double most = 0;
    unsigned a;
    unsigned b;

    memset(out, 0, sizeof(*out));
    if (other < 0)
        return false;
    a = (unsigned)other;
    b = (unsigned)best;
    out->point = a;
    out->time = run_tune_figure_of(t, a, "time") / run_tune_figure_of(t, b, "time");
    out->instructions = run_tune_figure_of(t, a, "instr") / run_tune_figure_of(t, b, "instr");
    out->cost = per_instruction(t, a, "busy") / per_instruction(t, b, "busy");
    out->cores = run_tune_figure_of(t, a, "busy") / run_tune_figure_of(t, b, "busy") / out->time;
    out->power = run_tune_figure_of(t, a, "power") / run_tune_figure_of(t, b, "power");
    if (!isfinite(out->power))
        out->power = 0;
    for (size_t i = 0; i < events; i++) {
        const double here = per_instruction(t, a, event[i].name);
        const double there = per_instruction(t, b, event[i].name);
        /* of the stalls, which are cycles of the cost, the one that changed most with it */
        const double change = (here - there) * (out->cost > 1 ? 1 : -1);
        if (event[i].source != MPJ_SOURCE_PMU || strstr(event[i].name, "_stall") == NULL)
            continue;
        if (change > most) {
            most = change;
            out->event = event[i].name;
            out->event_before = there;
            out->event_after = here;
        }
    }
    return isfinite(out->time * out->instructions * out->cost * out->cores);
}
