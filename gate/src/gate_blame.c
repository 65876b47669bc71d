/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the cause of a worse figure: the function or region whose cost grew most, its place, and
 * the reason. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gate/judge.h"
#include "judge_int.h"

#define RENAMED   0.2  /* a new function matches a removed one when they differ by less */
#define EXPLAINS  0.1  /* of the change: a smaller part does not make it the culprit */
#define NAMEABLE  0.01 /* of the change: a smaller part does not explain it */
#define BY_ITSELF 0.25 /* of the change: growth without waits from which it is not a victim */
#define MOSTLY    0.5  /* of a function's change: its callee in the runtime is then named */

static double cell(const json_t *row, const char *item)
{
    return json_number_value(json_object_get(row, item));
}

/* Returns a function's cost of an item; for time including its waits. */
static double cost(const json_t *row, const char *item)
{
    return cell(row, item) + (strcmp(item, "time") == 0 ? cell(row, "wait") : 0);
}

const char *gate_plain_name(const char *label)
{
    const char *const colon = strrchr(label, ':');

    return colon != NULL ? colon + 1 : label;
}

/* Returns the row of a function in the baseline: of that label; or else of a removed one of its
 * name (labels have a file where there are several), or of similar cost. */
static const json_t *counterpart(const json_t *base, const json_t *now, const char *name,
                                 const char *item)
{
    const json_t *const same = json_object_get(base, name);
    const double want = cost(json_object_get(now, name), item);
    const json_t *best = NULL;
    double nearest = RENAMED * want;
    bool named = false;
    const char *other;
    json_t *row;

    if (same != NULL)
        return same;
    json_object_foreach((json_t *)base, other, row)
    {
        const double off = fabs(cost(row, item) - want);
        const bool its = strcmp(gate_plain_name(other), gate_plain_name(name)) == 0;
        if (json_object_get(now, other) == NULL &&
            (its == named ? off <= nearest : its && !named)) {
            named = its;
            nearest = off;
            best = row;
        }
    }
    return best;
}

/* Returns the row whose cost grew most; of the program's own functions or of all; with waits or
 * without. */
static const char *worst(const json_t *base, const json_t *now, const char *item, bool own,
                         bool waits, double *change)
{
    const char *found = NULL;
    const char *name;
    json_t *row;

    *change = 0;
    json_object_foreach((json_t *)now, name, row)
    {
        const json_t *const before = counterpart(base, now, name, item);
        const double more =
            waits ? cost(row, item) - cost(before, item) : cell(row, item) - cell(before, item);
        if ((!own || json_object_get(row, "at") != NULL) && more > *change) {
            *change = more;
            found = name;
        }
    }
    return found;
}

/* Returns the cause of energy that grew most. Clock, stalls and leakage grow with the time whatever
 * the reason: they are returned only when no other cause grew. */
static const char *cause_of(const json_t *base, const json_t *now, const char *item)
{
    static const struct {
        const char *item, *word;
        bool follows; /* from time */
    } causes[] = {
        {"instructions", "instructions", false},
        {"switch", "switching", false},
        {"l1", "L1 accesses", false},
        {"l2", "L2 accesses", false},
        {"coherence", "lines moved between cores", false},
        {"memory", "memory accesses", false},
        {"uncached", "uncached accesses", false},
        {"tlb", "TLB misses", false},
        {"mispredict", "mispredicted branches", false},
        {"stall", "stalls", true},
        {"clock", "time", true},
        {"floor", "time", true},
        {"idle", "idle time", true},
    };
    const char *found = NULL;
    double most = 0;

    if (strcmp(item, "time") == 0 &&
        cell(now, "wait") - cell(base, "wait") > cell(now, "time") - cell(base, "time"))
        return "waiting";
    for (int follows = 0; follows < 2 && found == NULL; follows++) {
        for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++) {
            const double more = cell(now, causes[i].item) - cell(base, causes[i].item);
            if (causes[i].follows == (follows != 0) && more > most) {
                most = more;
                found = causes[i].word;
            }
        }
        if (most < 0.02 * (cell(now, "energy") - cell(base, "energy"))) {
            most = 0;
            found = NULL;
        }
    }
    return found;
}

