/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spread.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/file.h"
#include "base/json.h"
#include "base/tempdir.h"
#include "cli.h"

#define MOST 0.01 /* of a disturbance, relative */

static const char *const levels[] = {"miss:l1d=", "miss:l1i="};
enum { LEVELS = sizeof(levels) / sizeof(levels[0]) };

/* A run: number 2 j is without the changed costs, 2 j + 1 with them; disturbance 0 is none. */
struct one {
    char *cost[RUN_WHAT_IFS_MAX + LEVELS];
    unsigned costs;
    double time, energy; /* 0: it did not end well */
};

struct spread {
    const struct cli_options *o;
    struct mpj_tempdir dir;
    unsigned runs;
    struct one one[2 * (SPREAD_MAX + 1)];
    struct variant run[2 * (SPREAD_MAX + 1)];
};

/* Savings, in percent of time or energy. */
struct saving {
    double plain; /* undisturbed; NAN: not known */
    double mean, deviation, least, most;
    unsigned n;
};

/* Returns the next of a sequence of factors around 1 (splitmix64, Vigna). */
static double disturbance(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return 1 + MOST * (2.0 * (double)(z >> 11) / 9007199254740992.0 - 1);
}

static bool named(const struct run_options *o, const char *level)
{
    for (unsigned i = 0; i < o->what_ifs; i++) {
        if (strncmp(o->what_if[i], level, strlen(level)) == 0)
            return true;
    }
    return false;
}

/* Adds a cost of the user; the factor of a function is disturbed. */
static bool add_cost(struct one *r, const char *cost, double factor)
{
    const char *const equals = strrchr(cost, '=');
    const double value = equals != NULL ? strtod(equals + 1, NULL) : 0;
    const bool is_function = strncmp(cost, "function:", 9) == 0 && value > 0;

    if (!is_function)
        r->cost[r->costs] = strdup(cost);
    else if (asprintf(&r->cost[r->costs], "%.*s=%.9g", (int)(equals - cost), cost,
                      fmin(100, fmax(0.01, value * factor))) < 0)
        r->cost[r->costs] = NULL;
    return r->cost[r->costs++] != NULL;
}

/* Sets the costs of a run. The same disturbance has the same misses without and with the costs. */
static bool set_costs(const struct run_options *o, struct one *r, unsigned disturbed, bool changed)
{
    uint64_t state = disturbed;
    double factor[LEVELS + 1];

    for (unsigned i = 0; i <= LEVELS; i++)
        factor[i] = disturbed > 0 ? disturbance(&state) : 1;
    for (unsigned i = 0; disturbed > 0 && i < LEVELS; i++) {
        if (named(o, levels[i]))
            continue;
        if (asprintf(&r->cost[r->costs], "%s%.9g", levels[i], factor[i]) < 0)
            return false;
        r->costs++;
    }
    for (unsigned i = 0; changed && i < o->what_ifs; i++) {
        if (!add_cost(r, o->what_if[i], factor[LEVELS]))
            return false;
    }
    return true;
}

static int make(struct spread *s, variant_one *member, struct mpj_err *err)
{
    int result = mpj_tempdir_make(&s->dir, err);

    s->runs = 2 * (s->o->spread + 1);
    for (unsigned i = 0; i < s->runs && result == MPJ_E_OK; i++) {
        struct variant *const v = &s->run[i];
        if (!set_costs(&s->o->run, &s->one[i], i / 2, i % 2 == 1) ||
            asprintf(&v->store, "%s/%u.mpj", s->dir.path, i) < 0 ||
            asprintf(&v->json, "%s/%u.json", s->dir.path, i) < 0)
            return mpj_err_nomem(err);
        v->name = i % 2 == 1 ? "with the changed cost" : "without it";
        v->what_if = (const char *const *)s->one[i].cost;
        v->what_ifs = s->one[i].costs;
        v->silent = true;
    }
    if (result == MPJ_E_OK)
        result = variants_run(s->o, s->run, s->runs, false, member, err);
    for (unsigned i = 0; i < s->runs && result == MPJ_E_OK; i++) {
        json_t *const run = json_load_file(s->run[i].json, 0, NULL);
        const json_t *const truth = json_object_get(run, "truth");
        if (s->run[i].status == 0) {
            s->one[i].time = json_number_value(json_object_get(truth, "cycles")) /
                             json_number_value(json_object_get(run, "clock_hz"));
            s->one[i].energy = json_number_value(json_object_get(truth, "energy_uj")) * 1e-6;
        }
        json_decref(run);
    }
    return result;
}

