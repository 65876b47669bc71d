/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Perfetto's trace (protobuf, https://perfetto.dev/docs/reference/trace-packet-proto): the threads
 * on cores as GenericKernelTaskStateEvent; waits, regions and functions as slices of TrackEvent;
 * power as a counter, and energy as PowerRails (uWs, each millisecond). Functions are sums, not in
 * order of time. A track's number is its kind and the thread or core.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export/pb.h"
#include "export/profile_out.h"
#include "export/timeline.h"
#include "report_int.h"
#include "view/profile_text.h"

enum {
    TRACE_PACKET = 1,
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_TRACK_EVENT = 11,
    PACKET_POWER_RAILS = 40,
    PACKET_TRACK = 60,
    PACKET_TASK_STATE = 117,
    TRACK_UUID = 1,
    TRACK_NAME = 2,
    TRACK_PARENT = 5,
    TRACK_COUNTER = 8,
    COUNTER_UNIT_NAME = 6,
    EVENT_TYPE = 9,
    EVENT_TRACK = 11,
    EVENT_NAME = 23,
    EVENT_VALUE = 44,
    EVENT_FLOW = 47,
    EVENT_FLOW_END = 48,
    TYPE_BEGIN = 1,
    TYPE_END = 2,
    TYPE_INSTANT = 3,
    TYPE_COUNTER = 4,
    RAILS_DESCRIPTOR = 1,
    RAILS_DATA = 2,
    RAIL_INDEX = 1,
    RAIL_NAME = 2,
    RAIL_SUBSYSTEM = 3,
    DATA_INDEX = 1,
    DATA_MS = 2,
    DATA_ENERGY = 3,
    TASK_CPU = 1,
    TASK_COMM = 2,
    TASK_TID = 3,
    TASK_STATE = 4,
    STATE_RUNNABLE = 2,
    STATE_RUNNING = 3,
    STATE_SLEEPING = 4,
    STATE_DEAD = 7,
    SEQUENCE = 1,
};

enum track { RUN = 1, WAITS, REGIONS, FUNCTIONS, POWER, THREADS };

#define NS_PER_MS 1000000U

struct writing {
    const struct mpj_report *r;
    struct pb trace, packet, part, inner;
    uint64_t flows;
    /* energy of one core so far */
    int64_t core;
    uint64_t fj, ms, stepped; /* stepped: end of the last step, in ns */
    bool rails, failed;
    FILE *f;
};

static uint64_t uuid(enum track kind, int64_t number)
{
    return (uint64_t)kind << 40 | (uint64_t)(number + 1);
}

/* Writes the current packet. */
static void put(struct writing *c)
{
    pb_clear(&c->trace);
    pb_message(&c->trace, TRACE_PACKET, &c->packet);
    c->failed = c->failed || c->trace.failed;
    fwrite(c->trace.at, 1, c->trace.len, c->f);
}

static void begin(struct writing *c, uint64_t ns)
{
    pb_clear(&c->packet);
    pb_clear(&c->part);
    pb_number(&c->packet, PACKET_TIMESTAMP, ns);
    pb_number(&c->packet, PACKET_SEQUENCE, SEQUENCE);
}

static void end(struct writing *c, unsigned field)
{
    pb_message(&c->packet, field, &c->part);
    put(c);
}

static void put_track(struct writing *c, uint64_t id, uint64_t parent, const char *name,
                      const char *unit)
{
    begin(c, 0);
    pb_number(&c->part, TRACK_UUID, id);
    pb_text(&c->part, TRACK_NAME, name);
    if (parent > 0)
        pb_number(&c->part, TRACK_PARENT, parent);
    if (unit != NULL) {
        pb_clear(&c->inner);
        pb_text(&c->inner, COUNTER_UNIT_NAME, unit);
        pb_message(&c->part, TRACK_COUNTER, &c->inner);
    }
    end(c, PACKET_TRACK);
}

/* Writes an event of a track. name: of one that begins or has no duration; flow: 0 none, negative:
 * it ends here. */
static void event(struct writing *c, unsigned type, uint64_t ns, uint64_t track, const char *name,
                  int64_t flow)
{
    begin(c, ns);
    pb_number(&c->part, EVENT_TYPE, type);
    pb_number(&c->part, EVENT_TRACK, track);
    if (name != NULL)
        pb_text(&c->part, EVENT_NAME, name);
    if (flow > 0)
        pb_fixed64(&c->part, EVENT_FLOW, (uint64_t)flow);
    if (flow < 0)
        pb_fixed64(&c->part, EVENT_FLOW_END, (uint64_t)-flow);
    end(c, PACKET_TRACK_EVENT);
}