/* Returns the culprit's callee in the runtime that accounts for most of its growth. */
static const char *through(const struct mpj_gate_program *p, const struct mpj_gate_finding *f)
{
    const json_t *const base = json_object_get(p->base, "runtime");
    const size_t len = strlen(f->culprit);
    double most = MOSTLY * (f->culprit_now - f->culprit_base);
    const char *found = NULL;
    const char *name;
    json_t *row;

    json_object_foreach(json_object_get(p->now, "runtime"), name, row)
    {
        const double more =
            cell(row, f->culprit_item) - cell(json_object_get(base, name), f->culprit_item);
        if (strncmp(name, f->culprit, len) != 0 ||
            strncmp(name + len, MPJ_GATE_CALLS, strlen(MPJ_GATE_CALLS)) != 0 || more <= most)
            continue;
        most = more;
        found = name + len + strlen(MPJ_GATE_CALLS);
    }
    return found;
}

static char *copy(const char *text)
{
    return text != NULL ? strdup(text) : NULL;
}

/* Makes the row of that name of a table the culprit. */
static int take(const struct mpj_gate_program *p, struct mpj_gate_finding *f, const char *table,
                const char *name, const char *item, struct mpj_err *err)
{
    const json_t *const all = json_object_get(p->now, table);
    const json_t *const base = counterpart(json_object_get(p->base, table), all, name, item);
    const json_t *const now = json_object_get(all, name);
    const char *const at = json_string_value(json_object_get(now, "at"));
    const char *called;

    f->culprit = strdup(name);
    if (f->culprit == NULL)
        return mpj_err_nomem(err);
    f->culprit_item = item;
    f->culprit_base = cost(base, item);
    f->culprit_now = cost(now, item);
    f->cause = cause_of(base, now, item);
    f->line = (int)json_integer_value(json_object_get(now, "line"));
    f->file = copy(at);
    called = through(p, f);
    f->through = copy(called);
    return (at != NULL && f->file == NULL) || (called != NULL && f->through == NULL)
               ? mpj_err_nomem(err)
               : MPJ_E_OK;
}

/* Returns the function that grew most by itself; by waiting, when that does not explain the change:
 * a function that waits more is usually the victim. */
static const char *suspect(const json_t *base, const json_t *now, const char *item, double change,
                           bool own, double *more)
{
    const char *const name = worst(base, now, item, own, false, more);

    return *more >= BY_ITSELF * change ? name : worst(base, now, item, own, true, more);
}

int gate_blame(const struct mpj_gate_program *p, struct mpj_gate_finding *f, struct mpj_err *err)
{
    static const char *const tables[] = {"functions", "regions"};
    const struct mpj_gate_limit *const l = f->limit;

    if (l->kind == MPJ_GATE_FUNCTION || l->kind == MPJ_GATE_REGION)
        return take(p, f, tables[l->kind - MPJ_GATE_FUNCTION], l->name, l->item, err);
    for (size_t t = 0; p->base != NULL && t < 2; t++) {
        const json_t *const base = json_object_get(p->base, tables[t]);
        const json_t *const now = json_object_get(p->now, tables[t]);
        const char *item = l->item;
        double change = f->now - f->base;
        double more;
        double other;
        const char *name = suspect(base, now, item, change, t == 0, &more);
        if (name == NULL && strcmp(item, "time") != 0) { /* events are not in every baseline */
            item = "energy";
            change = 0; /* is caused by events */
            name = suspect(base, now, item, change, t == 0, &more);
        }
        if (name == NULL || more < EXPLAINS * change) {
            const char *const any = suspect(base, now, item, change, false, &other);
            if (any != NULL && other * EXPLAINS > more) {
                name = any;
                more = other;
            }
        }
        if (name != NULL && more >= NAMEABLE * change)
            return take(p, f, tables[t], name, item, err);
    }
    return MPJ_E_OK;
}

void gate_say_culprit(const struct mpj_gate_finding *f, FILE *out)
{
    const bool own = f->limit->kind == MPJ_GATE_FUNCTION || f->limit->kind == MPJ_GATE_REGION;
    bool count;
    char a[40];
    char b[40];

    if (f->culprit == NULL)
        return;
    count = gate_is_count(f->culprit_item);
    mpj_gate_value(f->culprit_item, f->culprit_base, a, sizeof(a));
    mpj_gate_value(f->culprit_item, f->culprit_now, b, sizeof(b));
    if (!own)
        fprintf(out, "; %s", f->culprit);
    if (f->file != NULL)
        fprintf(out, "%s%s:%d", own ? "; at " : " (", f->file, f->line);
    if (f->file != NULL && !own)
        fputs(")", out);
    if (!own)
        fprintf(out, " takes %s%s%s instead of %s", b, count ? " " : "",
                count ? f->culprit_item : "", a);
    if (f->through != NULL)
        fprintf(out, ", most of it in %s", f->through);
    if (f->cause != NULL)
        fprintf(out, "; cause: %s", f->cause);
}
