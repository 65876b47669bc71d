/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of cores, of the thread-level profile and of metrics as CSV. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "report_int.h"
#include "store/thread_fields.h"

#define REAL "%.12g"

static void where_csv(FILE *f, const struct mpj_where *w)
{
    fputc(',', f);
    mpj_csv_quoted(f, w->function);
    fputc(',', f);
    mpj_csv_quoted(f, w->file);
    fprintf(f, ",%d", w->line);
}

/* Writes columns of the events that any of the rows has; values of one row with ev, names
 * without. */
static void events_csv(FILE *f, const bool used[MPJ_RUN_EVENTS_MAX], const struct mpj_value *ev)
{
    size_t n;
    const struct mpj_event_info *const table = mpj_event_table(&n);

    for (size_t i = 0; i < n; i++) {
        if (!used[i])
            continue;
        if (ev == NULL)
            fprintf(f, ",%s", table[i].name);
        else if (ev[i].present)
            fprintf(f, ",%" PRIu64, ev[i].value);
        else
            fputc(',', f);
    }
    fputc('\n', f);
}

static void use(bool used[MPJ_RUN_EVENTS_MAX], const struct mpj_value *ev)
{
    for (unsigned i = 0; i < MPJ_RUN_EVENTS_MAX; i++)
        used[i] = used[i] || ev[i].present;
}

/* Writes such columns of threads and parts of regions. */
static void counts_csv(FILE *f, const bool used[MPJ_RUN_EVENTS_MAX], const struct mpj_run *run,
                       const struct mpj_value *counted)
{
    struct mpj_value ev[MPJ_RUN_EVENTS_MAX];

    mpj_run_values(run, counted, ev);
    events_csv(f, used, ev);
}

static void use_counts(bool used[MPJ_RUN_EVENTS_MAX], const struct mpj_run *run,
                       const struct mpj_value *counted)
{
    struct mpj_value ev[MPJ_RUN_EVENTS_MAX];

    mpj_run_values(run, counted, ev);
    use(used, ev);
}

/* Writes a row per core, and one of the events of the whole chip. */
int csv_cores(const struct mpj_report *r, FILE *f, struct mpj_err *err)
{
    const struct mpj_run *const run = r->run;
    bool used[MPJ_RUN_EVENTS_MAX] = {false};

    (void)err;
    for (unsigned k = 0; k < MPJ_CORES_MAX; k++)
        use(used, run->core[k].ev);
    use(used, run->chip);
    fputs("core,cycles,wfi_cycles,energy_uj", f);
    events_csv(f, used, NULL);
    for (unsigned k = 0; k < MPJ_CORES_MAX; k++) {
        const struct mpj_core_result *const c = &run->core[k];
        if (!c->present)
            continue;
        fprintf(f, "%u,%" PRIu64 ",", k, c->cycles);
        if (c->have_wfi)
            fprintf(f, "%" PRIu64, c->wfi_cycles);
        fputc(',', f);
        if (run->model.present)
            fprintf(f, REAL, c->energy_uj);
        events_csv(f, used, c->ev);
    }
    fputs("chip,,,", f);
    events_csv(f, used, run->chip);
    return MPJ_E_OK;
}

/* Writes columns of durations, or of counts; names without a thread. */
static void fields_csv(FILE *f, const struct mpj_run *run, const struct mpj_thread_result *t,
                       bool durations)
{
    for (unsigned i = 0; i < thread_field_count; i++) {
        const struct thread_field *const field = &thread_fields[i];
        if (field->shown == NULL || thread_field_is_duration(field) != durations ||
            !thread_field_known(field, run))
            continue;
        if (t == NULL)
            fprintf(f, ",%s", field->shown);
        else if (durations)
            fprintf(f, "," REAL, thread_field_seconds(field, t));
        else
            fprintf(f, ",%" PRIu64, thread_field_number(field, t));
    }
}

int csv_threads(const struct mpj_report *r, FILE *f, struct mpj_err *err)
{
    const struct mpj_run *const run = r->run;
    bool used[MPJ_RUN_EVENTS_MAX] = {false};

    (void)err;
    for (unsigned i = 0; i < run->threads; i++)
        use_counts(used, run, run->thread[i].ev);
    fputs("id,name,created_s,life_s", f);
    fields_csv(f, run, NULL, true);
    for (unsigned k = 0; k < mpj_run_cores(run); k++)
        fprintf(f, ",core%u_s", k);
    fields_csv(f, run, NULL, false);
    fputs(",energy_uj", f);
    events_csv(f, used, NULL);
    for (unsigned i = 0; i < run->threads; i++) {
        const struct mpj_thread_result *const t = &run->thread[i];
        fprintf(f, "%u,", t->id);
        mpj_csv_quoted(f, t->name);
        fprintf(f, "," REAL "," REAL, t->created_s, t->life_s);
        fields_csv(f, run, t, true);
        for (unsigned k = 0; k < mpj_run_cores(run); k++)
            fprintf(f, "," REAL, t->core_run_s[k]);
        fields_csv(f, run, t, false);
        fputc(',', f);
        if (isfinite(t->energy_uj))
            fprintf(f, REAL, t->energy_uj);
        counts_csv(f, used, run, t->ev);
    }
    return MPJ_E_OK;
}

