/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of the profile of threads, and of multiplexed events. */
#include "records_int.h"

/* One field of a thread to and from the record. */
#define PUT_ID(name)     mpj_put_varint(w, t->name);
#define PUT_MOMENT(name) mpj_put_varint(w, t->name);
#define PUT_TICKS(name)  mpj_put_varint(w, t->name);
#define PUT_COUNT(name)  mpj_put_varint(w, t->name);
#define PUT_DERIVED(name)
#define PUT(kind, name, since) PUT_##kind(name)
#define GET_ID(name)           out->name = get_u32(&r);
#define GET_MOMENT(name)       out->name = mpj_get_varint(&r);
#define GET_TICKS(name)        out->name = mpj_get_varint(&r);
#define GET_COUNT(name)        out->name = mpj_get_varint(&r);
#define GET_DERIVED(name)
#define GET(kind, name, since) GET_##kind(name)

int mpj_thread_put(struct mpj_writer *w, const struct mpj_thread_rec *t)
{
    struct mpj_rec_mark mark;

    if (t->count > MPJ_REC_EVENTS_MAX)
        return MPJ_LINK_ERR_RANGE;
    mark = mpj_rec_begin(w, MPJ_REC_THREAD);
    MPJ_THREAD_FIELDS(PUT)
    for (unsigned i = 0; i < MPJ_CORES_MAX; i++)
        mpj_put_varint(w, t->core_run[i]);
    put_events(w, t->ev, t->count);
    mpj_put_bytes(w, t->name.p, t->name.len);
    MPJ_THREAD_LATER(PUT)
    return mpj_rec_end(w, mark);
}

int mpj_thread_get(const struct mpj_rec *rec, struct mpj_thread_rec *out)
{
    struct mpj_reader r;
    int result;

    open_body(&r, rec);
    MPJ_THREAD_FIELDS(GET)
    for (unsigned i = 0; i < MPJ_CORES_MAX; i++)
        out->core_run[i] = mpj_get_varint(&r);
    result = get_events(&r, out->ev, &out->count);
    out->name = mpj_get_bytes(&r);
    MPJ_THREAD_LATER(GET)
    return result != MPJ_LINK_OK ? result : checked(&r);
}

int mpj_wait_put(struct mpj_writer *w, const struct mpj_wait_rec *s)
{
    struct mpj_rec_mark mark = mpj_rec_begin(w, MPJ_REC_SYNC_WAIT);

    mpj_put_varint(w, s->thread);
    mpj_put_varint(w, s->kind);
    mpj_put_varint(w, s->object);
    mpj_put_varint(w, s->owner);
    mpj_put_varint(w, s->caller);
    mpj_put_varint(w, s->count);
    mpj_put_varint(w, s->total);
    mpj_put_varint(w, s->longest);
    return mpj_rec_end(w, mark);
}

int mpj_wait_get(const struct mpj_rec *rec, struct mpj_wait_rec *out)
{
    struct mpj_reader r;

    open_body(&r, rec);
    out->thread = get_u32(&r);
    out->kind = get_u32(&r);
    out->object = get_u32(&r);
    out->owner = get_u32(&r);
    out->caller = get_u32(&r);
    out->count = mpj_get_varint(&r);
    out->total = mpj_get_varint(&r);
    out->longest = mpj_get_varint(&r);
    return checked(&r);
}

int mpj_region_put(struct mpj_writer *w, const struct mpj_region_rec *g)
{
    struct mpj_rec_mark mark;

    if (g->count > MPJ_REC_EVENTS_MAX)
        return MPJ_LINK_ERR_RANGE;
    mark = mpj_rec_begin(w, MPJ_REC_REGION);
    mpj_put_varint(w, g->fn);
    mpj_put_varint(w, g->caller);
    mpj_put_varint(w, g->thread);
    mpj_put_varint(w, g->size);
    mpj_put_varint(w, g->calls);
    mpj_put_varint(w, g->wall);
    mpj_put_varint(w, g->run);
    mpj_put_varint(w, g->barrier);
    mpj_put_varint(w, g->cycles);
    put_events(w, g->ev, g->count);
    mpj_put_varint(w, g->host);
    return mpj_rec_end(w, mark);
}

