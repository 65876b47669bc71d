/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chrome's trace event format (JSON), as chrome://tracing, Perfetto and speedscope read it.
 * Processes are tracks of one kind: threads, cores, waits, regions, power, and functions, whose
 * slices are sums, not in order of time. Times are in us with three places, whatever
 * displayTimeUnit is.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export/profile_out.h"
#include "export/timeline.h"
#include "report_int.h"
#include "view/profile_text.h"

enum process { THREADS = 1, CORES, WAITS, REGIONS, POWER, FUNCTIONS };

struct writing {
    const struct mpj_report *r;
    bool comma;
    uint64_t flows;
    FILE *f;
};

static void us(uint64_t ns, FILE *f)
{
    fprintf(f, "%" PRIu64 ".%03u", ns / 1000, (unsigned)(ns % 1000));
}

static void event(struct writing *c, char type, enum process pid, int64_t tid)
{
    fprintf(c->f, "%s{\"ph\":\"%c\",\"pid\":%d,\"tid\":%" PRId64, c->comma ? ",\n" : "\n", type,
            (int)pid, tid);
    c->comma = true;
}

static void text(struct writing *c, const char *key, const char *value)
{
    fprintf(c->f, ",\"%s\":", key);
    profile_json_text(c->f, value);
}

static void at(struct writing *c, uint64_t ns)
{
    fputs(",\"ts\":", c->f);
    us(ns, c->f);
}

static void slice(struct writing *c, enum process pid, int64_t tid, uint64_t from, uint64_t to,
                  const char *name)
{
    event(c, 'X', pid, tid);
    at(c, from);
    fputs(",\"dur\":", c->f);
    us(to - from, c->f);
    text(c, "name", name);
}

/* Returns the number of a track: threads by id; items without a thread, by core. */
static int64_t track(int64_t thread, int64_t core)
{
    return thread >= 0 ? thread : 1000000 + (core >= 0 ? core : 99);
}

static void name_track(struct writing *c, enum process pid, int64_t tid, const char *name)
{
    event(c, 'M', pid, tid);
    fputs(",\"name\":\"thread_name\",\"args\":{\"name\":", c->f);
    profile_json_text(c->f, name);
    fputs("}}", c->f);
}

static void name_tracks(struct writing *c)
{
    static const char *const names[] = {
        "threads", "cores", "waits", "regions", "power", "functions (sums, not in order of time)"};
    const struct mpj_run *const run = c->r->run;
    char name[120];

    for (int pid = THREADS; pid <= FUNCTIONS; pid++) {
        event(c, 'M', (enum process)pid, 0);
        fprintf(c->f, ",\"name\":\"process_name\",\"args\":{\"name\":\"%s\"}}", names[pid - 1]);
        event(c, 'M', (enum process)pid, 0);
        fprintf(c->f, ",\"name\":\"process_sort_index\",\"args\":{\"sort_index\":%d}}", pid);
    }
    for (unsigned i = 0; i < run->threads; i++) {
        const int64_t id = run->thread[i].id;
        profile_thread(run, id, MPJ_PROF_NONE, name, sizeof(name));
        name_track(c, THREADS, id, name);
        name_track(c, WAITS, id, name);
        name_track(c, REGIONS, id, name);
        name_track(c, FUNCTIONS, id, name);
    }
    for (unsigned k = 0; k < run->cores && k < MPJ_CORES_MAX; k++) {
        snprintf(name, sizeof(name), "core %u", k);
        name_track(c, CORES, k, name);
        name_track(c, FUNCTIONS, track(MPJ_PROF_NONE, k), name);
    }
}

/* Writes an arrow from the waiting thread to the holder of the object. */
static void flow(struct writing *c, const struct span *s)
{
    event(c, 's', WAITS, s->thread);
    at(c, s->from);
    fprintf(c->f, ",\"id\":%" PRIu64 ",\"cat\":\"wait\",\"name\":\"waits for\"}", ++c->flows);
    event(c, 'f', THREADS, s->holder);
    at(c, s->to);
    fprintf(c->f, ",\"id\":%" PRIu64 ",\"cat\":\"wait\",\"name\":\"waits for\",\"bp\":\"e\"}",
            c->flows);
}

static int on_span(void *ctx, const struct span *s)
{
    struct writing *const c = ctx;
    char name[120];

    switch (s->kind) {
    case SPAN_RUN:
        snprintf(name, sizeof(name), "core %" PRId64, s->core);
        slice(c, THREADS, s->thread, s->from, s->to, name);
        fputs(",\"args\":{\"until\":", c->f);
        profile_json_text(c->f, s->text);
        fputs("}}", c->f);
        profile_thread(c->r->run, s->thread, MPJ_PROF_NONE, name, sizeof(name));
        slice(c, CORES, s->core, s->from, s->to, name);
        fputc('}', c->f);
        return MPJ_E_OK;
    case SPAN_WAIT:
    case SPAN_REGION:
        slice(c, s->kind == SPAN_WAIT ? WAITS : REGIONS, s->thread, s->from, s->to, s->text);
        fputc('}', c->f);
        if (s->holder >= 0)
            flow(c, s);
        return MPJ_E_OK;
    default:
        event(c, 'i', THREADS, track(s->thread, s->core));
        at(c, s->from);
        text(c, "name", s->text);
        fputs(",\"s\":\"t\"}", c->f);
        return MPJ_E_OK;
    }
}