static void slice(struct writing *c, uint64_t track, const struct span *s, int64_t flow)
{
    event(c, TYPE_BEGIN, s->from, track, s->text, flow);
    event(c, TYPE_END, s->to, track, NULL, 0);
}

static void task(struct writing *c, const struct span *s, uint64_t ns, unsigned state)
{
    char name[120];

    profile_thread(c->r->run, s->thread, MPJ_PROF_NONE, name, sizeof(name));
    begin(c, ns);
    pb_number(&c->part, TASK_CPU, (uint64_t)(s->core >= 0 ? s->core : 0));
    pb_text(&c->part, TASK_COMM, name);
    pb_number(&c->part, TASK_TID, (uint64_t)(s->thread >= 0 ? s->thread : 0));
    pb_number(&c->part, TASK_STATE, state);
    end(c, PACKET_TASK_STATE);
}

static int on_span(void *ctx, const struct span *s)
{
    struct writing *const c = ctx;

    switch (s->kind) {
    case SPAN_RUN:
        task(c, s, s->from, STATE_RUNNING);
        task(c, s, s->to,
             strcmp(s->text, "blocked") == 0 ? STATE_SLEEPING
             : strcmp(s->text, "ended") == 0 ? STATE_DEAD
                                             : STATE_RUNNABLE);
        break;
    case SPAN_WAIT:
        slice(c, uuid(WAITS, s->thread), s, s->holder >= 0 ? (int64_t)++c->flows : 0);
        if (s->holder >= 0)
            event(c, TYPE_INSTANT, s->to, uuid(RUN, s->holder), "released", -(int64_t)c->flows);
        break;
    case SPAN_REGION:
        slice(c, uuid(REGIONS, s->thread), s, 0);
        break;
    default:
        event(c, TYPE_INSTANT, s->from, uuid(RUN, s->thread), s->text, 0);
    }
    return c->failed ? MPJ_E_NOMEM : MPJ_E_OK;
}

/* ---- power ------------------------------------------------------------------------------- */

static void put_energy(struct writing *c, uint64_t ms)
{
    begin(c, ms * NS_PER_MS);
    pb_clear(&c->inner);
    pb_number(&c->inner, DATA_INDEX, (uint64_t)(c->core + 1));
    pb_number(&c->inner, DATA_MS, ms);
    pb_number(&c->inner, DATA_ENERGY, c->fj / 1000000000U);
    pb_message(&c->part, RAILS_DATA, &c->inner);
    end(c, PACKET_POWER_RAILS);
}

/* Closes a rail: its last value is at the next whole millisecond. */
static void close_rail(struct writing *c)
{
    if (c->rails)
        put_energy(c, (c->stepped + NS_PER_MS - 1) / NS_PER_MS);
}

static void open_rail(struct writing *c, int64_t core)
{
    char name[60];

    if (core >= 0)
        snprintf(name, sizeof(name), "core %" PRId64, core);
    else
        snprintf(name, sizeof(name), "outside of the cores");
    begin(c, 0);
    pb_clear(&c->inner);
    pb_number(&c->inner, RAIL_INDEX, (uint64_t)(core + 1));
    pb_text(&c->inner, RAIL_NAME, name);
    pb_text(&c->inner, RAIL_SUBSYSTEM, "processor");
    pb_message(&c->part, RAILS_DESCRIPTOR, &c->inner);
    end(c, PACKET_POWER_RAILS);
    put_track(c, uuid(POWER, core), 0, name, "mW");
    c->core = core;
    c->fj = 0;
    c->ms = 0;
    c->rails = true;
}

static int on_step(void *ctx, int64_t core, uint64_t time, uint64_t step, uint64_t fj)
{
    struct writing *const c = ctx;
    const uint64_t from = timeline_ns(c->r->run, time);

    if (!c->rails || core != c->core) {
        close_rail(c);
        open_rail(c, core);
    }
    if (from / NS_PER_MS != c->ms) {
        c->ms = from / NS_PER_MS;
        put_energy(c, c->ms);
    }
    c->fj += fj;
    c->stepped = timeline_ns(c->r->run, time + step);
    begin(c, from);
    pb_number(&c->part, EVENT_TYPE, TYPE_COUNTER);
    pb_number(&c->part, EVENT_TRACK, uuid(POWER, core));
    pb_real(&c->part, EVENT_VALUE, (double)fj / 1e12 / ((double)step / c->r->run->time_hz));
    end(c, PACKET_TRACK_EVENT);
    return c->failed ? MPJ_E_NOMEM : MPJ_E_OK;
}

