/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counter multiplexing: error of the estimates. docs/rotation.md has the formula. */
#include <math.h>
#include <stdlib.h>

#include "report_int.h"

/* Returns Student's factor for two in three estimates: few turns estimate their variation badly. */
static double student(double turns)
{
    static const double t[] = {1.837, 1.321, 1.197, 1.142, 1.111, 1.091, 1.077, 1.067, 1.059};
    const unsigned freedom = (unsigned)turns - 1U;

    if (freedom <= sizeof(t) / sizeof(t[0]))
        return t[freedom - 1U];
    return 1.0 + 0.5 / freedom;
}

double rotation_error(const struct rotation_sums *s, double coverage)
{
    double ratio;
    double rest;

    if (coverage >= 1.0)
        return 0.0;
    if (s->turns < 2 || s->c <= 0)
        return NAN;
    if (s->x <= 0)
        return NAN; /* a count of 0 says little about the turns that were not counted */
    ratio = s->x / s->c;
    rest = (s->xx - 2.0 * ratio * s->xc + ratio * ratio * s->cc) / (s->turns - 1.0);
    if (rest < 0)
        rest = 0; /* rounding */
    return student(s->turns) * sqrt((1.0 - coverage) * rest * s->turns) / s->x;
}

/* Takes pass, owner, id, event, turns, c, x, cc, xc, xx. */
static int on_spread(void *ctx, sqlite3_stmt *s)
{
    const struct loader *const l = ctx;
    struct mpj_run *const run = l->run;
    const unsigned id = (unsigned)sqlite3_column_int64(s, 1);
    const int e = run_event(l, s, 2);
    double v[6];
    struct mpj_value *to = NULL;

    if (e < 0)
        return l->err->code;
    for (int i = 0; i < 6; i++)
        v[i] = (double)(uint64_t)sqlite3_column_int64(s, 3 + i);
    if (sqlite3_column_int(s, 0) == MPJ_SPREAD_CORE) {
        if (id < MPJ_CORES_MAX)
            to = &run->core[id].ev[e];
    } else {
        const struct mpj_thread_result *const t = run_thread(run, id);
        if (t != NULL)
            to = run_slot(run, t->ev, e);
    }
    if (to != NULL && to->present) {
        const struct rotation_sums sums = {v[0], v[1], v[2], v[3], v[4], v[5]};
        to->error = rotation_error(&sums, to->coverage);
    }
    return MPJ_E_OK;
}

int rotation_load(struct loader *l)
{
    static const struct mpj_sql_step step = {
        "SELECT owner, id, event, turns, c, x, cc, xc, xx FROM spread ORDER BY pass DESC",
        on_spread};

    return mpj_sql_steps(l->db, l->path, &step, 1, l, l->err);
}

bool rotation_present(const struct mpj_run *run)
{
    for (unsigned i = 0; i < MPJ_RUN_EVENTS_MAX; i++) {
        const struct mpj_value v = mpj_run_total(run, (int)i);
        if (v.present && v.coverage < 1.0)
            return true;
    }
    return false;
}

void rotation_text(const struct mpj_run *run, FILE *f)
{
    size_t n;
    const struct mpj_event_info *const table = mpj_event_table(&n);
    double truth;

    if (!rotation_present(run))
        return;
    fprintf(f, "\nEvents counted in turn: estimates, marked ~\n  %-20s%10s%18s%18s%12s\n", "",
            "coverage", "estimate, all", "standard error", run->have_truth ? "true error" : "");
    for (size_t i = 0; i < n; i++) {
        const struct mpj_value v = mpj_run_total(run, (int)i);
        if (!v.present || v.coverage >= 1.0)
            continue;
        fprintf(f, "  %-20s%8.2f %%%18llu", table[i].name, 100.0 * v.coverage,
                (unsigned long long)v.value);
        if (isfinite(v.error))
            fprintf(f, "%16.2f %%", 100.0 * v.error);
        else
            fprintf(f, "%18s", "unknown");
        truth = 0.0;
        for (unsigned k = 0; run->have_truth && k < MPJ_CORES_MAX; k++)
            truth += run->core[k].present ? (double)run->truth.core[k].ev[i].value : 0.0;
        if (truth > 0)
            fprintf(f, "%+10.2f %%", 100.0 * ((double)v.value - truth) / truth);
        fputc('\n', f);
    }
    fputs("  standard error: from how turns differ, as if they were taken at random "
          "(docs/rotation.md)\n",
          f);
}

/* Writes coverage and error_percent of multiplexed events. */
void rotation_json(json_t *o, const struct mpj_value *ev)
{
    size_t n;
    const struct mpj_event_info *const table = mpj_event_table(&n);
    json_t *const coverage = json_object();
    json_t *const error = json_object();

    for (size_t i = 0; i < n; i++) {
        if (!ev[i].present || ev[i].coverage >= 1.0)
            continue;
        json_object_set_new(coverage, table[i].name, json_real(ev[i].coverage));
        if (isfinite(ev[i].error))
            json_object_set_new(error, table[i].name, json_real(100.0 * ev[i].error));
    }
    if (json_object_size(coverage) > 0)
        json_object_set(o, "coverage", coverage);
    if (json_object_size(error) > 0)
        json_object_set(o, "error_percent", error);
    json_decref(coverage);
    json_decref(error);
}
