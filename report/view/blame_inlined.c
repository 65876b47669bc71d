/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/blame_inlined.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/blame.h"
#include "report_int.h"

#define FUNCTIONS "functions"
#define BY_CALLS                                                                                   \
    0.7 /* of a function's change: its calls explain it, and their caller is to blame */
#define NAMEABLE 0.01 /* of the most that any function grew: less is not moved */
#define LEVELS   8U   /* of functions inlined into each other */

double blame_cell(const json_t *row, const char *item)
{
    return json_number_value(json_object_get(row, item));
}

double blame_cost(const json_t *row, const char *item)
{
    return blame_cell(row, item) + (strcmp(item, "time") == 0 ? blame_cell(row, "wait") : 0);
}

/* ---- calls ------------------------------------------------------------------------------- */

double blame_calls_of(const json_t *side, const char *table, const char *name)
{
    double calls = blame_cell(json_object_get(json_object_get(side, table), name), "calls");
    const bool inlined = calls <= 0;
    const char *edge;
    json_t *row;

    json_object_foreach(json_object_get(side, "callers"), edge, row)
    {
        const char *const between = inlined ? strstr(edge, MPJ_BLAME_CALLS) : NULL;
        if (between != NULL && strcmp(between + strlen(MPJ_BLAME_CALLS), name) == 0)
            calls += blame_cell(row, "calls");
    }
    return calls;
}

bool blame_by_calls(const json_t *base, const json_t *now, const char *table, const char *name,
                    const char *item)
{
    const json_t *const row = json_object_get(json_object_get(now, table), name);
    const double before = blame_cost(json_object_get(json_object_get(base, table), name), item);
    const double grown = blame_cost(row, item) - before;
    const double a = blame_calls_of(base, table, name);
    const double b = blame_calls_of(now, table, name);
    const double expected = a > 0 ? before * (b / a - 1) : 0;

    return expected > 0 && grown > 0 && expected >= BY_CALLS * grown &&
           (blame_cell(row, "calls") > 0 || expected * BY_CALLS <= grown);
}

/* ---- what is passed ---------------------------------------------------------------------- */

struct passing {
    const json_t *base, *now; /* both sides as they were */
    json_t *out;              /* what the second one becomes */
    const char *item;         /* that matters */
    json_t *inlined;          /* names of unchanged inlined functions that may pass growth on */
    json_t *passes;           /* of these, which are in a function that takes it */
    json_t *executions;       /* of these, in functions that take it */
};

static const json_t *row_of(const json_t *side, const char *name)
{
    return json_object_get(json_object_get(side, FUNCTIONS), name);
}

enum source {
    UNKNOWN,
    SAME,
    CHANGED,
};

/* Compares hashes; the numbers of former builds were others, and say nothing. */
static enum source source_of(const struct passing *p, const char *name)
{
    const char *const a =
        json_string_value(json_object_get(row_of(p->base, name), MPJ_BLAME_SOURCE));
    const char *const b =
        json_string_value(json_object_get(row_of(p->now, name), MPJ_BLAME_SOURCE));

    if (a == NULL || b == NULL)
        return UNKNOWN;
    return strcmp(a, b) == 0 ? SAME : CHANGED;
}

/* Passes each pair of caller and inlined function of the second side to a function. */
static void each_edge(struct passing *p, void (*each)(struct passing *p, const char *caller,
                                                      const char *callee, double calls))
{
    const char *edge;
    json_t *row;

    json_object_foreach(json_object_get(p->now, "callers"), edge, row)
    {
        const char *const between = strstr(edge, MPJ_BLAME_CALLS);
        const char *const callee = between != NULL ? between + strlen(MPJ_BLAME_CALLS) : NULL;
        char *const caller = callee != NULL && json_object_get(p->inlined, callee) != NULL
                                 ? strndup(edge, (size_t)(between - edge))
                                 : NULL;
        if (caller != NULL)
            each(p, caller, callee, blame_cell(row, "calls"));
        free(caller);
    }
}

/* True if a function has growth that is not its own: because it has changed, or passes it on. */
static bool takes(const struct passing *p, const char *name)
{
    return source_of(p, name) == CHANGED || json_object_get(p->passes, name) != NULL;
}

static void drop_unknown(struct passing *p, const char *caller, const char *callee, double calls)
{
    (void)calls;
    if (source_of(p, caller) == UNKNOWN)
        json_object_set_new(p->inlined, callee, json_false());
}