/* ---- functions --------------------------------------------------------------------------- */

/* Writes slices by preorder; open ones end where their total does. */
static int put_lane(struct writing *c, const struct lane *l)
{
    const struct mpj_profile *const p = c->r->run->profile;
    const uint64_t track = uuid(FUNCTIONS, l->thread >= 0 ? l->thread : 1000000 + l->core);
    uint64_t *const until = malloc((p->nodes + 1U) * sizeof(*until)); /* of the open ones */
    uint32_t open = 0;
    int64_t cycles = 0;
    char name[120];

    if (until == NULL)
        return MPJ_E_NOMEM;
    profile_thread(c->r->run, l->thread, l->core, name, sizeof(name));
    put_track(c, track, uuid(THREADS, 1), name, NULL);
    for (uint32_t i = 0; i < p->nodes; i++) {
        const struct mpj_prof_node *const n = &p->node[i];
        const size_t at = (size_t)i * p->items + (size_t)p->cycles;
        if (!profile_in_lane(n, l))
            continue;
        for (; open > n->depth; open--)
            event(c, TYPE_END, until[open - 1], track, NULL, 0);
        event(c, TYPE_BEGIN, profile_ns(p, cycles, 0), track, p->func[n->func].label, 0);
        until[open++] = profile_ns(p, cycles, p->total[at]);
        cycles += p->self[at];
    }
    for (; open > 0; open--)
        event(c, TYPE_END, until[open - 1], track, NULL, 0);
    free(until);
    return c->failed ? MPJ_E_NOMEM : MPJ_E_OK;
}

static int put_functions(struct writing *c, struct mpj_err *err)
{
    const struct mpj_profile *const p = c->r->run->profile;
    struct lane *lane = NULL;
    unsigned lanes = 0;
    int result;

    if (p == NULL || p->cycles < 0)
        return MPJ_E_OK;
    result = profile_lanes(p, &lane, &lanes, err);
    put_track(c, uuid(THREADS, 1), 0, "functions (sums, not in order of time)", NULL);
    for (unsigned i = 0; i < lanes && result == MPJ_E_OK; i++)
        result = put_lane(c, &lane[i]);
    free(lane);
    return result;
}

static void put_tracks(struct writing *c)
{
    const struct mpj_run *const run = c->r->run;
    char name[120];
    char label[400];

    profile_label(run, label, sizeof(label));
    put_track(c, uuid(THREADS, 0), 0, label, NULL);
    event(c, TYPE_INSTANT, 0, uuid(THREADS, 0), label, 0);
    for (unsigned i = 0; i < run->threads; i++) {
        const int64_t id = run->thread[i].id;
        profile_thread(run, id, MPJ_PROF_NONE, name, sizeof(name));
        put_track(c, uuid(RUN, id), 0, name, NULL);
        put_track(c, uuid(WAITS, id), uuid(RUN, id), "waits", NULL);
        put_track(c, uuid(REGIONS, id), uuid(RUN, id), "regions", NULL);
    }
}

static int put_perfetto(const struct mpj_report *r, FILE *f, struct mpj_err *err)
{
    struct writing c = {.r = r, .f = f};
    int result = timeline_check(r, err);

    if (result != MPJ_E_OK)
        return result;
    put_tracks(&c);
    result = timeline_read(r, on_span, &c, NULL, err);
    if (result == MPJ_E_OK && r->store != NULL && r->run->time_hz > 0)
        result = mpj_wave(r->store, on_step, &c, err);
    close_rail(&c);
    if (result == MPJ_E_OK)
        result = put_functions(&c, err);
    pb_free(&c.trace);
    pb_free(&c.packet);
    pb_free(&c.part);
    pb_free(&c.inner);
    return c.failed || result == MPJ_E_NOMEM ? mpj_err_nomem(err) : result;
}

static mpj_report_put *perfetto_of(const struct mpj_view *view)
{
    return profile_exports(view) ? put_perfetto : NULL;
}

const struct mpj_exporter exporter_perfetto = {"perfetto", "perfetto-trace", perfetto_of, false,
                                               false};
