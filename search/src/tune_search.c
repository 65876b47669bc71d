/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Strategies: the table of them, their common functions, and the simple ones. */
#include "tune_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct run_tune_strategy *const strategies[] = {
    &run_tune_exhaustive, &run_tune_model,    &run_tune_corunning,
    &run_tune_pipeline,   &run_tune_batch,    &run_tune_iterative,
    &run_tune_combined,   &run_tune_schedule, &run_tune_random,
};

const char *run_tune_strategy_name(unsigned n, const char **summary)
{
    if (n >= sizeof(strategies) / sizeof(strategies[0]))
        return NULL;
    if (summary != NULL)
        *summary = strategies[n]->summary;
    return strategies[n]->name;
}

int run_tune_search(struct run_tune *t, struct mpj_err *err)
{
    if (t->talk == RUN_TUNE_TELL)
        return run_tune_external.run(t, err);
    if (t->strategy == NULL)
        return run_tune_exhaustive.run(t, err);
    for (size_t i = 0; i < sizeof(strategies) / sizeof(strategies[0]); i++) {
        if (strcmp(strategies[i]->name, t->strategy) == 0)
            return strategies[i]->run(t, err);
    }
    return mpj_err_set(err, MPJ_E_USAGE, "unknown strategy \"%s\"", t->strategy);
}

int run_tune_role(const struct run_tune *t, const char *role, unsigned n)
{
    for (unsigned i = 0; i < t->role.n; i++) {
        if (strcmp(t->role.at[i].name, role) != 0 || n-- > 0)
            continue;
        for (unsigned a = 0; a < t->axes; a++) {
            if (strcmp(t->axis[a].name, t->role.at[i].text) == 0)
                return (int)a;
        }
        return -1;
    }
    return -1;
}

const char *run_tune_role_text(const struct run_tune *t, const char *role)
{
    for (unsigned i = 0; i < t->role.n; i++) {
        if (strcmp(t->role.at[i].name, role) == 0)
            return t->role.at[i].text;
    }
    return NULL;
}

/* Checks that roles name axes, except those of threads; and that the baseline names axes and their
 * values. */
int run_tune_check_roles(const struct run_tune *t, struct mpj_err *err)
{
    static const char known[] = " threads producer consumer tile flags schedule producer_thread "
                                "consumer_thread ";

    for (unsigned i = 0; i < t->role.n; i++) {
        const struct run_tune_pair *const r = &t->role.at[i];
        char name[64];
        bool found = false;
        snprintf(name, sizeof(name), " %s ", r->name);
        if (strstr(known, name) == NULL)
            return mpj_err_set(err, MPJ_E_USAGE, "roles: unknown role %s (known:%.*s)", r->name,
                               (int)sizeof(known) - 2, known);
        for (unsigned a = 0; a < t->axes; a++)
            found = found || strcmp(t->axis[a].name, r->text) == 0;
        if (!found && strstr(r->name, "_thread") == NULL)
            return mpj_err_set(err, MPJ_E_USAGE, "roles: %s: unknown axis %s", r->name, r->text);
    }
    for (unsigned i = 0; i < t->baseline.n; i++) {
        const struct run_tune_pair *const b = &t->baseline.at[i];
        bool found = false;
        for (unsigned a = 0; a < t->axes; a++) {
            for (unsigned v = 0; v < t->axis[a].values; v++)
                found = found || (strcmp(t->axis[a].name, b->name) == 0 &&
                                  strcmp(t->axis[a].value[v], b->text) == 0);
        }
        if (!found)
            return mpj_err_set(err, MPJ_E_USAGE, "baseline: no axis %s with the value %s", b->name,
                               b->text);
    }
    return MPJ_E_OK;
}

void run_tune_baseline(const struct run_tune *t, unsigned index[RUN_TUNE_AXES_MAX])
{
    for (unsigned a = 0; a < t->axes; a++) {
        index[a] = 0;
        for (unsigned i = 0; i < t->baseline.n; i++) {
            for (unsigned v = 0; v < t->axis[a].values; v++) {
                if (strcmp(t->axis[a].name, t->baseline.at[i].name) == 0 &&
                    strcmp(t->axis[a].value[v], t->baseline.at[i].text) == 0)
                    index[a] = v;
            }
        }
    }
}