int mpj_region_get(const struct mpj_rec *rec, struct mpj_region_rec *out)
{
    struct mpj_reader r;
    int result;

    open_body(&r, rec);
    out->fn = get_u32(&r);
    out->caller = get_u32(&r);
    out->thread = get_u32(&r);
    out->size = get_u32(&r);
    out->calls = mpj_get_varint(&r);
    out->wall = mpj_get_varint(&r);
    out->run = mpj_get_varint(&r);
    out->barrier = mpj_get_varint(&r);
    out->cycles = mpj_get_varint(&r);
    result = get_events(&r, out->ev, &out->count);
    out->host = mpj_get_varint(&r);
    return result != MPJ_LINK_OK ? result : checked(&r);
}

int mpj_timeline_put(struct mpj_writer *w, const struct mpj_timeline_rec *t)
{
    struct mpj_rec_mark mark;

    if (t->count > MPJ_TIMELINE_MAX)
        return MPJ_LINK_ERR_RANGE;
    mark = mpj_rec_begin(w, MPJ_REC_THREAD_SWITCH);
    mpj_put_varint(w, t->thread);
    mpj_put_varint(w, t->width);
    mpj_put_varint(w, t->first);
    mpj_put_varint(w, t->count);
    for (uint32_t i = 0; i < t->count; i++) {
        mpj_put_varint(w, t->bin[i].run);
        mpj_put_varint(w, t->bin[i].block);
    }
    for (uint32_t i = 0; i < t->count; i++)
        mpj_put_varint(w, t->bin[i].host);
    return mpj_rec_end(w, mark);
}

int mpj_timeline_get(const struct mpj_rec *rec, struct mpj_timeline_rec *out)
{
    struct mpj_reader r;
    uint32_t n;

    open_body(&r, rec);
    out->thread = get_u32(&r);
    out->width = mpj_get_varint(&r);
    out->first = mpj_get_varint(&r);
    n = get_u32(&r);
    out->count = 0;
    if (n > MPJ_TIMELINE_MAX)
        return MPJ_LINK_ERR_RANGE;
    for (uint32_t i = 0; i < n; i++) {
        out->bin[i].run = mpj_get_varint(&r);
        out->bin[i].block = mpj_get_varint(&r);
    }
    if (r.short_read)
        return MPJ_LINK_ERR_FORMAT;
    for (uint32_t i = 0; i < n; i++)
        out->bin[i].host = mpj_get_varint(&r);
    out->count = n;
    return checked(&r);
}

int mpj_parallel_put(struct mpj_writer *w, const struct mpj_parallel_rec *p)
{
    struct mpj_rec_mark mark = mpj_rec_begin(w, MPJ_REC_PARALLEL);

    mpj_put_varint(w, MPJ_CORES_MAX + 1U);
    for (unsigned i = 0; i <= MPJ_CORES_MAX; i++)
        mpj_put_varint(w, p->ticks[i]);
    return mpj_rec_end(w, mark);
}

int mpj_parallel_get(const struct mpj_rec *rec, struct mpj_parallel_rec *out)
{
    struct mpj_reader r;
    uint32_t n;

    open_body(&r, rec);
    n = get_u32(&r);
    for (unsigned i = 0; i <= MPJ_CORES_MAX; i++)
        out->ticks[i] = i < n ? mpj_get_varint(&r) : 0;
    return n > MPJ_CORES_MAX + 1U ? MPJ_LINK_ERR_RANGE : checked(&r);
}

int mpj_memory_put(struct mpj_writer *w, const struct mpj_memory_rec *m)
{
    struct mpj_rec_mark mark = mpj_rec_begin(w, MPJ_REC_MEMORY);

    mpj_put_varint(w, m->heap_peak);
    mpj_put_varint(w, m->heap_end);
    mpj_put_varint(w, m->heap_room);
    return mpj_rec_end(w, mark);
}