static bool may_pass(const struct passing *p, const char *name)
{
    return json_is_true(json_object_get(p->inlined, name));
}

static void add_passing(struct passing *p, const char *caller, const char *callee, double calls)
{
    (void)calls;
    if (may_pass(p, callee) && takes(p, caller))
        json_object_set_new(p->passes, callee, json_true());
}

static void add_executions(struct passing *p, const char *caller, const char *callee, double calls)
{
    const double sum = json_number_value(json_object_get(p->executions, callee));

    if (may_pass(p, callee) && takes(p, caller))
        json_object_set_new(p->executions, callee, json_real(sum + calls));
}

/* Moves a part of what an inlined function grew by to one of those around it. */
static void move(struct passing *p, const char *caller, const char *callee, double calls)
{
    const double all = json_number_value(json_object_get(p->executions, callee));
    const json_t *const base = row_of(p->base, callee);
    const json_t *const grown = json_object_get(p->passes, callee);
    json_t *const from = (json_t *)row_of(p->out, callee);
    json_t *const into = (json_t *)row_of(p->out, caller);
    const char *item;
    json_t *v;

    if (!(all > 0) || !may_pass(p, callee) || !takes(p, caller))
        return;
    json_object_foreach((json_t *)grown, item, v)
    {
        const double more = (json_number_value(v) - blame_cell(base, item)) * calls / all;
        if (!json_is_number(v) || more == 0 || strcmp(item, "line") == 0)
            continue;
        json_object_set_new(from, item, json_real(blame_cell(from, item) - more));
        json_object_set_new(into, item, json_real(blame_cell(into, item) + more));
    }
}

/* Passes growth on by one level; what a function got from those inlined into it goes on with the
 * next one. */
static void pass(struct passing *p)
{
    const char *name;
    json_t *row;

    json_object_foreach(p->passes, name, row)
    {
        json_t *const grown = json_copy((json_t *)row_of(p->out, name));
        json_object_update_missing(grown, (json_t *)row_of(p->base, name)); /* a figure that fell */
        json_object_set_new(p->passes, name, grown);
    }
    each_edge(p, move);
}

/* Returns how much a function's figure grew, or fell. */
static double change_of(const struct passing *p, const char *name)
{
    return fabs(blame_cost(row_of(p->now, name), p->item) -
                blame_cost(row_of(p->base, name), p->item));
}

/* Finds the functions without code of their own whose source is as it was, and which do not cost
 * more because they are executed more often. */
static void find_inlined(struct passing *p)
{
    double most = 0;
    const char *name;
    json_t *row;

    json_object_foreach(json_object_get(p->now, FUNCTIONS), name, row)
    {
        most = fmax(most, change_of(p, name));
    }
    json_object_foreach(json_object_get(p->now, FUNCTIONS), name, row)
    {
        if (source_of(p, name) != SAME || blame_cell(row_of(p->base, name), "calls") > 0 ||
            blame_cell(row, "calls") > 0 ||
            (change_of(p, name) > NAMEABLE * most &&
             blame_by_calls(p->base, p->now, FUNCTIONS, name, p->item)))
            continue;
        json_object_set_new(p->inlined, name, json_true());
    }
    each_edge(p, drop_unknown);
}

int blame_pass_inlined(json_t *side[2], const char *item, struct mpj_err *err)
{
    struct passing p = {.base = side[0],
                        .now = side[1],
                        .item = strcmp(item, "time") == 0 ? item : "energy",
                        .inlined = json_object(),
                        .passes = json_object(),
                        .executions = json_object()};
    bool no_memory;

    find_inlined(&p);
    for (unsigned level = 0; level < LEVELS; level++)
        each_edge(&p, add_passing);
    if (json_object_size(p.passes) > 0) {
        each_edge(&p, add_executions);
        p.out = json_deep_copy(p.now);
        for (unsigned level = 0; level < LEVELS && p.out != NULL; level++)
            pass(&p);
    }
    no_memory = json_object_size(p.passes) > 0 && p.out == NULL;
    json_decref(p.inlined);
    json_decref(p.passes);
    json_decref(p.executions);
    if (no_memory)
        return mpj_err_nomem(err);
    if (p.out != NULL) {
        json_decref(side[1]);
        side[1] = p.out;
    }
    return MPJ_E_OK;
}