/* Writes the mean power of a step, as a counter. */
static int on_step(void *ctx, int64_t core, uint64_t time, uint64_t step, uint64_t fj)
{
    struct writing *const c = ctx;
    const double s = (double)step / c->r->run->time_hz;

    event(c, 'C', POWER, 0);
    at(c, timeline_ns(c->r->run, time));
    if (core >= 0)
        fprintf(c->f, ",\"name\":\"power of core %" PRId64 "\"", core);
    else
        fputs(",\"name\":\"power outside of the cores\"", c->f);
    fprintf(c->f, ",\"args\":{\"mW\":%.3f}}", (double)fj / 1e12 / s);
    return MPJ_E_OK;
}

/* Writes functions. A node begins after the nodes before it, by their own time. */
static void put_functions(struct writing *c, const struct lane *l)
{
    const struct mpj_profile *const p = c->r->run->profile;
    const size_t time = (size_t)(p->cycles >= 0 ? p->cycles : 0);
    int64_t cycles = 0;

    for (uint32_t i = 0; i < p->nodes; i++) {
        const struct mpj_prof_node *const n = &p->node[i];
        const int64_t total = p->total[(size_t)i * p->items + time];
        if (!profile_in_lane(n, l))
            continue;
        if (total > 0) {
            slice(c, FUNCTIONS, track(l->thread, l->core), profile_ns(p, cycles, 0),
                  profile_ns(p, cycles, total), p->func[n->func].label);
            fprintf(c->f, ",\"args\":{\"calls\":%" PRIu64, n->calls);
            if (p->energy >= 0)
                fprintf(c->f, ",\"self nJ\":%.3f,\"total nJ\":%.3f",
                        (double)p->self[(size_t)i * p->items + (size_t)p->energy] / 1e6,
                        (double)p->total[(size_t)i * p->items + (size_t)p->energy] / 1e6);
            fputs("}}", c->f);
        }
        cycles += p->self[(size_t)i * p->items + time];
    }
}

static int put_profile(struct writing *c, struct mpj_err *err)
{
    struct lane *lane = NULL;
    unsigned lanes = 0;
    char name[40];
    const int result = profile_lanes(c->r->run->profile, &lane, &lanes, err);

    for (unsigned i = 0; i < lanes && result == MPJ_E_OK; i++) {
        if (lane[i].thread < 0 && lane[i].core < 0) { /* name_tracks() names the others */
            profile_thread(c->r->run, MPJ_PROF_NONE, MPJ_PROF_NONE, name, sizeof(name));
            name_track(c, FUNCTIONS, track(MPJ_PROF_NONE, MPJ_PROF_NONE), name);
        }
        put_functions(c, &lane[i]);
    }
    free(lane);
    return result;
}

static int put_chrome(const struct mpj_report *r, FILE *f, struct mpj_err *err)
{
    const struct mpj_profile *const p = r->run->profile;
    struct writing c = {.r = r, .f = f};
    uint64_t lost = 0;
    char label[400];
    int result = timeline_check(r, err);

    if (result != MPJ_E_OK)
        return result;
    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", f);
    name_tracks(&c);
    result = timeline_read(r, on_span, &c, &lost, err);
    if (result == MPJ_E_OK && r->store != NULL && r->run->time_hz > 0)
        result = mpj_wave(r->store, on_step, &c, err);
    if (result == MPJ_E_OK && p != NULL && p->cycles >= 0)
        result = put_profile(&c, err);
    if (result != MPJ_E_OK)
        return result;
    profile_label(r->run, label, sizeof(label));
    fputs("\n],\"otherData\":{\"run\":", f);
    profile_json_text(f, label);
    fprintf(f, ",\"events_lost\":%" PRIu64, lost);
    if (p != NULL && p->energy >= 0)
        fprintf(f, ",\"energy_nj\":%.3f,\"chip_energy_nj\":%.3f",
                ((double)p->sum[p->energy] + (double)p->chip[p->energy]) / 1e6,
                (double)p->chip[p->energy] / 1e6);
    fputs("}}\n", f);
    return MPJ_E_OK;
}

static mpj_report_put *chrome_of(const struct mpj_view *view)
{
    return profile_exports(view) ? put_chrome : NULL;
}

const struct mpj_exporter exporter_chrome = {"chrome", "json", chrome_of, false};
