/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The thread-level profile as JSON. */
#include <math.h>

#include "base/json.h"
#include "report_int.h"
#include "store/thread_fields.h"

static void put_where(json_t *o, const struct mpj_where *w)
{
    if (w->address != 0)
        json_put_count(o, "address", w->address);
    json_put_text(o, "function", w->function);
    if (w->file != NULL) {
        json_put_text(o, "file", w->file);
        json_put_count(o, "line", (uint64_t)w->line);
    }
}

static void put_events(json_t *o, const struct mpj_run *run, const struct mpj_value *counted)
{
    struct mpj_value ev[MPJ_RUN_EVENTS_MAX];
    json_t *events;

    mpj_run_values(run, counted, ev);
    events = json_events(ev, MPJ_SOURCE_PMU);
    if (events != NULL)
        json_object_set_new(o, "events", events);
    rotation_json(o, ev);
}

static json_t *reals(const double *v, unsigned n, double scale)
{
    json_t *const list = json_array();

    for (unsigned i = 0; i < n; i++)
        json_array_append_new(list, json_real(v[i] * scale));
    return list;
}

static json_t *timeline(const struct mpj_thread_result *t)
{
    json_t *const line = json_object();
    json_t *const run = json_array();
    json_t *const block = json_array();
    json_t *const host = json_array();

    for (unsigned i = 0; i < t->bins; i++) {
        const struct mpj_bin bin = mpj_thread_bin(t, i);
        json_array_append_new(run, json_real(bin.run_s));
        json_array_append_new(block, json_real(bin.block_s));
        json_array_append_new(host, json_real(bin.host_s));
    }
    json_put_real(line, "bin_s", t->bin_s);
    json_object_set_new(line, "run_s", run);
    json_object_set_new(line, "block_s", block);
    json_object_set_new(line, "host_s", host);
    return line;
}

/* Writes durations, or counts. */
static void put_fields(json_t *o, const struct mpj_run *run, const struct mpj_thread_result *t,
                       bool durations)
{
    for (unsigned i = 0; i < thread_field_count; i++) {
        const struct thread_field *const f = &thread_fields[i];
        if (f->shown == NULL || thread_field_is_duration(f) != durations ||
            !thread_field_known(f, run))
            continue;
        if (durations)
            json_put_real(o, f->shown, thread_field_seconds(f, t));
        else
            json_put_count(o, f->shown, thread_field_number(f, t));
    }
}

static json_t *thread(const struct mpj_run *run, const struct mpj_thread_result *t)
{
    json_t *const o = json_object();

    json_put_count(o, "id", t->id);
    json_put_text(o, "name", t->name);
    json_put_count(o, "parent", t->parent);
    if (t->flags & MPJ_THREAD_ALIVE)
        json_object_set_new(o, "alive", json_true());
    put_where(o, &t->entry);
    json_put_real(o, "created_s", t->created_s);
    json_put_real(o, "life_s", t->life_s);
    put_fields(o, run, t, true);
    json_object_set_new(
        o, "core_share",
        reals(t->core_run_s, mpj_run_cores(run), t->run_s > 0 ? 1.0 / t->run_s : 0.0));
    put_fields(o, run, t, false);
    put_events(o, run, t->ev);
    json_energy(o, "energy_uj", t->energy_uj);
    json_energy(o, "interval_uj", mpj_run_interval_uj(run, t->energy_uj, t->cycles));
    if (t->bins > 0)
        json_object_set_new(o, "timeline", timeline(t));
    return o;
}

static json_t *wait_of(const struct mpj_wait_result *w)
{
    json_t *const o = json_object();
    json_t *const at = json_object();

    json_put_count(o, "thread", w->thread);
    json_put_text(o, "kind", mpj_wait_name(w->kind));
    json_put_count(o, "object", w->object);
    json_put_text(o, "object_name", w->object_name);
    if (w->owner != 0)
        json_put_count(o, "owner", w->owner);
    put_where(at, &w->caller);
    json_object_set_new(o, "at", at);
    json_put_count(o, "count", w->count);
    json_put_real(o, "total_s", w->total_s);
    json_put_real(o, "longest_s", w->longest_s);
    return o;
}