int mpj_memory_get(const struct mpj_rec *rec, struct mpj_memory_rec *out)
{
    struct mpj_reader r;

    open_body(&r, rec);
    out->heap_peak = mpj_get_varint(&r);
    out->heap_end = mpj_get_varint(&r);
    out->heap_room = mpj_get_varint(&r);
    return checked(&r);
}

int mpj_rotation_put(struct mpj_writer *w, const struct mpj_rotation_rec *t)
{
    struct mpj_rec_mark mark;

    if (t->count == 0 || t->count > MPJ_ROTATION_MAX)
        return MPJ_LINK_ERR_RANGE;
    mark = mpj_rec_begin(w, MPJ_REC_ROTATION);
    mpj_put_varint(w, t->period_ms);
    mpj_put_varint(w, t->count);
    for (uint32_t i = 0; i < t->count; i++) {
        mpj_put_varint(w, t->event[i][0]);
        mpj_put_varint(w, t->event[i][1]);
    }
    return mpj_rec_end(w, mark);
}

int mpj_rotation_get(const struct mpj_rec *rec, struct mpj_rotation_rec *out)
{
    struct mpj_reader r;
    uint32_t n;

    open_body(&r, rec);
    out->period_ms = get_u32(&r);
    n = get_u32(&r);
    out->count = 0;
    if (n == 0 || n > MPJ_ROTATION_MAX)
        return MPJ_LINK_ERR_RANGE;
    for (uint32_t i = 0; i < n; i++) {
        for (unsigned j = 0; j < MPJ_PMU_COUNTERS; j++) {
            const uint32_t v = get_u32(&r);

            if (v > UINT16_MAX)
                r.malformed = true;
            out->event[i][j] = (uint16_t)v;
        }
    }
    if (r.short_read)
        return MPJ_LINK_ERR_FORMAT;
    out->count = n;
    return checked(&r);
}

int mpj_spread_put(struct mpj_writer *w, const struct mpj_spread_rec *s)
{
    struct mpj_rec_mark mark;

    if (s->count > MPJ_SPREAD_MAX)
        return MPJ_LINK_ERR_RANGE;
    mark = mpj_rec_begin(w, MPJ_REC_SPREAD);
    mpj_put_varint(w, s->owner);
    mpj_put_varint(w, s->id);
    mpj_put_varint(w, s->shift);
    mpj_put_varint(w, s->count);
    for (uint32_t i = 0; i < s->count; i++) {
        mpj_put_varint(w, s->ev[i].event);
        mpj_put_varint(w, s->ev[i].turns);
        mpj_put_varint(w, s->ev[i].c);
        mpj_put_varint(w, s->ev[i].x);
        mpj_put_varint(w, s->ev[i].cc);
        mpj_put_varint(w, s->ev[i].xc);
        mpj_put_varint(w, s->ev[i].xx);
    }
    return mpj_rec_end(w, mark);
}

int mpj_spread_get(const struct mpj_rec *rec, struct mpj_spread_rec *out)
{
    struct mpj_reader r;
    uint32_t n;

    open_body(&r, rec);
    out->owner = get_u32(&r);
    out->id = get_u32(&r);
    out->shift = get_u32(&r);
    n = get_u32(&r);
    out->count = 0;
    if (n > MPJ_SPREAD_MAX || out->shift > 63U)
        return MPJ_LINK_ERR_RANGE;
    for (uint32_t i = 0; i < n; i++) {
        out->ev[i].event = get_u32(&r);
        out->ev[i].turns = get_u32(&r);
        out->ev[i].c = mpj_get_varint(&r);
        out->ev[i].x = mpj_get_varint(&r);
        out->ev[i].cc = mpj_get_varint(&r);
        out->ev[i].xc = mpj_get_varint(&r);
        out->ev[i].xx = mpj_get_varint(&r);
    }
    if (r.short_read)
        return MPJ_LINK_ERR_FORMAT;
    out->count = n;
    return checked(&r);
}