/* Returns the saved part of a pair of runs in percent; NAN: one of them did not end well. */
static double saved(const struct spread *s, unsigned disturbed, bool energy)
{
    const struct one *const pair = &s->one[(size_t)2 * disturbed];
    const double before = energy ? pair[0].energy : pair[0].time;
    const double after = energy ? pair[1].energy : pair[1].time;

    return before > 0 && after > 0 ? 100 * (1 - after / before) : (double)NAN;
}

static struct saving saving_of(const struct spread *s, bool energy)
{
    struct saving out = {.plain = saved(s, 0, energy), .least = INFINITY, .most = -INFINITY};
    double squares = 0;

    for (unsigned j = 1; j <= s->o->spread; j++) {
        const double v = saved(s, j, energy);
        if (isnan(v))
            continue;
        out.mean += v;
        out.n++;
        out.least = fmin(out.least, v);
        out.most = fmax(out.most, v);
    }
    out.mean /= out.n > 0 ? out.n : 1;
    for (unsigned j = 1; j <= s->o->spread; j++) {
        const double v = saved(s, j, energy);
        squares += isnan(v) ? 0 : (v - out.mean) * (v - out.mean);
    }
    out.deviation = out.n > 1 ? sqrt(squares / (out.n - 1)) : 0;
    return out;
}

static void show(const struct spread *s)
{
    static const char *const what[] = {"time", "energy"};

    printf("\nWhat if %s", s->o->run.what_if[0]);
    for (unsigned i = 1; i < s->o->run.what_ifs; i++)
        printf(", %s", s->o->run.what_if[i]);
    printf(": saves, and by how much that differs under %u small disturbances\n", s->o->spread);
    for (unsigned e = 0; e < 2; e++) {
        const struct saving v = saving_of(s, e == 1);
        if (isnan(v.plain) || v.n == 0)
            printf("  %-7s not known: a run without or with it did not end well\n", what[e]);
        else
            printf("  %-7s %.2f %%; disturbed: mean %.2f %%, standard deviation %.2f, %.2f to "
                   "%.2f %%\n",
                   what[e], v.plain, v.mean, v.deviation, v.least, v.most);
    }
}

static json_t *saving_json(const struct saving *v)
{
    json_t *const o = json_object();

    if (!isnan(v->plain))
        json_put_real(o, "saved", v->plain);
    json_put_count(o, "disturbances", v->n);
    if (v->n > 0) {
        json_put_real(o, "mean", v->mean);
        json_put_real(o, "standard_deviation", v->deviation);
        json_put_real(o, "least", v->least);
        json_put_real(o, "most", v->most);
    }
    return o;
}

static int put(const void *what, FILE *f, struct mpj_err *err)
{
    return json_write(json_incref((json_t *)what), f, err);
}

/* Adds the spread to the JSON of the run. */
static int add_json(const struct spread *s, struct mpj_err *err)
{
    const struct saving time = saving_of(s, false);
    const struct saving energy = saving_of(s, true);
    json_t *const root = json_load_file(s->o->json, 0, NULL);
    int result;

    if (root == NULL)
        return mpj_err_set(err, MPJ_E_IO, "cannot read %s again", s->o->json);
    json_object_set_new(root, "what_if",
                        json_pack("{so,so}", "time_percent", saving_json(&time), "energy_percent",
                                  saving_json(&energy)));
    result = mpj_file_replace(s->o->json, put, root, err);
    json_decref(root);
    return result;
}

static void release(struct spread *s)
{
    for (unsigned i = 0; i < s->runs; i++) {
        for (unsigned k = 0; k < s->one[i].costs; k++)
            free(s->one[i].cost[k]);
        free(s->run[i].store);
        free(s->run[i].json);
    }
    mpj_tempdir_remove(&s->dir);
}

int spread_run(struct cli_options *o, variant_one *member, int (*run)(struct cli_options *o))
{
    static struct spread s;
    struct cli_options first = *o;
    struct mpj_err err;
    const int status = run(&first);
    int result;

    if (status != 0)
        return status;
    s = (struct spread){.o = o};
    result = make(&s, member, &err);
    if (result == MPJ_E_OK && !cli_quiet())
        show(&s);
    if (result == MPJ_E_OK && o->json != NULL)
        result = add_json(&s, &err);
    release(&s);
    return result == MPJ_E_OK ? status : cli_fail(&err);
}