unsigned run_tune_number(const struct run_tune *t, const unsigned index[RUN_TUNE_AXES_MAX])
{
    unsigned k = 0;

    for (unsigned a = 0; a < t->axes; a++)
        k = k * t->axis[a].values + index[a];
    return k;
}

unsigned run_tune_neighbour(const struct run_tune *t, unsigned point, unsigned axis, unsigned value)
{
    unsigned index[RUN_TUNE_AXES_MAX];

    memcpy(index, t->point[point].index, sizeof(index));
    index[axis] = value;
    return run_tune_number(t, index);
}

bool run_tune_improves(const struct run_tune *t, unsigned a, unsigned b)
{
    if (t->point[a].state != RUN_TUNE_MEASURED || t->point[b].state != RUN_TUNE_MEASURED)
        return t->point[a].state == RUN_TUNE_MEASURED;
    for (unsigned i = 0; i < t->objective.n; i++) {
        if (t->point[a].objective[i] < t->point[b].objective[i])
            return true;
    }
    return false;
}

double run_tune_cost(const struct run_tune *t, unsigned point)
{
    return t->point[point].state == RUN_TUNE_MEASURED ? t->point[point].objective[0] : INFINITY;
}

double run_tune_figure_of(const struct run_tune *t, unsigned point, const char *figure)
{
    return json_number_value(json_object_get(t->point[point].figures, figure));
}

bool run_tune_exhausted(const struct run_tune *t)
{
    return t->most > 0 && t->evaluations >= t->most;
}

uint64_t run_tune_draw(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15U);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

/* ---- every point, in order or not --------------------------------------------------------- */

static int all(struct run_tune *t, bool shuffled, struct mpj_err *err)
{
    unsigned *const point = malloc(t->points * sizeof(*point));
    uint64_t random = t->draw;
    int result;

    if (point == NULL)
        return mpj_err_nomem(err);
    for (unsigned k = 0; k < t->points; k++)
        point[k] = k;
    for (unsigned k = t->points; shuffled && k > 1; k--) {
        const unsigned other = (unsigned)(run_tune_draw(&random) % k);
        const unsigned kept = point[k - 1];
        point[k - 1] = point[other];
        point[other] = kept;
    }
    result = run_tune_measure(t, point, t->points, err);
    free(point);
    return result;
}

/* Measures every point, in random order if good points end runs: these must not all come last. */
static int exhaustive(struct run_tune *t, struct mpj_err *err)
{
    return all(t, t->stop, err);
}

static int at_random(struct run_tune *t, struct mpj_err *err)
{
    return all(t, true, err);
}

const struct run_tune_strategy run_tune_exhaustive = {"exhaustive", "every point", exhaustive};
const struct run_tune_strategy run_tune_random = {
    "random", "points drawn at random, for comparison", at_random};

/* ---- threads of programs that run together -------------------------------------------------
 *
 * ePRO-MP, section 6.1: from one thread each, one more thread for one program at a time, as long as
 * time or energy improves; the result is compared with the baseline. If several programs gain by a
 * thread, the one that gains most in the first objective gets it. */

static int co_running(struct run_tune *t, struct mpj_err *err)
{
    unsigned index[RUN_TUNE_AXES_MAX];
    unsigned baseline;
    unsigned here;
    int axis;

    run_tune_baseline(t, index);
    baseline = run_tune_number(t, index);
    if (run_tune_role(t, "threads", 0) < 0)
        return mpj_err_set(err, MPJ_E_USAGE,
                           "co-running needs the axes of the numbers of threads: "
                           "\"roles: {threads: [AXIS, AXIS]}\"");
    for (unsigned n = 0; (axis = run_tune_role(t, "threads", n)) >= 0; n++)
        index[axis] = 0;
    here = run_tune_number(t, index);
    if (run_tune_measure(t, &here, 1, err) != MPJ_E_OK)
        return err->code;
    for (;;) {
        unsigned next[RUN_TUNE_AXES_MAX];
        unsigned best = here;
        unsigned n = 0;
        for (unsigned i = 0; (axis = run_tune_role(t, "threads", i)) >= 0; i++) {
            const unsigned value = t->point[here].index[axis] + 1;
            if (value < t->axis[axis].values)
                next[n++] = run_tune_neighbour(t, here, (unsigned)axis, value);
        }
        if (run_tune_measure(t, next, n, err) != MPJ_E_OK)
            return err->code;
        for (unsigned i = 0; i < n; i++) {
            if (run_tune_improves(t, next[i], here) &&
                (best == here || run_tune_cost(t, next[i]) < run_tune_cost(t, best)))
                best = next[i];
        }
        if (best == here)
            return run_tune_measure(t, &baseline, 1, err);
        here = best;
    }
}