int csv_sync(const struct mpj_report *r, FILE *f, struct mpj_err *err)
{
    const struct mpj_run *const run = r->run;

    (void)err;
    fputs("thread,kind,object,object_name,owner,function,file,line,count,total_s,longest_s\n", f);
    for (unsigned i = 0; i < run->waits; i++) {
        const struct mpj_wait_result *const w = &run->wait[i];
        fprintf(f, "%u,%s,%u,", w->thread, mpj_wait_name(w->kind), w->object);
        mpj_csv_quoted(f, w->object_name);
        fprintf(f, ",%u", w->owner);
        where_csv(f, &w->caller);
        fprintf(f, ",%" PRIu64 "," REAL "," REAL "\n", w->count, w->total_s, w->longest_s);
    }
    return MPJ_E_OK;
}

int csv_regions(const struct mpj_report *r, FILE *f, struct mpj_err *err)
{
    const struct mpj_run *const run = r->run;
    bool used[MPJ_RUN_EVENTS_MAX] = {false};

    (void)err;
    for (unsigned i = 0; i < run->regions; i++) {
        for (unsigned k = 0; k < run->region[i].parts; k++)
            use_counts(used, run, run->region[i].part[k].ev);
    }
    fputs("region,function,file,line,team,wall_s,thread,calls,run_s,barrier_s,cycles,energy_uj,"
          "host_s",
          f);
    events_csv(f, used, NULL);
    for (unsigned i = 0; i < run->regions; i++) {
        const struct mpj_region_result *const g = &run->region[i];
        for (unsigned k = 0; k < g->parts; k++) {
            const struct mpj_region_part *const p = &g->part[k];
            mpj_csv_quoted(f, g->name);
            where_csv(f, &g->fn);
            fprintf(f, ",%u," REAL ",%u,%" PRIu64 "," REAL "," REAL ",%" PRIu64 ",", g->size,
                    g->wall_s, p->thread, p->calls, p->run_s, p->barrier_s, p->cycles);
            if (isfinite(p->energy_uj))
                fprintf(f, REAL, p->energy_uj);
            fprintf(f, "," REAL, p->host_s);
            counts_csv(f, used, run, p->ev);
        }
    }
    return MPJ_E_OK;
}

int csv_timeline(const struct mpj_report *r, FILE *f, struct mpj_err *err)
{
    const struct mpj_run *const run = r->run;

    (void)err;
    fputs("thread,time_s,run_s,block_s,host_s\n", f);
    for (unsigned i = 0; i < run->threads; i++) {
        const struct mpj_thread_result *const t = &run->thread[i];
        for (unsigned k = 0; k < t->bins; k++) {
            const struct mpj_bin bin = mpj_thread_bin(t, k);
            fprintf(f, "%u," REAL ",%g,%g,%g\n", t->id, k * t->bin_s, (double)bin.run_s,
                    (double)bin.block_s, (double)bin.host_s);
        }
    }
    return MPJ_E_OK;
}

/* Writes a row per metric and core; without a value where it cannot be computed. core: empty for a
 * single figure of the chip. */
int csv_groups(const struct mpj_report *r, FILE *f, struct mpj_err *err)
{
    (void)err;
    fputs("group,metric,unit,core,value\n", f);
    for (unsigned i = 0; i < r->groups; i++) {
        const struct mpj_group *const g = r->group[i];
        for (unsigned m = 0; m < g->metrics; m++) {
            const bool chip = g->metric[m].scope == MPJ_METRIC_CHIP;
            for (unsigned k = 0; k <= MPJ_CORES_MAX; k++) {
                const bool all = k == MPJ_CORES_MAX;
                const double v = mpj_group_value(g, m, r->run, all ? -1 : (int)k);
                if (!all && (chip || !r->run->core[k].present))
                    continue;
                mpj_csv_quoted(f, g->name);
                fputc(',', f);
                mpj_csv_quoted(f, g->metric[m].name);
                fputc(',', f);
                mpj_csv_quoted(f, g->metric[m].unit);
                if (all)
                    fputs(chip ? ",," : ",all,", f);
                else
                    fprintf(f, ",%u,", k);
                if (isfinite(v))
                    fprintf(f, REAL, v);
                fputc('\n', f);
            }
        }
    }
    return MPJ_E_OK;
}

static mpj_report_put *csv_of(const struct mpj_view *view)
{
    return view->csv;
}

const struct mpj_exporter exporter_csv = {"csv", "csv", csv_of, false, false};
