/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bounds of a useful run. Time and energy of a run only grow, so one that has reached the time and
 * the energy of a measured point, in both, is dominated by it in every objective that is a product
 * of powers of these.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hil/target.h"
#include "tile_limits.h"
#include "tune_int.h"

/* The emulator compares its truth, points are judged by what the target measures: the ADC's energy
 * of a run of a few milliseconds is off by up to a percent. */
#define SLACK 1.02
/* Pieces of the curve on which a product of time and energy is the same. */
#define PIECES 48
#define RANGE  6.0

/* Objectives that only grow in a run: energy^a * time^b. */
static const struct growing {
    const char *name;
    int energy, time;
} growing[] = {{"time", 0, 1}, {"energy", 1, 0}, {"edp", 1, 1}, {"ed2p", 1, 2}};

static const struct growing *find(const char *text)
{
    for (size_t i = 0; i < sizeof(growing) / sizeof(growing[0]); i++) {
        if (strcmp(growing[i].name, text) == 0)
            return &growing[i];
    }
    return NULL;
}

int run_tune_bound_check(const struct run_tune *t, struct mpj_err *err)
{
    for (unsigned i = 0; i < t->objective.n; i++) {
        if (find(t->objective.at[i].text) == NULL)
            return mpj_err_set(err, MPJ_E_USAGE,
                               "--stop needs objectives that only grow while a program runs: time, "
                               "energy, edp, ed2p; not %s",
                               t->objective.at[i].text);
    }
    return MPJ_E_OK;
}

/* Parses a cap like "time <= 0.5": on what, and where. */
static bool simple_cap(const char *text, struct mpj_emulator_bound *out)
{
    char name[8];
    char rest[2];
    double most;
    char relation[3];

    if (sscanf(text, " %7[a-z] %2[<=] %lf %1s", name, relation, &most, rest) != 3 ||
        relation[0] != '<')
        return false;
    *out = (struct mpj_emulator_bound){0};
    if (strcmp(name, "time") == 0)
        out->time_s = most * SLACK;
    else if (strcmp(name, "energy") == 0)
        out->energy_j = most * SLACK;
    return out->time_s > 0 || out->energy_j > 0;
}

/* Computes the stairs below energy^a * time^b = least. */
static unsigned curve(const struct growing *g, double least, double time, unsigned max,
                      struct mpj_emulator_bound *out)
{
    unsigned n = 0;

    if (g->time == 0 || g->energy == 0) {
        *out = (struct mpj_emulator_bound){.time_s = g->time ? least * SLACK : 0,
                                           .energy_j = g->energy ? least * SLACK : 0};
        return 1;
    }
    for (; n < PIECES && n < max; n++) {
        const double at = time / RANGE * pow(RANGE * RANGE, (double)n / (PIECES - 1));
        out[n].time_s = at * SLACK;
        out[n].energy_j = least / pow(at, g->time) * SLACK;
    }
    return n;
}

unsigned run_tune_bounds(const struct run_tune *t, struct mpj_emulator_bound *out, unsigned max)
{
    unsigned n = 0;
    unsigned front = 0;
    unsigned seen = 0;
    unsigned room;

    for (unsigned i = 0; i < t->cap.n && n < max / 4; i++)
        n += simple_cap(t->cap.at[i].text, &out[n]);
    if (t->knee < 0)
        return n;
    if (t->objective.n == 1) {
        const struct run_tune_point *const p = &t->point[t->best[0]];
        return n +
               curve(find(t->objective.at[0].text), p->objective[0], p->time_s, max - n, &out[n]);
    }
    for (unsigned k = 0; k < t->points; k++)
        front += t->point[k].front;
    room = max - n;
    for (unsigned k = 0; k < t->points; k++) {
        const struct run_tune_point *const p = &t->point[k];
        if (!p->front || p->energy_j <= 0)
            continue;
        /* of more than fit, some from all over it */
        if (seen * room / front != (seen + 1) * room / front || front <= room)
            out[n++] = (struct mpj_emulator_bound){p->time_s * SLACK, p->energy_j * SLACK};
        seen++;
    }
    return n;
}