const struct run_tune_strategy run_tune_corunning = {
    "co-running", "threads of programs that run together (ePRO-MP 6.1)", co_running};

/* ---- producer and consumer -------------------------------------------------------------------
 *
 * ePRO-MP, section 6.2: from one thread each, one more for the side that lets the other wait, as
 * long as time or energy improves; then the tile, from the whole matrix to a half, a third, a
 * fourth ... of it, as long as either improves; then threads again, until these do not change. The
 * result is compared with the baseline.
 */

struct pipeline {
    struct run_tune *t;
    unsigned here;
    int producer, consumer, tile;
    const char *producer_thread, *consumer_thread;
};

static double waited(const struct pipeline *p, const char *thread)
{
    char name[80];

    snprintf(name, sizeof(name), "wait_%s", thread);
    return run_tune_figure_of(p->t, p->here, name);
}

/* Moves there if that improves anything. */
static int step(struct pipeline *p, unsigned next, bool *gone, struct mpj_err *err)
{
    const int result = run_tune_measure(p->t, &next, 1, err);

    *gone = result == MPJ_E_OK && run_tune_improves(p->t, next, p->here);
    if (*gone)
        p->here = next;
    return result;
}

static int balance(struct pipeline *p, bool *changed, struct mpj_err *err)
{
    const struct run_tune *const t = p->t;
    bool gone = true;

    *changed = false;
    while (gone) {
        const int slow = waited(p, p->consumer_thread) > waited(p, p->producer_thread)
                             ? p->producer
                             : p->consumer;
        const unsigned more = t->point[p->here].index[slow] + 1;
        if (more == t->axis[slow].values)
            break;
        if (step(p, run_tune_neighbour(t, p->here, (unsigned)slow, more), &gone, err) != MPJ_E_OK)
            return err->code;
        *changed = *changed || gone;
    }
    return MPJ_E_OK;
}

static double tile_of(const struct pipeline *p, unsigned value)
{
    return strtod(p->t->axis[p->tile].value[value], NULL);
}

/* Returns the value nearest to the wanted one and smaller than the present one; -1: none. */
static int smaller(const struct pipeline *p, double wanted)
{
    const struct run_tune_axis *const a = &p->t->axis[p->tile];
    const double present = tile_of(p, p->t->point[p->here].index[p->tile]);
    int best = -1;

    for (unsigned v = 0; v < a->values; v++) {
        if (tile_of(p, v) < present &&
            (best < 0 || fabs(tile_of(p, v) - wanted) < fabs(tile_of(p, (unsigned)best) - wanted)))
            best = (int)v;
    }
    return best;
}

static int shrink(struct pipeline *p, double whole, struct mpj_err *err)
{
    const double present = tile_of(p, p->t->point[p->here].index[p->tile]);
    bool gone = true;

    for (unsigned n = 2; gone && whole / n >= 1; n++) {
        const int value = whole / n < present ? smaller(p, whole / n) : -1;
        if (value < 0)
            continue;
        /* a coarse axis: this tile represents the next part of the matrix as well */
        if (fabs(tile_of(p, (unsigned)value) - whole / (n + 1)) <
            fabs(tile_of(p, (unsigned)value) - whole / n))
            continue;
        if (step(p, run_tune_neighbour(p->t, p->here, (unsigned)p->tile, (unsigned)value), &gone,
                 err) != MPJ_E_OK)
            return err->code;
    }
    return MPJ_E_OK;
}