static json_t *region(const struct mpj_run *run, const struct mpj_region_result *g)
{
    json_t *const o = json_object();
    json_t *const parts = json_array();

    json_put_text(o, "name", g->name);
    put_where(o, &g->fn);
    if (g->caller.address != 0) {
        json_t *const from = json_object();
        put_where(from, &g->caller);
        json_object_set_new(o, "from", from);
    }
    json_put_count(o, "calls", g->calls);
    json_put_count(o, "team", g->size);
    json_put_real(o, "wall_s", g->wall_s);
    json_put_real(o, "run_s", g->run_s);
    json_put_real(o, "barrier_s", g->barrier_s);
    json_put_real(o, "host_s", g->host_s);
    json_put_real(o, "imbalance", g->imbalance);
    json_put_count(o, "cycles", g->cycles);
    json_energy(o, "energy_uj", g->energy_uj);
    json_energy(o, "interval_uj", mpj_run_interval_uj(run, g->energy_uj, g->cycles));
    for (unsigned i = 0; i < g->parts; i++) {
        const struct mpj_region_part *const p = &g->part[i];
        json_t *const part = json_object();
        json_put_count(part, "thread", p->thread);
        json_put_count(part, "calls", p->calls);
        json_put_real(part, "run_s", p->run_s);
        json_put_real(part, "barrier_s", p->barrier_s);
        json_put_real(part, "host_s", p->host_s);
        json_put_count(part, "cycles", p->cycles);
        put_events(part, run, p->ev);
        json_energy(part, "energy_uj", p->energy_uj);
        json_energy(part, "interval_uj", mpj_run_interval_uj(run, p->energy_uj, p->cycles));
        json_array_append_new(parts, part);
    }
    json_object_set_new(o, "threads", parts);
    return o;
}

static json_t *parallelism(const struct mpj_run *run)
{
    json_t *const o = json_object();
    double total = 0.0;
    double busy = 0.0;
    double sum = 0.0;
    double host = 0.0;

    for (unsigned k = 0; k <= MPJ_CORES_MAX; k++) {
        total += run->parallel_s[k];
        busy += k > 0 ? run->parallel_s[k] : 0.0;
        sum += k * run->parallel_s[k];
    }
    for (unsigned i = 0; i < run->threads; i++)
        host += run->thread[i].host_s;
    json_object_set_new(o, "cores_s", reals(run->parallel_s, mpj_run_cores(run) + 1, 1.0));
    json_put_real(o, "mean", total > 0 ? sum / total : 0.0);
    json_put_real(o, "mean_busy", busy > 0 ? sum / busy : 0.0);
    json_put_real(o, "host_s", host);
    return o;
}

void json_threads(struct json_out *doc, const struct mpj_run *run)
{
    if (run->have_parallel)
        json_out_put(doc, "parallelism", parallelism(run));
    if (run->have_memory) {
        json_t *const o = json_object();
        json_put_count(o, "heap_peak_bytes", run->heap_peak);
        json_put_count(o, "heap_end_bytes", run->heap_end);
        json_put_count(o, "heap_room_bytes", run->heap_room);
        json_out_put(doc, "memory", o);
    }
    if (run->threads == 0)
        return;
    json_out_open(doc, "threads", '[');
    for (unsigned i = 0; i < run->threads; i++)
        json_out_put(doc, NULL, thread(run, &run->thread[i]));
    json_out_close(doc);
    if (isfinite(run->idle_energy_uj))
        json_out_put(doc, "unattributed_energy_uj", json_real(run->idle_energy_uj));
    json_out_open(doc, "sync", '[');
    for (unsigned i = 0; i < run->waits; i++)
        json_out_put(doc, NULL, wait_of(&run->wait[i]));
    json_out_close(doc);
    json_out_open(doc, "regions", '[');
    for (unsigned i = 0; i < run->regions; i++)
        json_out_put(doc, NULL, region(run, &run->region[i]));
    json_out_close(doc);
}