static int producer_consumer(struct run_tune *t, struct mpj_err *err)
{
    struct pipeline p = {.t = t,
                         .producer = run_tune_role(t, "producer", 0),
                         .consumer = run_tune_role(t, "consumer", 0),
                         .tile = run_tune_role(t, "tile", 0),
                         .producer_thread = run_tune_role_text(t, "producer_thread"),
                         .consumer_thread = run_tune_role_text(t, "consumer_thread")};
    unsigned index[RUN_TUNE_AXES_MAX];
    unsigned baseline;
    double whole = 0;
    bool changed = true;

    run_tune_baseline(t, index);
    baseline = run_tune_number(t, index);
    if (p.producer < 0 || p.consumer < 0 || p.producer_thread == NULL || p.consumer_thread == NULL)
        return mpj_err_set(err, MPJ_E_USAGE,
                           "producer-consumer needs axes of threads and names of threads: "
                           "\"roles: {producer: AXIS, consumer: AXIS, tile: AXIS, producer_thread: "
                           "NAME, consumer_thread: NAME}\"");
    index[p.producer] = index[p.consumer] = 0;
    for (unsigned v = 0; p.tile >= 0 && v < t->axis[p.tile].values; v++) {
        if (tile_of(&p, v) > whole) {
            whole = tile_of(&p, v);
            index[p.tile] = v;
        }
    }
    p.here = run_tune_number(t, index);
    if (run_tune_measure(t, &p.here, 1, err) != MPJ_E_OK)
        return err->code;
    while (changed) {
        if (balance(&p, &changed, err) != MPJ_E_OK)
            return err->code;
        if (changed && p.tile >= 0 && shrink(&p, whole, err) != MPJ_E_OK)
            return err->code;
    }
    return run_tune_measure(t, &baseline, 1, err);
}

const struct run_tune_strategy run_tune_pipeline = {
    "producer-consumer", "threads of two sides, then the tile (ePRO-MP 6.2)", producer_consumer};

/* ---- loop schedules -----------------------------------------------------------------------------
 *
 * From the profile of one run with a static schedule: if its threads wait in parallel regions for
 * less than a twentieth of their time, nothing is gained by handing out iterations while the loop
 * runs, and its costs and the lost locality speak against it. Otherwise a second run, dynamic with
 * the smallest chunk that there is, or guided, shows whether they are worth it. */

#define WAITS_LITTLE 0.05

/* Returns the first value that begins so, and ends so unless end is NULL; -1: none. */
static int schedule_value(const struct run_tune_axis *a, const char *begin)
{
    for (unsigned v = 0; v < a->values; v++) {
        if (strncmp(a->value[v], begin, strlen(begin)) == 0)
            return (int)v;
    }
    return -1;
}

static int by_profile(struct run_tune *t, struct mpj_err *err)
{
    const int axis = run_tune_role(t, "schedule", 0);
    unsigned index[RUN_TUNE_AXES_MAX];
    unsigned point;
    int value;

    if (axis < 0)
        return mpj_err_set(
            err, MPJ_E_USAGE,
            "schedule needs the axis of loop schedules: \"roles: {schedule: AXIS}\"");
    run_tune_baseline(t, index);
    value = schedule_value(&t->axis[axis], "static");
    index[axis] = value >= 0 ? (unsigned)value : 0;
    point = run_tune_number(t, index);
    if (run_tune_measure(t, &point, 1, err) != MPJ_E_OK ||
        run_tune_figure_of(t, point, "region_wait") < WAITS_LITTLE)
        return err->code;
    value = schedule_value(&t->axis[axis], "dynamic");
    if (value < 0)
        value = schedule_value(&t->axis[axis], "guided");
    if (value < 0)
        return MPJ_E_OK;
    point = run_tune_neighbour(t, point, (unsigned)axis, (unsigned)value);
    return run_tune_measure(t, &point, 1, err);
}

const struct run_tune_strategy run_tune_schedule = {
    "schedule", "a loop schedule, from the waits of one run", by_profile};
